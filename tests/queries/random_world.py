"""Small random ledgers, as entries: enough of everything for every query to have something to find."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

from prov_ledger.model import records as r
from prov_ledger.model.facts import SealedValue
from prov_ledger.model.ids import mint_id
from prov_ledger.model.scopes import Among, Condition, Edge, Period, Range, Scope
from prov_ledger.rdf.encode import encode_entry

START = datetime(2026, 1, 1, tzinfo=UTC)
DAYS = 60


@dataclass(frozen=True, slots=True)
class Said:
    """A record with its node and the time at which it was recorded."""

    node: r.Node
    record: r.Record
    at: datetime


class RandomWorld:
    """A random ledger: ``entries`` to encode, ``said`` to compute from, ids by kind to ask about."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.agents = [self._id("agt") for _ in range(3)]
        self.entries: list[r.Entry] = []
        self.said: list[Said] = []
        self.ids: dict[str, list[str]] = {"agt": self.agents, "src": [], "rev": [], "ev": [], "cl": []}
        self.threads: list[str] = []
        self._exposure: dict[str, frozenset[str]] = {}
        self._scoped: dict[str, str] = {}
        self._open: list[str] = []
        self._now = START
        for records in self._story():
            self._enter(records)

    def leaves(self, base: str) -> bytes:
        """Encode every entry."""
        return b"".join(encode_entry(base, entry) for entry in self.entries)

    def instant(self) -> datetime:
        """A random instant within the story, or just outside."""
        return START + timedelta(hours=self.rng.randrange(-24, DAYS * 24))

    def _enter(self, records: list[r.Record]) -> None:
        self._now += timedelta(hours=self.rng.randrange(1, 18))
        entry = r.entry_of(self._id("ent"), len(self.entries) + 1, self.agents[0], self._now, records)
        self.entries.append(entry)
        self.said += [Said(stated.node, stated.record, self._now) for stated in entry.statements]
        for stated in entry.statements:
            if isinstance(stated.record, r.ScopeRecord):
                self._scoped[stated.record.of] = stated.node

    def _story(self) -> Iterator[list[r.Record]]:
        yield [r.AgentRecord(a, self._hex(), frozenset({r.Role.AGENT})) for a in self.agents]
        for _ in range(3):
            yield [self._source()]
        for _ in range(40):
            yield self._step()

    def _step(self) -> list[r.Record]:
        if not self.ids["rev"]:
            return [self._revision()]
        if not self.ids["ev"]:
            return self._evidence()
        if len(self.ids["cl"]) < 3:
            return [self._claim()]
        choices = [self._evidence, self._later_scope, self._fate, self._reminder, self._contradiction]
        one = [self._revision, self._claim, self._claim, self._claim, self._check, self._restatement]
        pick = self.rng.randrange(len(choices) + len(one))
        return choices[pick]() if pick < len(choices) else [one[pick - len(choices)]()]

    def _source(self) -> r.Record:
        source = self._new("src")
        return r.SourceRecord(source, "git", self._hex(), self._hex(), self.rng.choice(r.LEVELS))

    def _revision(self) -> r.Record:
        revision, at = self._new("rev"), self.instant()
        source = self.rng.choice(self.ids["src"][:2])
        return r.RevisionRecord(
            revision, source, "text/plain", 10, self._hex(), self._hex(), at, at,
            f"{revision}#capture", self._maybe_scope(revision),
        )  # fmt: skip

    def _evidence(self) -> list[r.Record]:
        agent, context = self.rng.choice(self.agents), self._id("ent") + "#retrieval"
        evidence = self._new("ev")
        at = self.instant()
        return [
            r.ContextRecord(
                context, agent, agent, None, "permit", "1", at, ("passed", None), ("untested", "no_question")
            ),
            r.EvidenceRecord(
                evidence, self.rng.choice(self.ids["rev"]), r.TextPosition(0, 3), self._hex(), context,
                self._maybe_scope(evidence),
            ),
        ]  # fmt: skip

    def _claim(self) -> r.Record:
        pool = self.ids["ev"] + self.ids["cl"]
        sets = tuple(
            tuple(self.rng.sample(pool, min(len(pool), self.rng.randrange(1, 3))))
            for _ in range(self.rng.randrange(1, 3))
        )
        claim = self._new("cl")
        self._open.append(claim)
        exposure = {member for members in sets for member in members} | {self.rng.choice(self.ids["ev"])}
        exposure = exposure.union(*(self._exposure.get(member, frozenset()) for member in exposure))
        self._exposure[claim] = frozenset(exposure)
        return r.ClaimRecord(
            claim, self._hex(), sets, frozenset(exposure),
            r.Transformation(self.rng.choice(r.TRANSFORMATIONS)),
            r.Question(self._hex(), {}), self.rng.choice(self.agents), self.instant(), frozenset(),
            self._maybe_scope(claim),
        )  # fmt: skip

    def _fate(self) -> list[r.Record]:
        if len(self._open) < 2:
            return [self._check()]
        old = self._open.pop(self.rng.randrange(len(self._open)))
        if self.rng.random() < 0.4:
            return [r.RetractionRecord(old)]
        newer = [claim for claim in self._open if self.ids["cl"].index(claim) > self.ids["cl"].index(old)]
        return [r.SupersessionRecord(old, self.rng.choice(newer))] if newer else [self._check()]

    def _later_scope(self) -> list[r.Record]:
        of = self.rng.choice(self.ids["rev"] + self.ids["ev"])
        statements: list[r.Record] = [r.ScopeRecord(of, self._scope(f"{self._id('ent')}#scope"))]
        if of in self._scoped:
            statements.append(r.EndingRecord((self._scoped[of],)))
        return statements

    def _reminder(self) -> list[r.Record]:
        held = tuple(self.rng.sample(self.ids["cl"], 3))
        agent, records = self.rng.choice(self.agents), list[r.Record]()
        if not self.threads or self.rng.random() < 0.3:
            self.threads.append(self._id("ent") + "#thread")
            records.append(r.ThreadRecord(self.threads[-1], self._hex(), agent))
        thread = self.rng.choice([*self.threads, None])
        return [*records, r.ReminderRecord(self._id("rem"), held, 100, agent, self.instant(), thread)]

    def _contradiction(self) -> list[r.Record]:
        one, two = self.rng.sample(self.ids["cl"], 2)
        return [r.ContradictionRecord((one, two))]

    def _check(self) -> r.Record:
        source, outcome = self.rng.choice(self.ids["src"]), self.rng.choice(r.CHECK_OUTCOMES)
        return r.CheckRecord(self._id("ent") + "#check", source, outcome, self.instant())

    def _restatement(self) -> r.Record:
        exposure = frozenset(self.rng.sample(self.ids["ev"], 1))
        node = self._id("ent") + "#restatement"
        claim, agent = self.rng.choice(self.ids["cl"]), self.rng.choice(self.agents)
        return r.RestatementRecord(node, claim, self._hex(), exposure, agent, self.instant())

    def _maybe_scope(self, of: str) -> Scope | None:
        if self.rng.random() < 0.5:
            return None
        self._scoped[of] = f"{of}#scope"
        return self._scope(f"{of}#scope")

    def _scope(self, node: str) -> Scope:
        kinds = self.rng.sample(["purchase_date", "shipped_at", "total", "region", "order"], 2)
        return Scope(tuple(self._condition(kind, node, n) for n, kind in enumerate(kinds, start=1)))

    def _condition(self, fact: str, node: str, number: int) -> Condition:
        if fact == "total":
            low, high = sorted(self.rng.sample(range(10), 2))
            bounds = [Decimal(low), Decimal(high) + Decimal("0.5")]
            inclusive = [self.rng.random() < 0.5 for _ in bounds]
            return Range(fact, bounds[0], inclusive[0], bounds[1], inclusive[1])
        if fact == "region":
            return Among(fact, frozenset(self.rng.sample(["DE", "FR", "NL"], 2)))
        if fact == "order":
            return Among(fact, frozenset({SealedValue(f"{node}.{number}.v1", self._hex())}))
        return self._period(fact)

    def _period(self, fact: str) -> Period:
        days = sorted(self.rng.sample(range(DAYS), 2))
        bounds: list[date] = [START + timedelta(days=day) for day in days]
        if self.rng.random() < (0.8 if fact == "purchase_date" else 0.2):
            bounds = [bound.date() for bound in bounds if isinstance(bound, datetime)]
        edges = [self.rng.choice([*[bound] * 4, Edge.OPEN, Edge.UNKNOWN]) for bound in bounds]
        return Period(fact, edges[0], edges[1])

    def _new(self, kind: str) -> str:
        self.ids[kind].append(self._id(kind))
        return self.ids[kind][-1]

    def _id(self, prefix: str) -> str:
        return mint_id(prefix, self.rng.randbytes)

    def _hex(self) -> str:
        return f"{self.rng.getrandbits(256):064x}"
