"""A reader in the process's memory: fed by journal entries, needs no graph.

It fetches what is about an id when the id is first asked for, keeps it, and takes in every later
entry of the journal at the next call; so a command that asks for one claim opens nothing else, and
a service that asks for many answers from memory. It can be dropped at any time.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from prov_ledger.authz.removals import Removals
from prov_ledger.model import records as r
from prov_ledger.model.facts import FactTable
from prov_ledger.model.world import Recorded, SourceHistory, World
from prov_ledger.readers.closure import Closure, Part
from prov_ledger.readers.fold import Fold, in_recorded_order, up_to
from prov_ledger.readers.labels import Labels, nothing_removed

#: Kinds of entries that are about the tenant as a whole: few, and taken in at once.
GLOBAL_KINDS = ("tenant", "fact", "collection")


#: What an entry brings into being: nothing can have been said about it before.
_ENTITIES = (r.SourceRecord, r.EvidenceRecord, r.ClaimRecord)
#: What changes the closure of an id that was there before.
_CHANGING = (r.ScopeRecord, r.RestatementRecord, r.SupersessionRecord, r.RetractionRecord)
#: What may move the end of a source.
_STATES = (r.SourceRecord, r.RevisionRecord)
#: How many closures are kept.
_MOST_PARTS = 65_536


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

    def __init__(self, entries: EntrySource, removals: Callable[[], Removals] = nothing_removed) -> None:
        self._entries, self._removals = entries, removals
        #: Set by whoever holds the write lock: nothing can be new but what is handed to ``take``.
        self.pinned = False
        #: Counts what was taken in, or forgotten, that may move the end of a source.
        self.states = 0
        self.drop()

    def drop(self) -> None:
        """Forget everything; the next call fetches anew."""
        self._fold = Fold()
        self._complete: set[r.Node] = set()
        self._seen = -1
        self._whole = False
        self.labels = Labels(self._fold, self._need, self._removals)
        self._parts: dict[r.Node, Part] = {}
        #: Another one whenever the closure of anything may have changed.
        self._closures = object()
        self.states += 1

    def load(self) -> int:
        """Take in the whole journal, and every label; later calls fetch nothing. Gives the entries taken."""
        self.drop()
        size = self._entries.size()
        for entry in self._entries.entries(0):
            self._fold.apply(entry)
            self._seen = entry.sequence
        self._seen = max(self._seen, size)
        self._whole = True
        self.labels.make_all()
        return size

    def refresh(self, size: int | None = None) -> None:
        """Take in the entries that were recorded since the last call; ``size``: how many there are now."""
        if self.pinned:
            return
        size = self._entries.size() if size is None else size
        if size == self._seen:
            return
        first = self._seen < 0
        for entry in self._entries.entries(max(self._seen, 0), GLOBAL_KINDS if first else None):
            self._apply_new(entry)
        self._seen = size

    def take(self, entry: r.Entry) -> None:
        """Take in an entry that this process has just recorded, when it is the next one.

        What it brings into being needs no fetching: nothing was said about it before.
        """
        if entry.sequence == self._seen + 1:
            self._apply_new(entry)
            self._seen = entry.sequence
            made = (s.record for s in entry.statements)
            self._complete |= {x.id for x in made if isinstance(x, _ENTITIES)}

    def _apply_new(self, entry: r.Entry) -> None:
        """Take in an entry that is later than all that was taken in."""
        self._fold.apply(entry)
        if any(isinstance(s.record, _CHANGING) for s in entry.statements):
            self._parts.clear()
            self._closures = object()
        if any(isinstance(s.record, _STATES) for s in entry.statements):
            self.states += 1
        new = [
            s.record.id for s in entry.statements if isinstance(s.record, r.EvidenceRecord | r.ClaimRecord)
        ]
        if new:
            self.labels.recorded(new, make=self._whole)

    def table(self) -> FactTable:
        """The facts declared now."""
        self.refresh()
        return self._fold.table()

    def tenant(self) -> r.TenantRecord:
        """The tenant's zone and governing fact."""
        self.refresh()
        return self._fold.tenant_record()

    def _fetch(self, id: r.Node, *keys: str) -> None:
        if self._whole or id in self._complete:
            return
        entry = self._entries.entry_of(id)
        if entry is None:
            return
        self._fold.apply(entry)
        for key in keys:
            for other in self._entries.about(key):
                self._fold.apply(other)
        self._complete.add(id)

    def _need(self, id: r.Node) -> None:
        if id.startswith("rev_"):
            self.source_of(id)
        else:
            self._fetch(id, id)

    def superseded_chain(self, id: r.Node) -> frozenset[r.Node]:
        """The claim and all that it superseded, directly or through a chain."""
        chain: set[r.Node] = set()
        waiting: r.Node | None = id
        while waiting is not None and waiting not in chain:
            chain.add(waiting)
            self._fetch(waiting, waiting)
            waiting = self._fold.supersedes.get(waiting)
        return frozenset(chain)

    def collection(self, id: r.Node) -> r.CollectionRecord | None:
        """The latest statement about a collection, or None."""
        self.refresh()
        stated = up_to(self._fold.collections.get(id), None)
        return stated[-1].record if stated else None

    def collection_of(self, source: r.Node) -> r.Node | None:
        """The collection that a source is in, or None."""
        self._fetch(source, source)
        found = self._fold.sources.get(source)
        return found.record.collection if found is not None else None

    def any_reaffirms(self) -> bool:
        """Whether any collection carries its claims over by policy."""
        self.refresh()
        latest = (up_to(stated, None)[-1] for stated in self._fold.collections.values())
        return any(x.record.reaffirm for x in latest)

    def revision(self, id: r.Node) -> Recorded[r.RevisionRecord] | None:
        """One revision, or None."""
        self.refresh()
        source = self.source_of(id)
        return self._fold.revisions.get(source, {}).get(id) if source else None

    def source_of(self, revision: r.Node) -> r.Node | None:
        """The source of a revision, or None when there is no such revision."""
        if revision not in self._fold.source_of and not self._whole:
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
        if as_of is not None:
            return Closure(self._fold, self._need, as_of).of(ids)
        closure = Closure(self._fold, self._need, None, self._closures)
        large: list[r.Node] = []
        for id in ids:
            part = self._parts.get(id) or self._part(id)
            if part is None:
                large.append(id)
            else:
                closure.add(part)
        return closure.of(large)

    def _part(self, id: r.Node) -> Part | None:
        """The closure of one id, kept; None where it is too large for that."""
        part = Closure(self._fold, self._need, None).part(id)
        if part is not None and (part.claims or part.evidence):
            if len(self._parts) >= _MOST_PARTS:
                self._parts.clear()
            self._parts[id] = part
        return part

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
        return in_recorded_order(found)

    def _fetch_evidence(self, revision: r.Node) -> None:
        key = f"{revision}#evidence"
        if key not in self._complete and not self._whole:
            for entry in self._entries.about(key):
                self._fold.apply(entry)
            self._complete.add(key)

    def scopes_of(self, evidence: r.Node, as_of: datetime | None) -> tuple[Recorded[r.ScopeRecord], ...]:
        """Later scope statements about an evidence item."""
        self._fetch(evidence, evidence)
        return up_to(self._fold.evidence_scopes.get(evidence), as_of)
