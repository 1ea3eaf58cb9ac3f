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


_APPLIES, _APPLIES_ASSUMED = Applicability("applies"), Applicability("applies", assumed_open=True)


class _Side(Enum):
    """Where a value lies as seen from one bound."""

    INSIDE = auto()
    ASSUMED = auto()
    UNSURE = auto()
    OUTSIDE = auto()


# As plain names: a member looked up on its class costs as much as the comparison.
_INSIDE, _ASSUMED, _UNSURE, _OUTSIDE = _Side


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
    missing: list[str] = []
    unsure: list[str] = []
    failures: list[tuple[int, str]] = []
    assumed = False
    for condition in scope.conditions:
        value = facts.get(condition.fact)
        if value is None:
            missing.append(condition.fact)
            continue
        outcome, assumes = _judge(condition, value, table, retrieved, confirmed, opened)
        assumed = assumed or assumes
        if outcome == "unknown":
            unsure.append(condition.fact)
        elif outcome != "applies":
            failures.append((_FAILURES.index(outcome), condition.fact))
    if failures:
        rank, fact = min(failures)
        return Applicability(_FAILURES[rank], fact)
    if missing or unsure:
        return Applicability("unknown", min(unsure, default=None), tuple(sorted(set(missing))))
    return _APPLIES_ASSUMED if assumed else _APPLIES


def _judge(
    condition: Condition,
    value: FactValue,
    table: FactTable,
    retrieved: datetime,
    confirmed: datetime,
    opened: Mapping[str, str],
) -> tuple[Outcome, bool]:
    """The outcome of one condition, and whether it rests on an end that is only assumed."""
    if isinstance(condition, Period):
        if isinstance(value, date):
            zone = table.zone_of(condition.fact)
            start = _from_side(condition.from_, value, zone, retrieved)
            end = _until_side(condition.until, value, zone, confirmed)
            return _period_outcome(start, end), start is _ASSUMED or end is _ASSUMED
    elif isinstance(condition, Among):
        return ("applies" if _in_set(condition, value, opened) else "not_applicable"), False
    elif isinstance(value, Decimal):
        return ("applies" if _in_range(condition, value) else "not_applicable"), False
    raise Refused("bad_fact", f"the value of '{condition.fact}' is not of the type that its scope compares")


def _period_outcome(start: _Side, end: _Side) -> Outcome:
    if end is _OUTSIDE:
        return "ended"
    if start is _OUTSIDE:
        return "not_yet"
    return "unknown" if start is _UNSURE or end is _UNSURE else "applies"


def _covered(value: date | datetime, zone: str) -> tuple[datetime, datetime]:
    """The first instant of a value and the one just after its last: a day's bounds, or a single instant."""
    return (value, value + _RESOLUTION) if isinstance(value, datetime) else day_interval(value, zone)


def _both_dates(bound: date | datetime, value: date | datetime) -> bool:
    return not isinstance(bound, datetime) and not isinstance(value, datetime)


def _from_side(bound: Bound, value: date | datetime, zone: str, retrieved: datetime) -> _Side:
    if isinstance(bound, Edge):
        if bound is Edge.UNKNOWN:
            return _INSIDE if _covered(value, zone)[0] >= retrieved else _UNSURE
        return _INSIDE if bound is Edge.OPEN else _ASSUMED
    if _both_dates(bound, value):
        return _INSIDE if value >= bound else _OUTSIDE
    first, after = _covered(value, zone)
    begin = instant_of(bound, zone)
    if first >= begin:
        return _INSIDE
    return _OUTSIDE if after <= begin else _UNSURE


def _until_side(bound: Bound, value: date | datetime, zone: str, confirmed: datetime) -> _Side:
    if isinstance(bound, Edge):
        if bound is Edge.UNKNOWN:
            return _INSIDE if _covered(value, zone)[1] <= confirmed + _RESOLUTION else _UNSURE
        return _INSIDE if bound is Edge.OPEN else _ASSUMED
    if _both_dates(bound, value):
        return _INSIDE if value < bound else _OUTSIDE
    first, after = _covered(value, zone)
    end = instant_of(bound, zone)
    if first >= end:
        return _OUTSIDE
    return _INSIDE if after <= end else _UNSURE


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
