"""Whether conditions hold for facts, by the words of the design and nothing cleverer.

A condition is the mapping that a user writes. ``until: "assumed"`` is the end that nobody stated.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

from told import Moment, Sort, Value

OUTCOMES = ("not_applicable", "ended", "not_yet", "unknown", "applies")


@dataclass(frozen=True)
class Holding:
    """What comes of checking conditions: an outcome, the fact that decided, facts that are missing."""

    outcome: str
    decided_by: str | None = None
    missing: frozenset[str] = frozenset()


def span(moment: Moment, zone: str) -> tuple[datetime, datetime]:
    """The instants that a moment covers: a day from midnight to midnight; an instant itself, twice."""
    if isinstance(moment, datetime):
        return moment, moment
    following = moment + timedelta(days=1)
    start = datetime(moment.year, moment.month, moment.day, tzinfo=ZoneInfo(zone))
    end = datetime(following.year, following.month, following.day, tzinfo=ZoneInfo(zone))
    return start.astimezone(UTC), end.astimezone(UTC)


def starts(moment: Moment, zone: str) -> datetime:
    """The instant at which a bound takes effect."""
    return span(moment, zone)[0]


def is_date(moment: object) -> bool:
    return isinstance(moment, date) and not isinstance(moment, datetime)


def surely_before(value: Moment, bound: Moment, zone: str) -> bool:
    """Every instant of the value is before the bound."""
    if is_date(value) and is_date(bound):
        return value < bound
    first, end = span(value, zone)
    edge = starts(bound, zone)
    return first < edge if first == end else end <= edge


def surely_from(value: Moment, bound: Moment, zone: str) -> bool:
    """Every instant of the value is at or after the bound."""
    if is_date(value) and is_date(bound):
        return value >= bound
    return span(value, zone)[0] >= starts(bound, zone)


def check_period(
    condition: Mapping[str, object], value: Moment, zone: str, retrieved: datetime, confirmed: datetime
) -> str:
    """One of the outcomes, for one value."""
    from_, until = condition.get("from", "unknown"), condition.get("until", "unknown")
    unsure = False
    if isinstance(until, date):
        if surely_from(value, until, zone):
            return "ended"
        unsure |= not surely_before(value, until, zone)
    if isinstance(from_, date):
        if surely_before(value, from_, zone):
            return "not_yet"
        unsure |= not surely_from(value, from_, zone)
    first, end = span(value, zone)
    if from_ == "unknown":
        unsure |= first < retrieved
    if until == "unknown":
        unsure |= first > confirmed if first == end else end > confirmed
    return "unknown" if unsure else "applies"


def check_number(condition: Mapping[str, object], value: Decimal) -> str:
    low, above = condition.get("min"), condition.get("above")
    high, below = condition.get("max"), condition.get("below")
    outside = (
        (low is not None and value < low)
        or (above is not None and value <= above)
        or (high is not None and value > high)
        or (below is not None and value >= below)
    )
    return "not_applicable" if outside else "applies"


def check_condition(
    condition: Mapping[str, object],
    facts: Mapping[str, Value],
    sorts: Mapping[str, Sort],
    retrieved: datetime,
    confirmed: datetime,
) -> Holding:
    fact = str(condition["fact"])
    if fact not in facts:
        return Holding("unknown", None, frozenset({fact}))
    value = facts[fact]
    if "in" in condition:
        outcome = "applies" if value in condition["in"] else "not_applicable"
    elif isinstance(value, Decimal):
        outcome = check_number(condition, value)
    else:
        outcome = check_period(condition, value, sorts[fact].zone, retrieved, confirmed)
    return Holding(outcome, None if outcome == "applies" else fact)


def check_conditions(
    conditions: Sequence[Mapping[str, object]],
    facts: Mapping[str, Value],
    sorts: Mapping[str, Sort],
    retrieved: datetime,
    confirmed: datetime,
) -> Holding:
    """All of them: what surely fails decides before what is unknown."""
    found = [check_condition(c, facts, sorts, retrieved, confirmed) for c in conditions]
    for outcome in ("not_applicable", "ended", "not_yet"):
        failing = [x.decided_by for x in found if x.outcome == outcome]
        if failing:
            return Holding(outcome, min(failing))
    unknown = [x for x in found if x.outcome == "unknown"]
    if unknown:
        missing = frozenset().union(*(x.missing for x in unknown))
        bounds = [x.decided_by for x in unknown if x.decided_by is not None]
        return Holding("unknown", min(bounds) if bounds else None, missing)
    return Holding("applies")
