"""Pages of a text: a form feed ends each, as in the text of a PDF file and in old plain text."""

from prov_ledger.errors import Refused
from prov_ledger.model.records import TextPosition

PAGE_END = "\f"


def page_spans(text: str) -> list[TextPosition]:
    """Where each page stands, its end mark outside; none for a text without any end mark.

    >>> page_spans("one\\ftwo\\f")
    [TextPosition(start=0, end=3), TextPosition(start=4, end=7)]
    """
    spans, start = [], 0
    end = text.find(PAGE_END)
    if end < 0:
        return []
    while end >= 0:
        spans.append(TextPosition(start, end))
        start = end + 1
        end = text.find(PAGE_END, start)
    return spans if start == len(text) else [*spans, TextPosition(start, len(text))]


def get_page(text: str, page: int) -> TextPosition:
    """Where page ``page`` stands, counted from 1; raises Refused ``quote_not_found`` when there is none."""
    spans = page_spans(text)
    if not 1 <= page <= len(spans):
        raise Refused(
            "quote_not_found",
            f"there is no page {page} in the revision; it has {len(spans)}, numbered from 1",
        )
    return spans[page - 1]
