"""What is recorded of one entity, as triples, for a reader who may see it and what it names."""

from collections.abc import Iterator
from dataclasses import dataclass

from prov_ledger.errors import Refused
from prov_ledger.ledger.session import Acting, Session, unknown
from prov_ledger.model.ids import looks_like_id, parse_id
from prov_ledger.model.records import Node
from prov_ledger.rdf.nquads import Description, parse_nquads
from prov_ledger.rdf.terms import Iri, Triple
from prov_ledger.store.port import graph_iri
from prov_ledger.vocab import PL

#: What a reader reads by a grant; the rest (agents, groups, entries) is for those who may query the graph.
_GRANTED = ("src_", "rev_", "ev_", "cl_")
_ABOUT = PL + "about"
#: The question that a claim was made for goes with its words.
_WORDED = (PL + "question",)


@dataclass(frozen=True, slots=True)
class Provenance:
    """An entity, its IRI, and what is recorded of it: ids, relations, times, commitments, and no text."""

    id: Node
    iri: str
    triples: tuple[Triple, ...]


class Recounting:
    """The verb ``provenance``."""

    def __init__(self, session: Session) -> None:
        self.session, self.tenant = session, session.tenant
        self._base = session.tenant.base

    def recount(self, acting: Acting, id: str) -> Provenance:
        """What was recorded of an entity. Raises Refused ``malformed_id``, ``unknown_id``.

        What names something that this reader may not read is left out without a trace.
        """
        node = parse_id(id)
        self._require(acting, node)
        described = list(self._described(node))
        hidden = self._hidden(acting, {name for one in described for name in self._named(one)}, node)
        worded = self._has_words(acting, node)
        triples = {
            one
            for one in described
            if not hidden & self._named(one) and (worded or one[1].value not in _WORDED)  # type: ignore[union-attr]
        }
        kept = self._reachable(node, triples)
        return Provenance(node, self._base + node, tuple(sorted(kept, key=repr)))

    def _require(self, acting: Acting, node: Node) -> None:
        if node.startswith(_GRANTED):
            self.session.require(acting, [node])
        elif self.session.lacking_role(acting.agent, "sparql") is not None or not self._is_there(node):
            raise unknown(node)

    def _is_there(self, node: Node) -> bool:
        return self.tenant.journal.kind_of(node) is not None

    def _described(self, node: Node) -> Iterator[Triple]:
        """All triples of the entries that brought the node into being or are about it."""
        first = self.tenant.journal.entry_of(node)
        entries = {x.sequence: x for x in ([first] if first else []) + self.tenant.journal.about(node)}
        for _, entry in sorted(entries.items()):
            yield from _triples(parse_nquads(entry.leaf, graph_iri(self._base)))

    def _reachable(self, node: Node, triples: set[Triple]) -> set[Triple]:
        """The triples of the node, of statements about it, and of the parts that these have."""
        iri = Iri(self._base + node)
        by_subject: dict[object, list[Triple]] = {}
        for one in triples:
            by_subject.setdefault(one[0], []).append(one)
        begun = {iri} | {s for s, p, o in triples if p == Iri(_ABOUT) and o == iri}
        kept: set[Triple] = set()
        seen: set[object] = set()
        while begun:
            subject = begun.pop()
            seen.add(subject)
            kept.update(by_subject.get(subject, ()))
            parts = {o for _, _, o in by_subject.get(subject, ()) if isinstance(o, Iri) and "#" in o.value}
            begun |= {part for part in parts if part.value.startswith(self._base)} - seen
        return kept

    def _named(self, triple: Triple) -> frozenset[Node]:
        """The entities that a triple names."""
        found = set()
        for term in (triple[0], triple[2]):
            if isinstance(term, Iri) and term.value.startswith(self._base):
                name = term.value.removeprefix(self._base).partition("#")[0]
                if looks_like_id(name):
                    found.add(name)
        return frozenset(found)

    def _hidden(self, acting: Acting, names: set[Node], node: Node) -> frozenset[Node]:
        """Of entities, those that a reader gets by a grant and this one may not read; one at a time."""
        granted = [name for name in names if name.startswith(_GRANTED) and name != node]
        return frozenset(name for name in granted if not self._readable(acting, name))

    def _readable(self, acting: Acting, name: Node) -> bool:
        try:
            self.session.require(acting, [name])
        except Refused:
            return False
        return True

    def _has_words(self, acting: Acting, node: Node) -> bool:
        if not node.startswith("cl_"):
            return True
        world = self.tenant.state.reader.read([node])
        return self.session.judge(acting, world).words(node)


def _triples(description: Description) -> Iterator[Triple]:
    for subject, properties in description.items():
        for predicate, values in properties.items():
            for value in values:
                yield Iri(subject), Iri(predicate), value
