"""What is gone, what is held, and what expires: as the journal states it, decided for the present.

No graph is asked: an index may lag, and what was erased must not come back with it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

from prov_ledger.authz.retention import Expiry, Retention, Rule
from prov_ledger.model import records as r
from prov_ledger.model.records import Node
from prov_ledger.model.world import Recorded, SourceHistory, World

#: Kinds of entries that this is made of.
REMOVAL_KINDS = ("erase", "redact", "receipt", "hold", "release", "retention", "prune")

_NOTHING: frozenset[Node] = frozenset()
#: Of so many sources at most it is kept what is erased.
_MOST_KNOWN = 65_536


@dataclass(frozen=True, slots=True)
class Erasure:
    """An erasure as recorded: by whom and when, and its receipt once it is complete."""

    record: r.ErasureRecord
    agent: Node
    recorded: datetime
    sequence: int
    receipt: r.ReceiptRecord | None = None


@dataclass(frozen=True, slots=True)
class Held:
    """A legal hold in force: at which node, by whom, since when."""

    node: Node
    record: r.HoldRecord
    agent: Node
    since: datetime


@dataclass
class Removals:
    """Erasures, pruned entries, legal holds and retention; one thread applies entries while others ask."""

    erasures: dict[Node, Erasure] = field(default_factory=dict)
    redactions: dict[Node, r.RedactionRecord] = field(default_factory=dict)
    holds: dict[Node, Held] = field(default_factory=dict)
    retention: Retention = field(default_factory=Retention)
    pruned_entries: set[Node] = field(default_factory=set)
    sequence: int = 0
    #: Counts what may make anything be gone that was not, now or later.
    losses: int = 0
    #: Replaced, never changed, so that whoever asks meanwhile sees the one or the other.
    _gone: frozenset[Node] = frozenset()
    #: What is erased of a source under no rule, with the history and the erasures that were looked at.
    _erased_of: dict[Node, tuple[SourceHistory, frozenset[Node], frozenset[Node]]] = field(
        default_factory=dict, compare=False
    )

    def apply(self, entry: r.Entry) -> None:
        """Take in what an entry states of removals; entries come in order."""
        for stated in entry.statements:
            if self._apply(entry, stated):
                self.sequence = max(self.sequence, entry.sequence)

    def _apply(self, entry: r.Entry, stated: r.Stated) -> bool:
        record = stated.record
        if isinstance(record, r.ErasureRecord):
            self._deny(Erasure(record, entry.agent, entry.recorded, entry.sequence))
        elif isinstance(record, r.ReceiptRecord):
            self._finish(record)
        elif isinstance(record, r.RedactionRecord):
            self.redactions[record.revision] = record
        elif isinstance(record, r.PruneRecord):
            self.pruned_entries.update(record.entries)
            self._gone |= record.nodes
            self.losses += 1
        elif isinstance(record, r.HoldRecord):
            self.holds[record.on] = Held(stated.node, record, entry.agent, entry.recorded)
        elif isinstance(record, r.ReleaseRecord):
            self.holds.pop(record.on, None)
        elif isinstance(record, r.RetentionRecord):
            self.retention.state(Rule(stated.node, entry.recorded, record))
            self.losses += 1
        else:
            return False
        return True

    def _deny(self, erasure: Erasure) -> None:
        self.erasures[erasure.record.id] = erasure
        self._gone |= erasure.record.erased
        self.losses += 1

    def _finish(self, receipt: r.ReceiptRecord) -> None:
        x = self.erasures.get(receipt.erasure)
        if x is not None:
            self.erasures[receipt.erasure] = Erasure(x.record, x.agent, x.recorded, x.sequence, receipt)

    @property
    def took_nothing(self) -> bool:
        """Whether nothing is gone and nothing can expire by itself."""
        return not self._gone and not self.retention

    # erasures

    def is_erased(self, id: Node) -> bool:
        """Whether an erasure or a pruning took this very node; what lies within it may not be named."""
        return id in self._gone

    def unfinished(self) -> tuple[Erasure, ...]:
        """The erasures without a receipt, in recorded order: whoever may write has to finish them."""
        return tuple(x for x in tuple(self.erasures.values()) if x.receipt is None)

    # holds

    def hold_on(self, source: Node, collection: Node | None = None) -> Held | None:
        """The hold in force on a source, or on the collection that it is in; None where there is none."""
        return self.holds.get(source) or self.holds.get(collection or "")

    def held(self, source: Node, collection: Node | None = None) -> bool:
        """Whether a legal hold covers the source."""
        return self.hold_on(source, collection) is not None

    # retention

    def expiry(self, recorded: datetime, source: Node, collection: Node | None = None) -> Expiry:
        """When what was recorded of a source at a time expires, or did; also where a hold keeps it."""
        return self.retention.expiry(recorded, source, collection)

    # what is gone now

    def is_source_gone(self, history: SourceHistory, now: datetime) -> bool:
        """Whether a source is erased or pruned, or its last metadata has expired at ``now``."""
        if history.id in self._gone:
            return True
        record = history.source.record
        if not self.retention.covers(record.id, record.collection):
            return False
        return _past(self.source_expiry(history), now)

    def source_expiry(self, history: SourceHistory) -> datetime | None:
        """When a source expires, or did: with the last of its states, none of which came too late."""
        record = history.source.record
        end = self.expiry(history.source.at, record.id, record.collection).metadata
        for x in history.revisions:
            if end is None or x.at >= end:
                break
            next_ = self.expiry(x.at, record.id, record.collection).metadata
            end = None if next_ is None else max(end, next_)
        return end

    def revision_end(self, history: SourceHistory, revision: Node) -> datetime | None:
        """When a revision of a source expires, or did, by itself or with its source; None: never.

        No later state moves it: a state that came in time expires no later than its source.
        """
        record = history.source.record
        found = (x.at for x in history.revisions if x.record.id == revision)
        texts = (self.expiry(at, record.id, record.collection).text for at in found)
        ends = (*texts, self.source_expiry(history))
        return min((end for end in ends if end is not None), default=None)

    def is_revision_gone(self, history: SourceHistory, revision: Node, now: datetime) -> bool:
        """Whether a revision of a source is erased, pruned or expired at ``now``, or its source is."""
        found = [x for x in history.revisions if x.record.id == revision]
        return bool(found) and revision in self.gone_of(history, now)

    def may_have_lost(self, source: Node, collection: Node | None) -> bool:
        """Whether anything of a source can be gone at any time: False is quick, and sure."""
        return bool(self._gone) or self.retention.covers(source, collection)

    def gone_of(self, history: SourceHistory, now: datetime) -> frozenset[Node]:
        """The source and those of its revisions that are gone at ``now``."""
        record = history.source.record
        if self.retention.covers(record.id, record.collection):
            return self._look_for(history, now)
        if not self._gone:
            return _NOTHING
        known = self._erased_of.get(record.id)
        if known is None or known[0] is not history or known[1] is not self._gone:
            if len(self._erased_of) >= _MOST_KNOWN:
                self._erased_of.clear()
            known = self._erased_of[record.id] = (history, self._gone, self._look_for(history, now))
        return known[2]

    def _look_for(self, history: SourceHistory, now: datetime) -> frozenset[Node]:
        if self.is_source_gone(history, now):
            return frozenset((history.id, *(x.record.id for x in history.revisions)))
        return frozenset(self._revisions(history, now))

    def _revisions(self, history: SourceHistory, now: datetime) -> Iterator[Node]:
        record = history.source.record
        limited = self.retention.covers(record.id, record.collection)
        for x in history.revisions:
            id = x.record.id
            if id in self._gone or (
                limited and _past(self.expiry(x.at, record.id, record.collection).text, now)
            ):
                yield id

    def gone(self, world: World, now: datetime) -> frozenset[Node]:
        """All sources, revisions, evidence and claims of a world that are gone at ``now``.

        Members of an exposure count, whether the world still knows them or not.
        """
        if self.took_nothing:
            return _NOTHING
        found: set[Node] = set()
        for history in world.sources.values():
            found |= self.gone_of(history, now)
        erased = self._gone
        evidence = world.evidence.values()
        if found or not erased.isdisjoint([x.record.revision for x in evidence]):
            found |= self._evidence(evidence, world, found)
        found |= erased.intersection(world.evidence)
        found |= erased.intersection(world.claims)
        for claim in world.claims.values():
            found |= claim.record.exposure & erased
        return frozenset(found)

    def _evidence(
        self, evidence: Iterable[Recorded[r.EvidenceRecord]], world: World, found: set[Node]
    ) -> set[Node]:
        """Evidence that is erased itself, or whose revision or source is gone."""
        lost: set[Node] = set()
        for x in evidence:
            revision = x.record.revision
            source = world.source_of.get(revision)
            if x.record.id in self._gone or revision in self._gone or {revision, source} & found:
                lost.add(x.record.id)
        return lost


def _past(end: datetime | None, now: datetime) -> bool:
    return end is not None and now >= end
