"""A page cut into passages: paragraphs, list items, rows; long paragraphs into their sentences."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from prov_ledger.checks.documents import MediaType, csv_rows, parse_media_type, text_of

#: A paragraph of more code points than this is cut into its sentences.
LONGEST_PARAGRAPH = 400
_BLANK = re.compile(r"\n[ \t\r]*\n\s*")
_LINE = re.compile(r"[^\n]*\n?")
_STARTS = re.compile(r"\s*(?:[-*+•]\s|\d+[.)]\s|\||>)")
# Coarser than the sentences of an answer: nothing is judged by where a passage ends.
_SENTENCE = re.compile(r"""(?<=[^\W\d_]{3})[.!?…]["'”’)\]*_]*\s+(?=["“„'(*_\[]*[^\W\d_])""")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s")


@dataclass(frozen=True, slots=True)
class Piece:
    """A passage at ``start`` to ``end`` in code points of a page's text; ``row`` where it is a table row.

    Of a row, ``text`` names each cell's column, and the positions are None.
    """

    text: str
    start: int | None
    end: int | None
    row: int | None = None
    heading: bool = False


def chunks_of(data: bytes, media_type: str) -> list[tuple[int, str]]:
    """The parts of a page between blank lines, with where each starts; a chunk is cut by ``pieces_of``.

    Raises Refused ``bad_input`` or ``bad_cell`` where the bytes have no text.
    """
    media = parse_media_type(media_type)
    if media.is_csv:
        rows = list(csv_rows(data, media))
        return [(number, _named(rows[0], row)) for number, row in enumerate(rows[1:], 1)]
    text = text_of(data, media_type)
    starts = [0, *(found.end() for found in _BLANK.finditer(text))]
    ends = [*(found.start() for found in _BLANK.finditer(text)), len(text)]
    return [(start, text[start:end]) for start, end in zip(starts, ends, strict=True) if start < end]


def pieces_of(chunk: str, at: int, media: MediaType) -> list[Piece]:
    """The passages of a chunk that starts at a position, or is the row of that number."""
    if media.is_csv:
        return [Piece(chunk, None, None, at)]
    markdown = media.essence == "text/markdown"
    return [piece for start, end in _blocks(chunk) for piece in _cut(chunk, start, end, at, markdown)]


def _named(header: list[str], row: list[str]) -> str:
    return "; ".join(f"{name}: {cell}" for name, cell in zip(header, row, strict=False))


def _blocks(chunk: str) -> Iterator[tuple[int, int]]:
    """Lines put together, each list item, quotation, table row and heading for itself."""
    start = end = 0
    alone = False
    for line in _LINE.finditer(chunk):
        apart = _HEADING.match(line[0]) is not None
        if (apart or alone or _STARTS.match(line[0])) and end > start:
            yield start, end
            start = line.start()
        alone, end = apart, line.end()
    if end > start:
        yield start, end


def _cut(chunk: str, start: int, end: int, at: int, markdown: bool) -> Iterator[Piece]:
    block = chunk[start:end]
    heading = markdown and _HEADING.match(block) is not None
    ends = [x.end() for x in _SENTENCE.finditer(block)] if len(block) > LONGEST_PARAGRAPH else []
    for first, last in zip([0, *ends], [*ends, len(block)], strict=True):
        exact = block[first:last].strip()
        if any(character.isalnum() for character in exact):
            begin = at + start + block.index(exact, first)
            yield Piece(exact, begin, begin + len(exact), None, heading)
