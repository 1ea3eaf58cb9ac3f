"""The walk over what ids rest on, were exposed to and were replaced by; one for every reader."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from prov_ledger.model import records as r
from prov_ledger.model.world import Recorded, SourceHistory, World
from prov_ledger.readers.fold import Fold, up_to

#: A closure of more claims and evidence than this is not kept.
_MOST_OF_PART = 64
#: Lets the fold hold all that is stated about a claim, an evidence item, a source, or one revision.
Need = Callable[[r.Node], None]


@dataclass(frozen=True, slots=True)
class Part:
    """The closure of one id, but for the histories of its sources; fields as those of ``World``."""

    claims: dict[r.Node, Recorded[r.ClaimRecord]]
    evidence: dict[r.Node, Recorded[r.EvidenceRecord]]
    source_of: dict[r.Node, r.Node]
    restatements: dict[r.Node, Recorded[r.RestatementRecord]]
    superseded_by: dict[r.Node, r.Node]
    retracted: frozenset[r.Node]
    scopes: dict[r.Node, tuple[Recorded[r.ScopeRecord], ...]]
    #: Whether any of the four before is filled: seldom.
    changed: bool


class Closure:
    """Collects one world from a fold, as recorded up to a time; asks for each node before it looks."""

    def __init__(self, fold: Fold, need: Need, as_of: datetime | None, closures: object = None) -> None:
        self.fold, self.need, self.as_of = fold, need, as_of
        self.closures = closures
        self.claims: dict[r.Node, Recorded[r.ClaimRecord]] = {}
        self.evidence: dict[r.Node, Recorded[r.EvidenceRecord]] = {}
        self.restatements: dict[r.Node, Recorded[r.RestatementRecord]] = {}
        self.superseded_by: dict[r.Node, r.Node] = {}
        self.retracted: set[r.Node] = set()
        self.scopes: dict[r.Node, tuple[Recorded[r.ScopeRecord], ...]] = {}
        self.source_of: dict[r.Node, r.Node] = {}

    def of(self, ids: Sequence[r.Node]) -> World:
        """Walk from the ids; the fold must hold the tenant and its facts."""
        self._walk(ids)
        return self._world()

    def part(self, id: r.Node) -> Part | None:
        """The closure of one id, to be kept; None where it is large."""
        if not self._walk([id], _MOST_OF_PART):
            return None
        changes = (self.restatements, self.superseded_by, frozenset(self.retracted), self.scopes)
        return Part(self.claims, self.evidence, self.source_of, *changes, any(changes))

    def add(self, part: Part) -> None:
        """Take in a closure that was kept."""
        self.claims |= part.claims
        self.evidence |= part.evidence
        self.source_of |= part.source_of
        if part.changed:
            self.restatements |= part.restatements
            self.superseded_by |= part.superseded_by
            self.retracted |= part.retracted
            self.scopes |= part.scopes

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
            self._histories(),
            self.closures,
        )

    def _histories(self) -> dict[r.Node, SourceHistory]:
        found: dict[r.Node, SourceHistory] = {}
        for source in dict.fromkeys(self.source_of.values()):
            self.need(source)
            history = self.fold.history(source, self.as_of)
            if history is not None:
                found[source] = history
        return found

    def _walk(self, ids: Sequence[r.Node], most: int | None = None) -> bool:
        """Take in all that the ids lead to; False where that was more than so many, and stopped there."""
        waiting = list(ids)
        seen: set[r.Node] = set()
        while waiting:
            id = waiting.pop()
            if id in seen:
                continue
            seen.add(id)
            if most is not None and len(seen) > most:
                return False
            if id.startswith("cl_"):
                waiting += self._claim(id)
            elif id.startswith("ev_"):
                self._evidence(id)
        return True

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
        if source is not None:
            self.source_of[revision] = source
