"""A reader in the process's memory: fed by journal entries, needs no graph.

It fetches what is about an id when the id is first asked for, keeps it, and takes in every later
entry of the journal at the next call; so a command that asks for one claim opens nothing else, and
a service that asks for many answers from memory. It can be dropped at any time.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from prov_ledger.model import records as r
from prov_ledger.model.facts import FactTable
from prov_ledger.model.world import Recorded, SourceHistory, World
from prov_ledger.readers.fold import Fold, up_to

#: Kinds of entries that are about the tenant as a whole: few, and taken in at once.
GLOBAL_KINDS = ("tenant", "fact", "collection")


class EntrySource(Protocol):
    """Where entries come from, decoded."""

    def size(self) -> int:
        """How many entries there are."""
        ...

    def entries(self, after: int, kinds: Sequence[str] | None = None) -> Iterable[r.Entry]:
        """Entries with a sequence above ``after``, in order."""
        ...

    def entry_of(self, id: r.Node) -> r.Entry | None:
        """The entry that recorded an entity first."""
        ...

    def about(self, key: str) -> Iterable[r.Entry]:
        """Entries that say something about a subject."""
        ...


class MemoryReader:
    """Answers from dictionaries; see ``Reader`` for the contract."""

    def __init__(self, entries: EntrySource) -> None:
        self._entries = entries
        self.drop()

    def drop(self) -> None:
        """Forget everything; the next call fetches anew."""
        self._fold = Fold()
        self._complete: set[r.Node] = set()
        self._seen = -1

    def refresh(self) -> None:
        """Take in the entries that were recorded since the last call."""
        size = self._entries.size()
        if size == self._seen:
            return
        first = self._seen < 0
        for entry in self._entries.entries(max(self._seen, 0), GLOBAL_KINDS if first else None):
            self._fold.apply(entry)
        self._seen = size

    def take(self, entry: r.Entry) -> None:
        """Take in an entry that this process has just recorded, when it is the next one."""
        if entry.sequence == self._seen + 1:
            self._fold.apply(entry)
            self._seen = entry.sequence

    def table(self) -> FactTable:
        """The facts declared now."""
        self.refresh()
        return self._fold.table()

    def tenant(self) -> r.TenantRecord:
        """The tenant's zone and governing fact."""
        self.refresh()
        return next(iter(self._fold.tenant.values())).record

    def _fetch(self, id: r.Node, *keys: str) -> None:
        if id in self._complete:
            return
        entry = self._entries.entry_of(id)
        if entry is None:
            return
        self._fold.apply(entry)
        for key in keys:
            for other in self._entries.about(key):
                self._fold.apply(other)
        self._complete.add(id)

    def _claim(self, id: r.Node) -> Recorded[r.ClaimRecord] | None:
        self._fetch(id, id)
        return self._fold.claims.get(id)

    def superseded_chain(self, id: r.Node) -> frozenset[r.Node]:
        """The claim and all that it superseded, directly or through a chain."""
        chain: set[r.Node] = set()
        waiting: r.Node | None = id
        while waiting is not None and waiting not in chain:
            chain.add(waiting)
            self._claim(waiting)
            waiting = self._fold.supersedes.get(waiting)
        return frozenset(chain)

    def _evidence(self, id: r.Node) -> Recorded[r.EvidenceRecord] | None:
        self._fetch(id, id)
        return self._fold.evidence.get(id)

    def revision(self, id: r.Node) -> Recorded[r.RevisionRecord] | None:
        """One revision, or None."""
        self.refresh()
        source = self.source_of(id)
        return self._fold.revisions.get(source, {}).get(id) if source else None

    def source_of(self, revision: r.Node) -> r.Node | None:
        """The source of a revision, or None when there is no such revision."""
        if revision not in self._fold.source_of:
            entry = self._entries.entry_of(revision)
            if entry is not None:
                self._fold.apply(entry)
        return self._fold.source_of.get(revision)

    def history(self, source: r.Node, as_of: datetime | None = None) -> SourceHistory | None:
        """All about one source, or None."""
        self.refresh()
        self._fetch(source, source)
        return self._fold.history(source, as_of)

    def read(self, ids: Sequence[r.Node], as_of: datetime | None = None) -> World:
        """Read the closure of the ids; see ``Reader.read``."""
        self.refresh()
        return _Closure(self, self._fold, as_of).of(ids)

    def evidence_on(
        self, sources: Sequence[r.Node], as_of: datetime | None = None
    ) -> Mapping[r.Node, Recorded[r.EvidenceRecord]]:
        """Read all evidence on the sources; see ``Reader.evidence_on``."""
        self.refresh()
        found: dict[r.Node, Recorded[r.EvidenceRecord]] = {}
        for source in sources:
            history = self.history(source, as_of)
            for revision in history.revisions if history else ():
                self._fetch_evidence(revision.record.id)
                found |= {
                    x.record.id: x for x in up_to(self._fold.evidence_on.get(revision.record.id), as_of)
                }
        return dict(sorted(found.items(), key=lambda item: item[1].sequence))

    def _fetch_evidence(self, revision: r.Node) -> None:
        key = f"{revision}#evidence"
        if key not in self._complete:
            for entry in self._entries.about(key):
                self._fold.apply(entry)
            self._complete.add(key)

    def scopes_of(self, evidence: r.Node, as_of: datetime | None) -> tuple[Recorded[r.ScopeRecord], ...]:
        """Later scope statements about an evidence item."""
        self._fetch(evidence, evidence)
        return up_to(self._fold.evidence_scopes.get(evidence), as_of)


class _Closure:
    """Collects one world."""

    def __init__(self, reader: MemoryReader, fold: Fold, as_of: datetime | None) -> None:
        self.reader, self.fold, self.as_of = reader, fold, as_of
        self.claims: dict[r.Node, Recorded[r.ClaimRecord]] = {}
        self.evidence: dict[r.Node, Recorded[r.EvidenceRecord]] = {}
        self.restatements: dict[r.Node, Recorded[r.RestatementRecord]] = {}
        self.superseded_by: dict[r.Node, r.Node] = {}
        self.retracted: set[r.Node] = set()
        self.scopes: dict[r.Node, tuple[Recorded[r.ScopeRecord], ...]] = {}
        self.sources: dict[r.Node, SourceHistory] = {}
        self.source_of: dict[r.Node, r.Node] = {}

    def of(self, ids: Sequence[r.Node]) -> World:
        """Walk everything that the ids rest on, were exposed to and were replaced by."""
        waiting = list(ids)
        seen: set[r.Node] = set()
        while waiting:
            id = waiting.pop()
            if id in seen:
                continue
            seen.add(id)
            if id.startswith("cl_"):
                waiting += self._claim(id)
            elif id.startswith("ev_"):
                self._evidence(id)
        tenant = self.reader.tenant()
        return World(
            tenant.zone,
            tenant.governed_by,
            self.fold.table(),
            self.claims,
            self.restatements,
            self.superseded_by,
            frozenset(self.retracted),
            self.evidence,
            self.scopes,
            self.source_of,
            self.sources,
        )

    def _known(self, x: Recorded[object] | None) -> bool:
        return x is not None and (self.as_of is None or x.at <= self.as_of)

    def _claim(self, id: r.Node) -> list[r.Node]:
        claim = self.reader._claim(id)
        if claim is None or not self._known(claim):
            return []
        self.claims[id] = claim
        nodes = [member for members in claim.record.justifications for member in members]
        nodes += claim.record.exposure
        restated = up_to(self.fold.restatements.get(id), self.as_of)
        if restated:
            self.restatements[id] = restated[-1]
            nodes += restated[-1].record.exposure
        supersession = self.fold.supersessions.get(id)
        if supersession is not None and self._known(supersession):
            self.superseded_by[id] = supersession.record.new
            nodes.append(supersession.record.new)
        if up_to(self.fold.retractions.get(id), self.as_of):
            self.retracted.add(id)
        return nodes

    def _evidence(self, id: r.Node) -> None:
        evidence = self.reader._evidence(id)
        if evidence is None or not self._known(evidence):
            return
        self.evidence[id] = evidence
        scopes = self.reader.scopes_of(id, self.as_of)
        if scopes:
            self.scopes[id] = scopes
        source = self.reader.source_of(evidence.record.revision)
        if source is None:
            return
        self.source_of[evidence.record.revision] = source
        if source not in self.sources:
            history = self.reader.history(source, self.as_of)
            if history is not None:
                self.sources[source] = history
