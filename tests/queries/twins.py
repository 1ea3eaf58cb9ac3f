"""The analyst's queries once more, by brute force over records: slow, and easy to believe."""

from collections.abc import Callable, Iterable
from datetime import date, datetime, timedelta
from typing import TypeVar

from random_world import RandomWorld, Said

from prov_ledger.model import records as r
from prov_ledger.model.facts import FactValue
from prov_ledger.model.scopes import Condition, Edge, Period, Range
from prov_ledger.rdf.terms import Iri, Literal, Term, literal_of
from prov_ledger.vocab import PL, PROV

R = TypeVar("R", bound=r.Record)
Cells = tuple[Term | None, ...]


class Twin:
    """Answers each query for one random world, under one base."""

    def __init__(self, world: RandomWorld, base: str) -> None:
        self.said = world.said
        self.base = base
        self.support = {c.id: {m for j in c.justifications for m in j} for c in self.all(r.ClaimRecord)}
        self.quoted = {e.id: e.revision for e in self.all(r.EvidenceRecord)}
        self.source = {v.id: v.source for v in self.all(r.RevisionRecord)}
        self.derived: dict[str, set[str]] = {
            **self.support,
            **{evidence: {revision} for evidence, revision in self.quoted.items()},
            **{rem.id: set(rem.claims) for rem in self.all(r.ReminderRecord)},
        }
        self.replaced = {s.old: s.new for s in self.all(r.SupersessionRecord)}
        self.retracted = {x.record.claim: x for x in self.of(r.RetractionRecord)}

    def of(self, kind: type[R]) -> "list[Said]":
        return [said for said in self.said if isinstance(said.record, kind)]

    def all(self, kind: type[R]) -> list[R]:
        return [said.record for said in self.said if isinstance(said.record, kind)]

    def iri(self, name: str) -> Iri:
        return Iri(self.base + name)

    def below(self, node: str) -> set[str]:
        """What a node rests on, itself included."""
        found, todo = {node}, [node]
        while todo:
            for nxt in self.derived.get(todo.pop(), ()):
                if nxt not in found:
                    found.add(nxt)
                    todo.append(nxt)
        return found

    def above(self, node: str) -> set[str]:
        """What rests on a node, itself included."""
        return {node} | {other for other in self.derived if node in self.below(other)}

    def stands(self, claim: str) -> bool:
        return claim not in self.replaced and claim not in self.retracted

    def sources(self, claim: str) -> set[str]:
        return {self.source[node] for node in self.below(claim) if node in self.source}

    def scopes(self) -> list[tuple[str, str, Condition]]:
        """(about, condition node, condition) of every scope statement that nothing ended."""
        ended = {node for ending in self.all(r.EndingRecord) for node in ending.statements}
        stated: list[tuple[str, str, r.Scope]] = []
        for said in self.said:
            record = said.record
            if isinstance(record, r.ScopeRecord):
                stated.append((record.of, said.node, record.scope))
            elif isinstance(record, r.RevisionRecord | r.EvidenceRecord) and record.scope:
                stated.append((record.id, f"{record.id}#scope", record.scope))
            elif isinstance(record, r.ClaimRecord) and record.narrow:
                stated.append((record.id, f"{record.id}#scope", record.narrow))
        return [
            (of, f"{node}.{number}", condition)
            for of, node, scope in stated
            if node not in ended
            for number, condition in enumerate(scope.conditions, start=1)
        ]

    def derivation_chain(self, claims: Iterable[str]) -> set[Cells]:
        rows: set[Cells] = set()
        for claim in claims:
            for node in self.below(claim):
                edges = [("wasDerivedFrom", nxt) for nxt in self.derived.get(node, ())]
                edges += [("specializationOf", self.source[node])] if node in self.source else []
                rows |= {(self.iri(claim), self.iri(node), Iri(PROV + p), self.iri(o)) for p, o in edges}
        return rows

    def rests_on(self, nodes: Iterable[str]) -> set[Cells]:
        return {(self.iri(n), self.iri(d)) for n in nodes for d in self.above(n) - {n}}

    def stale_in_threads(self, threads: Iterable[str]) -> set[Cells]:
        wanted = set(threads)
        return {
            (self.iri(rem.thread), self.iri(rem.id), self.iri(claim), self.iri(self.replaced[claim]))
            for rem in self.all(r.ReminderRecord)
            for claim in rem.claims
            if rem.thread is not None and rem.thread in wanted and claim in self.replaced
        }

    def ending_soon(self, now: datetime, days: int) -> set[Cells]:
        rows: set[Cells] = set()
        for of, _, condition in self.scopes():
            if isinstance(condition, Period) and _ends_within(condition.until, now, days):
                for claim in self.above(of) & self.support.keys():
                    if self.stands(claim):
                        until = literal_of(condition.until)  # type: ignore[arg-type]
                        rows.add((self.iri(claim), self.iri(of), self.iri(f"fact/{condition.fact}"), until))
        return rows

    def unused_evidence(self, sources: Iterable[str]) -> set[Cells]:
        used = {member for members in self.support.values() for member in members}
        wanted = set(sources)
        return {
            (self.iri(evidence), self.iri(self.source[revision]))
            for evidence, revision in self.quoted.items()
            if evidence not in used and self.source[revision] in wanted
        }

    def applicability(self, claims: Iterable[str], facts: dict[str, FactValue]) -> set[Cells]:
        return {
            (
                self.iri(claim),
                self.iri(of),
                self.iri(f"fact/{condition.fact}"),
                self.iri(node),
                Literal(_outcome(condition, facts.get(condition.fact))),
            )
            for claim in claims
            for of, node, condition in self.scopes()
            if of in self.below(claim)
        }

    def state_as_of(self, at: datetime, claims: Iterable[str]) -> set[Cells]:
        gone = {s.record.old for s in self.of(r.SupersessionRecord) if s.at <= at}
        gone |= {claim for claim, said in self.retracted.items() if said.at <= at}
        wanted = set(claims) - gone
        return {
            (self.iri(said.node), literal_of(said.at))
            for said in self.of(r.ClaimRecord)
            if said.at <= at and said.node in wanted
        }

    def statements_as_of(self, nodes: Iterable[str], at: datetime) -> set[Cells]:
        wanted = set(nodes)
        ended = {n: s.at for s in self.of(r.EndingRecord) for n in s.record.statements}
        rows: set[Cells] = set()
        for said, about, node, kinds in self._statements():
            if (
                about in wanted
                and said.at <= at
                and ended.get(node, datetime.max.replace(tzinfo=at.tzinfo)) > at
            ):
                rows |= {(self.iri(about), self.iri(node), Iri(k), literal_of(said.at)) for k in kinds}
        return rows

    def _statements(self) -> Iterable[tuple[Said, str, str, list[str]]]:
        """(as said, about, node, types) of what is stated about something."""
        activity = PROV + "Activity"
        for said in self.said:
            x = said.record
            if isinstance(x, r.ScopeRecord):
                yield said, x.of, said.node, [PL + "ScopeStatement"]
            elif (isinstance(x, r.RevisionRecord | r.EvidenceRecord) and x.scope) or (
                isinstance(x, r.ClaimRecord) and x.narrow
            ):
                yield said, x.id, f"{x.id}#scope", [PL + "ScopeStatement"]
            elif isinstance(x, r.CheckRecord):
                yield said, x.source, said.node, [activity, PL + "CurrencyCheck"]
            elif isinstance(x, r.RetractionRecord):
                yield said, x.claim, said.node, [activity, PL + "Retraction"]
            elif isinstance(x, r.RestatementRecord):
                yield said, x.claim, said.node, [activity, PL + "Restatement"]
            elif isinstance(x, r.AgentRecord):
                yield said, x.id, said.node, [PL + "RoleStatement"]

    def who_concluded(self, first: datetime, last: datetime, agents: Iterable[str]) -> set[Cells]:
        wanted = set(agents)
        return self._concluded(lambda c: first <= c.made < last and c.agent in wanted)

    def how_concluded(self, claims: Iterable[str]) -> set[Cells]:
        wanted = set(claims)
        return self._concluded(lambda c: c.id in wanted)

    def _concluded(self, wanted: Callable[[r.ClaimRecord], bool]) -> set[Cells]:
        return {
            (
                self.iri(c.id),
                self.iri(c.agent),
                literal_of(c.made),
                Iri(PL + c.transformation.kind),
                self.iri(support),
            )
            for c in self.all(r.ClaimRecord)
            if wanted(c)
            for support in self.support[c.id]
        }

    def single_source(self, sources: Iterable[str]) -> set[Cells]:
        return {
            (self.iri(source), self.iri(claim))
            for source in sources
            for claim in self.support
            if self.sources(claim) == {source}
        }

    def unchecked_sources(self, before: datetime) -> set[Cells]:
        rows: set[Cells] = set()
        for source in self.all(r.SourceRecord):
            checks = [check for check in self.all(r.CheckRecord) if check.source == source.id]
            passed = [check.at for check in checks if check.outcome == "current"]
            passed += [v.retrieved for v in self.all(r.RevisionRecord) if v.source == source.id]
            failed = [check.at for check in checks if check.outcome != "current"]
            confirmed, failure = max(passed, default=None), max(failed, default=None)
            if confirmed is None or confirmed < before or (failure is not None and failure > confirmed):
                rows.add((self.iri(source.id), _cell(confirmed), _cell(failure)))
        return rows

    def words_exposed_to(self, nodes: Iterable[str]) -> set[Cells]:
        rows: set[Cells] = set()
        for node in nodes:
            starts = {node} | {revision for revision, source in self.source.items() if source == node}
            reach = {above for start in starts for above in self.above(start)}
            claims = {c.id for c in self.all(r.ClaimRecord) if c.exposure & reach}
            claims |= {x.claim for x in self.all(r.RestatementRecord) if x.exposure & reach}
            rows |= {(self.iri(node), self.iri(claim)) for claim in claims}
        return rows

    def contradictions(self, claims: Iterable[str]) -> set[Cells]:
        wanted = set(claims)
        return {
            (self.iri(one), self.iri(two))
            for c in self.all(r.ContradictionRecord)
            for one, two in (c.claims, c.claims[::-1])
            if one in wanted and self.stands(one) and self.stands(two)
        }

    def successors(self, claims: Iterable[str]) -> set[Cells]:
        rows: set[Cells] = set()
        for claim in claims:
            head = claim
            while head in self.replaced:
                head = self.replaced[head]
                said = self.retracted.get(head)
                rows.add((self.iri(claim), self.iri(head), self.iri(said.node) if said else None))
        return rows


def _cell(value: datetime | None) -> Term | None:
    return None if value is None else literal_of(value)


def _ends_within(until: date | Edge, now: datetime, days: int) -> bool:
    if isinstance(until, Edge):
        return False
    if isinstance(until, datetime):
        return now <= until < now + timedelta(days=days)
    return now.date() <= until < now.date() + timedelta(days=days)


def _outcome(condition: Condition, given: FactValue | None) -> str:
    if given is None:
        return "unknown"
    if isinstance(condition, Period):
        return _period_outcome(condition, given)
    if isinstance(condition, Range):
        assert condition.low is not None
        assert condition.high is not None
        above = given >= condition.low if condition.low_inclusive else given > condition.low  # type: ignore[operator]
        below = given <= condition.high if condition.high_inclusive else given < condition.high  # type: ignore[operator]
        return "applies" if above and below else "not_applicable"
    if given in condition.values:
        return "applies"
    return "not_applicable" if all(isinstance(v, str) for v in condition.values) else "unknown"


def _period_outcome(condition: Period, given: FactValue) -> str:
    def alike(bound: object) -> bool:
        return type(bound) is type(given)

    if alike(condition.from_) and given < condition.from_:  # type: ignore[operator]
        return "not_yet"
    if alike(condition.until) and given >= condition.until:  # type: ignore[operator]
        return "ended"
    sure = [alike(bound) or bound is Edge.OPEN for bound in (condition.from_, condition.until)]
    return "applies" if all(sure) else "unknown"
