"""Instants, civil dates, zones and durations, read strictly.

An instant is an aware ``datetime`` in UTC with microseconds. A civil date stays a ``date``; which
instants it covers depends on a zone. Sentinels such as 9999-12-31 are refused: no end is written
``open``. Values may come as strings (JSON) or as ``date`` and ``datetime`` objects (YAML).
"""

import re
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo

from prov_ledger.errors import Refused
from prov_ledger.model.durations import Duration as Duration
from prov_ledger.model.durations import add_duration as add_duration
from prov_ledger.model.durations import parse_duration as parse_duration

Instant = datetime

_DATE_FORM: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_INSTANT_FORM: Final = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ]([0-9]{2}:[0-9]{2})(:[0-9]{2})?(?:\.([0-9]+))?"
    r"([Zz]|[+-](?:0[0-9]|1[0-3]):[0-5][0-9]|[+-]14:00)"
)
_ZONELESS_FORM: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9:.]+")
_TIME_LIKE: Final = re.compile(r"[0-9TtZz:.+ -]+")
_FIRST_YEAR: Final = 2
_LAST_YEAR: Final = 9998
# Names that the zone database may hold but that mean something else on each machine.
_LOCAL_ZONES: Final = ("localtime", "posixrules", "Factory", "posix/", "right/")


def _shown(raw: object) -> str:
    """A value as far as it is digits and signs of a time; anything else may be somebody's name or a text."""
    # Python refuses to write out an integer of thousands of digits.
    text = "" if isinstance(raw, int) and raw.bit_length() > 256 else str(raw)[:41]
    if not _TIME_LIKE.fullmatch(text):
        return f"({len(raw)} characters)" if isinstance(raw, str) else "(not shown)"
    return f"'{text[:40]}…'" if len(text) > 40 else f"'{text}'"


def _refuse_sentinel(year: int, raw: object) -> None:
    if not _FIRST_YEAR <= year <= _LAST_YEAR:
        raise Refused(
            "bad_fact",
            f"{_shown(raw)} is a sentinel, not a date: expected a year from {_FIRST_YEAR} to {_LAST_YEAR}; "
            "write 'open' where a period has no end",
        )


def parse_date(raw: object) -> date:
    """A civil date from ``YYYY-MM-DD`` or a ``date``; a ``datetime`` is not a date.

    Raises Refused ``bad_fact``.
    """
    if isinstance(raw, str) and _DATE_FORM.fullmatch(raw):
        try:
            parsed = date.fromisoformat(raw)
        except ValueError:
            _refuse_sentinel(int(raw[:4]), raw)
            raise Refused("bad_fact", f"{_shown(raw)} is not a day of the calendar") from None
    elif isinstance(raw, date) and not isinstance(raw, datetime):
        parsed = raw
    else:
        raise Refused("bad_fact", f"expected a date (YYYY-MM-DD), got {_kind_of(raw)} {_shown(raw)}")
    _refuse_sentinel(parsed.year, raw)
    return parsed


def parse_instant(raw: object) -> datetime:
    """An instant, in UTC, from ``YYYY-MM-DDTHH:MM[:SS[.ffffff]]`` with ``Z`` or an offset, or a datetime.

    Raises Refused ``bad_fact`` for anything without a zone, finer than a microsecond or not a time.

    Source: XML Schema 1.1 part 2, 3.3.7; RFC 3339 section 5.6 (which also allows a space for the T).
    """
    parsed = raw if isinstance(raw, datetime) else _instant_from_text(raw)
    if parsed.utcoffset() is None:
        raise Refused("bad_fact", f"{_shown(raw)} has no zone: add 'Z' or an offset such as '+01:00'")
    _refuse_sentinel(parsed.year, raw)
    in_utc = parsed.astimezone(UTC)
    _refuse_sentinel(in_utc.year, raw)
    return in_utc


def _instant_from_text(raw: object) -> datetime:
    match = _INSTANT_FORM.fullmatch(raw) if isinstance(raw, str) else None
    if match is None:
        if isinstance(raw, str) and _ZONELESS_FORM.fullmatch(raw):
            raise Refused("bad_fact", f"{_shown(raw)} has no zone: add 'Z' or an offset such as '+01:00'")
        expected = "expected an instant (YYYY-MM-DDTHH:MM:SS with 'Z' or an offset)"
        raise Refused("bad_fact", f"{expected}, got {_kind_of(raw)} {_shown(raw)}")
    day, minutes, seconds, fraction, offset = match.groups()
    fraction = (fraction or "").rstrip("0")
    if len(fraction) > 6:
        raise Refused("bad_fact", f"{_shown(raw)} is finer than a microsecond: round it to six decimals")
    if fraction and not seconds:
        raise Refused("bad_fact", f"{_shown(raw)} has a fraction of a minute: write the seconds")
    offset = "+00:00" if offset in "Zz" else offset
    try:
        return datetime.fromisoformat(f"{day}T{minutes}{seconds or ':00'}.{fraction:0<6}{offset}")
    except ValueError:
        _refuse_sentinel(int(day[:4]), raw)
        raise Refused("bad_fact", f"{_shown(raw)} is not a time of the calendar") from None


def _kind_of(raw: object) -> str:
    """What a value is, in the words of someone who wrote YAML or JSON."""
    if isinstance(raw, datetime):
        return "an instant"
    if isinstance(raw, date):
        return "a date"
    names: dict[type, str] = {bool: "true/false", int: "a number", float: "a number", str: "a string"}
    return names.get(type(raw), "a value of another kind")


def parse_date_or_instant(raw: object) -> date | datetime:
    """A date where ``raw`` is one (``YYYY-MM-DD`` or a ``date``), else an instant.

    Raises Refused ``bad_fact``.
    """
    if isinstance(raw, str) and _DATE_FORM.fullmatch(raw):
        return parse_date(raw)
    if isinstance(raw, date) and not isinstance(raw, datetime):
        return parse_date(raw)
    return parse_instant(raw)


def format_instant(instant: datetime) -> str:
    """The canonical ``xsd:dateTime`` of an aware datetime: UTC, ``Z``, no trailing zeros in the fraction.

    Source: XML Schema 1.1 part 2, 3.3.7.2.

    >>> format_instant(datetime(2026, 3, 8, 5, 0, 0, 250000, tzinfo=UTC))
    '2026-03-08T05:00:00.25Z'
    """
    if instant.tzinfo is None:
        raise Refused("bad_fact", "an instant without a zone cannot be written: make it aware first")
    text = instant.astimezone(UTC).isoformat().removesuffix("+00:00")
    return (text.rstrip("0") if "." in text else text) + "Z"


@lru_cache(maxsize=256)
def _zone(name: str) -> ZoneInfo:
    return ZoneInfo(name)


def parse_zone(name: object) -> str:
    """``name`` where it is an IANA zone such as ``Europe/Berlin``; raises Refused ``bad_input`` otherwise."""
    try:
        if isinstance(name, str) and name.isascii() and not name.startswith(_LOCAL_ZONES):
            _zone(name)
            return name
    except (ValueError, OSError, KeyError):
        pass
    raise Refused("bad_input", f"{_shown(name)} is not a zone: expected an IANA name such as 'Europe/Berlin'")


def civil_date(instant: datetime, zone: str) -> date:
    """The date that a calendar in ``zone`` shows at ``instant``."""
    return instant.astimezone(_zone(zone)).date()


@lru_cache(maxsize=4096)
def day_interval(day: date, zone: str) -> tuple[datetime, datetime]:
    """The instants (start, end), half-open, that ``day`` covers in ``zone``: 23 to 25 hours, as a rule.

    A day begins at the first instant that shows its date. A day that a zone skipped is empty
    (start equals end). Days tile: the end of one is the start of the next.
    """
    return _day_start(day, zone), _day_start(day + timedelta(days=1), zone)


def _day_start(day: date, zone: str) -> datetime:
    midnight = datetime(day.year, day.month, day.day, tzinfo=_zone(zone))
    start = midnight.astimezone(UTC)
    if start.astimezone(_zone(zone)).replace(tzinfo=None) == midnight.replace(tzinfo=None):
        return start
    # Midnight was skipped: the day begins where the clock jumped, between the two readings of it.
    before, after = midnight.replace(fold=1).astimezone(UTC) - timedelta(seconds=1), start
    old_offset = before.astimezone(_zone(zone)).utcoffset()
    while after - before > timedelta(seconds=1):
        middle = before + timedelta(seconds=(after - before) // timedelta(seconds=2))
        if middle.astimezone(_zone(zone)).utcoffset() == old_offset:
            before = middle
        else:
            after = middle
    return after
