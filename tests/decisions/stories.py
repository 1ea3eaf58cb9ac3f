"""Random stories and questions. A step is drawn as small numbers, in order; what does not fit is left out,
so that a shrunk list of steps is a story too.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

from hypothesis import strategies as st
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
    Hold,
    Keeping,
    Membership,
    Moment,
    Relation,
    Restated,
    Retirement,
    Retraction,
    Revision,
    Revocation,
    Rewording,
    Scope,
    Sort,
    Source,
    Step,
    Story,
    Told,
    Value,
)

#: Two days before the clocks change in Berlin.
FIRST_DAY = date(2026, 3, 27)
BEGINNING = datetime(2026, 3, 27, 12, tzinfo=UTC)
DAYS = 7
DATED = ("bought", "sent")
LEVELS = ("official", "delegated", "informal")
OUTCOMES = ("current", "current", "changed", "gone", "unreachable")
PURPOSES = (None, None, "support")
READERS = ("ann", "ben")
GROUPS = ("group:staff", "group:board")

days = st.integers(0, DAYS).map(lambda n: FIRST_DAY + timedelta(days=n))
instants = st.integers(0, 4 * DAYS).map(lambda n: BEGINNING - timedelta(hours=12) + timedelta(hours=6 * n))
moments = st.one_of(days, days, instants)
small = st.integers(0, 7)
facts_known = st.sampled_from(("bought", "sent", "region", "total", "order"))


def sorts(zone: str, other: str) -> dict[str, Sort]:
    """The facts of every story; the date may have a zone of its own."""
    return {
        "question_date": Sort("question", zone),
        "bought": Sort("date", other),
        "sent": Sort("instant", zone),
        "region": Sort("code", zone),
        "total": Sort("number", zone),
        "order": Sort("code", zone, personal=True),
    }


# conditions


@st.composite
def periods(draw: st.DrawFn, stated: bool = False) -> Mapping[str, object]:
    fact = draw(st.sampled_from(("question_date", "bought", "sent")))
    edges: st.SearchStrategy[object] = st.sampled_from(("open",) if stated else ("open", "unknown"))
    first, second = draw(days), draw(days)
    low, high = min(first, second), max(first, second) + timedelta(days=1)
    from_ = draw(st.one_of(st.just(low), st.just(low), edges))
    until = draw(st.one_of(st.just(high), edges))
    if draw(st.booleans()) and draw(st.booleans()):
        from_ = datetime(low.year, low.month, low.day, 15, tzinfo=UTC) if from_ == low else from_
    if draw(st.booleans()) and draw(st.booleans()):
        until = datetime(high.year, high.month, high.day, 9, tzinfo=UTC) if until == high else until
    return {"fact": fact, "from": from_, "until": until}


numbers = st.sampled_from(
    (
        {"fact": "total", "min": Decimal(10)},
        {"fact": "total", "above": Decimal(10)},
        {"fact": "total", "max": Decimal(20)},
        {"fact": "total", "min": Decimal(10), "below": Decimal(20)},
    )
)
sets = st.sampled_from(
    (
        {"fact": "region", "in": ("DE", "FR")},
        {"fact": "region", "in": ("FR",)},
        {"fact": "order", "in": ("A-1",)},
    )
)

endless = st.builds(
    lambda fact, day: {"fact": fact, "from": day, "until": "unknown"},
    st.sampled_from(("question_date", "bought")),
    days,
)


@st.composite
def scopes(draw: st.DrawFn, stated: bool = False) -> Scope:
    """One or two conditions, each on a fact of its own."""
    one = st.one_of(periods(stated), periods(stated), periods(stated), numbers, sets)
    found: dict[str, Mapping[str, object]] = {}
    for condition in draw(st.lists(one, min_size=1, max_size=2)):
        found.setdefault(str(condition["fact"]), condition)
    return tuple(found.values())


@st.composite
def given_facts(draw: st.DrawFn, dated_question: bool = True) -> dict[str, Value]:
    facts: dict[str, Value] = {}
    if dated_question:
        question = draw(st.one_of(st.none(), days, instants))
        if question is not None:
            facts["question_date"] = question
    for fact, values in (
        ("bought", days),
        ("sent", instants),
        ("region", st.sampled_from(("DE", "FR", "GB"))),
        ("total", st.sampled_from((Decimal(5), Decimal(10), Decimal(20)))),
        ("order", st.sampled_from(("A-1", "B-2"))),
    ):
        if draw(st.integers(0, 2)) == 0:
            facts[fact] = draw(values)
    return facts


# steps, as drawn


@dataclass(frozen=True)
class Draft:
    """A step before its numbers became handles."""

    kind: str
    wait: int
    parts: Mapping[str, object] = field(default_factory=dict)


def drafts(kind: str, **parts: st.SearchStrategy[object]) -> st.SearchStrategy[Draft]:
    waits = st.sampled_from((0, 0, 6, 12, 24))
    return st.builds(Draft, st.just(kind), waits, st.fixed_dictionaries(parts))


governing = st.sampled_from((None, None, "bought", "sent"))
indifference = st.sampled_from((frozenset(), frozenset(), frozenset({"bought"}), frozenset({"sent"})))
relations = st.sampled_from((None, None, "replaces", "corrects", "parallel"))
groups = st.lists(st.lists(small, min_size=1, max_size=2), min_size=1, max_size=2)

limits = st.sampled_from((None, 12, 24, 36, 60)).map(lambda n: None if n is None else timedelta(hours=n))

step_drafts: dict[str, st.SearchStrategy[Draft]] = {
    "collection": drafts("collection", governed_by=governing, indifferent=indifference),
    "source": drafts(
        "source",
        level=st.sampled_from(LEVELS),
        collected=st.booleans(),
        governed_by=governing,
        indifferent=indifference,
    ),
    "revision": drafts(
        "revision",
        of=small,
        published=st.sampled_from((None, None, -24, -12, 24, -48)),
        scope=st.one_of(st.none(), scopes()),
        relation=relations,
        to=small,
        from_=moments,
    ),
    # one that a question leaves open: it says what it covers by a fact that is often not given, or no end
    "doubtful": drafts(
        "revision",
        of=small,
        published=st.sampled_from((None, None, -24, 24)),
        scope=st.one_of(numbers, sets, endless).map(lambda condition: (condition,)),
        relation=st.sampled_from((None, "corrects", "corrects", "parallel")),
        to=small,
        from_=moments,
    ),
    "restated": drafts("restated", of=small, evidence=st.booleans(), scope=scopes()),
    "evidence": drafts(
        "evidence",
        of=small,
        scope=st.one_of(st.none(), st.none(), scopes()),
        indifferent=indifference,
    ),
    "claim": drafts(
        "claim",
        support=groups,
        compute=st.booleans(),
        facts=given_facts(),
        bound=st.sampled_from((None, None, None, "bought", "sent", "region", "total", "order")),
        narrow=st.one_of(st.none(), st.none(), scopes(stated=True)),
        exposure=st.lists(small, max_size=1),
        old=st.one_of(st.none(), st.none(), small),
    ),
    "retraction": drafts("retraction", of=small),
    "rewording": drafts("rewording", of=small, exposure=st.lists(small, min_size=1, max_size=2)),
    "check": drafts("check", of=small, outcome=st.sampled_from(OUTCOMES)),
    "retirement": drafts("retirement", of=small, from_=instants),
    "authority": drafts("authority", of=small, level=st.sampled_from(LEVELS)),
    "grant": drafts(
        "grant",
        who=st.sampled_from((*READERS, *GROUPS)),
        read=st.sampled_from(("*", "collection:papers", "source", "source")),
        of=small,
        purpose=st.sampled_from(PURPOSES),
        until=st.one_of(st.none(), st.none(), moments),
    ),
    "revocation": drafts("revocation", of=small, wide=st.booleans()),
    "membership": drafts(
        "membership",
        who=st.sampled_from(READERS),
        group=st.sampled_from(GROUPS),
        left=st.sampled_from((False, False, True)),
    ),
    "denial": drafts("denial", of=small),
    "erasure": drafts(
        "erasure", sort=st.sampled_from((Source, Revision, Evidence, Evidence, Claim)), of=small
    ),
    "lost page": drafts("erasure", sort=st.just(Revision), of=small),
    "keeping": drafts("keeping", of=small, collected=st.booleans(), bytes_for=limits, metadata_for=limits),
    "hold": drafts("hold", of=small),
}
DECIDING = ("revision",) * 4 + ("doubtful",) + ("evidence",) * 4 + ("claim",) * 4 + ("restated",) * 2
DECIDING += ("collection", "source", "retraction", "retraction", "check", "check", "retirement", "authority")
REVISING = ("revision",) * 8 + ("evidence",) * 3 + ("restated",) * 3 + ("check", "collection", "claim")
DOUBTING = ("doubtful",) * 4 + ("evidence",) * 2 + ("revision", "restated", "check")
REWORDING = ("rewording", "rewording")
REMOVING = ("erasure",) * 3 + ("keeping",) * 3 + ("hold",)
CROWDED = ("doubtful",) * 3 + ("revision",) * 3 + ("evidence",) * 3 + ("lost page",) * 2 + ("keeping",)
ACCESS = ("grant",) * 3 + ("revocation", "membership", "membership", "denial")


def step_lists(kinds: tuple[str, ...], at_most: int) -> st.SearchStrategy[list[Draft]]:
    return st.lists(st.sampled_from(kinds).flatmap(lambda kind: step_drafts[kind]), max_size=at_most)


# from drafts to a story


class Teller:
    """Reads drafts in order and keeps what was told so far."""

    def __init__(self, zone: str, governed_by: str, other_zone: str) -> None:
        self.story = Story(zone, governed_by, sorts(zone, other_zone))
        self.now = BEGINNING
        self.told: list[Told] = []

    def names(self, kind: type) -> list[str]:
        return [t.step.name for t in self.told if isinstance(t.step, kind)]  # type: ignore[union-attr]

    def pick(self, kind: type, number: object) -> str | None:
        names = self.names(kind)
        return names[int(str(number)) % len(names)] if names else None

    def pick_support(self, number: object) -> str:
        names = self.names(Evidence) + self.names(Claim)
        return names[-1 - int(str(number)) % len(names)]

    def step(self, name: str) -> Step:
        return next(t.step for t in self.told if getattr(t.step, "name", None) == name)

    def read(self, draft: Draft) -> Step | None:
        """The step that a draft stands for here, or None when there is nothing for it to be about."""
        p = draft.parts
        match draft.kind:
            case "collection":
                return Collection("papers", p["governed_by"], p["indifferent"])  # type: ignore[arg-type]
            case "source":
                return self.new_source(p)
            case "revision":
                return self.new_revision(p)
            case "restated":
                of = self.pick(Evidence if p["evidence"] else Revision, p["of"])
                return Restated(of, p["scope"]) if of else None  # type: ignore[arg-type]
            case "evidence":
                of, count = self.pick(Revision, p["of"]), len(self.names(Evidence))
                return Evidence(f"ev_{count}", of, count, p["scope"], p["indifferent"]) if of else None  # type: ignore[arg-type]
            case "claim":
                return self.new_claim(p)
            case "retraction":
                of = self.pick(Claim, p["of"])
                return Retraction(of) if of else None
            case "rewording":
                of = self.pick(Claim, p["of"])
                used = tuple(dict.fromkeys(self.pick_support(n) for n in p["exposure"]))  # type: ignore[attr-defined]
                return Rewording(of, used) if of and of not in used else None
            case _:
                return self.read_other(draft.kind, p)

    def read_other(self, kind: str, p: Mapping[str, object]) -> Step | None:
        source = self.pick(Source, p.get("of", 0)) or ""
        match kind:
            case "check":
                return Check(source, str(p["outcome"]))
            case "retirement":
                return Retirement(source, p["from_"])  # type: ignore[arg-type]
            case "authority":
                return Authority(source, str(p["level"]))
            case "grant":
                read = source if p["read"] == "source" else str(p["read"])
                return Grant(str(p["who"]), read, p["purpose"], p["until"])  # type: ignore[arg-type]
            case "revocation":
                grants = [t.step for t in self.told if isinstance(t.step, Grant)]
                if not grants:
                    return None
                ended = grants[int(str(p["of"])) % len(grants)]
                return Revocation(ended.who, ended.read, None if p["wide"] else ended.purpose)
            case "membership":
                return Membership(str(p["who"]), str(p["group"]), bool(p["left"]))
            case "erasure":
                of = self.pick(p["sort"], p["of"])  # type: ignore[arg-type]
                return Erasure(of) if of else None
            case "keeping":
                on = "collection:papers" if p["collected"] else source
                return Keeping(on, p["bytes_for"], p["metadata_for"])  # type: ignore[arg-type]
            case "hold":
                return Hold(source)
            case _:
                before = [t.step for t in self.told if isinstance(t.step, Denial) and t.step.source == source]
                return Denial(source, bool(before) and not before[-1].allowed)

    def new_source(self, p: Mapping[str, object]) -> Source:
        collection = "papers" if p["collected"] else None
        return Source(
            f"src_{len(self.names(Source))}", p["level"], collection, p["governed_by"], p["indifferent"]
        )  # type: ignore[arg-type]

    def new_revision(self, p: Mapping[str, object]) -> Revision | None:
        source, count = self.pick(Source, p["of"]), len(self.names(Revision))
        if source is None:
            return None
        others = [n for n in self.names(Revision) if self.step(n).source == source]  # type: ignore[union-attr]
        relation = None
        if others and p["relation"]:
            kind = str(p["relation"])
            start: Moment | None = p["from_"] if kind == "replaces" else None  # type: ignore[assignment]
            relation = Relation(kind, others[-1 - int(str(p["to"])) % len(others)], start)
        published = self.now + timedelta(hours=int(str(p["published"] or 0)))
        return Revision(f"rev_{count}", source, published, p["scope"], relation)  # type: ignore[arg-type]

    def new_claim(self, p: Mapping[str, object]) -> Claim | None:
        if not self.names(Evidence):
            return None
        support = tuple(
            tuple(dict.fromkeys(self.pick_support(n) for n in members))
            for members in p["support"]  # type: ignore[attr-defined]
        )
        heads = [n for n in self.names(Claim) if n not in self.superseded()]
        old = heads[int(str(p["old"])) % len(heads)] if heads and p["old"] is not None else None
        if old is not None and self.chain(old) & self.below([m for members in support for m in members]):
            old = None
        facts = dict(p["facts"])  # type: ignore[call-overload]
        bound = frozenset({str(p["bound"])} & facts.keys())
        by, compute = (bound, True) if p["compute"] else (frozenset(), False)
        return Claim(
            f"cl_{len(self.names(Claim))}",
            support,
            "compute" if compute else "select",
            by,
            facts,
            frozenset() if compute else bound,
            p["narrow"],  # type: ignore[arg-type]
            tuple(self.pick_support(n) for n in p["exposure"]),  # type: ignore[attr-defined]
            old,
        )

    def superseded(self) -> set[str]:
        return {t.step.old for t in self.told if isinstance(t.step, Claim) and t.step.old}

    def chain(self, name: str) -> set[str]:
        older = self.step(name).old  # type: ignore[union-attr]
        return {name} | (self.chain(older) if older else set())

    def below(self, names: list[str]) -> set[str]:
        found = set(names)
        for name in names:
            step = self.step(name)
            if isinstance(step, Claim):
                found |= self.below([m for members in step.support for m in members])
        return found

    def tell(self, step: Step) -> None:
        self.told.append(Told(len(self.told), self.now, step))

    def finished(self) -> Story:
        return Story(self.story.zone, self.story.governed_by, self.story.sorts, tuple(self.told))


@dataclass(frozen=True)
class Plot:
    """A story that is still to be read: where it plays, and its drafts."""

    zone: str
    governed_by: str
    other_zone: str
    drafts: tuple[Draft, ...]

    def teller(self) -> Teller:
        return Teller(self.zone, self.governed_by, self.other_zone)


def opening() -> st.SearchStrategy[list[Draft]]:
    """A source, a revision of it and evidence: without these nothing can be asked."""
    return st.tuples(step_drafts["source"], step_drafts["revision"], step_drafts["evidence"]).map(list)


def plots(kinds: tuple[str, ...], at_most: int) -> st.SearchStrategy[Plot]:
    zones = st.sampled_from(("UTC", "Europe/Berlin"))
    return st.builds(
        lambda zone, fact, other, first, rest: Plot(zone, fact, other or zone, (*first, *rest)),
        zones,
        st.sampled_from(("question_date", "question_date", "bought", "sent")),
        st.sampled_from((None, None, "America/New_York")),
        opening(),
        step_lists(kinds, at_most),
    )


def read_plot(plot: Plot) -> Story:
    """The story, told to nobody."""
    teller = plot.teller()
    for draft in plot.drafts:
        teller.now += timedelta(hours=draft.wait)
        step = teller.read(draft)
        if step is not None:
            teller.tell(step)
    return teller.finished()


# questions


@dataclass(frozen=True)
class Query:
    """A question before its numbers became times and handles."""

    facts: Mapping[str, Value]
    later: int
    as_of: int | None
    min_authority: str
    max_age: int | None
    unreadable: int
    drifted: int
    who: str | None
    purpose: str | None


queries = st.builds(
    Query,
    given_facts(),
    st.sampled_from((0, 0, 6, 24, 72)),
    st.one_of(st.none(), st.none(), st.integers(0, 14)),
    st.sampled_from(("informal", "informal", "delegated", "official")),
    st.sampled_from((None, None, 6, 24, 48)),
    st.sampled_from((0, 0, 0, 1, 2, 3)),
    st.sampled_from((0, 0, 0, 0, 1, 2, 4)),
    st.sampled_from((*READERS, None, None, None)),
    st.sampled_from((None, "support")),
)


def ask_about(story: Story, query: Query, grants: bool) -> Ask:
    """The question put to a story that was told. ``grants``: permission comes from the story."""
    end = story.told[-1].at
    as_of = story.told[query.as_of % len(story.told)].at if query.as_of is not None else None
    sources = [t.step.name for t in story.told if isinstance(t.step, Source)]
    kept = frozenset(s for i, s in enumerate(sources) if not query.unreadable >> i & 1)
    payloads = [t.step.name for t in story.told if isinstance(t.step, Evidence | Claim)]
    age = timedelta(hours=query.max_age) if query.max_age is not None else None
    return Ask(
        end + timedelta(hours=query.later),
        query.facts,
        query.who if grants else None,
        query.purpose if grants else None,
        as_of,
        query.min_authority,
        age,
        None if grants else kept,
        frozenset() if grants else frozenset(n for i, n in enumerate(payloads) if query.drifted >> i & 1),
    )
