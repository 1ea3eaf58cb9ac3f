"""What was believed, from what, which checks it passed, and what is different now."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from prov_ledger.checks.verdict import Judge
from prov_ledger.errors import Refused
from prov_ledger.ledger.resolving import Demand, Resolver
from prov_ledger.ledger.session import Acting, Session, unknown
from prov_ledger.ledger.sources import Sources, instant_from
from prov_ledger.ledger.threads import Threads
from prov_ledger.model import records as r
from prov_ledger.model.facts import FactValue, SealedValue, canonical
from prov_ledger.model.ids import parse_id
from prov_ledger.model.records import Node
from prov_ledger.model.slots import RANK, Slot, Verdict
from prov_ledger.model.times import format_instant, parse_date_or_instant
from prov_ledger.model.world import Recorded, World
from prov_ledger.readers.port import Reader

EventKind = Literal[
    "superseded",
    "retracted",
    "restated",
    "scope stated",
    "revision recorded",
    "checked",
    "retired",
    "authority stated",
]


@dataclass(frozen=True, slots=True)
class Event:
    """Something that was recorded about what a claim rests on: when, what, about which id."""

    at: datetime
    kind: EventKind
    about: Node


@dataclass(frozen=True, slots=True)
class Support:
    """One node of what a claim rests on, as it was judged; ``members`` are its justifications'."""

    id: Node
    verdict: Verdict
    decided_by: str | None
    members: tuple[tuple["Support", ...], ...] = ()


@dataclass(frozen=True, slots=True)
class CheckPassed:
    """One check of the table and how it went for the claim then."""

    check: str
    passed: bool


@dataclass(frozen=True, slots=True)
class Explanation:
    """An account of one claim: ``then`` and ``now`` are its slots for its own question.

    ``facts`` are the question's, without personal values; none where the claim's words are withheld.
    """

    id: Node
    made: datetime
    transformation: str
    facts: dict[str, str]
    as_of: datetime
    then: Slot
    now: Slot
    support: Support
    checks: tuple[CheckPassed, ...]
    since: tuple[Event, ...]

    def lines(self) -> Iterator[str]:
        """The account for a person, a fact a line."""
        yield f"{self.id}, made {format_instant(self.made)} by '{self.transformation}'"
        if self.now.statement is not None or self.then.statement is not None:
            yield f"says: {self.now.statement or self.then.statement}"
        if self.facts:
            yield "asked for: " + ", ".join(f"{name} = {value}" for name, value in self.facts.items())
        yield f"as of {format_instant(self.as_of)}: {self.then.verdict}"
        for citation in self.then.quotes:
            yield f'  from "{citation.quote}" ({citation.title}, {citation.label})'
        yield "checks: " + ", ".join(f"{c.check} {'passed' if c.passed else 'failed'}" for c in self.checks)
        decided = f", decided by {self.now.decided_by}" if self.now.decided_by else ""
        yield f"now: {self.now.verdict}{decided}"
        for event in self.since:
            yield f"  {format_instant(event.at)} {event.kind}: {event.about}"


@dataclass(frozen=True, slots=True)
class Fallen:
    """A claim of a thread that was citable then and is not now, with what was recorded in between."""

    id: Node
    was: Verdict
    slot: Slot
    why: tuple[Event, ...]


_PERSONAL = "(personal)"

#: What each check of the table means for a verdict: it failed there, and was passed by all later ones.
_CHECKS: tuple[tuple[str, frozenset[Verdict]], ...] = (
    ("permission", frozenset({"withheld"})),
    ("integrity", frozenset({"drifted"})),
    ("standing", frozenset({"retracted", "superseded", "undercut"})),
    ("same bound facts", frozenset({"other_question"})),
    ("applicability", frozenset({"not_applicable", "ended", "not_yet", "unknown"})),
    ("no conflict", frozenset({"conflict"})),
    ("not corrected", frozenset({"outdated"})),
    ("authority", frozenset({"not_authoritative"})),
    ("currency", frozenset({"unchecked"})),
)


class Explaining:
    """The verbs ``explain`` and ``changes``."""

    def __init__(self, session: Session, sources: Sources) -> None:
        self.session, self.sources, self.tenant = session, sources, session.tenant
        self.resolver = Resolver(session)

    def explain(self, reader: Reader, acting: Acting, claim: str, as_of: object) -> Explanation:
        """Explain a claim as of a time (None: when it was made). Raises Refused ``unknown_id``."""
        id = parse_id(claim)
        world = reader.read([id])
        present = self.session.judge(acting, world)
        if id not in world.claims or present.decide(id).verdict == "withheld":
            raise unknown(id)
        record = world.claims[id]
        zone = self.tenant.state.reader.tenant().zone
        at = instant_from(parse_date_or_instant(as_of), zone) if as_of is not None else record.at
        if at < record.at:
            raise Refused("not_found", f"{id} was recorded at {format_instant(record.at)}, after that time")
        facts = self._facts(record.record)
        then, past = self._judged(reader, acting, id, Demand(dict(facts), as_of=at))
        now, _ = self._judged(reader, acting, id, Demand(_undated(facts)))
        return Explanation(
            id,
            record.record.made,
            record.record.transformation.kind,
            _shown_facts(present, id),
            at,
            then,
            now,
            _support(past, id),
            tuple(_checks(then.verdict)),
            tuple(self._events(present, id, at)),
        )

    def _facts(self, record: r.ClaimRecord) -> dict[str, FactValue]:
        """The facts of a claim's question; without a personal value that was erased."""
        found: dict[str, FactValue] = {}
        for name, value in record.question.facts.items():
            if not isinstance(value, SealedValue):
                found[name] = value
            elif self.tenant.journal.payload(value.node, "value") is not None:
                found[name] = self.sources.text(value.node, "value")
        return found

    def _events(self, present: Judge, id: Node, at: datetime) -> list[Event]:
        """What was recorded after a time about all that a claim rests on for this reader, in order."""
        reached = _reached(present, id)
        found = list(_events_about(present, reached))
        for claim in present.world.retracted & reached:
            for entry in self.tenant.state.entries_about(claim):
                withdrawn = any(isinstance(s.record, r.RetractionRecord) for s in entry.statements)
                found += [Event(entry.recorded, "retracted", claim)] if withdrawn else []
        later = (e for e in found if e.at > at)
        return sorted(later, key=lambda e: (e.at, e.kind, e.about))

    def _judged(self, reader: Reader, acting: Acting, id: Node, demand: Demand) -> tuple[Slot, Judge]:
        slots, judge = self.resolver.judged(reader, acting, [id], demand)
        return slots[0], judge

    def changes(self, reader: Reader, acting: Acting, thread: str, since: object) -> tuple[Fallen, ...]:
        """The claims of a thread that stood better for their own questions then than they do now.

        A claim that was made later counts from when it was made.
        """
        zone = self.tenant.state.reader.tenant().zone
        at = instant_from(parse_date_or_instant(since), zone)
        claims = Threads(self.session).claims(acting, thread)
        world = reader.read(claims)
        present = self.session.judge(acting, world)
        found = []
        for id in claims:
            record = world.claims.get(id)
            if record is None:
                continue
            start = max(at, record.at)
            facts = self._facts(record.record)
            then, _ = self._judged(reader, acting, id, Demand(dict(facts), as_of=start))
            now, _ = self._judged(reader, acting, id, Demand(_undated(facts)))
            if RANK["withheld"] < RANK[now.verdict] < RANK[then.verdict]:
                found.append(Fallen(id, then.verdict, now, tuple(self._events(present, id, start))))
        return tuple(found)


def _shown_facts(present: Judge, id: Node) -> dict[str, str]:
    """The facts of a claim's question for its reader."""
    if not present.words(id):
        return {}
    facts, table = present.world.claims[id].record.question.facts, present.world.table
    return {
        name: _PERSONAL if isinstance(value, SealedValue) or table.get(name).personal else canonical(value)
        for name, value in facts.items()
    }


def _undated(facts: dict[str, FactValue]) -> dict[str, object]:
    """The facts of a question that is asked again today."""
    return {name: value for name, value in facts.items() if name != "question_date"}


def _support(judge: Judge, id: Node) -> Support:
    """What a claim rests on, as it was judged."""
    if id not in judge.world.claims:
        finding = judge.evidence(id)
        return Support(id, finding.verdict, finding.decided_by)
    finding = judge.claim(id)
    members = tuple(tuple(_support(judge, m) for m in group) for group in _justifications(judge, id))
    return Support(id, finding.verdict, finding.decided_by, members)


def _justifications(judge: Judge, id: Node) -> Iterator[tuple[Node, ...]]:
    """The justifications of a claim of which nothing is withheld."""
    for group in judge.world.claims[id].record.justifications:
        if not any(_withheld(judge, member) for member in group):
            yield group


def _withheld(judge: Judge, id: Node) -> bool:
    return judge.decide(id).verdict == "withheld"


def _checks(verdict: Verdict) -> Iterator[CheckPassed]:
    """The checks up to the one that decided; the rest were not reached."""
    for name, failing in _CHECKS:
        if verdict in failing:
            yield CheckPassed(name, False)
            return
        if verdict == "citable" or RANK[verdict] > max(RANK[v] for v in failing):
            yield CheckPassed(name, True)


def _events_about(present: Judge, reached: set[Node]) -> Iterator[Event]:
    """What was recorded about ids that the reader may read, and by what the reader may read."""
    world = present.world
    for claim in reached & world.claims.keys():
        new = world.superseded_by.get(claim)
        if new is not None and new in world.claims and not _withheld(present, new):
            yield Event(world.claims[new].at, "superseded", claim)
        if claim in world.restatements:
            yield Event(world.restatements[claim].at, "restated", claim)
    cited = reached & world.evidence.keys()
    for evidence in cited:
        yield from (Event(x.at, "scope stated", evidence) for x in world.scopes.get(evidence, ()))
    for source in {world.source_of[world.evidence[e].record.revision] for e in cited}:
        yield from (x for x in _about_source(world, source) if x.about not in present.asked.gone)


def _about_source(world: World, source: Node) -> Iterator[Event]:
    history = world.sources[source]
    kinds: tuple[tuple[EventKind, Sequence[Recorded[object]]], ...] = (
        ("revision recorded", history.revisions),
        ("scope stated", history.scopes),
        ("checked", history.checks),
        ("retired", history.retirements),
        ("authority stated", history.authorities),
    )
    for kind, statements in kinds:
        for x in statements:
            about = x.record.id if isinstance(x.record, r.RevisionRecord) else source
            about = x.record.of if isinstance(x.record, r.ScopeRecord) else about
            yield Event(x.at, kind, about)


def _reached(judge: Judge, id: Node) -> set[Node]:
    """The claim and all that it rests on by justifications of which the reader may read all."""
    reached, waiting = set[Node](), [] if _withheld(judge, id) else [id]
    while waiting:
        node = waiting.pop()
        if node in reached:
            continue
        reached.add(node)
        if node in judge.world.claims:
            waiting += [m for members in _justifications(judge, node) for m in members]
    return reached
