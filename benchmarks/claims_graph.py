"""A made-up tenant of any size, as entries: policies, their revisions, quotes, claims and threads.

Seeded, so the same size gives the same bytes. Proportions are those of a busy support desk: most
claims rest on one or two quotes, some on earlier claims; a few percent are replaced or withdrawn.
"""

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta

from prov_ledger.model import records as r
from prov_ledger.model.ids import mint_id
from prov_ledger.model.scopes import Edge, Period, Scope
from prov_ledger.rdf.encode import encode_entry

START = datetime(2024, 1, 1, tzinfo=UTC)
END = datetime(2026, 1, 1, tzinfo=UTC)
REVISIONS = 8
CLAIMS_PER_SOURCE = 100
RECORDS_PER_ENTRY = 20


@dataclass(slots=True)
class Built:
    """Ids of what was made, to ask about."""

    claims: list[str] = field(default_factory=list)
    evidence: list[str] = field(default_factory=list)
    revisions: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    agents: list[str] = field(default_factory=list)
    threads: list[str] = field(default_factory=list)


class Tenant:
    """Makes the records of a tenant with ``claims`` claims; ``built`` names them once they are made."""

    def __init__(self, claims: int, seed: int = 7) -> None:
        self.random = random.Random(seed)
        self.claims = claims
        self.built = Built()
        self._alive: list[str] = []
        self._exposure: dict[str, frozenset[str]] = {}

    def leaves(self, base: str) -> Iterator[bytes]:
        """Encode everything, entry by entry."""
        entry_ids = random.Random(0)  # of its own, so that the records are the same without encoding

        def entry_id() -> str:
            return mint_id("ent", entry_ids.randbytes)

        agent = mint_id("agt", entry_ids.randbytes)
        step = (END - START) / max(1, self.claims)
        waiting: list[r.Record] = []
        sequence = 0
        for record in self.records():
            waiting.append(record)
            if len(waiting) == RECORDS_PER_ENTRY:
                sequence += 1
                at = START + step * len(self.built.claims)
                yield encode_entry(base, r.entry_of(entry_id(), sequence, agent, at, waiting))
                waiting = []
        yield encode_entry(base, r.entry_of(entry_id(), sequence + 1, agent, END, waiting))

    def records(self) -> Iterator[r.Record]:
        """Make the records in an order in which each names only earlier ones."""
        self.built.agents = [self._id("agt") for _ in range(20)]
        for agent in self.built.agents:
            yield r.AgentRecord(agent, self._commitment(), frozenset({r.Role.AGENT}))
        for _ in range(max(1, self.claims // CLAIMS_PER_SOURCE)):
            yield from self._source()

    def _source(self) -> Iterator[r.Record]:
        source = self._id("src")
        self.built.sources.append(source)
        yield r.SourceRecord(source, "git", self._commitment(), self._commitment(), "official")
        revisions = list(self._revisions(source))
        yield from revisions
        context = self._context()
        yield context
        own: list[str] = []
        for number in range(CLAIMS_PER_SOURCE):
            evidence = self._evidence(revisions[number * REVISIONS // CLAIMS_PER_SOURCE].id, context.id)
            yield evidence
            if self.random.random() < 0.99:
                yield from self._claim(evidence.id, own)
        if self.random.random() < 0.9:
            outcome: r.CheckOutcome = "current" if self.random.random() < 0.9 else "gone"
            yield r.CheckRecord(self._id("ent") + "#check", source, outcome, self._instant())
        yield from self._thread(own)
        yield r.ContradictionRecord((own[-1], own[-2]))

    def _revisions(self, source: str) -> Iterator[r.RevisionRecord]:
        previous = None
        for number in range(REVISIONS):
            revision = self._id("rev")
            self.built.revisions.append(revision)
            at = START + (END - START) * number / REVISIONS
            yield r.RevisionRecord(
                revision, source, "text/markdown", 4_000, self._commitment(), self._commitment(), at, at,
                f"{revision}#capture", self._scope(at.date()) if number % 2 else None, None, previous,
            )  # fmt: skip
            previous = revision

    def _scope(self, start: date) -> Scope:
        until = start + timedelta(days=self.random.randrange(1, 900))
        return Scope((Period("purchase_date", start, until if self.random.random() < 0.7 else Edge.OPEN),))

    def _context(self) -> r.ContextRecord:
        agent = self.random.choice(self.built.agents)
        return r.ContextRecord(
            self._id("ent") + "#retrieval", agent, agent, None, "permit", "1", self._instant(),
            ("passed", None), ("untested", "no_question"),
        )  # fmt: skip

    def _evidence(self, revision: str, context: str) -> r.EvidenceRecord:
        evidence = self._id("ev")
        self.built.evidence.append(evidence)
        start = self.random.randrange(3_900)
        scope = self._scope(START.date()) if self.random.random() < 0.05 else None
        position = r.TextPosition(start, start + 60)
        return r.EvidenceRecord(evidence, revision, position, self._commitment(), context, scope)

    def _claim(self, evidence: str, own: list[str]) -> Iterator[r.Record]:
        claim, rng = self._id("cl"), self.random
        support = [evidence]
        if rng.random() < 0.3:
            support.append(rng.choice(self.built.evidence[-CLAIMS_PER_SOURCE:]))
        if own and rng.random() < 0.2:
            support.append(rng.choice(own[-20:]))
        if rng.random() < 0.02:
            support.append(rng.choice(self.built.evidence))
        exposure = frozenset(support).union(*(self._exposure.get(member, ()) for member in support))
        self._exposure[claim] = exposure
        kind = rng.choice(r.TRANSFORMATIONS)
        yield r.ClaimRecord(
            claim, self._commitment(), (tuple(dict.fromkeys(support)),), exposure, r.Transformation(kind),
            r.Question(self._commitment(), {"purchase_date": self._instant().date()}),
            rng.choice(self.built.agents), self._instant(),
        )  # fmt: skip
        yield from self._fate(claim, own)
        self.built.claims.append(claim)
        own.append(claim)

    def _fate(self, claim: str, own: list[str]) -> Iterator[r.Record]:
        fate = self.random.random()
        if own and fate < 0.03 and own[-1] in self._alive:
            self._alive.remove(own[-1])
            yield r.SupersessionRecord(own[-1], claim)
        elif fate > 0.99:
            yield r.RetractionRecord(claim)
            return
        self._alive = [*self._alive[-5:], claim]

    def _thread(self, claims: list[str]) -> Iterator[r.Record]:
        thread, agent = self._id("ent") + "#thread", self.random.choice(self.built.agents)
        self.built.threads.append(thread)
        yield r.ThreadRecord(thread, self._commitment(), agent)
        held = tuple(self.random.sample(claims, 10))
        yield r.ReminderRecord(self._id("rem"), held, 400, agent, self._instant(), thread)

    def _id(self, prefix: str) -> str:
        return mint_id(prefix, self.random.randbytes)

    def _commitment(self) -> str:
        return f"{self.random.getrandbits(256):064x}"

    def _instant(self) -> datetime:
        return START + timedelta(seconds=self.random.randrange(int((END - START).total_seconds())))


def chunks(leaves: Iterable[bytes], size: int = 4 << 20) -> Iterator[bytes]:
    """Join leaves to chunks of about ``size`` bytes."""
    waiting: list[bytes] = []
    length = 0
    for leaf in leaves:
        waiting.append(leaf)
        length += len(leaf)
        if length >= size:
            yield b"".join(waiting)
            waiting, length = [], 0
    yield b"".join(waiting)
