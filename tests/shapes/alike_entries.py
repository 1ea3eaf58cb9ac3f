"""Entries of few values, others that say nearly the same, and the same said of something else."""

import dataclasses
import random
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import TypeVar

from hypothesis import strategies as st
from test_forms import ALPHABET

from prov_ledger.model import records as r
from prov_ledger.model.facts import FactValue, SealedValue

T = TypeVar("T")
# Few values, so that what should differ is often the same.
BODIES = ["0" * 18, "1" * 18, "2z9a" + "0" * 14]
COMMITMENTS = ["0" * 64, "a1" * 32]
NUMBERS = [0, 1, 2, 3, 10, 10**18 - 1, 10**18]
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
INSTANTS = [
    NOW,
    NOW.astimezone(timezone(timedelta(hours=2))),
    datetime(2026, 6, 1, 12, 0, 0, 500000, UTC),
    datetime(2026, 6, 2, tzinfo=UTC),
    datetime(2024, 2, 29, 23, tzinfo=UTC),
    datetime(2024, 2, 29, 23, tzinfo=timezone(timedelta(hours=-4))),
]
STRINGS = [
    f"ev_{BODIES[0]}",
    COMMITMENTS[0],
    "%s",
    "%(a)s {0} {",
    "\0",
    '\\"',
    "a\nb\r\u2028",
    "tenant",
    "2",
    "é",
]
VALUES: list[FactValue] = [
    *(*STRINGS, *INSTANTS, date(2024, 2, 29), date(2026, 6, 1), date(2026, 6, 2)),
    *map(Decimal, ("0", "2", "-2", "0.5", "1E+30", "2.50")),
]
FACT_NAMES = ["region", "question_date", f"ev_{BODIES[1]}"]

BODY, COMMITMENT, INSTANT, NUMBER = map(st.sampled_from, (BODIES, COMMITMENTS, INSTANTS, NUMBERS))
FACTS = st.frozensets(st.sampled_from(FACT_NAMES), max_size=2)


def id_of(prefix: str) -> st.SearchStrategy[str]:
    return BODY.map(lambda body: f"{prefix}_{body}")


MEMBER = id_of("ev") | id_of("cl")
OUTCOME = st.sampled_from([("passed", None), ("untested", "no_question_yet")])
CONTEXTS = st.builds(
    r.ContextRecord,
    id_of("ent").map(lambda id: f"{id}#retrieval"),
    *(
        id_of("agt"),
        id_of("agt") | id_of("agt") | st.sampled_from(["", "*"]),
        st.none() | id_of("pur"),
        st.just("permit"),
    ),
    *(st.sampled_from(STRINGS), INSTANT, OUTCOME, OUTCOME),
)
EVIDENCE = st.builds(
    r.EvidenceRecord,
    *(id_of("ev"), id_of("rev")),
    st.builds(r.TextPosition, NUMBER, NUMBER) | st.builds(r.CellPosition, NUMBER, NUMBER, NUMBER),
    *(
        COMMITMENT,
        st.builds("{}{}".format, id_of("ent"), st.sampled_from(["", "#retrieval", "#retrieval.2", "#a b"])),
    ),
    *(st.none(), FACTS),
)
SEALED = st.builds(SealedValue, st.just("any"), COMMITMENT)
SUPERSESSIONS = st.builds(
    r.SupersessionRecord, id_of("cl"), id_of("cl"), st.none() | COMMITMENT, st.booleans()
)


@st.composite
def conclusions(draw: st.DrawFn) -> r.ClaimRecord:
    groups = draw(st.lists(st.lists(MEMBER, min_size=1, max_size=3).map(tuple), max_size=2).map(tuple))
    exposure = draw(st.frozensets(MEMBER, max_size=3)).union(*groups)
    how = r.Transformation(
        draw(st.sampled_from(["quote", "compute"])), draw(FACTS), draw(st.none() | COMMITMENT)
    )
    values = st.sampled_from(VALUES) | SEALED
    question = r.Question(
        draw(COMMITMENT), draw(st.dictionaries(st.sampled_from(FACT_NAMES), values, max_size=2))
    )
    agent, made, bound = draw(id_of("agt")), draw(INSTANT), draw(FACTS)
    return r.ClaimRecord(
        draw(id_of("cl")), draw(COMMITMENT), groups, exposure, how, question, agent, made, bound
    )


KINDS = [[CONTEXTS, EVIDENCE], [EVIDENCE], [CONTEXTS], [conclusions()], [conclusions(), SUPERSESSIONS]]
Written = tuple[r.Entry, list[r.Node]]


def entry_of(draw: st.DrawFn, records: Iterable[r.Record]) -> r.Entry:
    return r.entry_of(draw(id_of("ent")), draw(NUMBER), draw(id_of("agt")), draw(INSTANT), records)


def minted(draw: st.DrawFn, entry: r.Entry) -> list[r.Node]:
    """What an entry brings into being, or some of it."""
    ids = [x.node for x in entry.statements if isinstance(x.record, r.EvidenceRecord | r.ClaimRecord)]
    return [id for id in (entry.id, *ids) if draw(st.booleans())]


@st.composite
def written(draw: st.DrawFn) -> Written:
    entry = entry_of(draw, draw(st.sampled_from(KINDS).flatmap(lambda parts: st.tuples(*parts))))
    return entry, minted(draw, entry)


@st.composite
def nearly_same(draw: st.DrawFn) -> tuple[Written, Written]:
    """Two entries that differ in a field or two."""
    both = draw(st.sampled_from(KINDS).flatmap(lambda parts: st.tuples(st.tuples(*parts), st.tuples(*parts))))
    records = []
    for x, y in zip(*both, strict=True):
        names = draw(st.sets(st.sampled_from([f.name for f in dataclasses.fields(x)]), max_size=2))
        records.append(dataclasses.replace(x, **{name: getattr(y, name) for name in names}))
    entry, other = entry_of(draw, both[0]), entry_of(draw, records)
    names = draw(st.sets(st.sampled_from(["sequence", "recorded", "agent"]), min_size=2))
    other = dataclasses.replace(other, id=entry.id, **{name: getattr(entry, name) for name in names})
    return (entry, minted(draw, entry)), (other, minted(draw, other))


class Renaming:
    """Other ids, commitments, times and numbers in place of those that are there.

    Each has another of its own, or, where they are not kept apart, perhaps the same as a second one.
    """

    def __init__(self, seed: int, apart: bool) -> None:
        self._random, self._apart = random.Random(seed), apart
        self._made: dict[tuple[str, object], object] = {}

    def _other(self, kind: str, value: T, make: Callable[[int], T]) -> T:
        if (kind, value) not in self._made:
            used = [made for (of, _), made in self._made.items() if of == kind] if self._apart else []
            others = [made for made in map(make, range(2, 32 if self._apart else 5)) if made not in used]
            self._made[kind, value] = self._random.choice(others)
        return self._made[kind, value]  # type: ignore[return-value]

    def node(self, name: str) -> str:
        id, part, fragment = name.partition("#")
        prefix, _, body = id.partition("_")
        other = self._other(prefix, body, lambda number: ALPHABET[number] * 18) if body else ""
        return f"{prefix}_{other}{part}{fragment}" if body else name

    def commitment(self, value: str) -> str:
        return self._other("commitment", value, lambda number: f"{number:064x}")

    def optional(self, value: str | None) -> str | None:
        return None if value is None else self.commitment(value)

    def instant(self, value: datetime) -> datetime:
        return self._other("instant", value, lambda number: NOW + timedelta(hours=number))

    def number(self, value: int) -> int:
        return self._other("number", value, int) if 2 <= value < 10**18 else value

    def value(self, value: FactValue | SealedValue) -> FactValue | SealedValue:
        if isinstance(value, SealedValue):
            return SealedValue(value.node, self.commitment(value.commitment))
        if isinstance(value, datetime):
            return self.instant(value)
        if isinstance(value, date):
            return self._other("date", value, lambda number: date(2026, 7, 1) + timedelta(days=number))
        if isinstance(value, str):
            return self._other("text", value, lambda number: [*STRINGS, *map(str, range(99))][number])
        return self._other("decimal", value, Decimal)

    def record(self, x: r.Record) -> r.Record:
        if isinstance(x, r.ContextRecord):
            nodes = {name: self.node(getattr(x, name)) for name in ("id", "agent", "principal")}
            purpose = None if x.purpose is None else self.node(x.purpose)
            return dataclasses.replace(x, **nodes, purpose=purpose, retrieved=self.instant(x.retrieved))
        if isinstance(x, r.EvidenceRecord):
            nodes = {name: self.node(getattr(x, name)) for name in ("id", "revision", "context")}
            numbers = {f.name: getattr(x.selector, f.name) for f in dataclasses.fields(x.selector)}
            selector = type(x.selector)(**{name: self.number(number) for name, number in numbers.items()})
            return dataclasses.replace(x, **nodes, selector=selector, quote=self.commitment(x.quote))
        if isinstance(x, r.SupersessionRecord):
            return r.SupersessionRecord(
                self.node(x.old), self.node(x.new), self.optional(x.reason), x.reaffirmed
            )
        assert isinstance(x, r.ClaimRecord)
        facts = {name: self.value(value) for name, value in x.question.facts.items()}
        return dataclasses.replace(
            x,
            id=self.node(x.id),
            statement=self.commitment(x.statement),
            justifications=tuple(tuple(map(self.node, members)) for members in x.justifications),
            exposure=frozenset(map(self.node, x.exposure)),
            transformation=dataclasses.replace(x.transformation, note=self.optional(x.transformation.note)),
            question=r.Question(self.commitment(x.question.text), facts),
            agent=self.node(x.agent),
            made=self.instant(x.made),
        )

    def all(self, entry: r.Entry, minted: list[r.Node]) -> Written:
        records = [self.record(stated.record) for stated in entry.statements]
        id, agent = self.node(entry.id), self.node(entry.agent)
        sequence, recorded = self.number(entry.sequence), self.instant(entry.recorded)
        return r.entry_of(id, sequence, agent, recorded, records), list(map(self.node, minted))
