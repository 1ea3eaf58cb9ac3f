"""Where an evidence item stands in the text of its revision, a cell of a table as much as a quote."""

from prov_ledger.checks.documents import MediaType, csv_rows, decode_text, parse_media_type
from prov_ledger.checks.markdown import cell_span
from prov_ledger.errors import Refused
from prov_ledger.model.records import Selector, TextPosition

_MARKDOWN = frozenset(("text/markdown", "text/x-markdown"))


def span_of(selector: Selector, data: bytes, media_type: str) -> TextPosition | None:
    """The code points of the text that a selector stands for; None for a cell of a workbook.

    A cell of a Markdown table is what is written between its bars, marks included. Raises Refused
    ``bad_cell`` where there is no such cell.
    """
    if isinstance(selector, TextPosition):
        return selector
    media = parse_media_type(media_type)
    if media.is_csv:
        return _csv_span(data, media, selector.row, selector.column)
    if media.essence in _MARKDOWN:
        return cell_span(decode_text(data, media), selector)
    return None


def overlap(one: TextPosition, other: TextPosition) -> bool:
    """Whether two spans share a code point.

    >>> overlap(TextPosition(0, 4), TextPosition(4, 6))
    False
    """
    return one.start < other.end and other.start < one.end


def _csv_span(data: bytes, media: MediaType, row: int, column: int) -> TextPosition:
    start = 0
    for number, cells in enumerate(csv_rows(data, media)):
        if number == row and column <= len(cells):
            start += sum(len(cell) + 1 for cell in cells[: column - 1])
            return TextPosition(start, start + len(cells[column - 1]))
        # A mark stands after each cell.
        start += sum(len(cell) + 1 for cell in cells)
    raise Refused("bad_cell", f"There is no row {row} with a column {column} in the file.")
