"""Values of facts: their types, how each is read, and the one form in which each is written.

Typing is strict, because a guess here becomes a wrong verdict: a boolean is never a value (an
unquoted ``no`` in YAML is one), a code is always a string, a number has digits or is refused.
"""

import re
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Final

from prov_ledger.errors import Refused
from prov_ledger.model.times import format_instant, parse_date, parse_date_or_instant, parse_instant

FactValue = date | datetime | Decimal | str

_NUMBER_FORM: Final = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?")
# What every decimal of the graph store can hold and compare exactly.
_INTEGER_DIGITS: Final = 20
_FRACTION_DIGITS: Final = 18


class FactKind(StrEnum):
    """The type of a fact's values; ``QUESTION`` is the built-in date or instant."""

    DATE = "date"
    INSTANT = "instant"
    CODE = "code"
    NUMBER = "number"
    TEXT = "text"
    QUESTION = "question"


TEMPORAL_KINDS: Final = frozenset({FactKind.DATE, FactKind.INSTANT, FactKind.QUESTION})


@dataclass(frozen=True, slots=True)
class FactType:
    """A declared fact. ``zone`` (None: the tenant's) is for dates, instants and the question's date.

    ``personal``: values identify people, are sealed, and are compared for equality only.
    """

    name: str
    kind: FactKind
    unit: str | None = None
    zone: str | None = None
    personal: bool = False


@dataclass(frozen=True, slots=True)
class SealedValue:
    """A personal value as it is recorded: the node that owns the sealed text, and its commitment."""

    node: str
    commitment: str


#: What a value of each kind looks like, in words for a message.
EXPECTED: Final = {
    FactKind.DATE: "a date (YYYY-MM-DD)",
    FactKind.INSTANT: "an instant with a zone",
    FactKind.QUESTION: "a date or an instant with a zone",
    FactKind.NUMBER: "a number",
    FactKind.CODE: "a string (in YAML, quote it)",
    FactKind.TEXT: "a string (in YAML, quote it)",
}


def parse_typed(type_: FactType, raw: object) -> FactValue:
    """A value of a type, from what YAML or JSON gives; raises Refused ``bad_fact``."""
    match type_.kind:
        case FactKind.DATE:
            return parse_date(raw)
        case FactKind.INSTANT:
            return parse_instant(raw)
        case FactKind.QUESTION:
            return parse_date_or_instant(raw)
        case FactKind.NUMBER:
            return _parse_number(raw, type_.unit)
        case FactKind.CODE | FactKind.TEXT:
            return _parse_string(raw, type_.kind)


def _parse_string(raw: object, kind: FactKind) -> str:
    if not isinstance(raw, str):
        raise Refused("bad_fact", f"expected {EXPECTED[kind]}, got another type")
    if not raw.strip() or any(0xD800 <= ord(character) < 0xE000 for character in raw):
        raise Refused("bad_fact", f"a {kind} is not blank and is valid Unicode")
    return raw


def _parse_number(raw: object, unit: str | None) -> Decimal:
    if isinstance(raw, bool) or not isinstance(raw, int | float | Decimal | str):
        raise Refused("bad_fact", "expected a number, got another type")
    # Python refuses to write out an integer of thousands of digits.
    too_long = isinstance(raw, int) and raw.bit_length() > 8 * _INTEGER_DIGITS
    text = _without_unit(raw, unit) if isinstance(raw, str) else "" if too_long else str(raw)
    if len(text) > 100 or not _NUMBER_FORM.fullmatch(text):
        with_unit = f", with or without its unit {unit}" if unit else " without a unit"
        raise Refused("bad_fact", f"expected a finite number such as 99.99{with_unit}")
    lexical = canonical(Decimal(text))
    whole, _, fraction = lexical.lstrip("-").partition(".")
    if len(whole) > _INTEGER_DIGITS or len(fraction) > _FRACTION_DIGITS:
        raise Refused(
            "bad_fact",
            f"a number has at most {_INTEGER_DIGITS} digits before and {_FRACTION_DIGITS} after the point",
        )
    return Decimal(lexical)


def _without_unit(text: str, unit: str | None) -> str:
    text = text.strip(" ")
    if unit is not None:
        if text.endswith(unit):
            return text.removesuffix(unit).rstrip(" ")
        return text.removeprefix(unit).lstrip(" ")
    return text


def canonical(value: FactValue) -> str:
    """The one lexical form of a value: decimals without exponent, trailing zeros or negative zero.

    Source: XML Schema 1.1 part 2, 3.3.3.2 (decimal), 3.3.7.2 (dateTime), 3.3.9.2 (date).

    >>> canonical(Decimal("1.50E+2")), canonical(Decimal("-0.0")), canonical(date(2026, 6, 1))
    ('150', '0', '2026-06-01')
    """
    if isinstance(value, Decimal):
        text = format(value, "f")
        text = text.rstrip("0").rstrip(".") if "." in text else text
        return "0" if text == "-0" else text
    if isinstance(value, datetime):
        return format_instant(value)
    return value.isoformat() if isinstance(value, date) else value


def parse_canonical(kind: FactKind, text: str) -> FactValue:
    """The value of which ``text`` is the canonical form; raises Refused ``bad_fact``."""
    return parse_typed(FactType(kind.value, kind), text)
