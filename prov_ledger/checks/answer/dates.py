"""Dates and times of day in English and German writing, each as the readings that it allows."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date

from prov_ledger.checks.answer.stretches import Stretches

#: Year, month and day; None where the writing leaves a part out.
Parts = tuple[int | None, int | None, int | None]

_MONTHS = (
    ("january", "januar", "jänner", "jan"),
    ("february", "februar", "feber", "feb"),
    ("march", "märz", "maerz", "mar", "mär", "mrz"),
    ("april", "apr"),
    ("may", "mai"),
    ("june", "juni", "jun"),
    ("july", "juli", "jul"),
    ("august", "aug"),
    ("september", "sept", "sep"),
    ("october", "oktober", "oct", "okt"),
    ("november", "nov"),
    ("december", "dezember", "dec", "dez"),
)
_NUMBER_OF = {name: number for number, names in enumerate(_MONTHS, 1) for name in names}
_NAMES = "|".join(sorted(_NUMBER_OF, key=len, reverse=True))
#: The name of a month, abbreviated or not.
MONTH = rf"(?:{_NAMES})(?![^\W\d_])\.?"
_LONG = ("may", "june", "july", "juni", "juli", "märz", "mai")
_LONG_NAMES = "|".join(name for name in _NUMBER_OF if len(name) > 4 or name in _LONG)
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?"
_YEAR = r"(?P<year>\d{4})(?![\d])"
#: Words before which ``May`` and ``March`` are months.
_BEFORE_MONTH = (
    r"(?:in|from|since|until|by|till|of|before|after|during|early|late|mid|im|ab|seit|bis|ende|anfang|mitte)"
)

_WRITTEN = tuple(
    re.compile(rf"(?<![\w]){pattern}", re.IGNORECASE)
    for pattern in (
        rf"{_DAY}[\s-]*(?:of\s+)?(?P<month>{MONTH})(?:(?:,\s*|\s+|-){_YEAR})?",
        rf"(?P<month>{MONTH})\s*(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?!\w|[.,:]\d)(?:,?\s+{_YEAR})?",
        rf"(?P<month>{MONTH}),?\s+(?:of\s+)?{_YEAR}",
        rf"(?P<month>{_LONG_NAMES})(?![^\W\d_])",
    )
)
_BARE_MONTH = len(_WRITTEN) - 1
_NUMERIC = re.compile(
    r"(?<![\w.,/-])(?P<first>\d{1,4})(?P<by>[-/.])\s?(?P<middle>\d{1,2})(?P=by)\s?(?P<last>\d{1,4})"
    r"(?!\d|[/-]\d)(?=$|\W|T\d)"
)
_DAY_AND_MONTH = re.compile(r"(?<![\w.,/-])(\d{1,2})\.\s?(\d{1,2})\.(?!\s?\d)")
_MONTH_AND_YEAR = re.compile(r"(?<![\w.,/-])(\d{1,2})/(\d{4})(?![\w/])")
_TIME = re.compile(
    r"(?<![\d.,:])(?P<hour>2[0-4]|[01]?\d)(?!\d)(?:(?P<by>[:.])(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d))?)?"
    r"(?:\s*(?P<word>a\.?m\b\.?|p\.?m\b\.?|uhr\b|o['’]clock))?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class DateFound:
    """A date at ``start`` to ``end``: every reading that the writing allows, at least one."""

    start: int
    end: int
    readings: frozenset[Parts]


@dataclass(frozen=True, slots=True)
class TimeFound:
    """A time of day at ``start`` to ``end``, as ``HH:MM`` or ``HH:MM:SS``.

    ``hour``: the number that it may be as well, as in ``10 Uhr``.
    """

    start: int
    end: int
    time: str
    hour: int | None = None


def find_dates(text: str) -> tuple[DateFound, ...]:
    """The dates of a text, those written with a month's name first; none overlaps another.

    >>> [sorted(found.readings) for found in find_dates("3. März 2026, 03/04/2026")]
    [[(2026, 3, 3)], [(2026, 3, 4), (2026, 4, 3)]]
    """
    taken = Stretches()
    return tuple(x for x in (*_written(text), *_numeric(text)) if taken.take(x.start, x.end))


def _written(text: str) -> Iterator[DateFound]:
    for number, pattern in enumerate(_WRITTEN):
        for found in pattern.finditer(text):
            parts = found.groupdict()
            name = parts["month"].lower().rstrip(".")
            if number == _BARE_MONTH and name in ("may", "march") and not _is_month(text, found.start()):
                continue
            reading = (_number(parts.get("year")), _NUMBER_OF[name], _number(parts.get("day")))
            yield from _found(found, [reading])


def _numeric(text: str) -> Iterator[DateFound]:
    for found in _NUMERIC.finditer(text):
        yield from _found(found, _orders(found["first"], found["middle"], found["last"], found["by"]))
    for found in _DAY_AND_MONTH.finditer(text):
        yield from _found(found, [(None, int(found[2]), int(found[1]))])
    for found in _MONTH_AND_YEAR.finditer(text):
        yield from _found(found, [(int(found[2]), int(found[1]), None)])


def _is_month(text: str, start: int) -> bool:
    before = re.search(rf"\b{_BEFORE_MONTH}\s+$", text[max(start - 12, 0) : start], re.IGNORECASE)
    return before is not None and text[start].isupper()


def _number(digits: str | None) -> int | None:
    return int(digits) if digits is not None else None


def _orders(first: str, middle: str, last: str, by: str) -> list[Parts]:
    """The readings of three numbers: by the year's place, and by who writes day or month first."""
    if len(first) == 4:
        return [(int(first), int(middle), int(last))] if len(last) <= 2 else []
    if len(first) > 2 or len(last) not in (2, 4):
        return []
    years = [int(last)] if len(last) == 4 else [2000 + int(last), 1900 + int(last)]
    orders = [(int(middle), int(first))]
    orders += [(int(first), int(middle))] if by != "." else []
    return [(year, month, day) for year in years for month, day in orders]


def _found(found: re.Match[str], readings: Iterable[Parts]) -> Iterator[DateFound]:
    possible = frozenset(parts for parts in readings if _exists(parts))
    if possible:
        yield DateFound(found.start(), found.end(), possible)


def _exists(parts: Parts) -> bool:
    year, month, day = parts
    try:
        date(year or 2000, month or 1, day or 1)
    except ValueError:
        return False
    return month != 0 and day != 0


def agrees(told: Parts, known: Parts) -> bool:
    """Whether a date that is told says no more and nothing else than a known one.

    >>> agrees((2026, 3, None), (2026, 3, 3)), agrees((2026, 3, 3), (None, 3, 3))
    (True, False)
    """
    return all(mine is None or mine == theirs for mine, theirs in zip(told, known, strict=True))


def days_of(readings: Iterable[object]) -> frozenset[tuple[int | None, int | None]]:
    """The months and days that the readings of one writing name; two where it does not say which is which.

    >>> [sorted(days_of(found.readings)) for found in find_dates("13/04/2026, 03/04/2026")]
    [[(4, 13)], [(3, 4), (4, 3)]]
    """
    return frozenset((parts[1], parts[2]) for parts in readings if isinstance(parts, tuple))


def find_times(text: str) -> Iterator[TimeFound]:
    """The times of day of a text: ``10:30``, ``10.30 Uhr``, ``10 pm``, ``10 o'clock``."""
    for found in _TIME.finditer(text):
        word = (found["word"] or "").lower().replace(".", "")
        if not word and found["by"] != ":":
            continue
        hour, minute = int(found["hour"]), found["minute"] or "00"
        if word in ("am", "pm"):
            hour = hour % 12 + (12 if word == "pm" else 0)
        plain = hour if word not in ("am", "pm") and found["minute"] is None else None
        second = f":{found['second']}" if found["second"] not in (None, "00") else ""
        yield TimeFound(found.start(), found.end(), f"{hour:02d}:{minute}{second}", plain)
