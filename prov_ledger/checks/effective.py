"""Which scope each revision of a source has now: stated, derived from a relation, or the default.

Pure: from the history of one source to one ``Effective`` per revision. A revision with the default
scope is closed by the first later one that states no relation to it; otherwise relations decide.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import NamedTuple

from prov_ledger.checks.applicability import Applicability
from prov_ledger.checks.judged import Finding
from prov_ledger.model import records as r
from prov_ledger.model.facts import FactKind, FactTable, FactValue
from prov_ledger.model.scopes import Bound, Edge, Period, Scope, period_facts
from prov_ledger.model.slots import Decision
from prov_ledger.model.times import civil_date, day_interval
from prov_ledger.model.world import Recorded, SourceHistory

Rev = Recorded[r.RevisionRecord]


@dataclass(frozen=True, slots=True)
class Effective:
    """What a revision governs.

    ``scope`` is what governs it now; where nothing was left of it (``left_none``), what it had
    before. ``stated``: somebody stated it. ``confirmed`` is up to when it is known to hold.
    ``unclosed`` is the scope before others set ends to it; ``closings`` are the ends that stated
    relations set, for evidence with a period of its own.
    """

    scope: Scope
    left_none: bool
    stated: bool
    confirmed: datetime
    unclosed: Scope
    closings: tuple[Period, ...] = ()


@dataclass(frozen=True, slots=True)
class _Base:
    """What a revision begins with: a scope, its own or the corrected one's with the ends set to that."""

    scope: Scope
    stated: bool
    default: bool
    unclosed: Scope
    closings: tuple[Period, ...] = ()


@dataclass(frozen=True, slots=True)
class Succession:
    """A later revision that replaces or corrects an earlier one, itself or through others."""

    newer: r.Node
    kind: str
    from_: Bound | None
    sequence: int


@dataclass(frozen=True, slots=True)
class Governing:
    """Which revisions of a source govern for some facts.

    ``surely``: its scope applies. ``perhaps``: what is unknown of those whose scope may apply. ``gone``:
    the revisions of the source that are erased or expired; they correct others, and contradict none.
    """

    surely: frozenset[r.Node]
    perhaps: Mapping[r.Node, Applicability]
    gone: frozenset[r.Node]
    #: What follows for a revision, once it was looked for.
    rows: dict[r.Node, "Row"] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class Row:
    """How the scope of a revision stands to some facts, and what the others of its source make of it.

    ``considers``: the facts that the scope looks at where nobody stated it; None where somebody did.
    """

    found: Applicability
    later: Finding | None
    considers: frozenset[str] | None
    #: Evidence without a scope of its own that is citable so, where its source is sound.
    citable: dict[r.Node, Finding] = field(default_factory=dict, compare=False)


class Revisions:
    """The revisions of one source with their relations and effective scopes."""

    def __init__(self, history: SourceHistory, table: FactTable, governed_by: str) -> None:
        self.history, self.source = history, history.id
        self.table = table
        self.governed_by = governed_by
        self.governing = _governing_fact(history, governed_by)
        self.by_id: dict[r.Node, Rev] = {x.record.id: x for x in history.revisions}
        self.in_order = sorted(history.revisions, key=_place)
        self.successions = _successions(history.revisions)
        self._related = self._pairs()
        self._effective: dict[r.Node, Effective] = {}
        self._facts: tuple[str, ...] | None = None
        #: The last values of ``facts`` that were asked about, and which revisions govern for them.
        self.last_asked: tuple[Sequence[FactValue | None], Governing] | None = None
        #: The level of its authority, once it was looked for, where it is never retired.
        self.level: r.Level | None = None
        #: The last check (outcome, time) and the last confirmation, once they were looked for.
        self.last_checks: tuple[tuple[str, datetime] | None, datetime | None] | None = None
        self._statements: dict[r.Node, list[Recorded[r.ScopeRecord]]] = {}
        for scope in history.scopes:
            self._statements.setdefault(scope.record.of, []).append(scope)

    def _pairs(self) -> set[frozenset[r.Node]]:
        pairs = {frozenset((old, s.newer)) for old, found in self.successions.items() for s in found}
        for x in self.history.revisions:
            if x.record.relation is not None:
                pairs.add(frozenset((x.record.id, x.record.relation.to)))
        return pairs

    def related(self, one: r.Node, other: r.Node) -> bool:
        """Whether a relation between the two revisions was stated, directly or through others."""
        return frozenset((one, other)) in self._related

    def effective(self, id: r.Node) -> Effective:
        """The effective scope of one revision of this source."""
        found = self._effective.get(id)
        if found is None:
            found = self._effective[id] = self._compute(self.by_id[id])
        return found

    @property
    def facts(self) -> tuple[str, ...]:
        """The facts that the effective scopes look at."""
        if self._facts is None:
            scopes = [self.effective(id).scope for id in self.by_id]
            self._facts = tuple({fact for scope in scopes for fact in scope.facts})
        return self._facts

    def _compute(self, x: Rev) -> Effective:
        base = self._base(x)
        confirmed = self._confirmed(x)
        since = -1
        statements = self._statements.get(x.record.id)
        if statements:
            stated = statements[-1].record.scope
            base, since = _Base(stated, True, False, stated), statements[-1].sequence
        scope = base.scope
        related = self._related_ends(x, scope, since)
        for fact, at in [*related, *(self._default_end(x, scope) if base.default else ())]:
            scope = _close(scope, fact, at, self.table, base.unclosed)
        if _is_empty(scope, self.table):
            return Effective(base.unclosed, True, base.stated, confirmed, base.unclosed)
        closings = (*base.closings, *(Period(fact, Edge.OPEN, at) for fact, at in related))
        return Effective(scope, False, base.stated, confirmed, base.unclosed, closings)

    def _base(self, x: Rev) -> _Base:
        """The scope before anything that was said of this revision closed it."""
        record = x.record
        if record.scope is not None:
            return _Base(record.scope, True, False, record.scope)
        relation = record.relation
        if relation is not None and relation.to in self.by_id:
            if relation.kind == "corrects":
                corrected = self.effective(relation.to)
                default = self._is_default(self.by_id[relation.to])
                return _Base(
                    corrected.scope, corrected.stated, default, corrected.unclosed, corrected.closings
                )
            if relation.kind == "replaces" and relation.from_ is not None:
                fact = self.period_fact(relation.to)
                from_there = Scope((Period(fact, relation.from_, Edge.ASSUMED_OPEN),))
                return _Base(from_there, False, False, from_there)
        start = default_start(self.table, self.governing, record.published)
        from_publication = Scope((Period(self.governing, start, Edge.ASSUMED_OPEN),))
        return _Base(from_publication, False, True, from_publication)

    def _is_default(self, x: Rev) -> bool:
        return not self._statements.get(x.record.id) and self._base(x).default

    def period_fact(self, id: r.Node) -> str:
        """The fact on which the periods of a revision lie: its governing fact."""
        x = self.by_id[id]
        statements = self._statements.get(id)
        scope = statements[-1].record.scope if statements else self._base(x).scope
        return self._fact_of(scope)

    def _fact_of(self, scope: Scope) -> str:
        facts = period_facts(scope)
        return self.governing if self.governing in facts or not facts else min(facts)

    def _related_ends(self, x: Rev, scope: Scope, since: int) -> list[tuple[str, Bound]]:
        """Where stated relations that came after the scope end it."""
        fact = self._fact_of(scope)
        return [
            (fact, s.from_)
            for s in self.successions.get(x.record.id, ())
            if s.kind == "replaces" and s.from_ is not None and s.sequence > since
        ]

    def _default_end(self, x: Rev, scope: Scope) -> list[tuple[str, Bound]]:
        """Where the first later revision that states no relation ends a default scope."""
        later = self._first_unrelated_after(x)
        if later is None:
            return []
        fact = self._fact_of(scope)
        return [(fact, default_start(self.table, fact, later.record.published))]

    def _first_unrelated_after(self, x: Rev) -> Rev | None:
        place = self.in_order.index(x)
        after = self.in_order[place + 1 :]
        return next((y for y in after if not self.related(x.record.id, y.record.id)), None)

    def _confirmed(self, x: Rev) -> datetime:
        """Its retrieval, or the last ``current`` check while no state later than it was known."""
        later = [
            y.sequence for y in self.history.revisions if _place(y) > _place(x) and not self._parallel(x, y)
        ]
        overtaken = min(later, default=None)
        checks = (
            c.record.at
            for c in self.history.checks
            if c.record.outcome == "current"
            and c.sequence > x.sequence
            and (overtaken is None or c.sequence < overtaken)
        )
        return max(checks, default=x.record.retrieved)

    @staticmethod
    def _parallel(x: Rev, y: Rev) -> bool:
        ours, theirs = x.record.relation, y.record.relation
        return bool(
            (theirs and theirs.kind == "parallel" and theirs.to == x.record.id)
            or (ours and ours.kind == "parallel" and ours.to == y.record.id)
        )


class Decided(NamedTuple):
    """A decision that a claim is citable, with the sources under it and what governed there."""

    decision: Decision
    sources: tuple[r.Node, ...]
    governing: tuple[Governing, ...]


#: So many sources at most, some 10 kB each.
_KEPT = 4096
#: So many questions at most, and so many claims for each.
_QUESTIONS, _CLAIMS = 8, 16_384


class KnownRevisions:
    """The revisions of sources that were looked at before, for as long as nothing new is said of them.

    A reader gives the same history of a source until then, so what was derived from it still holds.
    """

    def __init__(self) -> None:
        self._known: dict[r.Node, Revisions] = {}
        self._closures: object = None
        self._decided: dict[Hashable, dict[r.Node, Decided]] = {}

    def decided(self, closures: object, question: Hashable) -> dict[r.Node, Decided]:
        """The claims that were citable for a question, for as long as the closures are what they were."""
        if closures is not self._closures:
            self._closures, self._decided = closures, {}
        found = self._decided.get(question)
        if found is None or len(found) >= _CLAIMS:
            if len(self._decided) >= _QUESTIONS:
                self._decided = {}
            found = self._decided[question] = {}
        return found

    def of(self, history: SourceHistory, table: FactTable, governed_by: str) -> Revisions:
        """As ``Revisions``, made once for each history."""
        found = self._known.get(history.id)
        if (
            found is None
            or found.history is not history
            or found.table is not table
            or found.governed_by != governed_by
        ):
            if len(self._known) >= _KEPT:
                self._known.clear()
            found = self._known[history.id] = Revisions(history, table, governed_by)
        return found


def captures_of_latest(history: SourceHistory) -> list[Rev]:
    """The revisions that were the latest state known when they were captured, in the order of capture.

    Only these say something of what the source is now; an older state that turns up later does not.
    """
    found: list[Rev] = []
    latest: Rev | None = None
    for number, x in enumerate(history.revisions):
        newer = latest is None or _place(latest) < _place(x)
        if newer or _is_beside_all_later(x, history.revisions, number):
            found.append(x)
        if newer:
            latest = x
    return found


def _place(x: Rev) -> tuple[datetime, int]:
    """Where a revision lies among the states of its source."""
    return x.record.published, x.sequence


def _is_beside_all_later(x: Rev, revisions: Sequence[Rev], number: int) -> bool:
    """Whether all later states among the first ``number`` are the one that it states to be parallel to."""
    relation = x.record.relation
    if relation is None or relation.kind != "parallel":
        return False
    return all(_place(y) < _place(x) or y.record.id == relation.to for y in revisions[:number])


def _governing_fact(history: SourceHistory, tenant: str) -> str:
    collection = history.collection.governed_by if history.collection else None
    return history.source.record.governed_by or collection or tenant


def default_start(table: FactTable, fact: str, published: datetime) -> date | datetime:
    """Where a default scope begins: the publication, or its whole civil day where the fact is a date."""
    if table.get(fact).kind is FactKind.DATE:
        return civil_date(published, table.zone_of(fact))
    return published


def _successions(revisions: Sequence[Rev]) -> dict[r.Node, list[Succession]]:
    """For each revision, those that replace or correct it, also for all that these had succeeded."""
    covered: dict[r.Node, set[r.Node]] = {}
    found: dict[r.Node, list[Succession]] = {}
    for x in revisions:
        relation = x.record.relation
        if relation is None or relation.kind == "parallel":
            continue
        older = {relation.to} | covered.get(relation.to, set())
        covered[x.record.id] = older
        for id in older:
            found.setdefault(id, []).append(
                Succession(x.record.id, relation.kind, relation.from_, x.sequence)
            )
    return found


def place_of(bound: date | datetime, table: FactTable, fact: str) -> datetime:
    """The instant at which a bound lies: a date begins its day in the fact's zone."""
    if isinstance(bound, datetime):
        return bound
    return day_interval(bound, table.zone_of(fact))[0]


def _close(scope: Scope, fact: str, at: Bound, table: FactTable, before: Scope) -> Scope:
    """End the periods on a fact there, where their end was not a value to begin with."""
    if isinstance(at, Edge):
        return scope
    periods = [c for c in scope.conditions if isinstance(c, Period) and c.fact == fact]
    if not periods:
        return Scope((*scope.conditions, Period(fact, Edge.OPEN, at)))
    authored = [c for c in before.conditions if isinstance(c, Period) and c.fact == fact]
    if any(not isinstance(c.until, Edge) for c in authored):
        return scope
    return Scope(tuple(_end_at(c, at, table) if c in periods else c for c in scope.conditions))


def _end_at(condition: object, at: date | datetime, table: FactTable) -> Period:
    assert isinstance(condition, Period)
    until = condition.until
    if not isinstance(until, Edge) and place_of(until, table, condition.fact) <= place_of(
        at, table, condition.fact
    ):
        return condition
    return replace(condition, until=at)


def _is_empty(scope: Scope, table: FactTable) -> bool:
    return any(
        isinstance(c, Period)
        and not isinstance(c.from_, Edge)
        and not isinstance(c.until, Edge)
        and _not_before(c.from_, c.until, table, c.fact)
        for c in scope.conditions
    )


def _not_before(start: date | datetime, end: date | datetime, table: FactTable, fact: str) -> bool:
    return place_of(start, table, fact) - place_of(end, table, fact) >= timedelta(0)
