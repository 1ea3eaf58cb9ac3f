"""A quote as it is kept, and what became of it in another state of its source."""

import json
from dataclasses import dataclass, replace

from prov_ledger.checks.documents import PDF, extractor_of, parse_media_type, text_of
from prov_ledger.checks.markdown import heading_path
from prov_ledger.checks.pages import PAGE_END
from prov_ledger.checks.selectors import context_around, text_at
from prov_ledger.checks.tables import find_cell
from prov_ledger.checks.workbooks import XLSX
from prov_ledger.errors import Refused
from prov_ledger.model.records import CellPosition, Selector, TextPosition
from prov_ledger.model.slots import Became

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Quote:
    """What an evidence payload holds: the exact text and what helps to find it again.

    ``extractor`` is the library, with its version, in whose text the position counts; empty for bytes that
    are text themselves.
    """

    exact: str
    prefix: str = ""
    suffix: str = ""
    header_path: tuple[str, ...] = ()
    key: tuple[tuple[str, str], ...] = ()
    extractor: str = ""

    def to_bytes(self) -> bytes:
        """The payload: JSON, UTF-8, keys sorted; empty parts left out."""
        parts = {
            "exact": self.exact,
            "extractor": self.extractor,
            "header_path": list(self.header_path),
            "key": [list(pair) for pair in self.key],
            "prefix": self.prefix,
            "suffix": self.suffix,
        }
        kept = {name: value for name, value in parts.items() if value}
        return _ENCODER.encode(kept).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> "Quote":
        """The inverse of ``to_bytes``."""
        parts = json.loads(data)
        return cls(
            parts["exact"],
            parts.get("prefix", ""),
            parts.get("suffix", ""),
            tuple(parts.get("header_path", ())),
            tuple((name, value) for name, value in parts.get("key", ())),
            parts.get("extractor", ""),
        )


def is_markdown(media_type: str) -> bool:
    """Whether a page of this media type has headings that a quote stands under."""
    return parse_media_type(media_type).essence == "text/markdown"


def quote_at(text: str, position: TextPosition, headings: bool) -> Quote:
    """The quote at a position of a text, with what stands around it and the headings above it."""
    before, after = context_around(text, position)
    path = heading_path(text, position) if headings else ()
    return Quote(text_at(text, position), before, after, path)


def quote_in(text: str, position: TextPosition, media_type: str) -> Quote:
    """As ``quote_at``, for the text of bytes of a media type: with its extractor, and the page of a PDF."""
    quote = quote_at(text, position, is_markdown(media_type))
    path, extractor = quote.header_path, extractor_of(media_type)
    if parse_media_type(media_type).essence == PDF:
        path = (f"page {text.count(PAGE_END, 0, position.start) + 1}",)
    if path == quote.header_path and extractor == quote.extractor:
        return quote
    return replace(quote, header_path=path, extractor=extractor)


def fate_of(quote: Quote, selector: Selector, data: bytes, media_type: str) -> tuple[Became, Selector | None]:
    """What became of a quote in another revision, and where it is when it is the ``same``.

    ``same``: the text occurs once, under the same headings; a cell has the same text by key and
    column. ``moved``: the text is there, but not so. ``changed``: it is not there.
    """
    try:
        if isinstance(selector, CellPosition):
            return _fate_of_cell(quote, selector, data, media_type)
        return _fate_of_text(quote, text_of(data, media_type), is_markdown(media_type))
    except Refused as refused:
        if refused.code == "not_supported":
            raise
        return "changed", None


def _fate_of_text(quote: Quote, text: str, headings: bool) -> tuple[Became, Selector | None]:
    start = text.find(quote.exact)
    if start < 0:
        return "changed", None
    position = TextPosition(start, start + len(quote.exact))
    if text.find(quote.exact, start + 1) >= 0:
        return "moved", None
    if headings and heading_path(text, position) != quote.header_path:
        return "moved", None
    return "same", position


def _fate_of_cell(
    quote: Quote, selector: CellPosition, data: bytes, media_type: str
) -> tuple[Became, Selector | None]:
    if not quote.key:
        return "changed", None
    # A sheet is known by its title, wherever it stands now.
    is_workbook = parse_media_type(media_type).essence == XLSX
    table = quote.header_path[0] if is_workbook else selector.table
    found = find_cell(data, media_type, dict(quote.key), quote.header_path[-1], table)
    if found.text != quote.exact:
        return "changed", None
    return "same", found.position
