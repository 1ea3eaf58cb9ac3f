"""Taking a span out of stored bytes, for each kind of them."""

import csv
import io

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from prov_ledger.checks.documents import CELL_END, ROW_END, text_of
from prov_ledger.checks.redaction.gap import GAP, redact
from prov_ledger.errors import Refused
from prov_ledger.model.records import TextPosition
from tests.checks.small_pdf import pdf_of

KEPT = frozenset("\n\r\f\v\x1c\x1d\x1e\x1f\x85\u2028\u2029")
WORDS = st.text(st.sampled_from("ab é&<\"'\u00a0,;|#*`\n\r\t_-\u4e2d\U0001f600"), min_size=1, max_size=60)
PLAIN_TYPES = st.sampled_from(
    ("text/plain", "text/markdown", "application/json", "text/plain; charset=utf-16", "text/xml")
)


def gapped(text: str, span: TextPosition, mark: str = GAP) -> str:
    gap = "".join(x if x in KEPT else mark for x in text[span.start : span.end])
    return text[: span.start] + gap + text[span.end :]


def span_in(data: st.DataObject, text: str) -> TextPosition:
    start = data.draw(st.integers(0, len(text) - 1))
    return TextPosition(start, data.draw(st.integers(start + 1, len(text))))


@given(text=WORDS, media_type=PLAIN_TYPES, data=st.data())
def test_text_as_it_is_stored_is_the_same_but_for_a_gap_of_the_same_length(
    text: str, media_type: str, data: st.DataObject
) -> None:
    charset = "utf-16" if "utf-16" in media_type else "utf-8"
    span = span_in(data, text)

    done = redact(text.encode(charset), media_type, [span])

    assert text_of(done, media_type) == gapped(text, span)


@given(
    rows=st.lists(st.lists(WORDS, min_size=2, max_size=4), min_size=1, max_size=4),
    delimiter=st.sampled_from(",;\t"),
    quoting=st.sampled_from((csv.QUOTE_MINIMAL, csv.QUOTE_ALL)),
    bom=st.sampled_from(("", "\ufeff")),
    data=st.data(),
)
def test_a_csv_file_keeps_every_cell_but_the_gap(
    rows: list[list[str]], delimiter: str, quoting: int, bom: str, data: st.DataObject
) -> None:
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=delimiter, quoting=quoting).writerows(rows)
    media_type = f'text/csv; delimiter="{delimiter}"'
    stored = (bom + file.getvalue()).encode()
    text = text_of(stored, media_type)
    span = span_in(data, text)
    assume(set(text[span.start : span.end]) - {CELL_END, ROW_END})

    done = redact(stored, media_type, [span])

    assert text_of(done, media_type) == gapped(text, span)


PIECES = st.lists(
    st.sampled_from(
        (
            "<p>",
            "</p>",
            "<b>",
            "</b>",
            "<br>",
            "<td>",
            "<pre>",
            "</pre>",
            "<!-- no -->",
            "<p hidden>",
            "<script>let a = '<p>x</p>'</script>",
            "<img alt='a > b'>",
            "one two",
            "  ",
            "\n",
            "&amp;",
            "&eacute;",
            "&#8364;",
            "&nbsp;",
            "&unknown;",
            "a < b",
            "Ünï",
        )
    ),
    min_size=1,
    max_size=14,
)


@given(pieces=PIECES, data=st.data())
def test_a_page_of_html_shows_a_gap_of_the_same_length_or_is_refused(
    pieces: list[str], data: st.DataObject
) -> None:
    stored = "".join(pieces).encode()
    text = text_of(stored, "text/html")
    assume(text)
    span = span_in(data, text)
    try:
        done = redact(stored, "text/html", [span])
    except Refused:
        return

    assert text_of(done, "text/html") == gapped(text, span)


PAGE = (
    "<!doctype html><html><head><title>File of Oda Quist</title>"
    "<meta name=description content='Oda   Quist reported it'><style>p{}</style></head>"
    "<body><h1>Complaint</h1><!-- Oda Quist --><p>Caller <b>Oda\n Quist</b> reported &amp; was called.</p>"
    "<script>var name = 'Oda Quist'</script><p>Nothing else.</p></body></html>"
)


def test_a_page_loses_the_text_across_tags_and_entities() -> None:
    text = text_of(PAGE.encode(), "text/html")
    start = text.index("Oda Quist reported &")

    done = redact(PAGE.encode(), "text/html", [TextPosition(start, start + 20)])

    assert text_of(done, "text/html") == f"Complaint\nCaller {GAP * 20} was called.\nNothing else."
    assert "amp" not in done.decode()


def test_a_page_loses_the_text_in_what_nobody_sees_too() -> None:
    text = text_of(PAGE.encode(), "text/html")
    start = text.index("Oda Quist")

    done = redact(PAGE.encode(), "text/html", [TextPosition(start, start + 9)]).decode()

    assert "Quist" not in done
    assert "<title>File of" in done


def test_a_copy_in_an_attribute_that_is_spelled_in_another_way_is_refused() -> None:
    page = b"<p title='&#79;da Quist'>Oda Quist</p>"

    with pytest.raises(Refused, match="erase the revision instead"):
        redact(page, "text/html", [TextPosition(0, 9)])


def test_a_character_set_without_the_mark_has_another() -> None:
    media_type = "text/plain; charset=latin-1"

    done = redact("für Öda".encode("latin-1"), media_type, [TextPosition(4, 7)])

    assert done == "für XXX".encode("latin-1")


@pytest.mark.parametrize(
    "hidden",
    [
        "<div hidden>Oda Quist of Elm Street</div>",
        "<p><del>Oda Quist of Elm Street</del> tail</p>",
        "<p style='display:none'>Oda Quist of Elm Street</p>",
        "<dialog>Oda\n Quist&nbsp;of Elm Street</dialog>",
        "<div hidden>Oda <b>Quist</b> of <i>Elm Street</i></div>",
        "<noscript>ODA QUIST OF ELM STREET</noscript>",
        "<template><p>Oda Quist of Elm Street</template>",
        "<!-- **Oda Quist**, of _Elm_ Street -->",
        "<a href='mailto:x?body=Oda%20Quist%20of%20Elm%20Street'></a>",
    ],
)
def test_a_page_loses_the_text_in_its_hidden_parts(hidden: str) -> None:
    page = f"<p>By Oda Quist of Elm Street.</p>{hidden}<p>Tail</p>"
    text = text_of(page.encode(), "text/html")

    done = redact(page.encode(), "text/html", [TextPosition(3, 26)]).decode()

    assert text_of(done.encode(), "text/html") == gapped(text, TextPosition(3, 26))
    assert "quist" not in done.casefold()
    assert "elm" not in done.casefold()


@pytest.mark.parametrize(
    "hidden",
    [
        "<div hidden>O<b>d</b>a Quist of Elm Street</div>",
        "<div hidden>Oda Qu\u00adist of Elm Street</div>",
        '<script type="application/ld+json">{"d": "Oda Qu\\u0069st of Elm Street"}</script>',
        "<img alt='Oda Qui&#115;t of Elm Street'>",
        "<a href='/oda-quist-of-elm-%73treet'></a>",
    ],
)
def test_a_hidden_copy_in_another_spelling_is_refused(hidden: str) -> None:
    page = f"<p>By Oda Quist of Elm Street.</p>{hidden}"

    with pytest.raises(Refused) as refusal:
        redact(page.encode(), "text/html", [TextPosition(3, 26)])

    assert refusal.value.code == "cannot_redact"


def test_several_spans_are_taken_at_once() -> None:
    done = redact(b"one two three", "text/plain", [TextPosition(0, 3), TextPosition(8, 13)])

    assert done.decode() == f"{GAP * 3} two {GAP * 5}"


def test_a_page_keeps_a_gap_in_a_field_that_it_shows() -> None:
    page = b"<p>Oda<textarea>Quist</textarea></p>"

    done = redact(page, "text/html", [TextPosition(3, 8)])

    assert done.decode() == f"<p>Oda<textarea>{GAP * 5}</textarea></p>"


def test_a_pdf_file_is_refused() -> None:
    with pytest.raises(Refused, match="erase the revision instead"):
        redact(pdf_of([["Caller Oda Quist"]]), "application/pdf", [TextPosition(7, 16)])
