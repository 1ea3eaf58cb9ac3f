"""Markers: the brackets of an answer that cite, apart from brackets that are text."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from prov_ledger.errors import Refused
from prov_ledger.model.ids import PREFIXES, looks_like_id, parse_id
from prov_ledger.model.records import Node

_BRACKET = re.compile(r"\[([^\[\]]*)\]")
_PARTED = re.compile(r"[,;]")
_LABEL = re.compile(r"c\d+", re.IGNORECASE)
#: A word that begins as an id does, wherever it stands in a bracket.
_ID_WORD = re.compile(rf"(?<![^\W_])(?:{'|'.join(PREFIXES)})_\w*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Marker:
    """A bracket that cites, at ``start`` to ``end`` of the answer; ``parts`` are its ids and labels.

    ``well_formed`` is False where an id or a label stands among other words.
    """

    start: int
    end: int
    parts: tuple[str, ...]
    well_formed: bool = True


def find_markers(text: str) -> tuple[Marker, ...]:
    """All markers of a text, in order; any bracket without an id or a short label is text.

    Source: prov-ledger semantics, section 5.

    >>> [marker.parts for marker in find_markers("Sixty [c1; c2], not [sic] thirty [see c1].")]
    [('c1', 'c2')]
    """
    found = []
    for bracket in _BRACKET.finditer(text):
        parts = tuple(part.strip() for part in _PARTED.split(bracket[1]))
        cites = [looks_like_id(part) or _LABEL.fullmatch(part) is not None for part in parts]
        if any(cites) or _ID_WORD.search(bracket[1]):
            found.append(Marker(bracket.start(), bracket.end(), parts, all(cites)))
    return tuple(found)


def cited_ids(marker: Marker, labels: Mapping[str, Node]) -> tuple[Node, ...] | None:
    """The ids that a marker names, each once; None where one of them is malformed or an unknown label.

    ``labels`` are the short labels of the thread's packet, in lower case.
    """
    if not marker.well_formed:
        return None
    found: dict[Node, None] = {}
    for part in marker.parts:
        id = labels.get(part.lower()) if _LABEL.fullmatch(part) else _parsed(part)
        if id is None:
            return None
        found[id] = None
    return tuple(found)


def _parsed(part: str) -> Node | None:
    try:
        return parse_id(part)
    except Refused:
        return None
