"""A made-up ledger of any size, written through the verbs: policies, their revisions, quotes and claims.

Seeded, so the same size gives the same shape: that of a busy support desk. Every source has eight
revisions, of which every second has a scope; every claim rests on one or two quotes, every fifth also
on an earlier claim, every fiftieth also on another source. Three of a hundred are corrections of
others, one is withdrawn. All is recorded over two years.

    python -m benchmarks.claims_ledger FOLDER CLAIMS
"""

import json
import random
import subprocess
import sys
from collections import deque
from dataclasses import asdict, dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from prov_ledger import Ledger

START = datetime(2024, 1, 1, tzinfo=UTC)
END = datetime(2026, 1, 1, tzinfo=UTC)
#: After everything was recorded: the clock of whoever reads.
LATER = datetime(2026, 6, 1, tzinfo=UTC)
REVISIONS = 8
STATE = timedelta(days=90)
CLAIMS_PER_SOURCE = 100
CORRECTIONS = 3
#: How many sources become durable together.
SOURCES_PER_BATCH = 10
AGENTS = 20
#: For which nearly all claims on the latest revisions stand, and for which none of them does.
STANDING = {"purchase_date": "2022-02-01"}
OUTSIDE = {"purchase_date": "2020-01-20"}
_LISTED = "built.json"


class Stepping:
    """A clock that stands still until it is stepped, so that a source shares one retrieval context."""

    def __init__(self, start: datetime = START) -> None:
        self.now = start

    def __call__(self) -> datetime:
        return self.now


@dataclass(slots=True)
class Built:
    """Ids of what was made, to ask about; ``current`` are standing claims on the latest revisions."""

    claims: list[str] = field(default_factory=list)
    current: list[str] = field(default_factory=list)
    superseded: list[str] = field(default_factory=list)
    revisions: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)


class Builder:
    """Writes claims into a fresh ledger; ``built`` names them once they are made."""

    def __init__(self, folder: Path, claims: int, seed: int = 7) -> None:
        self.clock = Stepping()
        self.ledger = Ledger.init(
            folder, facts={"purchase_date": "date"}, governed_by="purchase_date", clock=self.clock
        )
        self.random = random.Random(seed)
        self.sources = max(1, claims // CLAIMS_PER_SOURCE)
        self.built = Built()
        #: Evidence of recent sources by the state of the revision, for claims on several sources.
        self._recent: list[deque[str]] = [deque(maxlen=CLAIMS_PER_SOURCE) for _ in range(REVISIONS)]

    def build(self) -> None:
        """Write everything, a batch at a time."""
        for agent in range(AGENTS):
            self.ledger.grant(f"agent {agent}", "*")
        for first in range(0, self.sources, SOURCES_PER_BATCH):
            with self.ledger.batch():
                for number in range(first, min(first + SOURCES_PER_BATCH, self.sources)):
                    self.clock.now = START + (END - START) * number / self.sources
                    self.write_source(number)

    def write_source(self, number: int) -> None:
        """One source with its revisions, claims, thread, corrections and check."""
        agent = f"agent {number % AGENTS}"
        source = self.ledger.source(native=f"policies/{number}.md", title=f"Policy {number}")
        self.built.sources.append(source)
        revisions = [self._revision(source, number, state) for state in range(REVISIONS)]
        own: list[list[str]] = [[] for _ in revisions]
        for line in range(CLAIMS_PER_SOURCE - CORRECTIONS):
            state = line * REVISIONS // CLAIMS_PER_SOURCE
            own[state].append(self.write_claim(revisions[state], number, line, own[state], agent))
        made = [claim for claims in own for claim in claims]
        self.ledger.remind(self.random.sample(made, 10), 400, thread=f"case {number}", by=agent)
        self.ledger.evidence(revisions[0], quote=sentence(number, CLAIMS_PER_SOURCE, 0), by=agent)
        fallen = self._correct(made, revisions[-1], number, agent)
        self.ledger.contradict(made[-2:], by=agent)
        if self.random.random() < 0.95:
            self.ledger.check(source, "current" if self.random.random() < 0.98 else "gone")
        self.built.claims += made
        self.built.current += [claim for claim in own[-1] if claim not in fallen]

    def _revision(self, source: str, number: int, state: int) -> str:
        text = "\n".join(sentence(number, line, state) for line in range(CLAIMS_PER_SOURCE + 1))
        first = _first_day(number, state)
        until = first + STATE if state < REVISIONS - 1 else "open"
        revision = self.ledger.revision(
            source,
            data=f"# Returns\n\n{text}\n",
            label=f"state {state}",
            media_type="text/markdown",
            published=datetime(first.year, first.month, first.day, tzinfo=UTC),
            scope=[{"fact": "purchase_date", "from": first, "until": until}] if state % 2 else None,
        )
        self.built.revisions.append(revision)
        return revision

    def write_claim(self, revision: str, number: int, line: int, own: list[str], agent: str) -> str:
        """Evidence for one line of a revision, and the claim that rests on it."""
        state, rng = line * REVISIONS // CLAIMS_PER_SOURCE, self.random
        support = [self.ledger.evidence(revision, quote=sentence(number, line, state), by=agent)]
        if rng.random() < 0.3:
            other = rng.randrange(CLAIMS_PER_SOURCE)
            support.append(self.ledger.evidence(revision, quote=sentence(number, other, state), by=agent))
        if self._recent[state] and rng.random() < 0.02:
            support.append(rng.choice(self._recent[state]))
        self._recent[state].append(support[0])
        if own and rng.random() < 0.2:
            support.append(rng.choice(own))
        return self.ledger.claim(
            says=f"By policy {number}, item {line} may be returned within {30 + line} days.",
            support=list(dict.fromkeys(support)),
            transformation={"kind": "summarise"},
            question={
                "text": "How long may it be returned?",
                "facts": {"purchase_date": _first_day(number, state) + timedelta(days=5)},
            },
            by=agent,
        )

    def _correct(self, made: list[str], revision: str, number: int, agent: str) -> set[str]:
        """Replace three claims and withdraw one; those that fell."""
        fallen = self.random.sample(made, CORRECTIONS + 1)
        for old in fallen[1:]:
            line = CLAIMS_PER_SOURCE - CORRECTIONS
            evidence = self.ledger.evidence(revision, quote=sentence(number, line, REVISIONS - 1), by=agent)
            new = self.ledger.supersede(
                old,
                says=f"By policy {number}, item {line} may be returned within {37 + line} days.",
                support=[evidence],
                transformation={"kind": "quote"},
                question={"text": "How long may it be returned?", "facts": {}},
                reason="read again",
                by=agent,
            )
            made.append(new)
            self.built.superseded.append(old)
        self.ledger.retract(fallen[0], by=agent)
        return set(fallen)


def _first_day(number: int, state: int) -> date:
    """When a state of a policy begins to govern; policies change on different days."""
    return date(2020, 1, 1) + timedelta(days=number * 7 % STATE.days) + state * STATE


def sentence(number: int, line: int, state: int) -> str:
    """A line of a policy, unlike any other of the same page."""
    return f"Item {line} of policy {number} may be returned within {30 + line + state} days of purchase."


def build_or_open(folder: Path, claims: int) -> Built:
    """What a ledger holds; it is built, by a process of its own, when the folder is not there."""
    if not (folder / _LISTED).exists():
        subprocess.run([sys.executable, "-m", __name__, str(folder), str(claims)], check=True)
    return Built(**json.loads((folder / _LISTED).read_text()))


def main(folder: Path, claims: int) -> None:
    builder = Builder(folder, claims)
    builder.build()
    builder.ledger.close()
    (folder / _LISTED).write_text(json.dumps(asdict(builder.built)))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
