"""Reads the cases: valid entries as Turtle, and the edits that break one constraint each as YAML.

An edit is ``remove`` (``subject predicate object``, ``subject predicate *`` or ``subject``), ``add``
(triples), ``only`` (the subjects to keep) or ``rename`` (node to node), in the prefixes of its entry.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import pyoxigraph as ox
import yaml

from prov_ledger.checks.shape_index import RECORDED_AS
from prov_ledger.vocab import PREFIXES

CASES = Path(__file__).parent / "cases"
_PREFIX = re.compile(r"@prefix (\w*): <([^>]*)> \.")

Triple = tuple[str, str, str]


@dataclass(frozen=True)
class Case:
    """An entry with its context; ``constraint`` is the one that it breaks, None where it is valid."""

    name: str
    constraint: str | None
    triples: frozenset[Triple]

    @property
    def lines(self) -> str:
        """The entry itself, as N-Triples."""
        return as_lines(t for t in self.triples if t[1] != f"<{RECORDED_AS}>")

    @property
    def known(self) -> list[tuple[str, str]]:
        """What earlier entries recorded."""
        return [(s[1:-1], o[1:-1]) for s, p, o in sorted(self.triples) if p == f"<{RECORDED_AS}>"]


def as_lines(triples) -> str:
    return "".join(sorted(f"{s} {p} {o} .\n" for s, p, o in triples))


def valid_cases() -> list[Case]:
    return [_valid(path) for path in sorted(CASES.glob("*.ttl"))]


def invalid_cases() -> list[Case]:
    found = []
    for path in sorted(CASES.glob("*.yaml")):
        turtle = path.with_suffix(".ttl")
        valid, prefixes = _valid(turtle), {**PREFIXES, **dict(_PREFIX.findall(turtle.read_text()))}
        for number, edit in enumerate(yaml.safe_load(path.read_text()), 1):
            name = f"{path.stem}-{number}-{edit['constraint']}"
            found.append(Case(name, edit["constraint"], frozenset(_apply(edit, valid.triples, prefixes))))
    return found


def _valid(path: Path) -> Case:
    return Case(path.stem, None, frozenset(_parse(path.read_text())))


def _parse(turtle: str) -> list[Triple]:
    quads = ox.parse(input=turtle, format=ox.RdfFormat.TURTLE)
    return [(str(q.subject), str(q.predicate), str(q.object)) for q in quads]


def _apply(edit: dict, triples: frozenset[Triple], prefixes: dict[str, str]) -> set[Triple]:
    head = "".join(f"@prefix {name}: <{iri}> .\n" for name, iri in prefixes.items())

    def read(text: str) -> list[Triple]:
        return _parse(f"{head}{text} .\n")

    def node(text: str) -> str:
        return read(f"{text} a {text}")[0][0]

    renames = {node(old): node(new) for old, new in edit.get("rename", {}).items()}
    kept = {(renames.get(s, s), p, renames.get(o, o)) for s, p, o in triples}
    if "only" in edit:
        subjects = {node(text) for text in edit["only"]}
        kept = {t for t in kept if t[0] in subjects or t[1] == f"<{RECORDED_AS}>"}
    for text in edit.get("remove", ()):
        gone = _matching(text, kept, read, node)
        assert gone, f"the edit of {edit['constraint']} removes nothing: {text}"
        kept -= gone
    for text in edit.get("add", ()):
        kept |= set(read(text))
    return kept


def _matching(text: str, triples: set[Triple], read, node) -> set[Triple]:
    if " " not in text:
        return {t for t in triples if t[0] == node(text)}
    if text.endswith(" *"):
        subject, predicate, _ = read(text[:-1] + "0")[0]
        return {t for t in triples if t[:2] == (subject, predicate)}
    return triples & set(read(text))
