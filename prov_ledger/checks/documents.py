"""The text of stored bytes, by media type: what positions of quotes count code points of."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from email.message import Message
from functools import cache, lru_cache
from importlib.metadata import version

from prov_ledger.checks.encodings import text_encoding
from prov_ledger.checks.html_text import visible_text
from prov_ledger.checks.pages import PAGE_END
from prov_ledger.checks.pdf_text import pdf_extractor, pdf_text
from prov_ledger.checks.workbooks import XLSX, read_workbook, workbook_extractor
from prov_ledger.errors import Refused

PDF = "application/pdf"

#: Stand between the cells of a CSV row and after its last one: no quote reaches over two cells.
CELL_END = "\x1f"
ROW_END = "\x1e"

_DELIMITERS = {"text/csv": ",", "text/tab-separated-values": "\t"}
_HTML = frozenset(("text/html", "application/xhtml+xml"))
_STORED_AS_TEXT = frozenset(
    ("application/json", "application/xml", "application/yaml", "application/toml", "application/javascript")
)


@dataclass(frozen=True, slots=True)
class MediaType:
    """A media type taken apart: ``type/subtype`` in lower case, character set, delimiter of CSV."""

    essence: str
    charset: str = "utf-8"
    delimiter: str = ","

    @property
    def is_csv(self) -> bool:
        """Whether the bytes are rows of delimited cells."""
        return self.essence in _DELIMITERS


@lru_cache(maxsize=256)
def parse_media_type(raw: str) -> MediaType:
    """Give the parts of a media type such as ``text/csv; delimiter=";"`` or ``text/html; charset=latin-1``.

    Raises Refused ``bad_input`` for a delimiter that is not one character.

    Source: RFC 9110 section 8.3.1; RFC 4180 section 3.
    """
    message = Message()
    message["content-type"] = raw.strip()
    essence = raw.partition(";")[0].strip().lower()
    delimiter = message.get_param("delimiter") or _DELIMITERS.get(essence, ",")
    charset = message.get_param("charset") or "utf-8"
    if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n':
        raise Refused("bad_input", "The delimiter of a media type must be one character other than a quote.")
    return MediaType(essence, charset if isinstance(charset, str) else "utf-8", delimiter)


def text_of(data: bytes, media_type: str) -> str:
    """Give the text that quotes are found in; nothing is normalised.

    Plain text, Markdown, JSON, XML and YAML are as stored: a byte order mark and CR LF are kept. HTML is
    its visible text. CSV is its cells as parsed, ``CELL_END`` between them and ``ROW_END`` after each row.
    PDF is the text of its pages, XLSX the cells of its visible sheets, ``PAGE_END`` after each one.
    Raises Refused ``bad_input``: bytes that are not in the character set (UTF-8 where none is named), or a
    media type that has no text; ``not_supported`` naming the extra that it needs.
    """
    media = parse_media_type(media_type)
    if media.essence == PDF:
        return pdf_text(data)
    if media.essence == XLSX:
        sheets = (_cells_text(sheet.rows) for sheet in read_workbook(data) if sheet.visible)
        return "".join(sheet + PAGE_END for sheet in sheets)
    if media.is_csv:
        return _cells_text(csv_rows(data, media))
    if media.essence in _HTML:
        return visible_text(decode_text(data, media))
    is_markup = media.essence.endswith(("+json", "+xml", "+yaml"))
    if media.essence.startswith("text/") or media.essence in _STORED_AS_TEXT or is_markup:
        return decode_text(data, media)
    raise Refused(
        "bad_input",
        f"There is no text to quote in bytes of the media type {media.essence}; expected a text type such as "
        "text/plain, text/markdown, text/html or text/csv, PDF or XLSX. Convert it and capture the text as a "
        "revision.",
    )


def is_html(media_type: str) -> bool:
    """Whether bytes of this media type are a page of HTML."""
    return parse_media_type(media_type).essence in _HTML


def extractor_of(media_type: str) -> str:
    """Give the library, with its version, that makes the text of such bytes; empty where it is as stored.

    Positions count in what it made: another version may count otherwise.
    """
    if is_html(media_type):
        return _html_extractor()
    essence = parse_media_type(media_type).essence
    return {PDF: pdf_extractor, XLSX: workbook_extractor}.get(essence, str)()


@cache
def _html_extractor() -> str:
    return f"selectolax {version('selectolax')}"


def _cells_text(rows: Iterable[Sequence[str]]) -> str:
    return "".join(CELL_END.join(row) + ROW_END for row in rows)


def decode_text(data: bytes, media: MediaType) -> str:
    """Give the characters of the bytes; raises Refused ``bad_input`` saying at which byte they fail.

    Also for a character set that is not one in which text is written on the web, such as ``utf-7``.
    """
    encoding = text_encoding(media.charset)
    try:
        return data.decode(encoding)
    except UnicodeError as failure:
        at = (
            f": byte {failure.start} of {len(data)} does not fit"
            if isinstance(failure, UnicodeDecodeError)
            else ""
        )
        # The foreign error carries the bytes themselves, so it is not kept as a cause.
        raise Refused(
            "bad_input",
            f"The revision is no {media.charset} text{at}. Name the character set in the media "
            "type (text/plain; charset=...), or store it as a binary type.",
        ) from None


def csv_rows(data: bytes, media: MediaType) -> Iterator[list[str]]:
    """Give the rows of a CSV file, header included, empty lines left out; a byte order mark is no cell text.

    Raises Refused ``bad_cell`` naming the line where quoting is broken, ``bad_input`` as ``decode_text``.

    Source: RFC 4180 section 2.
    """
    text = decode_text(data, media).removeprefix("\ufeff")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=media.delimiter, strict=True)
    try:
        for row in reader:
            if row:
                yield row
    except csv.Error as failure:
        raise Refused(
            "bad_cell",
            f"The CSV file cannot be read at line {reader.line_num}: {failure}. A cell with a quote, a "
            'delimiter or a line break stands in quotes, and a quote in it is written twice ("").',
        ) from failure
