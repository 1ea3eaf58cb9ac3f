"""The ledger's decision with one of its checks switched off: a copy that nothing but comparing uses."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from prov_ledger.checks.applicability import Applicability
from prov_ledger.checks.effective import Effective, Governing, Revisions
from prov_ledger.checks.judged import Finding, worst
from prov_ledger.checks.verdict import Asked, Judge, authority_of, is_current
from prov_ledger.errors import Refused
from prov_ledger.ledger.ledger import Ledger
from prov_ledger.ledger.resolving import Demand, Resolver
from prov_ledger.ledger.session import Session
from prov_ledger.ledger.sources import Sources
from prov_ledger.model import records as r
from prov_ledger.model.records import LEVELS, Node
from prov_ledger.model.scopes import Scope
from prov_ledger.model.world import Recorded, SourceHistory, World

_RESTS_ON_FALLEN = frozenset({"retracted", "superseded", "other_question", "undercut"})


class Inside:
    """What lies in a ledger, read past its verbs."""

    def __init__(self, ledger: Ledger) -> None:
        self._session = Session(ledger._tenant)
        self._sources = Sources(self._session)

    def read(self, id: Node) -> World:
        """The closure of an id, whoever may read it."""
        return self._session.tenant.state.reader.read([id])

    def revision(self, id: Node) -> r.RevisionRecord:
        """What is recorded of a revision. Raises Refused ``not_found``."""
        found = self._session.tenant.state.reader.revision(id)
        if found is None:
            raise Refused("not_found", f"{id} is no revision here")
        return found.record

    def data(self, owner: Node, field: str) -> bytes:
        """A payload, opened. Raises Corrupt; Refused ``not_found``."""
        return self._sources.data(owner, field)

    def text(self, owner: Node, field: str) -> str:
        """The text of a payload; raises as ``data``."""
        return self._sources.text(owner, field)

    def asked(self, world: World, who: str, purpose: str | None, demand: Demand) -> Asked:
        """What a question comes to for a reader: parsed facts, and the sources readable now."""
        acting = self._session.acting(who, purpose)
        allowed = self._session.readable_in(acting, world, self._session.tenant.now())
        return Resolver(self._session).judge_read(world, allowed, demand).asked


class _WithoutScope(Judge):
    """Periods, ranges, sets and unconsidered facts decide nothing; which revision governs stays."""

    def __init__(self, world: World, asked: Asked) -> None:
        claims = {id: replace(x, record=replace(x.record, narrow=None)) for id, x in world.claims.items()}
        super().__init__(replace(world, claims=claims), asked)

    def _scope_finding(
        self,
        x: Recorded[r.EvidenceRecord],
        found: Applicability,
        scope: Scope,
        stated: bool,
        history: SourceHistory,
    ) -> Finding | None:
        return None


class _WithoutConflict(Judge):
    def _in_conflict(self, revisions: Revisions, revision: Node, governing: frozenset[Node]) -> bool:
        return False


class _WithoutCorrection(Judge):
    """Nothing is retracted, superseded, corrected or left without a period."""

    def __init__(self, world: World, asked: Asked) -> None:
        super().__init__(replace(world, superseded_by={}, retracted=frozenset()), asked)

    def _later_rows(
        self, revisions: Revisions, revision: Node, effective: Effective, governing: Governing
    ) -> Finding | None:
        return super()._later_rows(revisions, revision, replace(effective, left_none=False), governing)

    def _corrected(self, revisions: Revisions, revision: Node, governing: frozenset[Node]) -> bool:
        return False


class _WithoutAuthority(Judge):
    def _judge_source(self, revisions: Revisions) -> Finding | None:
        current = is_current(revisions.history, self.asked.clock, self.asked.max_age)
        return None if current else Finding("unchecked")


class _WithoutCurrency(Judge):
    def _judge_source(self, revisions: Revisions) -> Finding | None:
        level = authority_of(revisions.history, self.asked.clock)
        if level is None or LEVELS.index(level) > LEVELS.index(self.asked.min_authority):
            return Finding("not_authoritative")
        return None


class _WithoutUndercut(Judge):
    """A claim that fell holds up what rests on it, as far as its own support stands."""

    def _member(self, id: Node) -> Finding:
        found = super()._member(id)
        if not id.startswith("cl_") or found.verdict not in _RESTS_ON_FALLEN:
            return found
        justified = [
            worst([self._member(member) for member in members])
            for members in self.world.claims[id].record.justifications
        ]
        return max(justified, key=lambda finding: finding.rank)


class _WithoutBoundFacts(Judge):
    def _bound(self, record: r.ClaimRecord) -> tuple[set[str], frozenset[str]]:
        return set(), frozenset()


class _WithoutExposure(Judge):
    def words(self, id: Node) -> bool:
        return True


def _without_permission(world: World, asked: Asked) -> Judge:
    return Judge(world, replace(asked, readable=frozenset(world.sources)))


#: By the name of the check that is off.
ABLATIONS: Mapping[str, Callable[[World, Asked], Judge]] = {
    "permission": _without_permission,
    "scope": _WithoutScope,
    "conflict": _WithoutConflict,
    "correction": _WithoutCorrection,
    "authority": _WithoutAuthority,
    "currency": _WithoutCurrency,
    "undercut": _WithoutUndercut,
    "bound facts": _WithoutBoundFacts,
    "exposure": _WithoutExposure,
}
