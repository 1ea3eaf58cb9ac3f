"""What was sent to a model, beside the text that the ledger holds of it, and where a citation points there.

A request-relative number means something only beside the list that was sent in that request. The words
must stand where the citation says: the same words elsewhere, or in another document, are no proof of it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from prov_ledger.checks.citations.cited import DocumentReference, Passage, Position, Role, Unit
from prov_ledger.checks.citations.fit import fit_quote
from prov_ledger.checks.pages import page_spans
from prov_ledger.model.records import TextPosition

#: White space, but not what stands between the cells of a row and after it.
_SPACE = r"[^\S\x1e\x1f]+"
#: ``white_space``: the words are the same, spaces and line breaks between them are not.
Matched = Literal["position", "text", "white_space"]
Reason = Literal[
    "not_understood",
    "no_document",
    "several_documents",
    "not_in_revision",
    "empty_quote",
    "quote_not_at_position",
    "quote_not_found",
    "ambiguous_quote",
    "no_text",
]


@dataclass(frozen=True, slots=True)
class SentDocument:
    """One document of a request, by the revision that it came from.

    ``text`` is what was sent, where that was not the whole text of the revision; ``blocks`` are the content
    blocks of a custom document or a search result; ``names`` is what else it is called (a file id, a path).
    """

    revision: str
    text: str | None = None
    blocks: Sequence[str] = ()
    names: Sequence[str] = ()
    role: Role = "document"


@dataclass(frozen=True, slots=True)
class Found:
    """Where a quote stands in the revision's text, how it was found, and by which reading of the numbers."""

    span: TextPosition
    matched: Matched
    unit: Unit | None = None
    end_is: str | None = None


def find_documents(
    reference: DocumentReference, sent: Sequence[SentDocument], names: Sequence[frozenset[str]]
) -> list[int]:
    """Which of the documents sent are meant: the one at that place in its role, or all that have the name.

    ``names`` are, for each of them, all that it is called.
    """
    if reference.index is not None:
        alike = [at for at, document in enumerate(sent) if document.role == reference.role]
        return alike[reference.index : reference.index + 1] if reference.index >= 0 else []
    wanted = frozenset(reference.names)
    return [at for at, called in enumerate(names) if called & wanted]


def find_passage(passage: Passage, document: SentDocument, text: str) -> Found | Reason:
    """Where the passage stands in the revision's text, or why it cannot be said."""
    quote = passage.quote or ""
    if not quote.strip():
        return "empty_quote"
    region = _region(passage.position, document, text)
    if isinstance(region, str):
        return region
    if passage.position is None or passage.position.unit in ("pages", "blocks"):
        return _search(text, region, quote)
    fit = fit_quote(text[region.start : region.end], passage.position, quote)
    if fit is None:
        return "quote_not_at_position"
    span = TextPosition(region.start + fit.span.start, region.start + fit.span.end)
    return Found(span, "position", fit.unit, fit.end_is)


def _region(position: Position | None, document: SentDocument, text: str) -> TextPosition | Reason:
    """The part of the text that the passage must lie in, or that its numbers count in."""
    if position is not None and position.unit == "pages":
        return _within(page_spans(text), position)
    if position is not None and position.unit == "blocks":
        blocks = _blocks(document.blocks, text)
        return "not_in_revision" if blocks is None else _within(blocks, position)
    if document.text is None:
        return TextPosition(0, len(text))
    start = text.find(document.text)
    if start < 0:
        return "not_in_revision"
    if text.find(document.text, start + 1) >= 0:
        return "ambiguous_quote"
    return TextPosition(start, start + len(document.text))


def _within(parts: Sequence[TextPosition], position: Position) -> TextPosition | Reason:
    start, end = position.half_open(position.end_is or "exclusive")
    if not 0 <= start < end <= len(parts):
        return "quote_not_at_position"
    return TextPosition(parts[start].start, parts[end - 1].end)


def _blocks(blocks: Sequence[str], text: str) -> list[TextPosition] | None:
    """Where each block stands, one after another; None where one is not there, or may be at two places."""
    found, at = [], 0
    for block in blocks:
        start = text.find(block, at)
        follows = start >= 0 and not text[at:start].strip()
        if start < 0 or not block.strip() or (not follows and text.count(block) > 1):
            return None
        at = start + len(block)
        found.append(TextPosition(start, at))
    return found


def _search(text: str, region: TextPosition, quote: str) -> Found | Reason:
    """The one place of the quote in a region: its exact words, else the same words spaced otherwise."""
    ways: tuple[tuple[Matched, str], ...] = (
        ("text", re.escape(quote)),
        ("white_space", _SPACE.join(map(re.escape, quote.split()))),
    )
    for matched, pattern in ways:
        places = list(_places(re.compile(pattern), text, region))
        if len(places) == 1:
            return Found(places[0], matched)
        if places:
            return "ambiguous_quote"
    return "quote_not_found"


def _places(pattern: re.Pattern[str], text: str, region: TextPosition) -> Iterator[TextPosition]:
    found = pattern.search(text, region.start, region.end)
    while found is not None:
        yield TextPosition(found.start(), found.end())
        found = pattern.search(text, found.start() + 1, region.end)
