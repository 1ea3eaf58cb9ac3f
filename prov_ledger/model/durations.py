"""Durations of ISO 8601, in which a month is a calendar month and not a number of seconds."""

import calendar
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from prov_ledger.errors import Refused

_FORM: Final = re.compile(
    r"P(?=[0-9T])(?:(?P<years>[0-9]+)Y)?(?:(?P<months>[0-9]+)M)?(?:(?P<weeks>[0-9]+)W)?(?:(?P<days>[0-9]+)D)?"
    r"(?:T(?=[0-9])(?:(?P<hours>[0-9]+)H)?(?:(?P<minutes>[0-9]+)M)?"
    r"(?:(?P<seconds>[0-9]+)(?:\.(?P<fraction>[0-9]{1,6}))?S)?)?"
)
_MOST_MONTHS: Final = 12 * 1000
_MOST_TIME: Final = timedelta(days=366 * 1000)


@dataclass(frozen=True, slots=True)
class Duration:
    """Whole calendar months, and then a length of time (a day is 24 hours)."""

    months: int
    time: timedelta


def parse_duration(text: object) -> Duration:
    """A duration such as ``P90D``, ``P1Y6M``, ``P2W`` or ``PT12H``; never negative, at most 1,000 years.

    Raises Refused ``bad_input``.

    Source: ISO 8601-1:2019, 5.5.2; XML Schema 1.1 part 2, 3.3.6.
    """
    match = _FORM.fullmatch(text) if isinstance(text, str) and len(text) <= 80 else None
    if match is None:
        raise Refused("bad_input", "not a duration: expected ISO 8601 such as 'P90D', 'P1Y6M' or 'PT12H'")
    part = {name: int(digits or 0) for name, digits in match.groupdict().items()}
    months = 12 * part["years"] + part["months"]
    try:
        time = timedelta(
            weeks=part["weeks"],
            days=part["days"],
            hours=part["hours"],
            minutes=part["minutes"],
            seconds=part["seconds"],
            microseconds=int((match["fraction"] or "").ljust(6, "0")),
        )
    except OverflowError:
        time = timedelta.max
    if months > _MOST_MONTHS or time > _MOST_TIME:
        raise Refused("bad_input", "a duration is at most 1,000 years: leave it out where there is no limit")
    return Duration(months, time)


def add_duration(instant: datetime, duration: Duration) -> datetime:
    """``instant`` plus the months, its day pinned to the end of a shorter month, plus the time; in UTC.

    Raises Refused ``bad_input`` when the result is outside the calendar.

    Source: XML Schema 1.1 part 2, appendix E.3.3 (dateTimePlusDuration).
    """
    index = instant.year * 12 + instant.month - 1 + duration.months
    year, month = index // 12, index % 12 + 1
    try:
        day = min(instant.day, calendar.monthrange(year, month)[1])
        return instant.replace(year=year, month=month, day=day) + duration.time
    except (OverflowError, ValueError):
        raise Refused(
            "bad_input", f"a duration leads past the calendar, from the year {instant.year}"
        ) from None
