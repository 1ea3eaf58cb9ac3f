"""Applicability against a slow and obvious model: a date is the set of hours that its calendar shows."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from prov_ledger.checks.applicability import Applicability, check_scope
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
    parse_scope,
)
from prov_ledger.model.times import civil_date, parse_instant

ZONE = "America/New_York"
HOUR = timedelta(hours=1)
FIRST = datetime(2026, 3, 6, 5, tzinfo=UTC)
#: Five days and a margin, among them the one of 23 hours (8 March 2026).
HOURS = [FIRST + k * HOUR for k in range(5 * 24)]
RETRIEVED, CONFIRMED = datetime(2026, 3, 7, 17, tzinfo=UTC), datetime(2026, 3, 9, 17, tzinfo=UTC)


def make_table() -> FactTable:
    table = FactTable(ZONE)
    declared = {"d": "date", "i": "instant", "n": {"number": "USD"}, "c": "code", "p": {"code": "personal"}}
    for name, raw in declared.items():
        table = table.declare(parse_fact_type(name, raw, table.zone))
    return table


TABLE = make_table()


def judge(scope: Scope, facts, opened=None, confirmed=CONFIRMED) -> Applicability:
    return check_scope(scope, facts, TABLE, retrieved=RETRIEVED, confirmed=confirmed, opened=opened or {})


def period(from_, until, fact="d") -> Scope:
    return Scope((Period(fact, from_, until),))


def hours_of(value: date | datetime) -> list[datetime]:
    if isinstance(value, datetime):
        return [value]
    margin = [FIRST - 48 * HOUR + k * HOUR for k in range(9 * 24)]
    return [hour for hour in margin if civil_date(hour, ZONE) == value]


def is_at_or_after(hour: datetime, bound: date | datetime) -> bool:
    return hour >= bound if isinstance(bound, datetime) else civil_date(hour, ZONE) >= bound


def modelled(condition: Period, value: date | datetime) -> str:
    """The outcome by looking at each hour of the value in turn."""
    hours = hours_of(value)
    begun = {_begun(hour, condition.from_) for hour in hours}
    over = {_over(hour, condition.until) for hour in hours}
    if over == {True}:
        return "ended"
    if begun == {False}:
        return "not_yet"
    return "applies" if begun == {True} and over == {False} else "unknown"


def _begun(hour: datetime, bound) -> bool | None:
    if isinstance(bound, Edge):
        return None if bound is Edge.UNKNOWN and hour < RETRIEVED else True
    return is_at_or_after(hour, bound)


def _over(hour: datetime, bound) -> bool | None:
    if isinstance(bound, Edge):
        # The confirmation is in the middle of a day, so the last hour of no day straddles it.
        return None if bound is Edge.UNKNOWN and hour > CONFIRMED else False
    return is_at_or_after(hour, bound)


dates = st.dates(date(2026, 3, 6), date(2026, 3, 10))
hours = st.sampled_from(HOURS)
moments = st.one_of(dates, hours)
bounds = st.one_of(dates, hours, st.sampled_from(Edge))


@settings(max_examples=600)
@given(bounds, bounds, moments)
def test_a_period_agrees_with_looking_at_each_hour(from_, until, value):
    condition = Period("question_date", from_, until)
    try:
        scope = intersect(Scope((condition,)), Scope(), TABLE)
    except Refused:
        return
    assert judge(scope, {"question_date": value}).outcome == modelled(condition, value)


numbers = st.integers(0, 4).map(Decimal)
limits = st.one_of(st.none(), numbers)
conditions = st.one_of(
    st.builds(Period, st.just("d"), bounds, bounds),
    st.builds(Period, st.just("i"), bounds, bounds),
    st.builds(Range, st.just("n"), limits, st.booleans(), limits, st.booleans()),
    st.builds(Among, st.just("c"), st.frozensets(st.sampled_from("ABC"), min_size=1)),
)
questions = st.fixed_dictionaries(
    {"question_date": moments}, optional={"d": dates, "i": hours, "n": numbers, "c": st.sampled_from("ABC")}
)
scopes = st.lists(conditions, max_size=4)


def merged(*parts) -> Scope | None:
    try:
        return intersect(Scope(tuple(c for part in parts for c in part)), Scope(), TABLE)
    except Refused:
        return None


@settings(max_examples=400)
@given(scopes, scopes, questions)
def test_an_intersection_is_judged_as_all_of_its_conditions_are(x, y, facts):
    both = merged(x, y)
    separately = judge(Scope((*x, *y)), facts)
    if both is None:
        assert separately.outcome != "applies"
    elif both.facts == Scope((*x, *y)).facts:
        assert judge(both, facts) == separately


@settings(max_examples=400)
@given(scopes, scopes, questions)
def test_where_a_narrowing_applies_its_support_does_not_surely_fail(x, y, facts):
    narrow, support = merged(x), merged(y)
    if narrow is None or support is None:
        return
    try:
        check_narrowing(narrow, support, TABLE)
    except Refused:
        return
    shared = Scope(tuple(c for c in support.conditions if c.fact in narrow.facts))
    if judge(narrow, facts).outcome == "applies":
        assert judge(shared, facts).outcome in ("applies", "unknown")


@given(scopes, questions)
def test_what_applies_still_applies_after_a_later_confirmation(x, facts):
    scope = Scope(tuple(x))
    if judge(scope, facts).outcome == "applies":
        assert judge(scope, facts, confirmed=CONFIRMED + 9 * HOUR).outcome == "applies"


@given(scopes, questions)
def test_taking_a_fact_away_never_makes_a_scope_apply(x, facts):
    scope = Scope(tuple(x))
    for name in scope.facts & set(facts):
        fewer = {key: value for key, value in facts.items() if key != name}
        assert judge(scope, fewer).outcome != "applies"


JUNE, JULY = date(2026, 6, 1), date(2026, 7, 1)


@pytest.mark.parametrize(
    ("value", "outcome"),
    [
        (date(2026, 5, 31), "not_yet"),
        (date(2026, 6, 1), "applies"),
        (date(2026, 6, 30), "applies"),
        (date(2026, 7, 1), "ended"),
    ],
)
def test_a_period_holds_its_first_day_and_not_its_end(value, outcome):
    expected = Applicability(outcome, None if outcome == "applies" else "d")
    assert judge(period(JUNE, JULY), {"d": value}) == expected


@pytest.mark.parametrize(
    ("instant", "outcome"),
    [
        ("2026-03-08T04:59:59.999999Z", "not_yet"),
        ("2026-03-08T05:00:00Z", "applies"),
        ("2026-03-09T03:59:59.999999Z", "applies"),
        ("2026-03-09T04:00:00Z", "ended"),
    ],
)
def test_dates_bound_an_instant_where_the_days_begin_in_the_zone(instant, outcome):
    scope = period(date(2026, 3, 8), date(2026, 3, 9), "i")
    assert judge(scope, {"i": parse_instant(instant)}).outcome == outcome


@pytest.mark.parametrize(
    ("day", "outcome"),
    [
        (date(2026, 3, 7), "not_yet"),
        (date(2026, 3, 8), "unknown"),
        (date(2026, 3, 9), "applies"),
        (date(2026, 3, 10), "unknown"),
        (date(2026, 3, 11), "ended"),
    ],
)
def test_a_date_only_partly_between_instants_is_unknown(day, outcome):
    noon = [datetime(2026, 3, day, 12, tzinfo=UTC) for day in (8, 10)]
    expected = Applicability(outcome, None if outcome == "applies" else "d")
    assert judge(period(*noon), {"d": day}) == expected


@pytest.mark.parametrize(
    ("instant", "outcome"),
    [
        (RETRIEVED - timedelta(microseconds=1), "unknown"),
        (RETRIEVED, "applies"),
        (CONFIRMED, "applies"),
        (CONFIRMED + timedelta(microseconds=1), "unknown"),
    ],
)
def test_unknown_bounds_cover_from_retrieval_up_to_and_including_confirmation(instant, outcome):
    expected = Applicability(outcome, None if outcome == "applies" else "i")
    assert judge(period(Edge.UNKNOWN, Edge.UNKNOWN, "i"), {"i": instant}) == expected


def test_a_day_that_ends_with_the_confirmation_is_covered():
    midnight = datetime(2026, 3, 9, 4, tzinfo=UTC)
    scope = period(Edge.OPEN, Edge.UNKNOWN)
    last_moments = [midnight, midnight - timedelta(microseconds=1), midnight - timedelta(microseconds=2)]
    outcomes = [judge(scope, {"d": date(2026, 3, 8)}, confirmed=moment).outcome for moment in last_moments]
    assert outcomes == ["applies", "applies", "unknown"]


def test_an_assumed_end_applies_and_says_so():
    applies = judge(period(JUNE, Edge.ASSUMED_OPEN), {"d": JULY})
    assert applies == Applicability("applies", assumed_open=True)


def test_a_stated_end_elsewhere_does_not_hide_that_another_is_assumed():
    both = intersect(period(JUNE, Edge.ASSUMED_OPEN), period(JUNE, date(2027, 1, 1)), TABLE)
    assert judge(both, {"d": JULY}).assumed_open


@pytest.mark.parametrize(
    ("condition", "value", "outcome"),
    [
        (Range("n", Decimal(100), True, None, True), Decimal(100), "applies"),
        (Range("n", Decimal(100), False, None, True), Decimal(100), "not_applicable"),
        (Range("n", None, True, Decimal(100), True), Decimal(100), "applies"),
        (Range("n", None, True, Decimal(100), False), Decimal(100), "not_applicable"),
        (Range("n", Decimal(100), True, None, True), Decimal("99.99"), "not_applicable"),
        (Among("c", frozenset({"DE"})), "DE", "applies"),
        (Among("c", frozenset({"DE"})), "de", "not_applicable"),
    ],
)
def test_ranges_and_sets_hold_exactly_their_values(condition, value, outcome):
    decided_by = None if outcome == "applies" else condition.fact
    assert judge(Scope((condition,)), {condition.fact: value}) == Applicability(outcome, decided_by)


SEALED = Scope((Among("p", frozenset({SealedValue("ev_1#scope.1.v1", "0" * 64)})),))


@pytest.mark.parametrize(
    ("opened", "outcome"),
    [
        ({"ev_1#scope.1.v1": "88-1417"}, "applies"),
        ({"ev_1#scope.1.v1": "88-1418"}, "not_applicable"),
        ({}, "not_applicable"),
    ],
)
def test_a_sealed_value_matches_only_the_text_that_it_opens_to(opened, outcome):
    assert judge(SEALED, {"p": "88-1417"}, opened).outcome == outcome


def test_missing_facts_are_all_named():
    scope = Scope(
        (Among("c", frozenset("A")), Range("n", Decimal(1), True, None, True), *period(JUNE, JULY).conditions)
    )
    assert judge(scope, {"d": JUNE}) == Applicability("unknown", None, ("c", "n"))


def test_what_surely_fails_decides_before_what_is_missing_or_unknown():
    scope = Scope(
        (Among("c", frozenset("A")), Period("d", JUNE, JULY), Period("i", Edge.UNKNOWN, Edge.UNKNOWN))
    )
    facts = {"d": JULY, "i": CONFIRMED + HOUR}
    assert judge(scope, facts) == Applicability("ended", "d")


def test_among_failures_the_kind_decides_and_then_the_name():
    ended, not_yet = Period("i", Edge.OPEN, JUNE), Period("d", JULY, Edge.OPEN)
    facts = {
        "d": JUNE,
        "i": datetime(2026, 6, 2, tzinfo=UTC),
        "n": Decimal(0),
        "c": "B",
        "question_date": JULY,
    }
    outside = (Range("n", Decimal(1), True, None, True), Among("c", frozenset("A")))
    also_ended = Period("question_date", Edge.OPEN, JUNE)
    orders = [(not_yet,), (not_yet, also_ended, ended), (not_yet, ended, *outside)]
    decided = [judge(Scope(order), facts) for order in orders]
    assert [(d.outcome, d.decided_by) for d in decided] == [
        ("not_yet", "d"),
        ("ended", "i"),
        ("not_applicable", "c"),
    ]


def test_a_value_that_its_condition_cannot_compare_is_refused():
    with pytest.raises(Refused) as refused:
        judge(period(JUNE, JULY), {"d": "2026-06-15"})
    assert (refused.value.code, "2026" in refused.value.message) == ("bad_fact", False)


def test_a_scope_without_conditions_always_applies():
    assert judge(Scope(), {"question_date": JUNE}) == Applicability("applies")


def steps_of(scenario: dict, kind: str) -> list[dict]:
    return [step for step in scenario["steps"] if step["do"] == kind]


def test_the_published_scenario_of_zones_and_facts_holds(shared: Path):
    scenario = yaml.safe_load((shared / "scenarios" / "08-zones-and-facts.yaml").read_text(encoding="utf-8"))
    table = FactTable(scenario["zone"])
    for name, raw in scenario["facts"].items():
        table = table.declare(parse_fact_type(name, raw, table.zone))
    [revision] = steps_of(scenario, "revision")
    scope = parse_scope(revision["scope"], table)
    clock = parse_instant(scenario["steps"][0]["at"])
    judged = []
    for step in steps_of(scenario, "resolve"):
        for expected in step["expect"].values():
            if expected["verdict"] == "other_question":
                continue
            facts = {"question_date": clock, **table.parse_facts(step["facts"])}
            found = check_scope(scope, facts, table, retrieved=clock, confirmed=clock, opened={})
            judged.append(found.outcome)
            assert found.outcome == {"citable": "applies"}.get(expected["verdict"], expected["verdict"])
            assert list(found.missing) == expected.get("missing", [])
            assert found.decided_by == expected.get("decided_by", found.decided_by)
    assert len(judged) == 6
    codes = [_refused(step["step"], scope, table) for step in steps_of(scenario, "refused")]
    assert codes == [step["error"] for step in steps_of(scenario, "refused")]


def _refused(step: dict, scope: Scope, table: FactTable) -> str:
    with pytest.raises(Refused) as refused:
        _try(step, scope, table)
    return refused.value.code


def _try(step: dict, scope: Scope, table: FactTable) -> None:
    if step["do"] == "resolve":
        table.parse_facts(step["facts"])
    elif step["do"] == "revision":
        parse_scope(step["scope"], table)
    else:
        check_narrowing(parse_scope(step["narrow"], table), scope, table)
