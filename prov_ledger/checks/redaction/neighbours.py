"""What evidence beside a gap still keeps of what stood there: its context, headings and key."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from prov_ledger.checks.documents import csv_rows, decode_text, parse_media_type, text_of
from prov_ledger.checks.markdown import parse_page
from prov_ledger.checks.quotes import Quote, is_markdown
from prov_ledger.checks.redaction.gap import GAP
from prov_ledger.model.records import Selector, TextPosition


def without_gap(quote: Quote, selector: Selector, whole: bytes, redacted: bytes, media_type: str) -> Quote:
    """The quote as it may be kept beside a gap; equal to it where nothing of the gap was in it.

    ``whole`` are the bytes before, ``redacted`` those with the gap. A heading, a column or a key that stood
    in the gap becomes one mark.
    """
    after = text_of(redacted, media_type)
    if isinstance(selector, TextPosition):
        start, end = selector.start - len(quote.prefix), selector.end + len(quote.suffix)
        quote = replace(
            quote,
            prefix=after[start : selector.start] if quote.prefix else "",
            suffix=after[selector.end : end] if quote.suffix else "",
        )
    if not quote.header_path and not quote.key:
        return quote
    lost = _names(whole, media_type) - _names(redacted, media_type)
    return replace(
        quote,
        header_path=tuple(GAP if text in lost else text for text in quote.header_path),
        key=tuple(
            (GAP if name in lost else name, GAP if value in lost else value) for name, value in quote.key
        ),
    )


def _names(data: bytes, media_type: str) -> Counter[str]:
    """The headings of a page and the cells of its tables, each as often as it is there."""
    media = parse_media_type(media_type)
    if media.is_csv:
        return Counter(cell for row in csv_rows(data, media) for cell in row)
    if not is_markdown(media_type):
        return Counter()
    page = parse_page(decode_text(data, media))
    cells = (cell for table in page.tables for row in table.rows for cell in row.cells)
    columns = (name for table in page.tables for name in table.header)
    return Counter([*(heading.text for heading in page.headings), *columns, *cells])


def touches_any(span: TextPosition, gaps: Sequence[TextPosition]) -> bool:
    """Whether a span shares a code point with a gap."""
    return any(span.start < gap.end and gap.start < span.end for gap in gaps)
