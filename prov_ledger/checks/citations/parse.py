"""Citations of every known form out of whatever holds them: an annotation, a message, a whole response."""

from collections.abc import Iterator, Mapping

from prov_ledger.checks.citations import anthropic, gemini, openai, retrieved
from prov_ledger.checks.citations.cited import NOT_UNDERSTOOD, Cited
from prov_ledger.checks.citations.wire import as_mapping, fields_in, items_in, text_in, value_in

#: Fields under which a response keeps what may hold citations.
_INSIDE = ("output", "choices", "message", "content", "candidates")


def parse_citations(raw: object, answer: str | None = None) -> list[Cited]:
    """The citations in ``raw``, in order: an SDK's object, its JSON, or a list of either.

    ``answer`` is the text of the answer, where ``raw`` holds bare citations without it. What has no
    known form becomes one citation of the scheme ``not_understood``; a response that cites nothing, none.
    """
    if isinstance(raw, list | tuple):
        return [cited for item in raw for cited in parse_citations(item, answer)]
    fields = as_mapping(raw)
    if not fields:
        return [Cited(NOT_UNDERSTOOD)]
    found = _parse(fields, answer)
    return [Cited(NOT_UNDERSTOOD)] if found is None else list(found)


def _parse(fields: Mapping[str, object], answer: str | None) -> Iterator[Cited] | None:
    kind = text_in(fields, "type")
    if kind in anthropic.LOCATIONS:
        return iter([anthropic.parse_location(fields)])
    if kind in openai.ANNOTATIONS:
        return iter([openai.parse_annotation(fields, answer)])
    if "page_content" in fields:
        return iter([retrieved.parse_langchain(fields)])
    if fields_in(fields, "node") or "start_char_idx" in fields:
        return iter([retrieved.parse_llama_index(fields)])
    return _inside(fields, answer)


def _inside(fields: Mapping[str, object], answer: str | None) -> Iterator[Cited] | None:
    """The citations of a piece of a response; None when it is no such piece."""
    if value_in(fields, "grounding_metadata") is not None:
        content = fields_in(fields, "content")
        parts = [text_in(as_mapping(part) or {}, "text") or "" for part in items_in(content, "parts")]
        return gemini.parse_grounding(fields_in(fields, "grounding_metadata"), parts or _known(answer))
    if value_in(fields, "grounding_supports") is not None:
        return gemini.parse_grounding(fields, _known(answer))
    if "annotations" in fields:
        return openai.parse_part(fields, text_in(fields, "text", "content", "value") or answer)
    if fields_in(fields, "text"):
        return _inside(fields_in(fields, "text"), answer)
    blocks = [block for raw in items_in(fields, "content") if (block := as_mapping(raw))]
    if any("citations" in block for block in blocks):
        return anthropic.parse_blocks(blocks)
    if "citations" in fields:
        return anthropic.parse_blocks([fields])
    holders = [name for name in _INSIDE if value_in(fields, name) is not None]
    return _deeper(fields, holders, answer) if holders else None


def _deeper(fields: Mapping[str, object], holders: list[str], answer: str | None) -> Iterator[Cited]:
    for name in holders:
        value = value_in(fields, name)
        for item in value if isinstance(value, list | tuple) else [value]:
            inner = as_mapping(item)
            yield from (_inside(inner, answer) or ()) if inner else ()


def _known(answer: str | None) -> list[str]:
    return [answer] if answer is not None else []
