"""Nodes with their properties, and how their values are read.

``Nodes`` maps a node's name (base IRI removed) to its predicates and rendered objects; a leaf and the
answer of a graph store both become one, so a record is decoded the same way from either.
"""

import sys
from collections.abc import Iterable
from datetime import date, datetime
from decimal import Decimal
from typing import cast

from prov_ledger.model import records as r
from prov_ledger.model.facts import FactValue, SealedValue
from prov_ledger.model.scopes import Among, Bound, Condition, Edge, Period, Range, Scope
from prov_ledger.model.times import parse_instant
from prov_ledger.rdf.nquads import parse_term
from prov_ledger.rdf.terms import Literal
from prov_ledger.rdf.writer import A, pl
from prov_ledger.vocab import PL, XSD

Properties = dict[str, list[str]]


Nodes = dict[str, Properties]


_PL = len(PL) + 1


_EDGES = {pl("open"): Edge.OPEN, pl("unknown"): Edge.UNKNOWN, pl("assumedOpen"): Edge.ASSUMED_OPEN}


def nodes_of_leaf(leaf: bytes, base: str) -> Nodes:
    """Group the lines of a leaf by subject; ``leaf`` is what ``encode_entry`` wrote for this base."""
    tail = len(f" <{base}graph> .")
    cut = len(base) + 1
    nodes: Nodes = {}
    for line in leaf.decode().removesuffix("\n").split("\n") if leaf else ():
        subject, predicate, rest = line.split(" ", 2)
        nodes.setdefault(subject[cut:-1], {}).setdefault(predicate, []).append(rest[:-tail])
    return nodes


def nodes_of_rows(rows: Iterable[tuple[str, str, str]], base: str) -> Nodes:
    """Group rendered (subject, predicate, object) rows by subject."""
    cut = len(base) + 1
    nodes: Nodes = {}
    for subject, predicate, value in rows:
        nodes.setdefault(subject[cut:-1], {}).setdefault(predicate, []).append(value)
    return nodes


#: One for all: an empty set takes 216 bytes, and most records have several.
_NO_FACTS: frozenset[str] = frozenset()


class Decoder:
    """Decodes the records among a set of nodes of one tenant."""

    def __init__(self, nodes: Nodes, base: str) -> None:
        self.nodes = nodes
        self._cut = len(base) + 1
        self._fact = len(base) + len("fact/") + 1

    def name(self, rendered: str) -> r.Node:
        """The name of a rendered node of this tenant, one object for all mentions; the tenant is ``*``."""
        name = sys.intern(rendered[self._cut : -1])
        return "*" if name == "tenant" else name

    def fact(self, rendered: str) -> str:
        """The name of a fact."""
        return sys.intern(rendered[self._fact : -1])

    def one(self, p: Properties, predicate: str) -> str:
        """The only object of a predicate."""
        return p[predicate][0]

    def node(self, p: Properties, predicate: str) -> r.Node:
        """The only object, as a node name."""
        return self.name(p[predicate][0])

    def node_or_none(self, p: Properties, predicate: str) -> r.Node | None:
        """The only object as a node name, or None."""
        values = p.get(predicate)
        return self.name(values[0]) if values else None

    def facts(self, p: Properties, predicate: str) -> frozenset[str]:
        """All objects as names of facts."""
        values = p.get(predicate)
        return frozenset(map(self.fact, values)) if values else _NO_FACTS

    def scope_at(self, node: r.Node) -> Scope | None:
        """The scope stated at a node, or None when nothing is stated there."""
        p = self.nodes.get(node)
        if p is None:
            return None
        inner = [self.name(value) for value in p.get(pl("condition"), ())]
        return Scope(tuple(self._condition(self.nodes[name]) for name in sorted(inner, key=_by_number)))

    def _condition(self, p: Properties) -> Condition:
        fact = self.fact(self.one(p, pl("onFact")))
        kind = self.one(p, A)
        if kind == pl("Period"):
            return Period(fact, decode_bound(self.one(p, pl("from"))), decode_bound(self.one(p, pl("until"))))
        if kind == pl("Range"):
            low, low_in = _limit(p, "min", "above")
            high, high_in = _limit(p, "max", "below")
            return Range(fact, low, low_in, high, high_in)
        values: set[FactValue | SealedValue] = {decode_value(v) for v in p.get(pl("value"), ())}
        for rendered in p.get(pl("sealedValue"), ()):
            name = self.name(rendered)
            values.add(SealedValue(name, text_of(self.one(self.nodes[name], pl("commitment")))))
        return Among(fact, frozenset(values))


def _by_number(name: str) -> tuple[int, ...]:
    return tuple(int(part) for part in name.rpartition("#")[2].split(".")[1:])


def text_of(literal: str) -> str:
    """The text of a rendered plain or typed literal."""
    if "\\" in literal:
        term = parse_term(literal)
        return term.lexical if isinstance(term, Literal) else ""
    return literal[1 : literal.rindex('"')]


def local(rendered: str) -> str:
    """The local name of a rendered IRI of ours."""
    return rendered[_PL:-1]


def instant_of(literal: str) -> datetime:
    """The instant of a rendered xsd:dateTime."""
    return parse_instant(text_of(literal))


def decode_value(literal: str) -> FactValue:
    """The typed value of a rendered literal: date, instant, decimal or text."""
    lexical, datatype = literal[1 : literal.rindex('"')], literal[literal.rindex('"') + 1 :]
    if datatype == f"^^<{XSD}dateTime>":
        return parse_instant(lexical)
    if datatype == f"^^<{XSD}date>":
        return date.fromisoformat(lexical)
    if datatype in (f"^^<{XSD}decimal>", f"^^<{XSD}integer>"):
        return Decimal(lexical)
    return text_of(literal)


def decode_bound(rendered: str) -> Bound:
    """A bound of a period: a typed value or an edge."""
    edge = _EDGES.get(rendered)
    return edge if edge is not None else cast(Bound, decode_value(rendered))


def _limit(p: Properties, inclusive: str, exclusive: str) -> tuple[Decimal | None, bool]:
    for name, including in ((inclusive, True), (exclusive, False)):
        if pl(name) in p:
            return cast(Decimal, decode_value(p[pl(name)][0])), including
    return None, True


def text(p: Properties, name: str) -> str:
    """The only text of one of our properties."""
    return text_of(p[pl(name)][0])


def text_or_none(p: Properties, name: str) -> str | None:
    """The only text of one of our properties, or None."""
    values = p.get(pl(name))
    return text_of(values[0]) if values else None


def flag(p: Properties, name: str) -> bool:
    """Whether one of our properties is there."""
    return pl(name) in p


def integer(p: Properties, predicate: str) -> int:
    """The only integer of a predicate."""
    return int(text_of(p[predicate][0]))
