"""Scopes: how they are stated, that their intersection is one of sets, and what may narrow what."""

from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prov_ledger.errors import Refused
from prov_ledger.model.facts import FactTable, SealedValue, parse_fact_type
from prov_ledger.model.scopes import (
    Among,
    Edge,
    Period,
    Range,
    Scope,
    check_narrowing,
    intersect,
    open_scope,
    parse_scope,
    period_facts,
)

NEW_YORK = "America/New_York"


def make_table() -> FactTable:
    table = FactTable(NEW_YORK)
    declared = {
        "d": "date",
        "i": "instant",
        "n": {"number": "USD"},
        "c": "code",
        "t": "text",
        "p": {"code": "personal"},
        "born": {"date": "personal"},
        "apia": {"date": "Pacific/Apia"},
    }
    for name, raw in declared.items():
        table = table.declare(parse_fact_type(name, raw, table.zone))
    return table


TABLE = make_table()


def code_of(raw: object) -> str:
    with pytest.raises(Refused) as refused:
        parse_scope(raw, TABLE)
    return refused.value.code


def scope_of(*conditions) -> Scope:
    return intersect(Scope(tuple(conditions)), Scope(), TABLE)


@pytest.mark.parametrize(
    ("raw", "condition"),
    [
        (
            {"fact": "d", "from": date(2026, 1, 1), "until": "2026-06-01"},
            Period("d", date(2026, 1, 1), date(2026, 6, 1)),
        ),
        ({"fact": "d", "from": "open", "until": "2026-06-01"}, Period("d", Edge.OPEN, date(2026, 6, 1))),
        ({"fact": "d", "until": "2026-06-01"}, Period("d", Edge.UNKNOWN, date(2026, 6, 1))),
        ({"fact": "d", "from": "2026-06-01", "until": None}, Period("d", date(2026, 6, 1), Edge.UNKNOWN)),
        ({"fact": "d", "from": "unknown", "until": "unknown"}, Period("d", Edge.UNKNOWN, Edge.UNKNOWN)),
        (
            {"fact": "i", "from": "2026-03-08T00:00:00-05:00", "until": "2026-11-01"},
            Period("i", datetime(2026, 3, 8, 5, tzinfo=UTC), date(2026, 11, 1)),
        ),
        ({"fact": "n", "min": 100}, Range("n", Decimal(100), True, None, True)),
        (
            {"fact": "n", "above": 100, "below": "200 USD"},
            Range("n", Decimal(100), False, Decimal(200), False),
        ),
        ({"fact": "n", "min": 5, "max": 5}, Range("n", Decimal(5), True, Decimal(5), True)),
        ({"fact": "c", "in": ["DE", "FR", "DE"]}, Among("c", frozenset({"DE", "FR"}))),
        ({"fact": "p", "in": ["88-1417"]}, Among("p", frozenset({"88-1417"}))),
        ({"fact": "born", "in": [date(1980, 1, 1)]}, Among("born", frozenset({date(1980, 1, 1)}))),
    ],
)
def test_a_condition_is_read(raw, condition):
    assert parse_scope([raw], TABLE).conditions == (condition,)


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ([], "bad_scope"),
        ({}, "bad_scope"),
        (None, "bad_scope"),
        ("always", "bad_scope"),
        (["always"], "bad_scope"),
        ([{"from": "2026-01-01"}], "bad_scope"),
        ([{"fact": "d"}], "bad_scope"),
        ([{"fact": "d", "frm": "2026-01-01"}], "bad_scope"),
        ([{"fact": "n", "min": 1, "in": [2]}], "bad_scope"),
        ([{"fact": "n", "min": 1, "above": 2}], "bad_scope"),
        ([{"fact": "n", "min": None}], "bad_scope"),
        ([{"fact": "c", "in": []}], "bad_scope"),
        ([{"fact": "c", "in": "DE"}], "bad_scope"),
        ([{"fact": "d", "from": "2026-05-01", "until": "2026-05-01"}], "bad_scope"),
        ([{"fact": "d", "from": "2026-05-02", "until": "2026-05-01"}], "bad_scope"),
        ([{"fact": "i", "from": "2026-05-01", "until": "2026-05-01T04:00:00Z"}], "bad_scope"),
        ([{"fact": "n", "min": 2, "max": 1}], "bad_scope"),
        ([{"fact": "n", "above": 1, "max": 1}], "bad_scope"),
        ([{"fact": "n", "min": 1, "below": 1}], "bad_scope"),
        ([{"fact": "n", "max": 1}, {"fact": "n", "min": 2}], "bad_scope"),
        ([{"fact": "c", "in": ["DE"]}, {"fact": "c", "in": ["FR"]}], "bad_scope"),
        ([{"fact": "x", "from": "2026-01-01"}], "undeclared_fact"),
        ([{"fact": "d", "from": "nonsense"}, {"fact": "x", "in": ["a"]}], "undeclared_fact"),
        ([{"fact": "d", "from": "2026-01-01T00:00:00"}], "bad_fact"),
        ([{"fact": "d", "from": "2026-01-01", "until": "9999-12-31"}], "bad_fact"),
        ([{"fact": "d", "from": 2026}], "bad_fact"),
        ([{"fact": "d", "from": "Open"}], "bad_fact"),
        ([{"fact": "i", "until": datetime(2026, 1, 1)}], "bad_fact"),
        ([{"fact": "d", "min": 1}], "bad_fact"),
        ([{"fact": "d", "in": ["2026-01-01"]}], "bad_fact"),
        ([{"fact": "c", "from": "2026-01-01"}], "bad_fact"),
        ([{"fact": "n", "in": [1]}], "bad_fact"),
        ([{"fact": "n", "min": "open"}], "bad_fact"),
        ([{"fact": "n", "min": "100 EUR"}], "bad_fact"),
        ([{"fact": "n", "min": True}], "bad_fact"),
        ([{"fact": "c", "in": [False]}], "bad_fact"),
        ([{"fact": "born", "from": "1980-01-01"}], "bad_fact"),
    ],
)
def test_a_scope_that_says_nothing_or_nonsense_is_refused(raw, code):
    assert code_of(raw) == code


def test_a_day_that_a_zone_skipped_is_still_a_day_of_the_calendar():
    assert parse_scope([{"fact": "apia", "from": "2011-12-30", "until": "2011-12-31"}], TABLE).facts == {
        "apia"
    }


def test_conditions_on_one_fact_are_merged_and_all_are_ordered():
    stated = [
        {"fact": "n", "min": 1},
        {"fact": "c", "in": ["DE", "FR"]},
        {"fact": "n", "below": 9},
        {"fact": "c", "in": ["FR", "GB"]},
    ]
    merged = (Among("c", frozenset({"FR"})), Range("n", Decimal(1), True, Decimal(9), False))
    assert {parse_scope(order, TABLE).conditions for order in (stated, stated[::-1])} == {merged}


def test_the_facts_of_a_scope_and_those_with_periods():
    scope = parse_scope([{"fact": "d", "from": "2026-01-01"}, {"fact": "n", "min": 1}], TABLE)
    assert (scope.facts, period_facts(scope)) == ({"d", "n"}, {"d"})


def test_a_known_end_does_not_hide_that_another_end_is_unknown():
    known, unknown = Period("d", Edge.OPEN, date(2027, 1, 1)), Period("d", date(2026, 1, 1), Edge.UNKNOWN)
    both = intersect(Scope((known,)), Scope((unknown,)), TABLE)
    assert both.conditions == (
        Period("d", date(2026, 1, 1), date(2027, 1, 1)),
        Period("d", Edge.OPEN, Edge.UNKNOWN),
    )


def test_a_date_and_the_instant_it_begins_with_are_one_bound():
    day, instant = date(2026, 11, 1), datetime(2026, 11, 1, 4, tzinfo=UTC)
    orders = [(day, instant), (instant, day)]
    merged = {scope_of(*(Period("i", b, Edge.OPEN) for b in order)).conditions for order in orders}
    assert merged == {(Period("i", day, Edge.OPEN),)}


def test_two_sealed_sets_are_both_kept_unless_one_holds_the_other():
    one, two, three = (SealedValue(f"ev_{k}#scope.1.v1", str(k) * 64) for k in (1, 2, 3))
    small, wide, other = (Among("p", frozenset(s)) for s in ([one], [one, two], [three]))
    assert [scope_of(small, wide).conditions, scope_of(other, wide).conditions] == [(small,), (wide, other)]


def test_sealed_values_open_to_what_was_sealed():
    sealed = frozenset({SealedValue("ev_1#scope.1.v1", "0" * 64), SealedValue("ev_1#scope.1.v2", "1" * 64)})
    opened = open_scope(Scope((Among("born", sealed),)), {"ev_1#scope.1.v1": "1980-01-01"}, TABLE)
    assert opened.conditions[0].values == {date(1980, 1, 1), SealedValue("ev_1#scope.1.v2", "1" * 64)}


dates = st.dates(date(2026, 3, 6), date(2026, 3, 11))
hours = st.datetimes(datetime(2026, 3, 6), datetime(2026, 3, 11)).map(
    lambda d: d.replace(tzinfo=UTC, minute=0, second=0, microsecond=0)
)
bounds = st.one_of(dates, hours, st.sampled_from(Edge))
small = st.integers(0, 5).map(Decimal)
numbers = st.one_of(st.none(), small)
conditions = st.one_of(
    st.builds(Period, st.sampled_from(["d", "i", "question_date"]), bounds, bounds),
    st.builds(Range, st.just("n"), numbers, st.booleans(), numbers, st.booleans()),
    st.builds(Among, st.just("c"), st.frozensets(st.sampled_from("ABC"), min_size=1)),
)


def try_scope(*parts) -> Scope | None:
    try:
        return scope_of(*(c for part in parts for c in part))
    except Refused as refusal:
        if refusal.code != "bad_scope":
            raise
        return None


lists = st.lists(conditions, max_size=4)


def meet(a: Scope | None, b: Scope | None) -> Scope | None:
    return None if a is None or b is None else try_scope(a.conditions, b.conditions)


@given(lists, lists, lists)
def test_intersection_is_associative_commutative_and_idempotent(x, y, z):
    a, b, c = try_scope(x), try_scope(y), try_scope(z)
    assert meet(a, b) == meet(b, a)
    assert meet(a, meet(b, c)) == meet(meet(a, b), c)
    assert meet(a, a) == a


@given(lists)
def test_a_scope_is_inside_itself_unless_it_is_empty(x):
    scope = try_scope(x)
    if scope is not None:
        check_narrowing(scope, scope, TABLE)


def is_narrower(narrow: Scope, support: Scope) -> bool:
    try:
        check_narrowing(narrow, support, TABLE)
    except Refused as refusal:
        if refusal.code not in ("widened_scope", "bad_scope"):
            raise
        return False
    return True


ranges = st.builds(Range, st.just("n"), numbers, st.booleans(), numbers, st.booleans())


def holds(r: Range, x: Decimal) -> bool:
    above = r.low is None or (x >= r.low if r.low_inclusive else x > r.low)
    return above and (r.high is None or (x <= r.high if r.high_inclusive else x < r.high))


@given(ranges, ranges)
def test_a_range_narrows_exactly_where_it_is_a_subset(a, b):
    narrow, wide = try_scope([a]), try_scope([b])
    if narrow is None or wide is None:
        return
    points = [Decimal(k) / 2 for k in range(-2, 13)]
    members = [{x for x in points if holds(r, x)} for r in (a, b)]
    assert is_narrower(narrow, wide) == (members[0] <= members[1])


days = [date(2026, 3, day) for day in range(6, 13)]
plain_bounds = st.one_of(st.sampled_from(days[1:-1]), st.just(Edge.OPEN))
plain_periods = st.builds(Period, st.just("d"), plain_bounds, plain_bounds)


def days_in(p: Period) -> set[date]:
    return {
        d for d in days if (p.from_ is Edge.OPEN or d >= p.from_) and (p.until is Edge.OPEN or d < p.until)
    }


@given(plain_periods, plain_periods)
def test_a_period_narrows_exactly_where_it_is_a_subset(a, b):
    narrow, wide = try_scope([a]), try_scope([b])
    if narrow is not None and wide is not None:
        assert is_narrower(narrow, wide) == (days_in(a) <= days_in(b))


JANUARY, JUNE = date(2026, 1, 1), date(2026, 6, 1)


@pytest.mark.parametrize(
    ("narrow", "support", "inside"),
    [
        (JUNE, Edge.OPEN, True),
        (JUNE, Edge.ASSUMED_OPEN, True),
        (JUNE, Edge.UNKNOWN, True),
        (Edge.UNKNOWN, Edge.UNKNOWN, True),
        (Edge.UNKNOWN, Edge.OPEN, True),
        (Edge.OPEN, Edge.ASSUMED_OPEN, True),
        (Edge.OPEN, Edge.UNKNOWN, False),
        (Edge.ASSUMED_OPEN, Edge.UNKNOWN, False),
        (Edge.UNKNOWN, JUNE, False),
        (Edge.OPEN, JUNE, False),
    ],
)
def test_what_an_unstated_bound_may_narrow(narrow, support, inside):
    inner, outer = (Scope((Period("d", JANUARY, until),)) for until in (narrow, support))
    assert is_narrower(inner, outer) is inside


def test_a_fact_that_the_support_says_nothing_about_may_be_narrowed():
    narrow, support = (
        Scope((Among("c", frozenset({"DE"})),)),
        Scope((Range("n", Decimal(1), True, None, True),)),
    )
    assert is_narrower(narrow, support)


def test_a_narrowing_that_leaves_nothing_is_an_empty_scope():
    with pytest.raises(Refused) as refused:
        check_narrowing(
            Scope((Among("c", frozenset({"DE"})),)), Scope((Among("c", frozenset({"FR"})),)), TABLE
        )
    assert refused.value.code == "bad_scope"


@pytest.mark.parametrize(("inner", "outer"), list(product(["AB", "A", "B"], repeat=2)))
def test_a_set_narrows_exactly_where_it_is_a_subset(inner, outer):
    narrow, support = (Scope((Among("c", frozenset(values)),)) for values in (inner, outer))
    assert is_narrower(narrow, support) == (set(inner) <= set(outer))
