"""A made-up ledger of any size, written through the verbs: policies, their revisions, quotes and claims.

Seeded, so the same size gives the same shape. Every source has eight revisions, of which every second
has a scope; every claim rests on one or two quotes, every fifth also on an earlier claim.
"""

import random
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from prov_ledger import Ledger

START = datetime(2024, 1, 1, tzinfo=UTC)
REVISIONS = 8
CLAIMS_PER_SOURCE = 100
#: How many claims become durable together.
CLAIMS_PER_BATCH = 1_000


class Stepping:
    """A clock that stands still until it is stepped, so that a batch shares one retrieval context."""

    def __init__(self, start: datetime = START) -> None:
        self.now = start

    def __call__(self) -> datetime:
        return self.now

    def step(self) -> None:
        self.now += timedelta(minutes=1)


class Builder:
    """Writes claims into a fresh ledger; ``claims`` names them once they are made."""

    def __init__(self, folder: Path, seed: int = 7) -> None:
        self.clock = Stepping()
        self.ledger = Ledger.init(
            folder, facts={"purchase_date": "date"}, governed_by="purchase_date", clock=self.clock
        )
        self.random = random.Random(seed)
        self.claims: list[str] = []

    def build(self, claims: int) -> None:
        """Write until there are so many claims, a batch at a time."""
        while len(self.claims) < claims:
            self.clock.step()
            with self.ledger.batch():
                for _ in range(CLAIMS_PER_BATCH // CLAIMS_PER_SOURCE):
                    self._source()

    def _source(self) -> None:
        number = len(self.claims) // CLAIMS_PER_SOURCE
        source = self.ledger.source(native=f"policies/{number}.md", title=f"Policy {number}")
        revisions = [self._revision(source, number, state) for state in range(REVISIONS)]
        own: dict[str, list[str]] = {revision: [] for revision in revisions}
        for line in range(CLAIMS_PER_SOURCE):
            revision = revisions[line * REVISIONS // CLAIMS_PER_SOURCE]
            claim = self._claim(revision, number, line, own[revision])
            self.claims.append(claim)
            own[revision].append(claim)

    def _revision(self, source: str, number: int, state: int) -> str:
        text = "\n".join(_sentence(number, line, state) for line in range(CLAIMS_PER_SOURCE))
        first = date(2020, 1, 1) + timedelta(days=90 * state)
        until = first + timedelta(days=90)
        period = {"fact": "purchase_date", "from": first, "until": until if state < 7 else "open"}
        return self.ledger.revision(
            source,
            data=text,
            label=f"state {state}",
            media_type="text/markdown",
            published=datetime(first.year, first.month, first.day, tzinfo=UTC),
            scope=[period] if state % 2 else None,
        )

    def _claim(self, revision: str, number: int, line: int, own: list[str]) -> str:
        state = line * REVISIONS // CLAIMS_PER_SOURCE
        support = [self.ledger.evidence(revision, quote=_sentence(number, line, state))]
        if self.random.random() < 0.3:
            other = self.random.randrange(CLAIMS_PER_SOURCE)
            support.append(self.ledger.evidence(revision, quote=_sentence(number, other, state)))
        if own and self.random.random() < 0.2:
            support.append(self.random.choice(own))
        day = date(2020, 1, 1) + timedelta(days=90 * state + 5)
        claim = self.ledger.claim(
            says=f"By policy {number}, item {line} may be returned within {30 + line} days.",
            support=list(dict.fromkeys(support)),
            transformation={"kind": "summarise"},
            question={"text": "How long may it be returned?", "facts": {"purchase_date": day}},
        )
        if self.random.random() < 0.01:
            self.ledger.retract(claim)
        return claim


def _sentence(number: int, line: int, state: int) -> str:
    return f"Item {line} of policy {number} may be returned within {30 + line + state} days of purchase."


def current_of(claims: list[str]) -> list[str]:
    """Those of all claims, in the order in which they were made, that rest on the latest revision."""
    last = REVISIONS - 1
    return [
        claim
        for number, claim in enumerate(claims)
        if number % CLAIMS_PER_SOURCE * REVISIONS // CLAIMS_PER_SOURCE == last
    ]


def build_or_open(folder: Path, claims: int) -> list[str]:
    """The ids of a ledger's claims; it is built when the folder is not there, with its graph."""
    listed = folder / "claims.txt"
    if not listed.exists():
        builder = Builder(folder)
        builder.build(claims)
        with builder.ledger as ledger:
            ledger.rebuild()
        listed.write_text("\n".join(builder.claims))
    return listed.read_text().split()
