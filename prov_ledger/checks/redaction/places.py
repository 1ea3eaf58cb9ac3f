"""Where in the characters of stored bytes each code point of their text comes from, by media type."""

from collections.abc import Sequence

from prov_ledger.checks.documents import MediaType
from prov_ledger.checks.redaction.html_places import html_places

#: The characters, as half-open ranges, that one code point of the text stands for; none where the
#: extraction put it there (between cells and blocks). All but the first range are white space that the
#: extraction joined.
Places = Sequence[Sequence[tuple[int, int]]]

_HTML = frozenset(("text/html", "application/xhtml+xml"))


def places_of(source: str, media: MediaType) -> Places | None:
    """The places of each code point of the text of a page of HTML or a CSV file; None: it is as stored."""
    if media.essence in _HTML:
        return html_places(source)
    return csv_places(source, media.delimiter) if media.is_csv else None


def csv_places(source: str, delimiter: str) -> Places:
    """The places of the cells of a CSV file, with the marks that the extraction puts between them.

    Source: RFC 4180 section 2.
    """
    places: list[Sequence[tuple[int, int]]] = []
    at = 1 if source.startswith("\ufeff") else 0
    while at < len(source):
        row, at = _row(source, at, delimiter)
        # A line without a character is no row.
        if row is not None:
            places += row
    return places


def _row(source: str, at: int, delimiter: str) -> tuple[list[Sequence[tuple[int, int]]] | None, int]:
    """The places of one row with its end mark, None for an empty line; and where the next one begins."""
    places: list[Sequence[tuple[int, int]]] = []
    begun = at
    while True:
        cell, at = _quoted(source, at) if source.startswith('"', at) else _plain(source, at, delimiter)
        places += cell
        if not source.startswith(delimiter, at):
            break
        places.append(())
        at += len(delimiter)
    empty = at == begun
    places.append(())
    after = at + 2 if source.startswith("\r\n", at) else at + 1
    return (None if empty else places), after


def _plain(source: str, at: int, delimiter: str) -> tuple[list[Sequence[tuple[int, int]]], int]:
    places: list[Sequence[tuple[int, int]]] = []
    while at < len(source) and source[at] not in (delimiter, "\r", "\n"):
        places.append(((at, at + 1),))
        at += 1
    return places, at


def _quoted(source: str, at: int) -> tuple[list[Sequence[tuple[int, int]]], int]:
    """A cell in quotes, in which a quote is written twice."""
    places: list[Sequence[tuple[int, int]]] = []
    at += 1
    while at < len(source):
        if source[at] != '"':
            places.append(((at, at + 1),))
            at += 1
        elif source.startswith('""', at):
            places.append(((at, at + 2),))
            at += 2
        else:
            return places, at + 1
    return places, at
