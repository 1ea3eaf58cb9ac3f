"""Citations of the Anthropic Messages API: every one quotes its source and counts in the request.

``document_index`` counts the documents of one request, ``search_result_index`` its search results, both
from 0: they mean nothing once the history was cut.

Source: Anthropic API reference, Messages, citations (char_location: from 0, end exclusive; page_location:
from 1, end exclusive; content_block_location and search_result_location: from 0, end exclusive).
"""

from collections.abc import Iterator, Mapping

from prov_ledger.checks.citations.cited import (
    NOT_UNDERSTOOD,
    Cited,
    DocumentReference,
    Passage,
    Position,
    Role,
    Unit,
)
from prov_ledger.checks.citations.wire import as_mapping, items_in, number_in, text_in, texts_in

#: Per type: names of first and last number, unit, base.
_SPANS: dict[str, tuple[str, str, Unit, bool]] = {
    "char_location": ("start_char_index", "end_char_index", "code_points", False),
    "page_location": ("start_page_number", "end_page_number", "pages", True),
    "content_block_location": ("start_block_index", "end_block_index", "blocks", False),
    "search_result_location": ("start_block_index", "end_block_index", "blocks", False),
}
LOCATIONS = frozenset((*_SPANS, "web_search_result_location"))


def parse_location(fields: Mapping[str, object], answer: Passage | None = None) -> Cited:
    """One citation, of one of the types of ``LOCATIONS``; ``answer`` is the text block that it stands at."""
    kind = text_in(fields, "type") or ""
    quote = text_in(fields, "cited_text") or ""
    scheme = f"anthropic/{kind}"
    if kind == "web_search_result_location":
        named = DocumentReference(names=texts_in(fields, "url"))
        return Cited(scheme, named, Passage("source", quote), answer)
    start_name, end_name, unit, from_one = _SPANS[kind]
    start, end = number_in(fields, start_name), number_in(fields, end_name)
    role: Role = "search_result" if kind == "search_result_location" else "document"
    index = number_in(fields, f"{role}_index")
    if start is None or end is None or index is None:
        return Cited(NOT_UNDERSTOOD)
    position = Position(start, end, unit, 1 if from_one else 0)
    return Cited(scheme, DocumentReference(index, role), Passage("source", quote, position), answer)


def parse_blocks(blocks: list[Mapping[str, object]]) -> Iterator[Cited]:
    """The citations of a message's content blocks; the answer is the text of all of them."""
    texts = [text_in(block, "text") or "" for block in blocks]
    whole, at = "".join(texts), 0
    for block, text in zip(blocks, texts, strict=True):
        answer = Passage("answer", text, Position(at, at + len(text)), whole)
        at += len(text)
        for raw in items_in(block, "citations"):
            fields = as_mapping(raw) or {}
            known = text_in(fields, "type") in LOCATIONS
            yield parse_location(fields, answer) if known else Cited(NOT_UNDERSTOOD)
