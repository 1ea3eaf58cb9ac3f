"""A second model of resolving, slow and obvious: it goes through all that was told, again for each question.

It shares no code with the ledger. Each function is a sentence of the design's sections 3 and 4.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar
from zoneinfo import ZoneInfo

from obvious_scopes import Holding, check_conditions, starts
from told import (
    Ask,
    Authority,
    Check,
    Claim,
    Collection,
    Denial,
    Erasure,
    Evidence,
    Grant,
    Keeping,
    Membership,
    Moment,
    Restated,
    Retirement,
    Retraction,
    Revision,
    Revocation,
    Rewording,
    Source,
    Story,
    Told,
    Value,
)

VERDICTS = (
    "malformed",
    "withheld",
    "drifted",
    "retracted",
    "superseded",
    "other_question",
    "undercut",
    "not_applicable",
    "ended",
    "not_yet",
    "unknown",
    "conflict",
    "outdated",
    "not_authoritative",
    "unchecked",
    "citable",
)
REDERIVE = set(VERDICTS) - {"malformed", "withheld", "retracted", "unknown", "citable"}
LEVELS = ("official", "delegated", "informal")
S = TypeVar("S")
Conditions = tuple[Mapping[str, object], ...]
UNDATED = ("code", "number", "text")


@dataclass(frozen=True)
class Answer:
    """What a slot says. ``open_ends``: per standing justification, the assumed ends' confirmations."""

    verdict: str
    decided_by: str | None = None
    missing: frozenset[str] = frozenset()
    unconsidered: frozenset[str] = frozenset()
    superseded_by: str | None = None
    quotes: frozenset[str] = frozenset()
    words: bool | None = None
    same_question: bool | None = None
    candidates: frozenset[str] = frozenset()
    open_ends: tuple[frozenset[datetime], ...] = ()


@dataclass(frozen=True)
class Reach:
    """What a revision covers, and who says so: ``stated``, ``default``, or ``replaces`` (from there on).

    ``before`` is what it covered before it was left no period, else None.
    """

    conditions: Conditions
    origin: str
    before: Conditions | None = None


def rank(answer: Answer) -> int:
    return VERDICTS.index(answer.verdict)


class Model:
    """Answers one question about a story."""

    def __init__(self, story: Story, ask: Ask) -> None:
        self.story, self.ask = story, ask
        self.told = [t for t in story.told if ask.as_of is None or t.at <= ask.as_of]
        self.facts: dict[str, Value] = {"question_date": ask.clock, **ask.facts}

    # what was told

    def all(self, kind: type[S]) -> list[tuple[Told, S]]:
        return [(t, t.step) for t in self.told if isinstance(t.step, kind)]

    def named(self, kind: type[S], name: str) -> tuple[Told, S] | None:
        return next(((t, s) for t, s in self.all(kind) if s.name == name), None)  # type: ignore[attr-defined]

    def source(self, name: str) -> Source:
        return self.named(Source, name)[1]  # type: ignore[index]

    def revision(self, name: str) -> Revision:
        return self.named(Revision, name)[1]  # type: ignore[index]

    def retrieved(self, revision: str) -> datetime:
        return self.named(Revision, revision)[0].at  # type: ignore[index]

    def siblings(self, revision: str) -> list[tuple[Told, Revision]]:
        source = self.revision(revision).source
        return [(t, r) for t, r in self.all(Revision) if r.source == source and r.name != revision]

    def collection(self, source: str) -> Collection:
        name = self.source(source).collection
        stated = [c for _, c in self.all(Collection) if c.name == name]
        return stated[-1] if stated else Collection("")

    def governing_fact(self, source: str) -> str:
        declared = self.source(source).governed_by or self.collection(source).governed_by
        return declared or self.story.governed_by

    def confirmed(self, revision: str) -> datetime:
        """The retrieval, or the latest check that found the source current while no later state was known."""
        source, place = self.revision(revision).source, self.named(Revision, revision)[0].place  # type: ignore[index]
        mine = (self.revision(revision).published, place)
        captured = [
            t.place
            for t, other in self.siblings(revision)
            if (other.published, t.place) > mine and not self.stand_beside(revision, other.name)
        ]
        current = [
            t.at
            for t, c in self.all(Check)
            if c.source == source
            and c.outcome == "current"
            and t.place > place
            and not any(p < t.place for p in captured)
        ]
        return max([self.retrieved(revision), *current])

    def stand_beside(self, one: str, other: str) -> bool:
        """Whether either states that it is parallel to the other."""
        for a, b in ((one, other), (other, one)):
            relation = self.revision(a).relation
            if relation is not None and relation.kind == "parallel" and relation.to == b:
                return True
        return False

    def last_confirmed(self, revision: str) -> datetime:
        """What a slot says beside an assumed end: when the source was last found current or captured."""
        source = self.revision(revision).source
        found = [t.at for t, c in self.all(Check) if c.source == source and c.outcome == "current"]
        return max([t.at for t in self.captures_of_latest(source)] + found)

    def captures_of_latest(self, source: str) -> list[Told]:
        """The captures of a state than which no later one, not stated as parallel, was known then."""
        return [
            t
            for t, r in self.all(Revision)
            if r.source == source
            and not any(
                (other.published, u.place) > (r.published, t.place)
                and u.place < t.place
                and not self.stand_beside(r.name, other.name)
                for u, other in self.siblings(r.name)
            )
        ]

    # successive revisions

    def relations(self, revision: str) -> list[tuple[str, str, Moment | None]]:
        """What a revision replaces or corrects: what it says, and all that that one had."""
        relation = self.revision(revision).relation
        if relation is None or relation.kind == "parallel":
            return []
        targets = [relation.to, *(to for _, to, _ in self.relations(relation.to))]
        return [(relation.kind, to, relation.from_) for to in targets]

    def related(self, one: str, other: str) -> bool:
        """Whether either states a relation to the other."""
        for a, b in ((one, other), (other, one)):
            relation = self.revision(a).relation
            if (relation is not None and relation.to == b) or b in [to for _, to, _ in self.relations(a)]:
                return True
        return False

    def reach(self, revision: str) -> Reach:
        conditions, origin, replaced, published = self.parts(revision)
        closings = replaced + published
        return close(conditions, origin, closings, self.governing_of(revision), self.zone_of)

    def parts(self, revision: str) -> tuple[Conditions, str, list[Moment], list[Moment]]:
        """A revision's scope before others close it, its origin, and where relations and publications do."""
        told, own = self.named(Revision, revision)  # type: ignore[misc]
        later = [(t, s) for t, s in self.all(Restated) if s.of == revision]
        relation, since = own.relation, told.place
        replaced: list[Moment] = []
        published: list[Moment] = []
        if later:
            conditions, origin, since = tuple(later[-1][1].scope), "stated", later[-1][0].place
        elif own.scope is not None:
            conditions, origin = tuple(own.scope), "stated"
        elif relation is not None and relation.kind == "corrects":
            conditions, origin, replaced, published = self.parts(relation.to)
            if self.reach(relation.to).before is not None:
                replaced, published = [], []
        elif relation is not None and relation.kind == "replaces" and relation.from_ is not None:
            fact = self.main_fact(self.parts(relation.to)[0], revision)
            conditions, origin = ({"fact": fact, "from": relation.from_, "until": "assumed"},), "replaces"
        else:
            fact = self.governing_of(revision)
            start = self.publication(revision, fact)
            conditions, origin = ({"fact": fact, "from": start, "until": "assumed"},), "default"
        replaced = replaced + self.replaced_from(revision, since)
        if origin == "default":
            published = published + self.published_over(revision, self.main_fact(conditions, revision))
        return conditions, origin, replaced, published

    def main_fact(self, conditions: Conditions, revision: str) -> str:
        governing = self.governing_of(revision)
        return next((str(c["fact"]) for c in main_period(conditions, governing)), governing)

    def governing_of(self, revision: str) -> str:
        return self.governing_fact(self.revision(revision).source)

    def zone_of(self, fact: str) -> str:
        return self.story.sorts[fact].zone

    def publication(self, revision: str, fact: str) -> Moment:
        """When a revision was published, as a day where the fact is a date."""
        published = self.revision(revision).published
        if self.story.sorts[fact].kind == "date":
            return published.astimezone(ZoneInfo(self.zone_of(fact))).date()
        return published

    def replaced_from(self, revision: str, since: int) -> list[Moment]:
        """Where those that replace it, stated after its scope was, begin."""
        found: list[Moment] = []
        for told, other in self.siblings(revision):
            for kind, to, from_ in self.relations(other.name):
                if kind == "replaces" and to == revision and told.place > since and from_ is not None:
                    found.append(from_)
        return found

    def published_over(self, revision: str, fact: str) -> list[Moment]:
        """The publication of the first later revision that states no relation to it."""
        told, own = self.named(Revision, revision)  # type: ignore[misc]
        later = [
            (other.published, t.place, other.name)
            for t, other in self.siblings(revision)
            if (other.published, t.place) > (own.published, told.place)
            and not self.related(other.name, revision)
        ]
        return [self.publication(min(later)[2], fact)] if later else []

    # scopes against facts

    def unconsidered(self, source: str, conditions: Conditions, also: frozenset[str]) -> frozenset[str]:
        """Dated facts of the question that a scope nobody stated does not look at."""
        looked_at = {str(c["fact"]) for c in conditions}
        indifferent = self.source(source).indifferent | self.collection(source).indifferent | also
        dated = {f for f in self.facts if self.story.sorts[f].kind not in UNDATED}
        return frozenset(dated - looked_at - indifferent - {"question_date"})

    def check(self, revision: str, conditions: Conditions) -> Holding:
        return check_conditions(
            conditions,
            self.facts,
            self.story.sorts,
            self.retrieved(revision),
            self.confirmed(revision),
        )

    def governs(self, revision: str) -> bool:
        """Whether a revision surely covers the facts; what is unconsidered is asked of evidence only."""
        reach = self.reach(revision)
        return reach.before is None and self.check(revision, reach.conditions).outcome == "applies"

    def may_govern(self, revision: str) -> bool:
        """Whether it cannot be told if a revision covers the facts."""
        reach = self.reach(revision)
        return reach.before is None and self.check(revision, reach.conditions).outcome == "unknown"

    def corrected(self, revision: str) -> bool:
        """Whether a later revision corrects this one for these facts."""
        return any(
            kind == "corrects" and to == revision and self.governs(other.name)
            for _, other in self.siblings(revision)
            for kind, to, _ in self.relations(other.name)
        )

    # evidence

    def evidence_scope(self, name: str) -> tuple[Conditions, bool]:
        """The conditions on a piece of evidence, and whether anyone stated them."""
        evidence = self.named(Evidence, name)[1]  # type: ignore[index]
        reach = self.reach(evidence.revision)
        later = [s.scope for _, s in self.all(Restated) if s.of == name]
        own = tuple(later[-1] if later else evidence.scope or ())
        if reach.origin == "stated" or not own:
            return own + (reach.before or reach.conditions), reach.origin == "stated"
        periods = {c["fact"] for c in own if "from" in c or "until" in c}
        default = tuple(c for c in reach.before or reach.conditions if c["fact"] not in periods)
        replaced = self.parts(evidence.revision)[2]
        if replaced and reach.before is None:
            fact = self.main_fact(reach.conditions, evidence.revision)
            end = min(replaced, key=lambda m: starts(m, self.zone_of(fact)))
            default += ({"fact": fact, "from": "open", "until": end},)
        return own + default, True

    def evidence_holding(self, name: str) -> tuple[Holding, frozenset[str]]:
        evidence = self.named(Evidence, name)[1]  # type: ignore[index]
        conditions, stated = self.evidence_scope(name)
        holding = self.check(evidence.revision, conditions)
        if stated or holding.outcome not in ("applies", "unknown"):
            return holding, frozenset()
        source = self.revision(evidence.revision).source
        return holding, self.unconsidered(source, conditions, evidence.indifferent)

    def in_conflict(self, name: str) -> bool:
        """Whether another revision governs these facts without any relation to the cited one."""
        revision = self.named(Evidence, name)[1].revision  # type: ignore[index]
        if self.reach(revision).before is not None or self.corrected(revision):
            return False
        return any(
            self.governs(other.name)
            and not self.page_gone(other.name)
            and not self.corrected(other.name)
            and not self.related(other.name, revision)
            for _, other in self.siblings(revision)
        )

    def doubts(self, name: str) -> list[Holding]:
        """What is unknown of those that correct the cited one, or conflict with it, should they govern."""
        revision = self.named(Evidence, name)[1].revision  # type: ignore[index]
        found = []
        for _, other in self.siblings(revision):
            corrects = any(k == "corrects" and to == revision for k, to, _ in self.relations(other.name))
            conflicts = not self.related(other.name, revision) and not self.corrected(other.name)
            conflicts = conflicts and not self.page_gone(other.name)
            if self.may_govern(other.name) and (corrects or conflicts):
                found.append(self.check(other.name, self.reach(other.name).conditions))
        return found

    def in_doubt(self, name: str) -> Answer | None:
        """``unknown`` with all that is unknown of those, where nothing surely speaks against it."""
        doubts = self.doubts(name)
        if not doubts or self.outdated(name) or self.in_conflict(name):
            return None
        return combine([Answer("unknown", d.decided_by, d.missing) for d in doubts])

    def outdated(self, name: str) -> bool:
        revision = self.named(Evidence, name)[1].revision  # type: ignore[index]
        return self.reach(revision).before is not None or self.corrected(revision)

    def authoritative(self, source: str) -> bool:
        stated = [(t.place, a.level) for t, a in self.all(Authority) if a.source == source]
        place, level = stated[-1] if stated else (-1, self.source(source).level)
        retired = any(
            t.place > place and r.source == source and self.ask.clock >= r.from_
            for t, r in self.all(Retirement)
        )
        return not retired and LEVELS.index(level) <= LEVELS.index(self.ask.min_authority)

    def checked(self, source: str) -> bool:
        """Whether the last check found it current, and is not too old; capturing the latest state is one."""
        stated = [(t.place, t.at, c.outcome) for t, c in self.all(Check) if c.source == source]
        checks = stated + [(t.place, t.at, "current") for t in self.captures_of_latest(source)]
        if not checks:
            return False
        _, at, outcome = max(checks)
        age = self.ask.max_age
        return outcome == "current" and (age is None or self.ask.clock < at + age)

    def evidence(self, name: str) -> Answer:
        found = self.named(Evidence, name)
        if found is None or not self.may_be_shown(name):
            return Answer("withheld")
        if name in self.ask.drifted:
            return Answer("drifted")
        revision = found[1].revision
        holding, unconsidered = self.evidence_holding(name)
        if holding.outcome not in ("applies", "unknown"):
            return Answer(holding.outcome, holding.decided_by)
        if holding.outcome == "unknown" or unconsidered:
            return Answer("unknown", holding.decided_by, holding.missing, unconsidered)
        doubt = self.in_doubt(name)
        if doubt is not None:
            return doubt
        if self.in_conflict(name):
            return Answer("conflict")
        if self.outdated(name):
            return Answer("outdated")
        if not self.authoritative(self.revision(revision).source):
            return Answer("not_authoritative")
        if not self.checked(self.revision(revision).source):
            return Answer("unchecked")
        assumed = any(c.get("until") == "assumed" for c in self.evidence_scope(name)[0])
        ends = frozenset({self.last_confirmed(revision)}) if assumed else frozenset()
        return Answer("citable", quotes=frozenset({name}), open_ends=(ends,))

    # claims

    def successor(self, claim: str) -> str | None:
        return next((c.name for _, c in self.all(Claim) if c.old == claim), None)

    def head(self, claim: str) -> str:
        newer = self.successor(claim)
        return claim if newer is None else self.head(newer)

    def retracted(self, claim: str) -> bool:
        return any(r.claim == claim for _, r in self.all(Retraction))

    def claim_itself(self, name: str) -> Answer:
        """A claim's own verdict, its support left aside."""
        claim, head = self.named(Claim, name)[1], self.head(name)  # type: ignore[index]
        if self.retracted(name) or self.retracted(head):
            return Answer("retracted")
        if head != name:
            disclosed = self.claim(head).verdict != "withheld"
            return Answer("superseded", superseded_by=head if disclosed else None)
        bound = claim.bound_to | (claim.by if claim.kind == "compute" else frozenset())
        if claim.kind == "compute" and not bound:
            bound = frozenset(claim.facts)
        differing = {f for f in bound if f in self.facts and not equal(self.facts[f], claim.facts[f])}
        if differing:
            return Answer("other_question", min(differing))
        told = self.named(Claim, name)[0].at  # type: ignore[index]
        narrow = claim.narrow or ()
        holding = check_conditions(narrow, self.facts, self.story.sorts, told, told)
        missing = holding.missing | frozenset(f for f in bound if f not in self.facts)
        if holding.outcome in ("applies", "unknown") and missing:
            return Answer("unknown", holding.decided_by, missing)
        return Answer("citable" if holding.outcome == "applies" else holding.outcome, holding.decided_by)

    def member(self, name: str) -> Answer:
        answer = self.judge(name)
        fallen = ("retracted", "superseded", "other_question", "undercut")
        return Answer("undercut") if answer.verdict in fallen else answer

    def justification(self, members: Sequence[str]) -> Answer:
        """The worst of its members; citable with the citations of all of them."""
        answers = [self.member(m) for m in members]
        worst = combine(answers)
        if worst.verdict != "citable":
            return worst
        quotes = frozenset().union(*(a.quotes for a in answers))
        ends = frozenset().union(*(e for a in answers for e in a.open_ends))
        return replace(worst, quotes=quotes, open_ends=(ends,))

    def claim(self, name: str) -> Answer:
        """Its own verdict or that of its best justification, whichever is worse."""
        found = self.named(Claim, name)
        if found is None or self.erased(name):
            return Answer("withheld")
        answers = [self.justification(members) for members in found[1].support]
        seen = [a for a in answers if a.verdict != "withheld"]
        if not seen:
            return Answer("withheld")
        best = max(seen, key=rank)
        if best.verdict == "citable":
            standing = [a for a in seen if a.verdict == "citable"]
            quotes = frozenset().union(*(a.quotes for a in standing))
            best = replace(best, quotes=quotes, open_ends=tuple(e for a in standing for e in a.open_ends))
        answer = combine([self.claim_itself(name), best])
        if answer.verdict == "citable":
            answer = replace(answer, quotes=best.quotes, open_ends=best.open_ends)
        return answer

    def judge(self, name: str) -> Answer:
        return self.claim(name) if self.named(Claim, name) else self.evidence(name)

    # the slot

    def slot(self, name: str) -> Answer:
        """Everything that a slot says about an id."""
        answer = self.judge(name)
        if answer.verdict == "withheld":
            return answer
        if self.named(Claim, name):
            words = self.may_read_words(name)
            if words and name in self.ask.drifted and rank(answer) > VERDICTS.index("drifted"):
                answer = Answer("drifted")  # what its support lacks is not said of a text that is gone
            answer = replace(answer, words=words, same_question=self.same_question(name))
        if answer.verdict in REDERIVE:
            answer = replace(answer, candidates=self.candidates(name, answer))
        return answer

    def same_question(self, name: str) -> bool:
        then = dict(self.named(Claim, name)[1].facts)  # type: ignore[index]
        now = dict(self.ask.facts)
        if not ("question_date" in then and "question_date" in now):
            then.pop("question_date", None)
            now.pop("question_date", None)
        return then.keys() == now.keys() and all(equal(now[f], then[f]) for f in now)

    def exposure(self, name: str, at: int | None = None) -> set[str]:
        """All that the writer of a claim's words had before it, the words being those of then."""
        told, claim = self.named(Claim, name)  # type: ignore[misc]
        before = len(self.story.told) if at is None else at
        again = [(t.place, r) for t, r in self.all(Rewording) if r.claim == name and t.place < before]
        if again:
            place, rewording = again[-1]
            used = list(rewording.exposure)
        else:
            place, used = told.place, [m for members in claim.support for m in members]
            used += claim.exposure
        found = set(used)
        for one in used:
            if self.named(Claim, one):
                found |= self.exposure(one, place)
        return found

    def may_read_words(self, name: str) -> bool:
        return all(
            self.may_be_shown(one) if self.named(Evidence, one) else not self.erased(one)
            for one in self.exposure(name)
        )

    def leaves(self, name: str) -> set[str]:
        found = self.named(Claim, name)
        if found is None:
            return {name}
        return set().union(*(self.leaves(m) for members in found[1].support for m in members))

    def candidates(self, name: str, answer: Answer) -> frozenset[str]:
        """Readable, in scope, not corrected: the head's evidence, or its own and other revisions'."""
        if answer.verdict == "superseded":
            proposed = self.leaves(self.head(name))
        else:
            proposed = own = {e for e in self.leaves(name) if self.may_be_shown(e)}
            cited = {self.named(Evidence, e)[1].revision for e in own}  # type: ignore[index]
            sources = {self.revision(r).source for r in cited}
            others = {
                e.name
                for _, e in self.all(Evidence)
                if self.revision(e.revision).source in sources and e.revision not in cited
            }
            proposed = own | others
        return frozenset(e for e in proposed if self.proposable(e))

    def proposable(self, name: str) -> bool:
        holding, unconsidered = self.evidence_holding(name)
        return (
            self.may_be_shown(name)
            and holding.outcome == "applies"
            and not unconsidered
            and not self.outdated(name)
            and self.in_doubt(name) is None
            and name not in self.ask.drifted
        )

    # what is gone, always by today, whatever time is read

    def erased(self, name: str) -> bool:
        return any(isinstance(t.step, Erasure) and t.step.of == name for t in self.story.told)

    def may_be_shown(self, evidence: str) -> bool:
        """Whether an evidence item, its page and its source are there, and the source is readable."""
        revision = self.named(Evidence, evidence)[1].revision  # type: ignore[index]
        there = not self.erased(evidence) and not self.page_gone(revision)
        return there and self.readable(self.revision(revision).source)

    def page_gone(self, revision: str) -> bool:
        """Whether a page is not there any more, or its source is not."""
        source = self.revision(revision).source
        return self.erased(revision) or self.erased(source) or self.expired(revision)

    def expired(self, revision: str) -> bool:
        """Whether some rule, while it was in force, said that a page is not to be kept any longer."""
        recorded = self.retrieved(revision)
        own = self.source(self.revision(revision).source)
        gone_for_ever = self.source_end(own.name)
        if gone_for_ever is not None and gone_for_ever <= self.ask.now:
            return True
        for on in (own.name, f"collection:{own.collection}"):
            rules = [t for t in self.story.told if isinstance(t.step, Keeping) and t.step.on == on]
            for i, rule in enumerate(rules):
                until = rules[i + 1].at if i + 1 < len(rules) else self.ask.now
                for limit in (rule.step.bytes_for, rule.step.metadata_for):  # type: ignore[union-attr]
                    if limit is not None and max(rule.at, recorded, recorded + limit) <= until:
                        return True
        return False

    def source_end(self, source: str) -> datetime | None:
        """When nothing about a source may be kept any longer; a page that comes then comes too late."""
        end = self.metadata_end(source, self.named(Source, source)[0].at)  # type: ignore[index]
        pages = [t for t in self.story.told if isinstance(t.step, Revision) and t.step.source == source]
        for page in pages:
            if end is None or page.at >= end:
                break
            next_end = self.metadata_end(source, page.at)
            end = None if next_end is None else max(end, next_end)
        return end

    def metadata_end(self, source: str, recorded: datetime) -> datetime | None:
        """When what was recorded of a source at a time has to go, by the first rule that reaches it."""
        ends = []
        for on in (source, f"collection:{self.source(source).collection}"):
            rules = [t for t in self.story.told if isinstance(t.step, Keeping) and t.step.on == on]
            for i, rule in enumerate(rules):
                limit = rule.step.metadata_for  # type: ignore[union-attr]
                if limit is not None:
                    end = max(rule.at, recorded, recorded + limit)
                    if i + 1 == len(rules) or end <= rules[i + 1].at:
                        ends.append(end)
        return min(ends, default=None)

    # permission, always of today

    def readable(self, source: str) -> bool:
        if self.ask.readable is not None:
            return source in self.ask.readable
        steps = [t.step for t in self.story.told]
        denials = [s.allowed for s in steps if isinstance(s, Denial) and s.source == source]
        if denials and not denials[-1]:
            return False
        if self.ask.who is None:  # the founder
            return True
        own = next(s for s in steps if isinstance(s, Source) and s.name == source)
        names = {source, "*"} | ({f"collection:{own.collection}"} if own.collection else set())
        return any(
            self.in_force(i, s) and s.read in names for i, s in enumerate(steps) if isinstance(s, Grant)
        )

    def in_force(self, index: int, grant: Grant) -> bool:
        """Whether a grant reaches the one who asks, for this purpose, now."""
        steps = [t.step for t in self.story.told]
        revoked = any(
            isinstance(s, Revocation)
            and (s.who, s.read) == (grant.who, grant.read)
            and s.purpose in (None, grant.purpose)
            for s in steps[index + 1 :]
        )
        joined = [
            s.left
            for s in steps
            if isinstance(s, Membership) and (s.who, s.group) == (self.ask.who, grant.who)
        ]
        reaches = grant.who == self.ask.who or (bool(joined) and not joined[-1])
        fits = grant.purpose is None or grant.purpose == self.ask.purpose
        lasts = grant.until is None or self.ask.now < starts(grant.until, self.story.zone)
        return reaches and fits and lasts and not revoked


def equal(one: Value, other: Value) -> bool:
    """Equal as typed values: a date is never an instant."""
    return type(one) is type(other) and one == other


def combine(answers: Sequence[Answer]) -> Answer:
    """The worst verdict; among several with it, the first fact by name, and all that is missing."""
    worst = min(answers, key=rank)
    same = [a for a in answers if a.verdict == worst.verdict]
    deciding = [a.decided_by for a in same if a.decided_by is not None]
    return Answer(
        worst.verdict,
        min(deciding) if deciding else None,
        frozenset().union(*(a.missing for a in same)),
        frozenset().union(*(a.unconsidered for a in same)),
        next((a.superseded_by for a in same if a.superseded_by), None),
    )


def main_period(conditions: Conditions, governing: str) -> Conditions:
    """The period that a relation is about: that on the governing fact, else the first by name; or none."""
    periods = [c for c in conditions if "from" in c or "until" in c]
    on = [c for c in periods if c["fact"] == governing]
    return tuple(on or sorted(periods, key=lambda c: str(c["fact"]))[:1])


def close(
    conditions: Conditions,
    origin: str,
    closings: Sequence[Moment],
    governing: str,
    zone_of: Callable[[str], str],
) -> Reach:
    """End the main period at the earliest closing, where its end is no value."""
    if not closings:
        return Reach(conditions, origin)
    on = main_period(conditions, governing)
    if not on:
        end = min(closings, key=lambda m: starts(m, zone_of(governing)))
        return Reach((*conditions, {"fact": governing, "from": "open", "until": end}), origin)
    closed: list[Mapping[str, object]] = []
    left = True
    for c in conditions:
        if c in on and c.get("until", "unknown") in ("open", "unknown", "assumed"):
            zone, from_ = zone_of(str(c["fact"])), c.get("from", "unknown")
            end = min(closings, key=lambda m: starts(m, zone))
            left = left and (isinstance(from_, str) or starts(from_, zone) < starts(end, zone))  # type: ignore[arg-type]
            c = {**c, "until": end}
        closed.append(c)
    return Reach(tuple(closed) if left else (), origin, None if left else conditions)
