"""The walk over what ids rest on, were exposed to and were replaced by; one for every reader."""

from collections.abc import Callable, Sequence
from datetime import datetime

from prov_ledger.model import records as r
from prov_ledger.model.world import Recorded, SourceHistory, World
from prov_ledger.readers.fold import Fold, up_to

#: Lets the fold hold all that is stated about a claim, an evidence item, a source, or one revision.
Need = Callable[[r.Node], None]


class Closure:
    """Collects one world from a fold, as recorded up to a time; asks for each node before it looks."""

    def __init__(self, fold: Fold, need: Need, as_of: datetime | None) -> None:
        self.fold, self.need, self.as_of = fold, need, as_of
        self.claims: dict[r.Node, Recorded[r.ClaimRecord]] = {}
        self.evidence: dict[r.Node, Recorded[r.EvidenceRecord]] = {}
        self.restatements: dict[r.Node, Recorded[r.RestatementRecord]] = {}
        self.superseded_by: dict[r.Node, r.Node] = {}
        self.retracted: set[r.Node] = set()
        self.scopes: dict[r.Node, tuple[Recorded[r.ScopeRecord], ...]] = {}
        self.sources: dict[r.Node, SourceHistory] = {}
        self.source_of: dict[r.Node, r.Node] = {}

    def of(self, ids: Sequence[r.Node]) -> World:
        """Walk from the ids; the fold must hold the tenant and its facts."""
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
        return self._world()

    def _world(self) -> World:
        tenant = self.fold.tenant_record()
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

    def _known(self, x: Recorded[object]) -> bool:
        return self.as_of is None or x.at <= self.as_of

    def _claim(self, id: r.Node) -> list[r.Node]:
        """Take a claim in; gives what it leads to."""
        self.need(id)
        claim = self.fold.claims.get(id)
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
        self.need(id)
        evidence = self.fold.evidence.get(id)
        if evidence is None or not self._known(evidence):
            return
        self.evidence[id] = evidence
        scopes = up_to(self.fold.evidence_scopes.get(id), self.as_of)
        if scopes:
            self.scopes[id] = scopes
        revision = evidence.record.revision
        self.need(revision)
        source = self.fold.source_of.get(revision)
        if source is None:
            return
        self.source_of[revision] = source
        if source not in self.sources:
            self.need(source)
            history = self.fold.history(source, self.as_of)
            if history is not None:
                self.sources[source] = history
