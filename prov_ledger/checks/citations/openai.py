"""Annotations of OpenAI's Responses, Chat Completions and Assistants: spans of the *answer*, not of a source.

They name the document and say where the answer refers to it; only the Assistants' file citations may
quote it. The reference says that ``end_index`` is the last character, the service mostly gives the one
after: both are tried against the answer, and the one that matches is recorded.

``index`` of a file citation is documented as a place in the list of files, and is a point in the text.

Source: OpenAI API reference, Responses, output_text annotations.
"""

from collections.abc import Iterator, Mapping

from prov_ledger.checks.citations.cited import Cited, DocumentReference, Passage, Position
from prov_ledger.checks.citations.wire import as_mapping, fields_in, items_in, number_in, text_in, texts_in

ANNOTATIONS = frozenset(("url_citation", "file_citation", "container_file_citation", "file_path"))
#: What the service adds to the addresses that it cites.
_TRACKING = "utm_source=openai"


def parse_annotation(fields: Mapping[str, object], answer: str | None) -> Cited:
    """One annotation, of one of the types of ``ANNOTATIONS``; ``answer`` is the text that it counts in."""
    kind = text_in(fields, "type") or ""
    inner = fields_in(fields, kind)
    quote = text_in(inner, "quote")
    return Cited(
        f"openai/{kind}",
        DocumentReference(names=_names(fields) + _names(inner)),
        Passage("source", quote) if quote else None,
        _answer(fields, answer) or _answer(inner, answer),
    )


def parse_part(fields: Mapping[str, object], text: str | None) -> Iterator[Cited]:
    """The annotations of a piece of an answer, whose text they count in."""
    for raw in items_in(fields, "annotations"):
        annotation = as_mapping(raw) or {}
        if text_in(annotation, "type") in ANNOTATIONS:
            yield parse_annotation(annotation, text)


def _names(fields: Mapping[str, object]) -> tuple[str, ...]:
    found = texts_in(fields, "url", "file_id")
    return found + tuple(plain for name in found if (plain := _without_tracking(name)) != name)


def _without_tracking(url: str) -> str:
    """The address that was cited, without the parameter that the service put at the end of its query.

    >>> _without_tracking("https://shop.example/returns?lang=en&utm_source=openai#eu")
    'https://shop.example/returns?lang=en#eu'
    """
    address, mark, fragment = url.partition("#")
    for joint in ("?", "&"):
        address = address.removesuffix(joint + _TRACKING)
    return address + mark + fragment


def _answer(fields: Mapping[str, object], within: str | None) -> Passage | None:
    start, end = number_in(fields, "start_index"), number_in(fields, "end_index")
    if start is not None and end is not None:
        position = Position(start, end, "code_points", end_is=None)
        return Passage("answer", text_in(fields, "text"), position, within)
    point = number_in(fields, "index")
    return Passage("answer", None, Position(point, point), within) if point is not None else None
