"""One condition on one fact: its forms, how several on the same fact become fewest, and containment.

Periods are half-open. A date as a bound is the beginning of that day in the fact's zone; two dates
compare as dates.

A bound of a period that is no value is open, unknown or assumed open, and each says something that the
others do not. A conjunction keeps all of it: ``until 2027-01-01`` together with ``until unknown`` means
surely over in 2027 and unknown from the last confirmation until then. No single period says that, so a
second period on the same fact carries what the first cannot. Only ``open`` adds nothing and goes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from itertools import zip_longest

from prov_ledger.errors import Refused
from prov_ledger.model.facts import FactValue, SealedValue, canonical
from prov_ledger.model.times import day_interval


class Edge(Enum):
    """A bound of a period that is no value."""

    OPEN = "open"
    UNKNOWN = "unknown"
    ASSUMED_OPEN = "assumed_open"


Bound = date | datetime | Edge


@dataclass(frozen=True, slots=True)
class Period:
    """``fact`` lies at or after ``from_`` and before ``until``."""

    fact: str
    from_: Bound
    until: Bound


@dataclass(frozen=True, slots=True)
class Range:
    """``fact`` lies between ``low`` and ``high`` (None: no limit on that side)."""

    fact: str
    low: Decimal | None
    low_inclusive: bool
    high: Decimal | None
    high_inclusive: bool


@dataclass(frozen=True, slots=True)
class Among:
    """``fact`` is one of ``values``; all of them are sealed, or none is."""

    fact: str
    values: frozenset[FactValue | SealedValue]


Condition = Period | Range | Among


def instant_of(bound: date | datetime, zone: str) -> datetime:
    """The instant at which a bound takes effect: a date does at the beginning of its day in ``zone``."""
    return bound if isinstance(bound, datetime) else day_interval(bound, zone)[0]


def condition_key(condition: Condition) -> tuple[str, str, tuple[str, ...]]:
    """What conditions are ordered by: fact, kind, then content. A total order on distinct conditions."""
    return condition.fact, type(condition).__name__, _content(condition)


def _content(condition: Condition) -> tuple[str, ...]:
    match condition:
        case Period(_, from_, until):
            # A value sorts before an edge, so the period that holds the values comes first.
            return tuple("~" + b.value if isinstance(b, Edge) else canonical(b) for b in (from_, until))
        case Range(_, low, low_inclusive, high, high_inclusive):
            return str(low), str(low_inclusive), str(high), str(high_inclusive)
        case Among(_, values):
            return tuple(sorted(v.node if isinstance(v, SealedValue) else canonical(v) for v in values))


def merge_conditions(conditions: Iterable[Condition], zone: str) -> list[Condition]:
    """The fewest conditions that say what ``conditions``, all on one fact, say together.

    ``zone`` is that of the fact. Raises Refused ``bad_scope`` when nothing can satisfy them all.
    """
    periods: list[Period] = []
    ranges: list[Range] = []
    sets: list[Among] = []
    for condition in conditions:
        match condition:
            case Period():
                periods.append(condition)
            case Range():
                ranges.append(condition)
            case Among():
                sets.append(condition)
    return [*_merge_periods(periods, zone), *_merge_ranges(ranges), *_merge_sets(sets)]


def tightest(bounds: Sequence[Bound], zone: str, *, starts: bool) -> date | datetime | None:
    """The latest start, or earliest end, among the bounds that are values; None when none is.

    A date wins over the instant that it begins with, so the order of merging does not show.
    """
    values = [bound for bound in bounds if not isinstance(bound, Edge)]
    if not values:
        return None
    if starts:
        return max(values, key=lambda b: (instant_of(b, zone), not isinstance(b, datetime), b.toordinal()))
    return min(values, key=lambda b: (instant_of(b, zone), isinstance(b, datetime), b.toordinal()))


def _merge_periods(periods: Sequence[Period], zone: str) -> list[Period]:
    if not periods:
        return []
    if len(periods) == 1 and (isinstance(periods[0].from_, Edge) or isinstance(periods[0].until, Edge)):
        return [periods[0]]
    starts, ends = [p.from_ for p in periods], [p.until for p in periods]
    from_, until = tightest(starts, zone, starts=True), tightest(ends, zone, starts=False)
    fact = periods[0].fact
    if from_ is not None and until is not None and not _is_before(from_, until, zone):
        raise Refused(
            "bad_scope",
            f"no value of '{fact}' is in the period: it begins at {canonical(from_)} and ends at "
            f"{canonical(until)} (the end is outside); state an end after the beginning",
        )
    rows = zip_longest(_facets(from_, starts), _facets(until, ends), fillvalue=Edge.OPEN)
    merged = [Period(fact, low, high) for low, high in rows]
    return merged or [Period(fact, Edge.OPEN, Edge.OPEN)]


def _facets(value: date | datetime | None, bounds: Sequence[Bound]) -> list[Bound]:
    """What one side says, each part once: the tightest value, unknown, assumed open."""
    edges: list[Bound] = [edge for edge in (Edge.UNKNOWN, Edge.ASSUMED_OPEN) if edge in bounds]
    return edges if value is None else [value, *edges]


def _is_before(first: date | datetime, second: date | datetime, zone: str) -> bool:
    if not isinstance(first, datetime) and not isinstance(second, datetime):
        return first < second
    return instant_of(first, zone) < instant_of(second, zone)


def _merge_ranges(ranges: Sequence[Range]) -> list[Range]:
    if not ranges:
        return []
    lows = [(r.low, not r.low_inclusive) for r in ranges if r.low is not None]
    highs = [(r.high, r.high_inclusive) for r in ranges if r.high is not None]
    low, above = max(lows) if lows else (None, False)
    high, inclusive = min(highs) if highs else (None, True)
    if low is not None and high is not None and (low > high or (low == high and (above or not inclusive))):
        raise Refused(
            "bad_scope",
            f"no number is in the range of '{ranges[0].fact}': it lies {'above' if above else 'from'} "
            f"{canonical(low)} and {'up to' if inclusive else 'below'} {canonical(high)}",
        )
    return [Range(ranges[0].fact, low, not above, high, inclusive)]


def _merge_sets(sets: Sequence[Among]) -> list[Among]:
    plain = [s for s in sets if not is_sealed(s)]
    kept = [s for s in sets if is_sealed(s)]
    # Two nodes may seal the same text, so of two sealed sets only a subset by node can stand for both.
    kept = [s for s in dict.fromkeys(kept) if not any(other.values < s.values for other in kept)]
    if not plain:
        return kept
    common = frozenset.intersection(*(s.values for s in plain))
    if not common:
        raise Refused("bad_scope", f"no value of '{plain[0].fact}' is in every set: state one that can hold")
    return [Among(plain[0].fact, common), *kept]


def is_sealed(among: Among) -> bool:
    """Whether the values of a set are known by commitment only."""
    return any(isinstance(value, SealedValue) for value in among.values)


def is_inside(narrow: Sequence[Condition], wide: Condition, zone: str) -> bool:
    """Whether ``narrow``, conditions on one fact taken together, surely lie inside ``wide`` on that fact."""
    match wide:
        case Period(_, from_, until):
            periods = [c for c in narrow if isinstance(c, Period)]
            return _side_inside([p.from_ for p in periods], from_, zone, starts=True) and _side_inside(
                [p.until for p in periods], until, zone, starts=False
            )
        case Range():
            ranges = [c for c in narrow if isinstance(c, Range)]
            return any(_is_range_inside(c, wide) for c in ranges)
        case Among():
            return any(isinstance(c, Among) and c.values <= wide.values for c in narrow)


def _is_range_inside(narrow: Range, wide: Range) -> bool:
    if wide.low is not None and (
        narrow.low is None or (narrow.low, not narrow.low_inclusive) < (wide.low, not wide.low_inclusive)
    ):
        return False
    return wide.high is None or (
        narrow.high is not None and (narrow.high, narrow.high_inclusive) <= (wide.high, wide.high_inclusive)
    )


def _side_inside(bounds: Sequence[Bound], limit: Bound, zone: str, *, starts: bool) -> bool:
    """An unknown limit holds any stated value or a further unknown; a stated limit only a tighter value."""
    value = tightest(bounds, zone, starts=starts)
    if isinstance(limit, Edge):
        return limit is not Edge.UNKNOWN or value is not None or Edge.UNKNOWN in bounds
    if value is None:
        return False
    return not _is_before(value, limit, zone) if starts else not _is_before(limit, value, zone)
