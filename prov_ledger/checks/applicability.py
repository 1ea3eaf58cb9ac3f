"""Whether a scope covers the facts of a question: applies, fails for a stated reason, or unknown.

What surely fails decides before what is unknown. Missing is never always.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum, auto
from typing import Final, Literal

from prov_ledger.errors import Refused
from prov_ledger.model.conditions import Among, Bound, Condition, Edge, Period, Range, instant_of
from prov_ledger.model.facts import FactTable, FactValue, SealedValue, canonical
from prov_ledger.model.scopes import Scope
from prov_ledger.model.times import day_interval

Outcome = Literal["applies", "not_applicable", "ended", "not_yet", "unknown"]

# Among several failures the first of these decides, then the name of the fact.
_FAILURES: Final[tuple[Outcome, ...]] = ("not_applicable", "ended", "not_yet")
_RESOLUTION: Final = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Applicability:
    """What a scope says of the facts of a question.

    ``decided_by``: the fact that failed, or whose bound is unknown there; None where it applies or only
    facts are ``missing`` (sorted, empty unless unknown). ``assumed_open``: it applies because nobody
    stated an end.
    """

    outcome: Outcome
    decided_by: str | None = None
    missing: tuple[str, ...] = ()
    assumed_open: bool = False


class _Side(Enum):
    """Where a value lies as seen from one bound."""

    INSIDE = auto()
    ASSUMED = auto()
    UNSURE = auto()
    OUTSIDE = auto()


def check_scope(
    scope: Scope,
    facts: Mapping[str, FactValue],
    table: FactTable,
    *,
    retrieved: datetime,
    confirmed: datetime,
    opened: Mapping[str, str],
) -> Applicability:
    """How ``scope`` stands to ``facts``, which hold ``question_date`` and typed values only.

    ``retrieved``: from when an unknown start is known to be covered. ``confirmed``: up to when, itself
    included, an unknown end is. ``opened``: the texts of sealed values by node; one that is not there
    matches nothing. Raises Refused ``bad_fact`` for a value that the condition on its fact cannot judge.
    """
    missing: set[str] = set()
    unsure: set[str] = set()
    failures: list[tuple[int, str]] = []
    assumed = False
    for condition in scope.conditions:
        value = facts.get(condition.fact)
        if value is None:
            missing.add(condition.fact)
            continue
        outcome, assumes = _judge(condition, value, table, retrieved, confirmed, opened)
        assumed = assumed or assumes
        if outcome == "unknown":
            unsure.add(condition.fact)
        elif outcome != "applies":
            failures.append((_FAILURES.index(outcome), condition.fact))
    if failures:
        rank, fact = min(failures)
        return Applicability(_FAILURES[rank], fact)
    if missing or unsure:
        return Applicability("unknown", min(unsure, default=None), tuple(sorted(missing)))
    return Applicability("applies", assumed_open=assumed)


def _judge(
    condition: Condition,
    value: FactValue,
    table: FactTable,
    retrieved: datetime,
    confirmed: datetime,
    opened: Mapping[str, str],
) -> tuple[Outcome, bool]:
    """The outcome of one condition, and whether it rests on an end that is only assumed."""
    match condition:
        case Period() if isinstance(value, date):
            zone = table.zone_of(condition.fact)
            start = _from_side(condition.from_, value, zone, retrieved)
            end = _until_side(condition.until, value, zone, confirmed)
            return _period_outcome(start, end), _Side.ASSUMED in (start, end)
        case Range() if isinstance(value, Decimal):
            return ("applies" if _in_range(condition, value) else "not_applicable"), False
        case Among():
            return ("applies" if _in_set(condition, value, opened) else "not_applicable"), False
        case _:
            raise Refused(
                "bad_fact", f"the value of '{condition.fact}' is not of the type that its scope compares"
            )


def _period_outcome(start: _Side, end: _Side) -> Outcome:
    if end is _Side.OUTSIDE:
        return "ended"
    if start is _Side.OUTSIDE:
        return "not_yet"
    return "unknown" if _Side.UNSURE in (start, end) else "applies"


def _covered(value: date | datetime, zone: str) -> tuple[datetime, datetime]:
    """The first instant of a value and the one just after its last: a day's bounds, or a single instant."""
    return (value, value + _RESOLUTION) if isinstance(value, datetime) else day_interval(value, zone)


def _both_dates(bound: date | datetime, value: date | datetime) -> bool:
    return not isinstance(bound, datetime) and not isinstance(value, datetime)


def _from_side(bound: Bound, value: date | datetime, zone: str, retrieved: datetime) -> _Side:
    match bound:
        case Edge.OPEN:
            return _Side.INSIDE
        case Edge.ASSUMED_OPEN:
            return _Side.ASSUMED
        case Edge.UNKNOWN:
            return _Side.INSIDE if _covered(value, zone)[0] >= retrieved else _Side.UNSURE
    if _both_dates(bound, value):
        return _Side.INSIDE if value >= bound else _Side.OUTSIDE
    first, after = _covered(value, zone)
    begin = instant_of(bound, zone)
    if first >= begin:
        return _Side.INSIDE
    return _Side.OUTSIDE if after <= begin else _Side.UNSURE


def _until_side(bound: Bound, value: date | datetime, zone: str, confirmed: datetime) -> _Side:
    match bound:
        case Edge.OPEN:
            return _Side.INSIDE
        case Edge.ASSUMED_OPEN:
            return _Side.ASSUMED
        case Edge.UNKNOWN:
            return _Side.INSIDE if _covered(value, zone)[1] <= confirmed + _RESOLUTION else _Side.UNSURE
    if _both_dates(bound, value):
        return _Side.INSIDE if value < bound else _Side.OUTSIDE
    first, after = _covered(value, zone)
    end = instant_of(bound, zone)
    if first >= end:
        return _Side.OUTSIDE
    return _Side.INSIDE if after <= end else _Side.UNSURE


def _in_range(condition: Range, value: Decimal) -> bool:
    low, high = condition.low, condition.high
    above = low is None or value > low or (condition.low_inclusive and value == low)
    below = high is None or value < high or (condition.high_inclusive and value == high)
    return above and below


def _in_set(condition: Among, value: FactValue, opened: Mapping[str, str]) -> bool:
    text = canonical(value)
    return any(
        opened.get(member.node) == text if isinstance(member, SealedValue) else member == value
        for member in condition.values
    )
