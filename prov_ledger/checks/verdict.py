"""The decision: from what was read to one verdict per id. Pure; nothing is fetched here.

The order of verdicts and the way they combine are those of ``VERDICTS``: evidence takes the first
that holds, a justification the worst of its members, a claim the worse of its own and of its best
justification that is not withheld.
"""

import operator
from collections.abc import Container, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from prov_ledger.checks.applicability import Applicability, check_scope
from prov_ledger.checks.effective import (
    Decided,
    Effective,
    Governing,
    KnownRevisions,
    Revisions,
    Row,
    captures_of_latest,
)
from prov_ledger.checks.judged import NO_NAMES, WITHHELD, Finding, worst
from prov_ledger.model import records as r
from prov_ledger.model.durations import Duration, add_duration
from prov_ledger.model.facts import QUESTION_DATE, TEMPORAL_KINDS, FactValue, SealedValue
from prov_ledger.model.records import LEVELS, Level, Node
from prov_ledger.model.scopes import Condition, Scope, period_facts
from prov_ledger.model.slots import RANK, Decision, Verdict
from prov_ledger.model.world import Recorded, SourceHistory, World

#: What surely fails, as a verdict.
_FAILED: dict[str, Verdict] = {"not_applicable": "not_applicable", "ended": "ended", "not_yet": "not_yet"}
_CITABLE = Finding("citable")
_LEVEL = {level: rank for rank, level in enumerate(LEVELS)}
_UNDERCUTS = frozenset({"retracted", "superseded", "other_question", "undercut"})


@dataclass(frozen=True, slots=True)
class Asked:
    """One question: typed facts (``question_date`` always among them), reader and demands.

    ``readable`` holds the sources that this reader may read today; ``gone`` the sources, revisions,
    evidence and claims that are erased or expired today; ``drifted`` the ids whose payload does not
    open; ``opened`` the texts of sealed values by node; ``states_date`` whether
    the question itself gave its date; ``clock`` is the time of the question (the past one for a
    read as of the past).
    """

    facts: Mapping[str, FactValue]
    clock: datetime
    readable: frozenset[Node]
    states_date: bool = False
    min_authority: Level = "informal"
    max_age: Duration | None = None
    drifted: frozenset[Node] = frozenset()
    opened: Mapping[Node, str] = field(default_factory=dict)
    gone: frozenset[Node] = frozenset()


class Judge:
    """Judges the ids of one world for one question; each id once.

    ``known`` spares the work on sources that were judged before, for any question.
    """

    def __init__(self, world: World, asked: Asked, known: KnownRevisions | None = None) -> None:
        self.world = world
        self.asked = asked
        self.known = known if known is not None else KnownRevisions()
        self._evidence: dict[Node, Finding] = {}
        self._claims: dict[Node, Finding] = {}
        self._revisions: dict[Node, Revisions] = {}
        self._governing: dict[Node, Governing] = {}
        self._source: dict[Node, Finding | None] = {}
        self._sounds: dict[Node, Governing | None] = {}
        self._exposed_whole: dict[Node, bool] = {}
        self._readable: dict[Node, bool] = {}
        #: Whether all that is here is there for this reader, so that nothing need be asked of it singly.
        self._whole = not asked.gone and asked.readable.issuperset(world.source_of.values())
        self._dated = frozenset(
            name
            for name in asked.facts
            if name != QUESTION_DATE and world.table.get(name).kind in TEMPORAL_KINDS
        )
        self._undated_facts = {name: value for name, value in asked.facts.items() if name != QUESTION_DATE}

        self._decided = self._decided_before()

    def _decided_before(self) -> dict[Node, Decided] | None:
        """What was decided of claims for the same question, where that can count again.

        It can only where all is there for the reader, nothing drifted, and no value is sealed. Of the date of
        a question that stated none it knows nothing: no decision that looks at that date itself is kept.
        """
        asked, closures = self.asked, self.world.closures
        if closures is None or not self._whole or asked.opened or asked.drifted:
            return None
        facts = asked.facts if asked.states_date else self._undated_facts
        return self.known.decided(closures, (asked.states_date, frozenset(facts.items())))

    def note_drifted(self, ids: frozenset[Node]) -> None:
        """Judge these ids as having a payload that does not open; before anything is judged."""
        if ids != self.asked.drifted:
            self.asked = replace(self.asked, drifted=ids)
            self._decided = self._decided_before()

    def decide(self, id: Node) -> Decision:
        """Decide one id; an id that is not in the world is withheld."""
        if id in self.world.evidence:
            return _decision(id, self.evidence(id))
        if id not in self.world.claims:
            return Decision(id, "withheld")
        if self._decided is None:
            return self._decide(id)
        known = self._decided.get(id)
        if known is not None and self._stands_as_then(known):
            return known.decision
        decision = self._decide(id)
        if decision.verdict == "citable":
            self._keep(decision, self._decided)
        return decision

    def _stands_as_then(self, known: Decided) -> bool:
        return all(map(operator.is_, map(self._sound, known.sources), known.governing))

    def _sound(self, source: Node) -> Governing | None:
        """What governs of a source; None where nothing of it can be cited, as it is no authority, say."""
        if source not in self._sounds:
            sound = self._source_finding(self.revisions(source)) is None
            self._sounds[source] = self._governed(source) if sound else None
        return self._sounds[source]

    def _keep(self, decision: Decision, decided: dict[Node, Decided]) -> None:
        """Keep a decision that follows from the closure and what governs the sources under it alone."""
        world = self.world
        records = [world.claims[id].record for id in self.support_first(decision.id)]
        members = {member for record in records for group in record.justifications for member in group}
        leaves = [world.evidence[id].record for id in members if id in world.evidence]
        if not self.asked.states_date and any(map(_looks_at_date, records)):
            return
        if len(leaves) + len(records) - 1 != len(members) or not all(map(self._is_by_row, leaves)):
            return
        governing = {source: self._sound(source) for source in {world.source_of[x.revision] for x in leaves}}
        found = tuple(then for then in governing.values() if then is not None)
        if len(found) == len(governing):
            decided[decision.id] = Decided(decision, tuple(governing), found)

    def _is_by_row(self, x: r.EvidenceRecord) -> bool:
        """Whether an evidence item is citable by how its revision stands alone."""
        row = self._row(self.revisions(self.world.source_of[x.revision]), x.revision)
        return row.citable.get(x.id) is self.evidence(x.id)

    def _decide(self, id: Node) -> Decision:
        finding = self.claim(id)
        if finding.verdict == "withheld":
            return Decision(id, "withheld")
        words = self.words(id)
        if words and id in self.asked.drifted and finding.rank > RANK["drifted"]:
            finding = Finding("drifted")
        named = self._named_head(id) if finding.verdict == "superseded" else None
        return _decision(id, finding, named, words, self._same_question(id))

    # evidence

    def evidence(self, id: Node) -> Finding:
        """Judge one evidence item by the table."""
        found = self._evidence.get(id)
        if found is None:
            found = self._evidence[id] = self._judge_evidence(id)
        return found

    def _judge_evidence(self, id: Node) -> Finding:
        x = self.world.evidence.get(id)
        if x is None or not self.is_readable(id):
            return WITHHELD
        if id in self.asked.drifted:
            return Finding("drifted")
        revision = x.record.revision
        revisions = self.revisions(self.world.source_of[revision])
        row = self._row(revisions, revision)
        plain = (row.considers is None or row.considers >= self._dated) and id not in self.world.scopes
        kept = row.citable.get(id) if plain else None
        if kept is not None and self._source_finding(revisions) is None:
            return kept
        found = self._judge_by_row(x, revisions, row)
        if plain and found.verdict == "citable" and x.record.scope is None:
            row.citable[id] = found
        return found

    def _judge_by_row(self, x: Recorded[r.EvidenceRecord], revisions: Revisions, row: Row) -> Finding:
        """Judge evidence that is there, on a revision that stands to the question like this."""
        revision = x.record.revision
        effective = revisions.effective(revision)
        scope, stated = self._scope_of(x, effective)
        found = row.found
        if scope is not effective.scope:
            found = self._check(scope, revisions.by_id[revision].record.retrieved, effective.confirmed)
        finding = self._scope_finding(x, found, scope, stated, revisions.history)
        later = finding or row.later or self._source_finding(revisions) or _CITABLE
        confirmed = _checks_of(revisions)[1] if found.assumed_open else None
        return Finding(
            later.verdict,
            later.decided_by,
            later.missing,
            later.unconsidered,
            (x.record.id,),
            found.assumed_open,
            confirmed,
        )

    def _scope_of(self, x: Recorded[r.EvidenceRecord], effective: Effective) -> tuple[Scope, bool]:
        """The revision's scope with what was stated for the evidence alone, and whether any was stated.

        A default condition gives way where the evidence has a period of its own on the same fact.
        """
        statements = self.world.scopes.get(x.record.id)
        own = statements[-1].record.scope if statements else x.record.scope
        if own is None:
            return effective.scope, effective.stated
        inherited: list[Condition] = [*effective.scope.conditions]
        if not effective.stated:
            mine = period_facts(own)
            inherited = [c for c in inherited if c.fact not in mine]
            inherited += [c for c in effective.closings if c.fact in mine]
        return Scope((*own.conditions, *inherited)), True

    def scope(self, id: Node) -> Scope:
        """The scope of an evidence item of this world: its revision's, with what was stated for it alone."""
        x = self.world.evidence[id]
        effective = self.revisions(self.world.source_of[x.record.revision]).effective(x.record.revision)
        return self._scope_of(x, effective)[0]

    def _check(self, scope: Scope, retrieved: datetime, confirmed: datetime) -> Applicability:
        return check_scope(
            scope,
            self.asked.facts,
            self.world.table,
            retrieved=retrieved,
            confirmed=confirmed,
            opened=self.asked.opened,
        )

    def _scope_finding(
        self,
        x: Recorded[r.EvidenceRecord],
        found: Applicability,
        scope: Scope,
        stated: bool,
        history: SourceHistory,
    ) -> Finding | None:
        failed = _FAILED.get(found.outcome)
        if failed is not None:
            return Finding(failed, found.decided_by)
        ignored = NO_NAMES
        if self._dated and not stated:
            ignored = self._dated - scope.facts
            ignored = ignored - _indifferent(x.record, history) if ignored else ignored
        if found.outcome == "unknown" or ignored:
            decided = found.decided_by if found.outcome == "unknown" else None
            return Finding("unknown", decided, frozenset(found.missing), ignored)
        return None

    def _row(self, revisions: Revisions, revision: Node) -> Row:
        """How a revision stands for the question, whoever asks; the same for all evidence on it."""
        governing = self._governed(revisions.source)
        row = governing.rows.get(revision)
        if row is None:
            effective = revisions.effective(revision)
            retrieved = revisions.by_id[revision].record.retrieved
            found = self._check(effective.scope, retrieved, effective.confirmed)
            later = self._later_rows(revisions, revision, effective, governing)
            considers = None if effective.stated else effective.scope.facts
            row = governing.rows[revision] = Row(found, later, considers)
        return row

    def _later_rows(
        self, revisions: Revisions, revision: Node, effective: Effective, governing: Governing
    ) -> Finding | None:
        """What other revisions make of one that applies; None where they leave it alone."""
        if effective.left_none or self._corrected(revisions, revision, governing.surely):
            return Finding("outdated")
        if self._in_conflict(revisions, revision, governing.surely):
            return Finding("conflict")
        doubts = self._doubts(revisions, revision, governing)
        return _unknown(doubts) if doubts else None

    def _corrected(self, revisions: Revisions, revision: Node, governing: frozenset[Node]) -> bool:
        return any(
            s.kind == "corrects" and s.newer in governing for s in revisions.successions.get(revision, ())
        )

    def _in_conflict(self, revisions: Revisions, revision: Node, governing: frozenset[Node]) -> bool:
        return any(
            other != revision
            and other not in self.asked.gone
            and not revisions.related(revision, other)
            and not self._corrected(revisions, other, governing)
            for other in governing
        )

    def _doubts(self, revisions: Revisions, revision: Node, governing: Governing) -> list[Applicability]:
        """What is unknown of the revisions that would correct this one, or be in conflict, if they govern."""
        return [
            found
            for other, found in governing.perhaps.items()
            if self._would_correct(revisions, revision, other)
            or self._would_conflict(revisions, revision, other, governing.surely)
        ]

    def _would_correct(self, revisions: Revisions, revision: Node, other: Node) -> bool:
        return self._corrected(revisions, revision, frozenset((other,)))

    def _would_conflict(
        self, revisions: Revisions, revision: Node, other: Node, governing: frozenset[Node]
    ) -> bool:
        return self._in_conflict(revisions, revision, frozenset((other,))) and not self._corrected(
            revisions, other, governing
        )

    def revisions(self, source: Node) -> Revisions:
        """The revisions of a source with their effective scopes."""
        found = self._revisions.get(source)
        if found is None:
            history = self.world.sources[source]
            found = self.known.of(history, self.world.table, self.world.governed_by)
            self._revisions[source] = found
        return found

    def governing(self, source: Node) -> frozenset[Node]:
        """The revisions of a source whose scope applies to the question's facts."""
        return self._governed(source).surely

    def _governed(self, source: Node) -> Governing:
        found = self._governing.get(source)
        if found is None:
            found = self._governing[source] = self._find_governing(self.revisions(source))
        return found

    def _find_governing(self, revisions: Revisions) -> Governing:
        """As ``_govern``; what was found last counts again for the same facts, none of them sealed, while
        the same revisions are gone.
        """
        values = [self.asked.facts.get(name) for name in revisions.facts]
        gone = self.asked.gone.intersection(revisions.by_id) if self.asked.gone else self.asked.gone
        last = revisions.last_asked
        if last is not None and last[0] == values and last[1].gone == gone and not self.asked.opened:
            return last[1]
        found = self._govern(revisions, gone)
        if not self.asked.opened:
            revisions.last_asked = (values, found)
        return found

    def _govern(self, revisions: Revisions, gone: frozenset[Node]) -> Governing:
        surely, perhaps = set[Node](), dict[Node, Applicability]()
        for id, x in revisions.by_id.items():
            effective = revisions.effective(id)
            if effective.left_none:
                continue
            found = self._check(effective.scope, x.record.retrieved, effective.confirmed)
            if found.outcome == "applies":
                surely.add(id)
            elif found.outcome == "unknown":
                perhaps[id] = found
        return Governing(frozenset(surely), perhaps, gone)

    def standing(self, source: Node) -> frozenset[Node]:
        """The governing revisions of a source that no other one corrects or, for all that is known, might;
        none that is gone.
        """
        governing, revisions = self._governed(source), self.revisions(source)
        return frozenset(
            rev
            for rev in governing.surely - self.asked.gone
            if not self._corrected(revisions, rev, governing.surely)
            and not self._doubts(revisions, rev, governing)
        )

    def _source_finding(self, revisions: Revisions) -> Finding | None:
        source = revisions.source
        if source not in self._source:
            self._source[source] = self._judge_source(revisions)
        return self._source[source]

    def _judge_source(self, revisions: Revisions) -> Finding | None:
        level = _level_of(revisions, self.asked.clock)
        if level is None or _LEVEL[level] > _LEVEL[self.asked.min_authority]:
            return Finding("not_authoritative")
        if not _is_current(_checks_of(revisions)[0], self.asked.clock, self.asked.max_age):
            return Finding("unchecked")
        return None

    # claims

    def claim(self, id: Node) -> Finding:
        """Judge one claim; those that it rests on were recorded earlier and are judged first."""
        found = self._claims.get(id)
        if found is None:
            for other in self.support_first(id, self._claims):
                self._claims[other] = self._judge_claim(other)
            found = self._claims[id]
        return found

    def support_first(self, id: Node, known: Container[Node] = ()) -> list[Node]:
        """The claim and all claims that it rests on, those that others rest on first; without the known."""
        claim = self.world.claims.get(id)
        if claim is None or id in known:
            return []
        if not _rests_on_claims(claim.record, known):
            return [id]
        waiting, found = [id], set[Node]()
        while waiting:
            other = waiting.pop()
            if other in found or other in known or other not in self.world.claims:
                continue
            found.add(other)
            members = self.world.claims[other].record.justifications
            waiting += [m for group in members for m in group if m.startswith("cl_")]
        return sorted(found, key=lambda c: (self.world.claims[c].sequence, c))

    def _judge_claim(self, id: Node) -> Finding:
        record = self.world.claims[id].record
        if id in self.asked.gone:
            return WITHHELD
        justified = [worst([self._member(m) for m in members]) for members in record.justifications]
        best = justified[0] if len(justified) == 1 else _best(justified)
        if best.verdict == "withheld":
            return WITHHELD
        own = self._own_finding(id, record)
        if own is None or own.rank > best.rank:
            return best
        if own.rank == best.rank:
            return worst([own, best])._replace(leaves=best.leaves)
        return own

    def _member(self, id: Node) -> Finding:
        if not id.startswith("cl_"):
            return self.evidence(id)
        finding = self._claims.get(id)
        if finding is None:
            return WITHHELD
        if finding.verdict in _UNDERCUTS:
            return finding._replace(verdict="undercut", decided_by=None)
        return finding

    def _own_finding(self, id: Node, record: r.ClaimRecord) -> Finding | None:
        world = self.world
        head = self.head(id) if id in world.superseded_by else id
        if id in world.retracted or head in world.retracted:
            return Finding("retracted")
        if head != id:
            return Finding("superseded")
        differing, missing = self._bound(record)
        if differing:
            return Finding("other_question", min(differing))
        if record.narrow is not None:
            made = record.made
            found = self._check(record.narrow, made, made)
            failed = _FAILED.get(found.outcome)
            if failed is not None:
                return Finding(failed, found.decided_by)
            if found.outcome == "unknown":
                return Finding("unknown", found.decided_by, missing | frozenset(found.missing))
        return Finding("unknown", None, missing) if missing else None

    def head(self, id: Node) -> Node:
        """The newest claim of the chain of supersessions that begins here."""
        seen = {id}
        while id in self.world.superseded_by:
            id = self.world.superseded_by[id]
            if id in seen:
                break
            seen.add(id)
        return id

    def _named_head(self, id: Node) -> Node | None:
        head = self.head(id)
        known = head in self.world.claims and self.claim(head).verdict != "withheld"
        return head if known else None

    def _bound(self, record: r.ClaimRecord) -> tuple[AbstractSet[str], frozenset[str]]:
        names = bound_facts(record)
        if not names:
            return NO_NAMES, NO_NAMES
        differing, missing = set[str](), set[str]()
        for name in names:
            made_for = record.question.facts.get(name)
            if name not in self.asked.facts:
                missing.add(name)
            elif made_for is not None and not self._equal(made_for, self.asked.facts[name]):
                differing.add(name)
        return differing, frozenset(missing)

    def _equal(self, recorded: FactValue | SealedValue, given: FactValue) -> bool:
        if isinstance(recorded, SealedValue):
            return self.asked.opened.get(recorded.node) == given
        if isinstance(recorded, datetime) != isinstance(given, datetime):
            return False
        if isinstance(recorded, date) != isinstance(given, date):
            return False
        return recorded == given

    def _same_question(self, id: Node) -> bool:
        made_for = self.world.claims[id].record.question.facts
        dated = QUESTION_DATE in made_for
        counts = dated and self.asked.states_date
        given = self.asked.facts if counts else self._undated_facts
        if len(given) != len(made_for) - (dated and not counts):
            return False
        for name, value in given.items():
            if name not in made_for or not self._equal(made_for[name], value):
                return False
        return True

    def words(self, id: Node) -> bool:
        """Whether the claim's words may be given out: its whole exposure is readable and none of it gone."""
        found = self._exposed_whole.get(id)
        if found is None:
            restated = self.world.restatements.get(id)
            exposure = restated.record.exposure if restated else self.world.claims[id].record.exposure
            found = self._exposed_whole[id] = self._is_exposed(exposure)
        return found

    def _is_exposed(self, exposure: frozenset[Node]) -> bool:
        """Whether all of an exposure is there for this reader."""
        if not self.asked.gone.isdisjoint(exposure):
            return False
        return all(map(self.is_readable, exposure.difference(self.world.claims)))

    def is_readable(self, evidence: Node) -> bool:
        """Whether an evidence item, its revision and its source are there today, for this reader."""
        if self._whole:
            x = self.world.evidence.get(evidence)
            return x is not None and x.record.revision in self.world.source_of
        found = self._readable.get(evidence)
        if found is None:
            found = self._readable[evidence] = self._is_readable(evidence)
        return found

    def _is_readable(self, evidence: Node) -> bool:
        x = self.world.evidence.get(evidence)
        if x is None:
            return False
        source, gone = self.world.source_of.get(x.record.revision), self.asked.gone
        return source in self.asked.readable and (
            not gone or gone.isdisjoint((evidence, x.record.revision, source))
        )


def _looks_at_date(record: r.ClaimRecord) -> bool:
    """Whether a claim itself holds for some dates of the question only."""
    narrow = record.narrow
    return QUESTION_DATE in bound_facts(record) or (narrow is not None and QUESTION_DATE in narrow.facts)


def _rests_on_claims(record: r.ClaimRecord, known: Container[Node]) -> bool:
    """Whether any claim that is not known is a member of its justifications."""
    members = [member for members in record.justifications for member in members]
    return not all(member.startswith("ev_") or member in known for member in members)


def _best(justified: Sequence[Finding]) -> Finding:
    """The best of several justifications, those that are withheld left out unless all are."""
    standing = [j for j in justified if j.verdict != "withheld"]
    stands = [j for j in standing if j.verdict == "citable"]
    return worst(stands) if stands else max(standing, key=_rank, default=WITHHELD)


def _rank(finding: Finding) -> int:
    return RANK[finding.verdict]


def _unknown(found: Sequence[Applicability]) -> Finding:
    """Unknown for all that these scopes lack."""
    deciders = [x.decided_by for x in found if x.decided_by is not None]
    missing = frozenset(fact for x in found for fact in x.missing)
    return Finding("unknown", min(deciders, default=None), missing)


def _decision(
    id: Node,
    finding: Finding,
    head: Node | None = None,
    words: bool | None = None,
    same_question: bool | None = None,
) -> Decision:
    if finding.verdict == "withheld":
        return Decision(id, "withheld")
    citable = finding.verdict == "citable"
    return Decision(
        id,
        finding.verdict,
        finding.decided_by,
        tuple(sorted(finding.missing)) if finding.missing else (),
        tuple(sorted(finding.unconsidered)) if finding.unconsidered else (),
        head,
        finding.leaves if citable else (),
        words,
        same_question,
        citable and finding.assumed_open,
        finding.confirmed if citable and finding.assumed_open else None,
    )


def bound_facts(record: r.ClaimRecord) -> frozenset[str]:
    """The facts for no other value of which a claim holds.

    What was computed, nobody said by what, may have been computed by any fact of its question.
    """
    if record.transformation.kind != "compute":
        return record.bound_to
    return record.bound_to | record.transformation.by or frozenset(record.question.facts)


def _indifferent(record: r.EvidenceRecord, history: SourceHistory) -> frozenset[str]:
    collection = history.collection.indifferent_to if history.collection else frozenset()
    return record.indifferent_to | history.source.record.indifferent_to | collection


def authority_of(history: SourceHistory, clock: datetime) -> Level | None:
    """The level of a source's authority at a time; None while it is retired."""
    level = history.source.record.authority
    last = -1
    if history.authorities:
        level, last = history.authorities[-1].record.level, history.authorities[-1].sequence
    retired = any(x.sequence > last and x.record.from_ <= clock for x in history.retirements)
    return None if retired else level


def _level_of(revisions: Revisions, clock: datetime) -> Level | None:
    """As ``authority_of``, looked for once for a history in which nothing retires."""
    if revisions.history.retirements:
        return authority_of(revisions.history, clock)
    if revisions.level is None:
        revisions.level = authority_of(revisions.history, clock)
    return revisions.level


def _last_check(history: SourceHistory) -> tuple[str, datetime] | None:
    """Outcome and time of the last currency check; capturing the latest state is a ``current`` one."""
    events = [(x.sequence, x.record.outcome, x.record.at) for x in history.checks]
    events += [(x.sequence, "current", x.record.retrieved) for x in captures_of_latest(history)]
    if not events:
        return None
    _, outcome, at = max(events)
    return outcome, at


def is_current(history: SourceHistory, clock: datetime, max_age: Duration | None) -> bool:
    """Whether the last check found the source current, and not longer ago than ``max_age``."""
    return _is_current(_last_check(history), clock, max_age)


def _is_current(last: tuple[str, datetime] | None, clock: datetime, max_age: Duration | None) -> bool:
    if last is None:
        return max_age is None
    if last[0] != "current":
        return False
    return max_age is None or clock < add_duration(last[1], max_age)


def _checks_of(revisions: Revisions) -> tuple[tuple[str, datetime] | None, datetime | None]:
    """The last check and the last confirmation of a source, looked for once for each history."""
    if revisions.last_checks is None:
        revisions.last_checks = (_last_check(revisions.history), _last_confirmed(revisions.history))
    return revisions.last_checks


def _last_confirmed(history: SourceHistory) -> datetime | None:
    confirmed = [x.record.at for x in history.checks if x.record.outcome == "current"]
    confirmed += [x.record.retrieved for x in captures_of_latest(history)]
    return max(confirmed, default=None)


def decide(world: World, asked: Asked, ids: Sequence[Node]) -> list[Decision]:
    """Decide each id, in order; the same id twice is decided twice."""
    judge = Judge(world, asked)
    return [judge.decide(id) for id in ids]
