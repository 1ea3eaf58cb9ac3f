"""Statements of the journal folded into dictionaries by what they are about.

One ``Fold`` is fed by entries in any order; what it holds about a subject is complete once all
entries about that subject were applied. Nothing is ever taken away, so a past state is a filter.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar

from prov_ledger.model import records as r
from prov_ledger.model.facts import FactTable
from prov_ledger.model.world import Recorded, SourceHistory

T = TypeVar("T")
_Many = dict[r.Node, dict[r.Node, Recorded[T]]]


def up_to(found: dict[r.Node, Recorded[T]] | None, as_of: datetime | None) -> tuple[Recorded[T], ...]:
    """The statements recorded up to a time, in recorded order."""
    if not found:
        return ()
    kept = (x for x in found.values() if as_of is None or x.at <= as_of)
    return tuple(sorted(kept, key=lambda x: (x.sequence, x.node)))


def in_recorded_order(found: dict[r.Node, Recorded[T]]) -> dict[r.Node, Recorded[T]]:
    """The same items, in the order in which they were recorded."""
    return dict(sorted(found.items(), key=lambda item: (item[1].sequence, item[0])))


class Fold:
    """What was stated, by subject."""

    def __init__(self) -> None:
        self.tenant: dict[r.Node, Recorded[r.TenantRecord]] = {}
        self.facts: dict[r.Node, Recorded[r.FactRecord]] = {}
        self.collections: _Many[r.CollectionRecord] = {}
        self.sources: dict[r.Node, Recorded[r.SourceRecord]] = {}
        self.revisions: _Many[r.RevisionRecord] = {}
        self.source_of: dict[r.Node, r.Node] = {}
        self.revision_scopes: _Many[r.ScopeRecord] = {}
        self.authorities: _Many[r.AuthorityRecord] = {}
        self.retirements: _Many[r.RetirementRecord] = {}
        self.checks: _Many[r.CheckRecord] = {}
        self.titles: _Many[r.TitleRecord] = {}
        self.natives: _Many[r.NativeRecord] = {}
        self.evidence: dict[r.Node, Recorded[r.EvidenceRecord]] = {}
        self.evidence_on: _Many[r.EvidenceRecord] = {}
        self.evidence_scopes: _Many[r.ScopeRecord] = {}
        self.claims: dict[r.Node, Recorded[r.ClaimRecord]] = {}
        self.restatements: _Many[r.RestatementRecord] = {}
        self.supersessions: dict[r.Node, Recorded[r.SupersessionRecord]] = {}
        self.supersedes: dict[r.Node, r.Node] = {}
        self.retractions: _Many[r.RetractionRecord] = {}
        self._histories: dict[r.Node, SourceHistory] = {}
        self._table: FactTable | None = None
        self._apply: dict[type, Callable[[Recorded[Any]], None]] = self._appliers()

    def _appliers(self) -> dict[type, Callable[[Recorded[Any]], None]]:
        return {
            r.TenantRecord: self._tenant,
            r.FactRecord: self._fact,
            r.CollectionRecord: self._collection,
            r.SourceRecord: self._source,
            r.RevisionRecord: self._revision,
            r.ScopeRecord: self._scope,
            r.AuthorityRecord: lambda x: self._about(self.authorities, x.record.source, x),
            r.RetirementRecord: lambda x: self._about(self.retirements, x.record.source, x),
            r.CheckRecord: lambda x: self._about(self.checks, x.record.source, x),
            r.TitleRecord: lambda x: self._about(self.titles, x.record.source, x),
            r.NativeRecord: lambda x: self._about(self.natives, x.record.source, x),
            r.EvidenceRecord: self._evidence,
            r.ClaimRecord: lambda x: self.claims.__setitem__(x.record.id, x),
            r.RestatementRecord: lambda x: self._put(self.restatements, x.record.claim, x),
            r.SupersessionRecord: self._supersession,
            r.RetractionRecord: lambda x: self._put(self.retractions, x.record.claim, x),
        }

    def apply(self, entry: r.Entry) -> None:
        """Take in all statements of one entry; doing so twice changes nothing."""
        for stated in entry.statements:
            self.take(stated, entry.recorded, entry.sequence)

    def take(self, stated: r.Stated, at: datetime, sequence: int) -> None:
        """Take in one statement with its recorded time and the sequence of its entry."""
        apply = self._apply.get(type(stated.record))
        if apply is not None:
            apply(Recorded(stated.node, stated.record, at, sequence))

    @staticmethod
    def _put(into: _Many[T], subject: r.Node, x: Recorded[T]) -> None:
        into.setdefault(subject, {})[x.node] = x

    def _about(self, into: _Many[T], source: r.Node, x: Recorded[T]) -> None:
        self._put(into, source, x)
        self._histories.pop(source, None)

    def _tenant(self, x: Recorded[r.TenantRecord]) -> None:
        self.tenant[x.node] = x
        self._table = None

    def _fact(self, x: Recorded[r.FactRecord]) -> None:
        self.facts[x.node] = x
        self._table = None

    def _collection(self, x: Recorded[r.CollectionRecord]) -> None:
        self._put(self.collections, x.record.id, x)
        self._histories.clear()

    def _source(self, x: Recorded[r.SourceRecord]) -> None:
        self.sources[x.record.id] = x
        self._histories.pop(x.record.id, None)

    def _revision(self, x: Recorded[r.RevisionRecord]) -> None:
        self.source_of[x.record.id] = x.record.source
        self._about(self.revisions, x.record.source, x)

    def _scope(self, x: Recorded[r.ScopeRecord]) -> None:
        of = x.record.of
        if of.startswith("rev_"):
            self._put(self.revision_scopes, of, x)
            self._histories.pop(self.source_of.get(of, ""), None)
        else:
            self._put(self.evidence_scopes, of, x)

    def _evidence(self, x: Recorded[r.EvidenceRecord]) -> None:
        self.evidence[x.record.id] = x
        self._put(self.evidence_on, x.record.revision, x)

    def _supersession(self, x: Recorded[r.SupersessionRecord]) -> None:
        self.supersessions[x.record.old] = x
        self.supersedes[x.record.new] = x.record.old

    def tenant_record(self) -> r.TenantRecord:
        """The tenant's zone and governing fact."""
        return next(iter(self.tenant.values())).record

    def table(self) -> FactTable:
        """The declared facts."""
        if self._table is None:
            zone = next((x.record.zone for x in self.tenant.values()), "UTC")
            table = FactTable(zone)
            for fact in sorted(self.facts.values(), key=lambda x: x.sequence):
                table = table.declare(fact.record.type)
            self._table = table
        return self._table

    def history(self, source: r.Node, as_of: datetime | None) -> SourceHistory | None:
        """All about one source up to a time; None when it was not recorded by then."""
        if as_of is None and source in self._histories:
            return self._histories[source]
        recorded = self.sources.get(source)
        if recorded is None or (as_of is not None and recorded.at > as_of):
            return None
        history = self._history(recorded, as_of)
        if as_of is None:
            self._histories[source] = history
        return history

    def _history(self, source: Recorded[r.SourceRecord], as_of: datetime | None) -> SourceHistory:
        id = source.record.id
        revisions = up_to(self.revisions.get(id), as_of)
        scopes = [s for rev in revisions for s in up_to(self.revision_scopes.get(rev.record.id), as_of)]
        collection = up_to(self.collections.get(source.record.collection or ""), as_of)
        return SourceHistory(
            source,
            revisions,
            tuple(sorted(scopes, key=lambda x: (x.sequence, x.node))),
            up_to(self.authorities.get(id), as_of),
            up_to(self.retirements.get(id), as_of),
            up_to(self.checks.get(id), as_of),
            up_to(self.titles.get(id), as_of),
            up_to(self.natives.get(id), as_of),
            collection[-1].record if collection else None,
        )
