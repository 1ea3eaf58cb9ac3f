"""What evidence beside a gap keeps, and where cells stand."""

import pytest

from prov_ledger.checks.documents import text_of
from prov_ledger.checks.quotes import Quote, quote_in
from prov_ledger.checks.redaction.gap import GAP, redact
from prov_ledger.checks.redaction.neighbours import without_gap
from prov_ledger.checks.redaction.spans import overlap, span_of
from prov_ledger.checks.selectors import find_quote
from prov_ledger.checks.tables import find_cell, get_cell
from prov_ledger.errors import Refused
from prov_ledger.model.records import CellPosition, Selector, TextPosition

MARKDOWN = """# Case of *Oda* Quist

Seen by Oda Quist on Monday.

| name | parcel |
|------|:------:|
| **Oda Quist** | 88-1417 |
| Bo \\| Li | 12 |
"""
CSV = 'name,parcel\r\n"Quist, Oda",88-1417\r\nBo,12\r\n'


def beside(data: str, media_type: str, quote: Quote, selector: Selector, gap: TextPosition) -> Quote:
    stored = data.encode()
    return without_gap(quote, selector, stored, redact(stored, media_type, [gap]), media_type)


def quoted(data: str, media_type: str, exact: str) -> tuple[Quote, TextPosition]:
    text = text_of(data.encode(), media_type)
    position = find_quote(text, exact)
    return quote_in(text, position, media_type), position


def test_context_that_reached_into_the_gap_shows_the_gap() -> None:
    quote, position = quoted(MARKDOWN, "text/markdown", "on Monday")
    gap = find_quote(MARKDOWN, "Oda Quist on", prefix="by ")

    after = beside(MARKDOWN, "text/markdown", quote, position, TextPosition(gap.start, gap.end - 3))

    assert after.prefix.endswith(f"Seen by {GAP * 9} ")
    assert (len(after.prefix), after.exact) == (len(quote.prefix), "on Monday")


def test_a_heading_in_the_gap_becomes_one_mark() -> None:
    quote, position = quoted(MARKDOWN, "text/markdown", "on Monday")
    assert quote.header_path == ("Case of Oda Quist",)

    after = beside(MARKDOWN, "text/markdown", quote, position, find_quote(MARKDOWN, "*Oda* Quist"))

    assert after.header_path == (GAP,)


@pytest.mark.parametrize(("data", "media_type"), [(MARKDOWN, "text/markdown"), (CSV, "text/csv")])
def test_the_key_of_a_row_in_the_gap_becomes_one_mark(data: str, media_type: str) -> None:
    cell = find_cell(data.encode(), media_type, 1, "parcel")
    quote = Quote(cell.text, header_path=cell.header_path, key=cell.key or ())
    gap = span_of(CellPosition(1, 1), data.encode(), media_type)
    assert gap is not None

    after = beside(data, media_type, quote, cell.position, gap)

    assert (after.key, after.exact) == ((("name", GAP),), "88-1417")


@pytest.mark.parametrize(("data", "media_type"), [(MARKDOWN, "text/markdown"), (CSV, "text/csv")])
def test_what_has_nothing_of_the_gap_stays_as_it_is(data: str, media_type: str) -> None:
    cell = find_cell(data.encode(), media_type, 2, "parcel")
    quote = Quote(cell.text, header_path=cell.header_path, key=cell.key or ())
    gap = span_of(CellPosition(1, 1), data.encode(), media_type)
    assert gap is not None

    assert beside(data, media_type, quote, cell.position, gap) == quote


@pytest.mark.parametrize(("data", "media_type"), [(MARKDOWN, "text/markdown"), (CSV, "text/csv")])
@pytest.mark.parametrize(("row", "column"), [(1, 1), (1, 2), (2, 1), (2, 2)])
def test_a_cell_that_is_taken_out_leaves_the_others(
    data: str, media_type: str, row: int, column: int
) -> None:
    positions = [CellPosition(r, c) for r in (1, 2) for c in (1, 2)]
    taken = CellPosition(row, column)
    span = span_of(taken, data.encode(), media_type)
    assert span is not None

    done = redact(data.encode(), media_type, [span])

    kept = [x for x in positions if x != taken]
    assert [get_cell(done, media_type, x).text for x in kept] == [
        get_cell(data.encode(), media_type, x).text for x in kept
    ]
    assert set(get_cell(done, media_type, taken).text) == {GAP}


def test_a_quote_inside_a_cell_overlaps_the_cell() -> None:
    cell = span_of(CellPosition(1, 1), MARKDOWN.encode(), "text/markdown")
    quote = find_quote(MARKDOWN, "Oda Quist**")
    assert cell is not None

    assert overlap(cell, quote)


def test_a_cell_that_is_not_there_is_refused() -> None:
    with pytest.raises(Refused, match="row 9"):
        span_of(CellPosition(9, 1), MARKDOWN.encode(), "text/markdown")
