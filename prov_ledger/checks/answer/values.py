"""Numbers, amounts, percentages, dates and times, compared as values in English and German writing.

A writing that allows several readings (``1.250``) is all of them: two writings agree where they share one.
A date that may be two days (``03/04/2026``) is borne out only by one that may be the same two, and bears
out no other.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Context, Decimal
from itertools import product

from prov_ledger.checks.answer.dates import Parts, agrees, days_of, find_dates, find_times
from prov_ledger.checks.answer.number_words import find_number_words
from prov_ledger.checks.answer.plain import FRACTIONS, plain
from prov_ledger.checks.answer.units import (
    NO_UNIT,
    Units,
    currency_before,
    needs_naming,
    unit_after,
    units_in,
)

Reading = Decimal | str | Parts

#: No number that somebody writes out is rounded.
_EXACT = Context(prec=10_000)
_NUMBER = re.compile(
    rf"(?<!\w)(?<!\d[.,])(?P<sign>(?<![\w)\]–-])-)?"
    rf"(?P<digits>\d{{1,3}}(?:[ ']\d{{3}})+(?![\d'])(?:[.,]\d+)?|\d+(?:[.,']\d+)*)?"
    rf"(?P<fraction>[{FRACTIONS}])?(?P<glued>[^\W_]*)"
)
_CODE = re.compile(r"(?<!\w)(?=\w*\d)[^\W\d]\w*(?:\.\d+)*")
_ORDINAL = frozenset({"st", "nd", "rd", "th"})
_SCALE = re.compile(
    r"[\s-]?(?P<word>dozen|dutzend|score(?=\s+(?:and|years|months|weeks|days)\b)|hundred|thousand|million(?:s|en)?|billion(?:s|en)?|trillion(?:s|en)?|hundert|tausend"
    r"|milliarden?|tsd\.|mio\.?|mrd\.?|bn|[km](?![^\W\d_]))(?![^\W\d_])",
    re.IGNORECASE,
)
_SCALES: dict[str, tuple[int, ...]] = {
    "dozen": (12,),
    "dutzend": (12,),
    "score": (20,),
    "hundred": (100,),
    "hundert": (100,),
    "thousand": (1000,),
    "tausend": (1000,),
    "tsd": (1000,),
    "k": (1000,),
    "m": (1, 10**6),
    "mio": (10**6,),
    "million": (10**6,),
    "mrd": (10**9,),
    "bn": (10**9,),
    "milliarde": (10**9,),
    "billion": (10**9, 10**12),
    "trillion": (10**12, 10**18),
}
_ENGLISH = (r"[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?", r"\d+(?:\.\d+)?", r"\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?")
_GERMAN = (r"[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?", r"\d+(?:,\d+)?")
_AS_ENGLISH = re.compile("|".join(_ENGLISH))
_AS_GERMAN = re.compile("|".join(_GERMAN))


@dataclass(frozen=True, slots=True)
class Value:
    """One value as it may be read: numbers, dates, times and codes; ``units`` empty where none is said.

    ``weak``: the word is mostly no number (``one``, ``a``, ``ein``), so nothing has to bear it out.
    """

    text: str
    readings: frozenset[Reading]
    units: Units = NO_UNIT
    weak: bool = False


@dataclass(frozen=True, slots=True)
class Stock:
    """The values that one passage of evidence holds, and the units that it speaks of."""

    values: tuple[Value, ...]
    units: Units
    #: The values by what may bear out: each reading, what a date leaves of itself, and its year.
    by_reading: Mapping[Reading, tuple[Value, ...]]

    @classmethod
    def of(cls, text: str) -> "Stock":
        """Take stock of a passage; ``a day`` holds a 1, ``one of them`` does not."""
        held = tuple(value for value in find_values(text) if value.units or not value.weak)
        return cls(held, units_in(plain(text)), _by_reading(held))


def find_values(text: str) -> Iterator[Value]:
    """The values of a text, dates first, then times, codes, numbers and number words.

    >>> [sorted(map(str, value.readings)) for value in find_values("1.250,50 EUR; 1.250; sixty; A4")]
    [['a4'], ['1250.50'], ['1.250', '1250'], ['60']]
    """
    read = plain(text)
    taken = bytearray(character == "\0" for character in read)
    for value, start, end in _in_turn(read):
        if any(taken[start:end]):
            continue
        yield value
        taken[start:end] = b"\1" * (end - start)
    yield from _numbers("".join("\0" if gone else x for x, gone in zip(read, taken, strict=True)))


def _in_turn(text: str) -> Iterator[tuple[Value, int, int]]:
    for date in find_dates(text):
        written = text[date.start : date.end]
        readings: frozenset[Reading] = date.readings
        number = re.fullmatch(r"(\d+\.\d+)\.", written)
        yield Value(written, readings | _numerals(number[1] if number else "")), date.start, date.end
    for time in find_times(text):
        hour = frozenset[Reading]() if time.hour is None else frozenset({Decimal(time.hour)})
        yield Value(text[time.start : time.end], hour | {time.time}), time.start, time.end
    for code in _CODE.finditer(text):
        yield Value(code[0], frozenset({code[0].casefold()})), code.start(), code.end()


def _numbers(text: str) -> Iterator[Value]:
    for found in _NUMBER.finditer(text):
        if found["digits"] is not None or found["fraction"] is not None:
            yield from _number(text, found)
    for word in find_number_words(text):
        numbers, end = _scaled(text, word.end, frozenset({Decimal(word.number)}))
        units = unit_after(text, end)
        weak = word.weak and end == word.end and (not units or word.article)
        yield Value(text[word.start : end], numbers, units, weak)


def _number(text: str, found: re.Match[str]) -> Iterator[Value]:
    digits, glued = found["digits"] or "", found["glued"]
    numbers = _signed(_numerals(digits), found["fraction"], found["sign"])
    if not numbers and "," in digits:
        yield from (Value(part, _numerals(part)) for part in digits.split(","))
        return
    if not numbers or (glued and any(character.isdigit() for character in glued)):
        yield Value(found[0], frozenset({found[0].casefold()}))
        return
    if glued.lower() in _ORDINAL:
        yield Value(found[0], numbers)
        return
    start, end = found.start(), found.start("glued") if glued else found.end()
    numbers, end = _scaled(text, end, numbers)
    units = unit_after(text, end) or currency_before(text, start)
    yield Value(text[start:end], numbers, units)


def _numerals(digits: str) -> frozenset[Reading]:
    """The numbers that digits with separators may be, in English, German and Swiss writing."""
    bare = digits.replace(" ", "").replace("'", "")
    found: set[Reading] = set()
    if _AS_ENGLISH.fullmatch(bare):
        found.add(Decimal(bare.replace(",", "")))
    if _AS_GERMAN.fullmatch(bare):
        found.add(Decimal(bare.replace(".", "").replace(",", ".")))
    return frozenset(found)


def _signed(numbers: frozenset[Reading], fraction: str | None, sign: str | None) -> frozenset[Reading]:
    more = Decimal(str(round(unicodedata.numeric(fraction), 6))) if fraction is not None else Decimal(0)
    amounts = [n for n in numbers if isinstance(n, Decimal)] or ([Decimal(0)] if fraction else [])
    return frozenset(_EXACT.multiply(-1 if sign else 1, _EXACT.add(amount, more)) for amount in amounts)


def _scaled(text: str, end: int, numbers: frozenset[Reading]) -> tuple[frozenset[Reading], int]:
    """The numbers times the scale that follows (``million``, ``Tsd.``, ``k``), and where it ends."""
    found = _SCALE.match(text, end)
    if found is None or (len(found["word"]) == 1 and found.start("word") != end):
        return numbers, end
    word = found["word"].lower().rstrip(".")
    factors = _SCALES.get(word) or _SCALES[word.removesuffix("s").removesuffix("en").removesuffix("n")]
    amounts = [n for n in numbers if isinstance(n, Decimal)]
    scaled = frozenset(_EXACT.multiply(n, f) for n in amounts for f in factors)
    return scaled, end if word == "m" else found.end()


def missing_values(text: str, stocks: Iterable[Stock]) -> tuple[Value, ...]:
    """The values of a text that no passage bears out, in order of their kinds."""
    held = tuple(stocks)
    told = (value for value in find_values(text) if not value.weak)
    return tuple(value for value in told if not any(_bears_out(stock, value) for stock in held))


def _bears_out(stock: Stock, told: Value) -> bool:
    known = (value for reading in told.readings for value in stock.by_reading.get(reading, ()))
    return any(_units_fit(stock, told, one) and _reads_alike(told, one) for one in known)


def _by_reading(values: Iterable[Value]) -> Mapping[Reading, tuple[Value, ...]]:
    found: dict[Reading, dict[tuple[object, ...], Value]] = {}
    for value in values:
        for reading in value.readings:
            for key in _told_by(reading):
                found.setdefault(key, {}).setdefault((value.readings, value.units), value)
    return {key: tuple(known.values()) for key, known in found.items()}


def _told_by(known: Reading) -> Iterator[Reading]:
    """The readings that may agree with a known one: of a date, all that say no more, and the year."""
    if not isinstance(known, tuple):
        yield known
        return
    yield from product(*((part, None) if part is not None else (None,) for part in known))
    if known[0] is not None:
        yield Decimal(known[0])


def _units_fit(stock: Stock, told: Value, known: Value) -> bool:
    if not told.units:
        return True
    if known.units:
        return bool(told.units & known.units)
    return bool(told.units & stock.units) or not needs_naming(told.units)


def _reads_alike(told: Value, known: Value) -> bool:
    """Whether two values share a reading; of a date that may be two days, both must be meant by either."""
    if not any(_same(mine, theirs, told) for mine in told.readings for theirs in known.readings):
        return False
    mine, theirs = days_of(told.readings), days_of(known.readings)
    said_once = len(mine) <= 1 and len(theirs) <= 1
    return said_once or mine == theirs or not mine or not theirs


def _same(mine: Reading, theirs: Reading, told: Value) -> bool:
    if isinstance(mine, tuple):
        return isinstance(theirs, tuple) and agrees(mine, theirs)
    if isinstance(mine, Decimal) and isinstance(theirs, tuple):
        return not told.units and mine == theirs[0]
    return mine == theirs
