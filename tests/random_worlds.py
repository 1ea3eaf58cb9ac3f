"""Random ledgers, written through the verbs, and random questions to them.

A ``RandomLedger`` drives a real ledger on disk: each step draws one verb with arguments that mostly fit,
on a scripted clock that moves on by seconds or by days. Everything follows from the seed, ids apart, so
a failing seed tells the same story again. What a step draws may be refused (a claim whose quotes exclude
each other, a denied source); ``refused`` counts the codes. ``question`` draws ids, a reader, facts, a
purpose, demands and a time to read as of, all over what is recorded.

Nothing here knows how a ledger decides: compare what two ways of reading or deciding say.
"""

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TypeVar

from prov_ledger import Ledger
from prov_ledger.errors import Refused
from prov_ledger.ledger.graph import GraphFactory
from prov_ledger.model.ids import mint_id
from prov_ledger.store.oxigraph import OxigraphStore

START = datetime(2026, 3, 1, 8, tzinfo=UTC)
FIRST_DAY = date(2025, 12, 1)
DAYS = 240
FACTS: Mapping[str, object] = {
    "purchase_date": "date",
    "order_at": "instant",
    "region": "code",
    "total": {"number": "EUR"},
    "customer": {"code": "personal"},
}
GOVERNING = ("question_date", "purchase_date", "order_at")
DATED = ("purchase_date", "order_at")
READERS = ("curator", "curator", "ann", "ann", "ben", "eve", "eve", "nobody")
WRITERS = (None, None, "ann", "ben")
PURPOSES = (None, None, None, "support", "audit")
COLLECTIONS = ("policies", "terms")
LEVELS = ("official", "official", "delegated", "informal")
OUTCOMES = ("current", "current", "changed", "gone", "unreachable")
REGIONS = ("DE", "FR", "US")
CUSTOMERS = ("C-1", "C-2")
LINES = 6
T = TypeVar("T")
Scope = list[dict[str, object]]


def in_memory(folder: Path, base: str) -> OxigraphStore:
    """A graph that lies in no folder."""
    return OxigraphStore(None, base)


class ScriptedClock:
    """A clock that stands still until it is moved."""

    def __init__(self, now: datetime = START) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def move(self, by: timedelta) -> None:
        self.now += by


@dataclass(frozen=True)
class Question:
    """One resolve, as ``Ledger.resolve`` takes it."""

    ids: tuple[str, ...]
    principal: str
    facts: Mapping[str, object]
    purpose: str | None
    as_of: datetime | None
    min_authority: str
    max_age: str | None


@dataclass(frozen=True)
class Page:
    """A revision with the quotes that it holds, each once; a table also has cells."""

    id: str
    source: str
    lines: tuple[str, ...]
    table: bool


class Draws:
    """Random values; dates and instants lie close together, so that periods meet."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def day(self) -> date:
        return FIRST_DAY + timedelta(days=10 * self.random.randrange(DAYS // 10))

    def instant(self) -> datetime:
        day = self.day()
        return datetime(day.year, day.month, day.day, self.random.choice((0, 9, 22, 23)), tzinfo=UTC)

    def fact(self, name: str) -> object:
        """A value of a fact."""
        match name:
            case "purchase_date":
                return self.day()
            case "order_at":
                return self.instant()
            case "region":
                return self.random.choice(REGIONS)
            case "total":
                return self.random.choice((5, 10, 20, 40))
            case "customer":
                return self.random.choice(CUSTOMERS)
            case _:
                return self.random.choice((self.day, self.instant))()

    def facts(self) -> dict[str, object]:
        """Values of some facts, or of most."""
        share = self.random.choice((0.3, 0.6, 0.9))
        names = [name for name in (*FACTS, "question_date") if self.chance(share)]
        return {name: self.fact(name) for name in names}

    def scope(self) -> Scope:
        """One to three conditions on different facts."""
        kinds = (self._period, self._period, self._period, self._range, self._set, self._sealed)
        found: dict[object, dict[str, object]] = {}
        for kind in self.random.sample(kinds, self.random.choice((1, 1, 1, 2, 3))):
            condition = kind()
            found.setdefault(condition["fact"], condition)
        return list(found.values())

    def maybe_scope(self, share: float) -> Scope | None:
        return self.scope() if self.chance(share) else None

    def _period(self) -> dict[str, object]:
        fact = self.random.choice((*DATED, "purchase_date", "question_date"))
        first = self.day()
        last = first + timedelta(days=self.random.choice((1, 90, 200, 400)))
        edges: tuple[object, ...] = ("open", None)
        condition: dict[str, object] = {"fact": fact, "from": first, "until": last}
        if self.chance(0.3):
            condition["from"] = self.random.choice(edges)
        if self.chance(0.4):
            condition["until"] = self.random.choice(edges)
        return {key: value for key, value in condition.items() if value is not None}

    def _range(self) -> dict[str, object]:
        low = {self.random.choice(("min", "above")): self.random.choice((1, 5, 10))}
        high = {self.random.choice(("max", "below")): self.random.choice((20, 40, 99))}
        chosen = self.random.choice((low, high, low | high))
        return {"fact": "total", **chosen}

    def _set(self) -> dict[str, object]:
        return {"fact": "region", "in": self.random.sample(REGIONS, self.random.choice((1, 2)))}

    def _sealed(self) -> dict[str, object]:
        return {"fact": "customer", "in": self.random.sample(CUSTOMERS, self.random.choice((1, 2)))}


class RandomLedger:
    """A ledger that grows by random steps; closed by ``close``."""

    def __init__(
        self, folder: Path, seed: int, *, base: str | None = None, graph: GraphFactory = in_memory
    ) -> None:
        self.draws = Draws(seed)
        self.clock = ScriptedClock()
        self.ledger = Ledger.init(
            folder,
            base=base,
            zone=self._one(("UTC", "Europe/Berlin", "America/New_York")),
            governed_by=self._one(GOVERNING),
            facts=FACTS,
            clock=self.clock,
            graph=graph,
        )
        self.sources: list[str] = []
        self.pages: list[Page] = []
        self.evidence: list[str] = []
        self.claims: list[str] = []
        self.made_for: list[Mapping[str, object]] = []
        self.denied: list[str] = []
        self.held: list[str] = []
        self.moments: list[datetime] = [self.clock.now]
        self.refused: Counter[str] = Counter()
        self.taken: Counter[str] = Counter()
        self._begin()

    def close(self) -> None:
        self.ledger.close()

    def _one(self, choices: Sequence[T]) -> T:
        return self.draws.random.choice(choices)

    def _begin(self) -> None:
        """Readers with grants, two sources with a page each, some quotes: what every story needs."""
        self.ledger.agent("ann")
        self.ledger.agent("ben", ["agent", "curator"])
        for who in ("ann", "ben"):
            self.ledger.grant(who, "*")
        for step in (self._source, self._source, self._revision, self._revision, *[self._evidence] * 4):
            self._take(step)

    def grow(self, steps: int) -> None:
        """Take so many steps, some of them together in a batch."""
        while steps > 0:
            together = self._one((1, 1, 1, 4, 8))
            if together == 1:
                self._take(self._draw())
            else:
                with self.ledger.batch():
                    for _ in range(together):
                        self._take(self._draw(), waits=False)
            steps -= together

    def _draw(self) -> Callable[[], None]:
        steps = self._weighted()
        return self.draws.random.choices(list(steps), list(steps.values()))[0]

    def _weighted(self) -> dict[Callable[[], None], int]:
        return {
            self._source: 3,
            self._retitle: 1,
            self._rename: 1,
            self._collection: 2,
            self._revision: 8,
            self._rescope: 5,
            self._evidence: 16,
            self._claim: 26,
            self._supersede: 9,
            self._retract: 1,
            self._restate: 4,
            self._reaffirm: 2,
            self._contradict: 1,
            self._remind: 1,
            self._grant: 4,
            self._revoke: 3,
            self._member: 3,
            self._deny: 2,
            self._check: 4,
            self._retire: 1,
            self._authority: 2,
            self._declare: 1,
            self._erase: 5,
            self._retention: 2,
            self._hold: 2,
            self._sweep: 4,
        }

    def _take(self, step: Callable[[], None], waits: bool = True) -> None:
        if waits:
            self.clock.move(timedelta(seconds=self._one((0, 1, 3600, 86_400, 6 * 86_400))))
        try:
            step()
        except Refused as refusal:
            self.refused[refusal.code] += 1
        else:
            self.taken[step.__name__] += 1
        if self.moments[-1] != self.clock.now:
            self.moments.append(self.clock.now)

    # what the steps do

    def _source(self) -> None:
        number = len(self.sources)
        self.sources.append(
            self.ledger.source(
                native=f"page-{number}",
                title=f"Page {number}",
                authority=self._one(LEVELS),
                collection=self._one((None, *COLLECTIONS)),
                governed_by=self._one((None, None, *GOVERNING)),
                indifferent_to=[name for name in DATED if self.draws.chance(0.15)],
                came_from=self._one((None, *self.sources)) if self.draws.chance(0.2) else None,
            )
        )

    def _retitle(self) -> None:
        number = self.draws.random.randrange(len(self.sources))
        self.ledger.source(native=f"page-{number}", title=f"Page {number}, edition {self.clock.now:%j}")

    def _rename(self) -> None:
        since = self.clock.now - timedelta(days=self._one((0, 3)))
        self.ledger.rename(self._one(self.sources), f"renamed-{self.draws.random.random()}", since)

    def _collection(self) -> None:
        self.ledger.collection(
            self._one(COLLECTIONS),
            governed_by=self._one((None, *GOVERNING)),
            indifferent_to=[name for name in DATED if self.draws.chance(0.2)],
            sensitive=self.draws.chance(0.2),
            reaffirm=self.draws.chance(0.2),
        )

    def _revision(self) -> None:
        source, number = self._one(self.sources), len(self.pages)
        lines = tuple(self._line(source, line) for line in range(LINES))
        table = self.draws.chance(0.3)
        data = "\n".join(
            ("item,days", *(f"{text},{30 + n}" for n, text in enumerate(lines))) if table else lines
        )
        id = self.ledger.revision(
            source,
            data=data,
            label=f"v{number}",
            media_type="text/csv" if table else "text/plain",
            published=self.draws.instant() if self.draws.chance(0.5) else None,
            scope=self.draws.maybe_scope(0.4),
            relation=self._relation(source),
        )
        self.pages.append(Page(id, source, lines, table))

    def _line(self, source: str, line: int) -> str:
        """Most sentences survive an edit."""
        edition = self._one((0, 0, 0, len(self.pages)))
        return f"Item {line} of page {self.sources.index(source)} may go back (edition {edition})."

    def _relation(self, source: str) -> dict[str, object] | None:
        earlier = [page.id for page in self.pages if page.source == source]
        if not earlier or self.draws.chance(0.4):
            return None
        kind = self._one(("replaces", "corrects", "parallel"))
        relation: dict[str, object] = {kind: self._one(earlier)}
        if kind == "replaces":
            relation["from"] = self._one((self.draws.day, self.draws.instant))()
        return relation

    def _rescope(self) -> None:
        of = self._one(self.evidence) if self.draws.chance(0.4) else self._one(self.pages).id
        self.ledger.scope(of, self.draws.scope())

    def _evidence(self) -> None:
        page = self._one(self.pages)
        line = self.draws.random.randrange(LINES)
        scope = self.draws.maybe_scope(0.2)
        indifferent = [name for name in DATED if self.draws.chance(0.3)]
        by, purpose = self._one(WRITERS), self._one(PURPOSES)
        if page.table and self.draws.chance(0.7):
            row: object = line + 1 if self.draws.chance(0.5) else {"item": page.lines[line]}
            cell = {"row": row, "column": "days"}
            id = self.ledger.evidence(
                page.id, cell=cell, scope=scope, indifferent_to=indifferent, by=by, purpose=purpose
            )
        else:
            id = self.ledger.evidence(
                page.id,
                quote=page.lines[line],
                scope=scope,
                indifferent_to=indifferent,
                by=by,
                purpose=purpose,
            )
        if id not in self.evidence:
            self.evidence.append(id)

    def _conclusion(self) -> dict[str, object]:
        """The keywords of a claim: one to three alternatives of one or two members each."""
        pool = self.evidence[-8:] + self.claims[-6:]
        groups = [
            self.draws.random.sample(pool, min(len(pool), self._one((1, 1, 2))))
            for _ in range(self._one((1, 1, 1, 2, 3)))
        ]
        facts = self.draws.facts()
        kind = self._one(("quote", "select", "compute", "combine", "summarise"))
        used = [name for name in facts if name != "question_date" and self.draws.chance(0.3)]
        note = {"note": "by the table"} if self.draws.chance(0.2) else {}
        return {
            "says": f"Conclusion {len(self.claims)}.",
            "support": groups,
            "transformation": {"kind": kind, "by": used, **note},
            "question": {"text": "May it go back?", "facts": facts},
            "bound_to": [name for name in facts if self.draws.chance(0.15)],
            "narrow": self.draws.maybe_scope(0.15),
            "exposure": self.draws.random.sample(pool, 2) if self.draws.chance(0.3) else [],
            "by": self._one(WRITERS),
            "purpose": self._one(PURPOSES),
        }

    def _claim(self) -> None:
        new = self._conclusion()
        self.claims.append(self.ledger.claim(**new))  # type: ignore[arg-type]
        self.made_for.append(new["question"]["facts"])  # type: ignore[index]

    def _some_claim(self) -> str:
        if not self.claims:
            raise Refused("incomplete", "no claim was made yet")
        return self._one(self.claims)

    def _supersede(self) -> None:
        old = self._some_claim()
        reason = self._one((None, "It was wrong."))
        new = self.ledger.supersede(old, **self._conclusion(), reason=reason)  # type: ignore[arg-type]
        self.claims.append(new)

    def _retract(self) -> None:
        self.ledger.retract(self._some_claim(), reason=self._one((None, "It was wrong.")))

    def _restate(self) -> None:
        exposure = self.draws.random.sample(self.evidence, min(len(self.evidence), 2))
        self.ledger.restate(self._some_claim(), says="In other words.", exposure=exposure)

    def _reaffirm(self) -> None:
        self.ledger.reaffirm([self._some_claim()])

    def _contradict(self) -> None:
        self.ledger.contradict([self._some_claim(), self._some_claim()])

    def _remind(self) -> None:
        self.ledger.remind([self._some_claim()], 200, thread=self._one((None, "call-1")))

    def _what(self) -> str:
        return self._one((*self.sources, *(f"collection:{name}" for name in COLLECTIONS), "*"))

    def _grant(self) -> None:
        until = self.clock.now + timedelta(days=self._one((1, 30))) if self.draws.chance(0.3) else None
        who = self._one(("ann", "eve", "eve", "group:staff"))
        self.ledger.grant(who, self._what(), for_purpose=self._one(PURPOSES), until=until)

    def _revoke(self) -> None:
        self.ledger.revoke(self._one(("ann", "eve", "group:staff")), self._what())

    def _member(self) -> None:
        self.ledger.member(self._one(("ann", "eve")), "group:staff", left=self.draws.chance(0.3))

    def _deny(self) -> None:
        """Deny a source, or more often allow again what is denied."""
        if self.denied and self.draws.chance(0.8):
            self.ledger.allow(self.denied.pop(), "settled")
        else:
            source = self._one(self.sources)
            self.ledger.deny(source, self._one((None, "disputed")))
            self.denied.append(source)

    def _check(self) -> None:
        self.ledger.check(self._one(self.sources), self._one(OUTCOMES))

    def _retire(self) -> None:
        self.ledger.retire(self._one(self.sources), self._one((self.draws.day, self.draws.instant))())

    def _authority(self) -> None:
        self.ledger.authority(self._one(self.sources), self._one(LEVELS))

    def _declare(self) -> None:
        self.ledger.declare_fact(f"extra_{self.draws.random.randrange(4)}", "code")

    def _erase(self) -> None:
        """Erase something, seldom a whole source; what is under a hold, or in a batch, is refused."""
        pools = (self.evidence, self.evidence, self.claims or self.evidence, [p.id for p in self.pages])
        self.ledger.erase([self._one(self.sources if self.draws.chance(0.1) else self._one(pools))])

    def _retention(self) -> None:
        on = self._one((*self.sources, *(f"collection:{name}" for name in COLLECTIONS)))
        limits = (None, None, "P40D", "P4M")
        self.ledger.retention(on, bytes_for=self._one(limits), metadata_for=self._one(limits))

    def _hold(self) -> None:
        """Hold a source, or more often release one that is held."""
        if self.held and self.draws.chance(0.6):
            self.ledger.release(self.held.pop(), "settled")
        else:
            source = self._one(self.sources)
            self.ledger.hold(source, self._one((None, "case 7")))
            self.held.append(source)

    def _sweep(self) -> None:
        self.ledger.sweep()

    # questions

    def ids(self) -> tuple[str, ...]:
        """Up to six ids, most of them known, some of no entity or malformed."""
        known = self.evidence + self.claims * 2
        strange = (mint_id("cl"), mint_id("ev"), self._one(self.sources), "cl_0000000000000000zz")
        found = [self._one(strange) if self.draws.chance(0.08) else self._one(known) for _ in range(6)]
        return tuple(found[: self._one((1, 3, 6))])

    def moment(self) -> datetime | None:
        """A time to read as of: None for now, otherwise at or between two entries."""
        if self.draws.chance(0.6):
            return None
        since = self._one((0, len(self.moments) // 2, len(self.moments) * 3 // 4))
        return self._one(self.moments[since:]) + timedelta(seconds=self._one((0, 0, 1)))

    def question(self) -> Question:
        """A question to this ledger."""
        return Question(
            self.ids(),
            self._one(READERS),
            self._one(self.made_for) if self.made_for and self.draws.chance(0.4) else self.draws.facts(),
            self._one(PURPOSES),
            self.moment(),
            self._one(("informal", "informal", "delegated", "official")),
            self._one((None, None, None, "P20D")),
        )
