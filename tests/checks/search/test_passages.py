"""Pages cut into passages."""

from prov_ledger.checks.documents import parse_media_type, text_of
from prov_ledger.checks.search.passages import Piece, chunks_of, pieces_of

PAGE = """# Returns

Goods may be returned
within 60 days.

- unopened goods
- books
> quoted

## Fees
No fee is charged.
"""


def cut(data: str, media_type: str) -> list[Piece]:
    media = parse_media_type(media_type)
    return [p for at, chunk in chunks_of(data.encode(), media_type) for p in pieces_of(chunk, at, media)]


def test_paragraphs_items_and_headings_are_passages_of_their_own() -> None:
    pieces = cut(PAGE, "text/markdown")
    assert [(p.text, p.heading) for p in pieces] == [
        ("# Returns", True),
        ("Goods may be returned\nwithin 60 days.", False),
        ("- unopened goods", False),
        ("- books", False),
        ("> quoted", False),
        ("## Fees", True),
        ("No fee is charged.", False),
    ]


def test_a_passage_stands_where_it_says() -> None:
    page = "\r\n\r\nOne.\r\n\r\n" + "Every sentence counts here. " * 30 + "\n\n  \n\nLast one"
    text = text_of(page.encode(), "text/plain")
    pieces = cut(page, "text/plain")
    assert [text[p.start : p.end] for p in pieces] == [p.text for p in pieces]
    assert len(pieces) == 32


def test_a_row_names_the_column_of_each_cell() -> None:
    (piece,) = cut("tier,window\nplus,60 days\n", "text/csv")
    assert (piece.text, piece.row, piece.start) == ("tier: plus; window: 60 days", 1, None)


def test_hidden_markup_is_no_passage() -> None:
    html = "<p>Seen</p><script>let hidden</script>"
    assert "hidden" not in "".join(p.text for p in cut(html, "text/html"))
