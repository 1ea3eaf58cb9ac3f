import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prov_ledger.checks.tables import Cell, find_cell, get_cell
from prov_ledger.errors import Refused
from prov_ledger.model.records import CellPosition

FEES = b'tier,setup fee,monthly fee\r\nbasic,0,9\r\nplus,20,"19,50"\r\npro,50,49\r\n'
PAGE = """# Fees

## EU

| tier | monthly *fee* |
|------|--------------:|
| basic | 9 |
| plus \\| extra | `19|50` |
| pro | 49 &euro;<br>net |

## US

> | tier | fee |
> |---|---|
> | basic | 10 |
"""


def refused(data: bytes, row: object, column: str, media_type: str = "text/csv", table: int = 1) -> str:
    with pytest.raises(Refused) as caught:
        find_cell(data, media_type, row, column, table)  # type: ignore[arg-type]
    assert caught.value.code == "bad_cell"
    return caught.value.message


def test_a_cell_is_found_by_key() -> None:
    cell = find_cell(FEES, "text/csv", {"tier": "plus"}, "monthly fee")
    assert cell == Cell(CellPosition(2, 3), "19,50", ("monthly fee",), (("tier", "plus"),))


def test_a_cell_is_found_by_row_number_from_one_after_the_header() -> None:
    assert find_cell(FEES, "text/csv", 1, "monthly fee").text == "9"


def test_a_cell_found_by_number_has_the_key_of_its_first_column() -> None:
    assert find_cell(FEES, "text/csv", 3, "monthly fee").key == (("tier", "pro"),)


def test_a_first_column_that_repeats_is_no_key() -> None:
    assert find_cell(b"k,v\na,1\na,2\n", "text/csv", 1, "v").key is None


def test_a_cell_is_found_again_by_its_position() -> None:
    cell = find_cell(FEES, "text/csv", {"tier": "pro"}, "setup fee")
    assert get_cell(FEES, "text/csv", cell.position) == cell


def test_several_columns_make_a_key_together() -> None:
    data = b"region,tier,fee\nEU,plus,20\nUS,plus,22\n"
    assert find_cell(data, "text/csv", {"tier": "plus", "region": "US"}, "fee").text == "22"


def test_a_key_given_as_a_number_is_compared_as_text() -> None:
    assert find_cell(b"year,fee\n2025,1\n2026,2\n", "text/csv", {"year": 2026}, "fee").text == "2"


def test_a_byte_order_mark_is_no_part_of_the_first_header() -> None:
    assert find_cell(b"\xef\xbb\xbftier,fee\nplus,20\n", "text/csv", {"tier": "plus"}, "fee").text == "20"


def test_empty_lines_are_no_rows() -> None:
    assert find_cell(b"tier,fee\n\nbasic,9\n\nplus,20\n\n", "text/csv", 2, "fee").text == "20"


def test_a_cell_may_hold_line_breaks_and_quotes() -> None:
    data = b'tier,terms\nplus,"line 1\r\nline ""2"""\n'
    assert find_cell(data, "text/csv", 1, "terms").text == 'line 1\r\nline "2"'


@pytest.mark.parametrize(
    ("media_type", "data"),
    [
        ("text/tab-separated-values", b"tier\tfee\nplus\t20\n"),
        ('text/csv; delimiter=";"', b"tier;fee\nplus;20\n"),
    ],
)
def test_another_delimiter_comes_with_the_media_type(media_type: str, data: bytes) -> None:
    assert find_cell(data, media_type, 1, "fee").text == "20"


def test_a_key_that_no_row_has_is_refused() -> None:
    assert "no row with that key" in refused(FEES, {"tier": "gold"}, "monthly fee")


def test_a_key_that_several_rows_have_is_refused_with_their_numbers() -> None:
    assert "2 rows with that key (rows 1, 3)" in refused(b"k,v\na,1\nb,2\na,3\n", {"k": "a"}, "v")


@pytest.mark.parametrize("row", [0, 4, -1, True])
def test_a_row_out_of_range_is_refused_with_the_range(row: int) -> None:
    assert "numbered 1 to 3" in refused(FEES, row, "monthly fee")


def test_an_unknown_column_is_refused() -> None:
    assert "no such column among its 3 columns" in refused(FEES, 1, "yearly fee")


def test_a_column_that_differs_in_case_or_spaces_is_pointed_at() -> None:
    assert "column 3 differs only in case or spaces" in refused(FEES, 1, "Monthly  Fee")


def test_an_unknown_key_column_is_refused() -> None:
    assert "no such key column" in refused(FEES, {"level": "plus"}, "monthly fee")


def test_an_empty_key_is_refused() -> None:
    assert "empty key" in refused(FEES, {}, "monthly fee")


def test_a_header_that_stands_twice_is_refused_where_it_is_asked_for() -> None:
    assert "2 columns with the header" in refused(b"a,fee,fee\n1,2,3\n", 1, "fee")


def test_a_header_that_stands_twice_elsewhere_does_no_harm() -> None:
    assert find_cell(b"a,fee,fee\n1,2,3\n", "text/csv", 1, "a").text == "1"


@pytest.mark.parametrize("line", [b"plus,20,1", b"plus"])
def test_a_ragged_row_is_refused(line: bytes) -> None:
    assert "ragged at row 1" in refused(b"tier,fee\n" + line + b"\n", 1, "fee")


def test_a_ragged_row_elsewhere_does_no_harm() -> None:
    assert find_cell(b"tier,fee\nplus,20\nnote\n", "text/csv", {"tier": "plus"}, "fee").text == "20"


def test_an_empty_cell_is_refused() -> None:
    assert "empty cell at row 1, column 2" in refused(b"tier,fee\nplus,\n", 1, "fee")


@pytest.mark.parametrize("data", [b'a,b\n"x"y,1\n', b'a,b\n"x,1\n'])
def test_broken_quoting_is_refused_with_its_line(data: bytes) -> None:
    assert "at line 2" in refused(data, 1, "b")


def test_an_empty_file_has_no_table() -> None:
    assert "it has 0" in refused(b"", 1, "fee")


def test_a_header_alone_has_no_rows() -> None:
    assert "has no data" in refused(b"tier,fee\n", 1, "fee")


def test_a_media_type_without_tables_is_refused() -> None:
    assert "cannot be taken from the media type text/html" in refused(b"<table>", 1, "fee", "text/html")


@pytest.mark.parametrize("row", [{"tier": "secret"}, 9])
def test_no_message_repeats_a_text_of_the_source(row: object) -> None:
    message = refused(b"tier,hush\nplus,quiet\n", row, "hush")
    assert not any(word in message for word in ("secret", "hush", "quiet", "plus", "tier"))


def test_a_markdown_cell_has_the_headings_above_its_table_and_its_column() -> None:
    cell = find_cell(PAGE.encode(), "text/markdown", {"tier": "basic"}, "monthly fee")
    assert (cell.text, cell.header_path) == ("9", ("Fees", "EU", "monthly fee"))


def test_tables_of_a_page_are_numbered_in_order() -> None:
    cell = find_cell(PAGE.encode(), "text/markdown", {"tier": "basic"}, "fee", table=2)
    assert (cell.text, cell.position) == ("10", CellPosition(1, 2, 2))


def test_a_table_that_the_page_lacks_is_refused() -> None:
    assert "no table 3" in refused(PAGE.encode(), 1, "fee", "text/markdown", table=3)


def test_an_escaped_pipe_is_text_of_the_cell() -> None:
    page = b"| a \\| b | c |\n|---|---|\n| x \\| y | `p\\|q` |\n"
    assert find_cell(page, "text/markdown", {"a | b": "x | y"}, "c").text == "p|q"


def test_a_markdown_cell_is_read_as_its_text() -> None:
    assert find_cell(PAGE.encode(), "text/markdown", {"tier": "pro"}, "monthly fee").text == "49 €\nnet"


def test_an_unescaped_pipe_makes_a_markdown_row_ragged() -> None:
    assert "3 cells, expected 2" in refused(PAGE.encode(), 2, "monthly fee", "text/markdown")


def test_a_short_markdown_row_is_ragged() -> None:
    page = b"| a | b |\n|---|---|\n| 1 |\n"
    assert "1 cells, expected 2" in refused(page, 1, "a", "text/markdown")


def test_a_markdown_table_with_windows_line_ends_and_front_matter_is_read() -> None:
    page = b"\xef\xbb\xbf---\r\nt: x\r\n---\r\n\r\na | b\r\n--|--\r\n1 | 2\r\n3 | 4\r\n"
    assert find_cell(page, "text/markdown", 2, "b").text == "4"


CELLS = st.text(alphabet='ab,"\n\r é', min_size=1, max_size=8).filter(lambda text: text.strip() != "")


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=6))
def test_what_a_csv_writer_wrote_is_found_as_it_was(rows: list[tuple[str, str]]) -> None:
    out = io.StringIO()
    csv.writer(out).writerows([("key", "value"), *rows])
    data = out.getvalue().encode()
    for number, (_, value) in enumerate(rows, 1):
        assert find_cell(data, "text/csv", number, "value").text == value
