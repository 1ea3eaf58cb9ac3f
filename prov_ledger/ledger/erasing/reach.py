"""What the journal holds of some ids, and which claims and reminders they reach: read, nothing decided."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from prov_ledger.ledger.tenant import Tenant
from prov_ledger.model import records as r
from prov_ledger.model.records import Node
from prov_ledger.rdf.decode import decode_entry
from prov_ledger.rdf.supports import Supported, supports_of
from prov_ledger.vault.port import StoredEntry

#: What the claims next to an id are found by.
_NEXT = ("#claims", "#exposed")
#: Fields of a claim that are words of its writer.
WORDS = frozenset({"statement", "note", "question"})
Key = tuple[Node, str]


@dataclass(slots=True)
class Held:
    """The ids that go, by kind, each in order."""

    sources: list[Node] = field(default_factory=list)
    revisions: list[Node] = field(default_factory=list)
    evidence: list[Node] = field(default_factory=list)
    claims: list[Node] = field(default_factory=list)
    names: list[Node] = field(default_factory=list)
    _seen: set[Node] = field(default_factory=set)

    def all(self) -> list[Node]:
        """Every one of them."""
        return [*self.sources, *self.revisions, *self.evidence, *self.claims, *self.names]

    def add(self, id: Node) -> None:
        """Take one in, once."""
        if id not in self._seen:
            self._seen.add(id)
            kinds = {"src": self.sources, "rev": self.revisions, "ev": self.evidence, "cl": self.claims}
            # Agents, groups, collections and purposes are names alone.
            kinds.get(id.partition("_")[0], self.names).append(id)


class Reach:
    """Reads what derives from ids, and the texts that they hold."""

    def __init__(self, tenant: Tenant) -> None:
        self.tenant, self.journal = tenant, tenant.journal

    def claims_on(self, ids: Collection[Node]) -> list[Supported]:
        """The claims that rest on any of the ids, at any depth, or had it before them; in recorded order."""
        found: dict[Node, tuple[int, Supported]] = {}
        reached, waiting = set(ids), set(ids)
        self._fetch({id for id in ids if id.startswith("cl_")}, found)
        while waiting:
            restated: set[Node] = set()
            for stored in self.journal.about_any([f"{id}{kind}" for id in waiting for kind in _NEXT]):
                if stored.kind == "restate":
                    restated |= self._restated(stored)
                for claim in supports_of(stored.leaf, self.tenant.base):
                    found[claim.id] = stored.sequence, claim
            self._fetch(restated - found.keys(), found)
            waiting = found.keys() - reached
            reached |= waiting
        return [claim for _, claim in sorted(found.values(), key=lambda x: x[0])]

    def _fetch(self, claims: Collection[Node], found: dict[Node, tuple[int, Supported]]) -> None:
        """Take in claims by their ids."""
        for id in claims:
            origin = self.journal.entry_of(id)
            for claim in supports_of(origin.leaf, self.tenant.base) if origin is not None else ():
                if origin is not None and claim.id == id:
                    found[id] = origin.sequence, claim

    def _restated(self, stored: StoredEntry) -> set[Node]:
        """The claims that an entry restates."""
        statements = decode_entry(stored.leaf, self.tenant.base).statements if stored.leaf else ()
        return {x.record.claim for x in statements if isinstance(x.record, r.RestatementRecord)}

    def _entries(self, keys: Collection[str]) -> Iterator[r.Entry]:
        yield from (decode_entry(x.leaf, self.tenant.base) for x in self.journal.about_any(keys) if x.leaf)

    def about(self, ids: Collection[Node]) -> list[r.Stated]:
        """What was said later about any of the ids."""
        return [stated for entry in self._entries(ids) for stated in entry.statements]

    def texts_below(self, ids: Collection[Node]) -> list[Key]:
        """Every sealed text of the ids and of what is below them."""
        return self.journal.payload_keys_of(ids)

    def words_of(self, claims: Collection[Node]) -> list[Key]:
        """The statement, the note and the question of claims."""
        return [key for key in self.journal.payload_keys_of(claims) if key[1] in WORDS and key[0] in claims]

    def texts_of_statements(self, nodes: Sequence[Node]) -> list[Key]:
        """The sealed texts of statements: titles, native ids, scopes, reasons, other words."""
        keys = self.journal.payload_keys_of({node.partition("#")[0] for node in nodes})
        wanted = set(nodes)
        return [key for key in keys if key[0] in wanted or key[0].partition(".")[0] in wanted]

    def reminders_of(self, claims: Collection[Node]) -> list[r.ReminderRecord]:
        """The reminders with a line for any of the claims."""
        found = (stated.record for stated in self.about([f"{claim}#reminders" for claim in claims]))
        return [record for record in found if isinstance(record, r.ReminderRecord)]

    def evidence_of(
        self, sources: Sequence[Node], revisions: Collection[Node]
    ) -> dict[Node, r.EvidenceRecord]:
        """The evidence on some revisions, those of these sources."""
        found = self.tenant.state.reader.evidence_on(sources)
        erased = self.tenant.state.removals.is_erased
        return {id: x.record for id, x in found.items() if x.record.revision in revisions and not erased(id)}


def about_sources(stated: Iterable[r.Stated]) -> Iterator[Node]:
    """The statements about sources, revisions and evidence that hold texts of theirs or about them.

    Reasons of holds stay: they say why something was kept.
    """
    kinds = (r.TitleRecord, r.NativeRecord, r.ScopeRecord, r.DenialRecord)
    yield from (x.node for x in stated if isinstance(x.record, kinds))


def reasons_about(stated: Iterable[r.Stated], claims: Collection[Node]) -> Iterator[Node]:
    """The retractions and supersessions of claims, whose reasons may repeat their words."""
    for x in stated:
        match x.record:
            case r.RetractionRecord(claim=claim) if claim in claims:
                yield x.node
            case r.SupersessionRecord(old=old, new=new) if old in claims or new in claims:
                yield x.node
