"""Grounding of Gemini: segments of the answer in UTF-8 bytes, each supported by chunks of what was retrieved.

Chunk numbers count within the same metadata. A chunk of a retrieval store may carry its text, which then
quotes the source; a chunk of the web has none.

Source: Gemini API reference, GroundingMetadata (Segment: bytes, from 0, end exclusive, within its part).
"""

from collections.abc import Iterator, Mapping, Sequence

from prov_ledger.checks.citations.cited import NOT_UNDERSTOOD, Cited, DocumentReference, Passage, Position
from prov_ledger.checks.citations.wire import as_mapping, fields_in, items_in, number_in, text_in, texts_in


def parse_grounding(fields: Mapping[str, object], parts: Sequence[str]) -> Iterator[Cited]:
    """One citation per pair of segment and chunk; ``parts`` are the texts of the answer's parts."""
    chunks = [as_mapping(raw) or {} for raw in items_in(fields, "grounding_chunks")]
    for raw in items_in(fields, "grounding_supports"):
        support = as_mapping(raw) or {}
        answer = _answer(fields_in(support, "segment"), parts)
        for index in items_in(support, "grounding_chunk_indices"):
            if isinstance(index, int) and 0 <= index < len(chunks):
                yield _cited(chunks[index], answer)
            else:
                yield Cited(NOT_UNDERSTOOD, answer=answer)


def _answer(segment: Mapping[str, object], parts: Sequence[str]) -> Passage | None:
    end = number_in(segment, "end_index")
    if end is None:
        return None
    part = number_in(segment, "part_index") or 0
    position = Position(number_in(segment, "start_index") or 0, end, "utf8_bytes")
    within = parts[part] if 0 <= part < len(parts) else None
    return Passage("answer", text_in(segment, "text"), position, within)


def _cited(chunk: Mapping[str, object], answer: Passage | None) -> Cited:
    retrieved = fields_in(chunk, "retrieved_context")
    if not retrieved:
        names = texts_in(fields_in(chunk, "web"), "uri") + texts_in(fields_in(chunk, "maps"), "uri")
        return Cited("gemini/web", DocumentReference(names=names), None, answer)
    passage = fields_in(retrieved, "rag_chunk")
    quote = text_in(passage, "text") or text_in(retrieved, "text")
    source = Passage("source", quote, _pages(retrieved, passage)) if quote else None
    names = texts_in(retrieved, "uri", "document_name")
    return Cited("gemini/retrieved_context", DocumentReference(names=names), source, answer)


def _pages(retrieved: Mapping[str, object], passage: Mapping[str, object]) -> Position | None:
    span = fields_in(passage, "page_span")
    first, last = number_in(span, "first_page"), number_in(span, "last_page")
    page = number_in(retrieved, "page_number")
    if first and last:
        return Position(first, last, "pages", 1, "inclusive")
    return Position(page, page, "pages", 1, "inclusive") if page else None
