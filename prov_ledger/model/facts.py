"""Facts: what a question is about, each declared with a type before anything may speak of it.

Typing is strict, because a guess here becomes a wrong verdict: a boolean is never a value (an
unquoted ``no`` in YAML is one), a code is always a string, a number has digits or is refused.
"""

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Final

from prov_ledger.errors import Refused
from prov_ledger.model.times import (
    format_instant,
    parse_date,
    parse_date_or_instant,
    parse_instant,
    parse_zone,
)

FactValue = date | datetime | Decimal | str

#: The fact that every tenant has: when the question is asked for, a date or an instant.
QUESTION_DATE: Final = "question_date"

_NAME_FORM: Final = re.compile(r"[a-z][a-z0-9_]*")
_NUMBER_FORM: Final = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,2})?")
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


def parse_fact_name(name: object) -> str:
    """``name`` where it is one (lower-case letters, digits, underscores); raises Refused ``bad_input``."""
    if isinstance(name, str) and len(name) <= 64 and _NAME_FORM.fullmatch(name):
        return name
    raise Refused(
        "bad_input",
        "not a name for a fact: expected a lower-case letter, then letters, digits or '_', at most 64",
    )


def parse_fact_type(name: str, raw: object, zone: str) -> FactType:
    """The type that a declaration states; ``zone`` is the tenant's, for dates and instants without one.

    Forms: ``date``; ``{number: UNIT}``; ``{date: ZONE}``; ``{code: personal}``, and the same for any
    kind; or in full ``{type: number, unit: UNIT, zone: ZONE, personal: true}``. Raises Refused ``bad_input``.
    """
    parse_fact_name(name)
    stated = _in_full(name, raw)
    kind = _parse_kind(name, stated.get("type"))
    unit, stated_zone, personal = stated.get("unit"), stated.get("zone"), stated.get("personal", False)
    if not isinstance(personal, bool):
        raise Refused("bad_input", f"fact '{name}': 'personal' is true or false")
    if unit is not None and (kind is not FactKind.NUMBER or not _is_unit(unit)):
        raise Refused(
            "bad_input", f"fact '{name}': only a number has a unit, a word such as EUR without digits"
        )
    if stated_zone is not None and (kind not in TEMPORAL_KINDS or not isinstance(stated_zone, str)):
        raise Refused("bad_input", f"fact '{name}': only a date or an instant has a zone")
    if kind not in TEMPORAL_KINDS:
        return FactType(name, kind, str(unit) if unit is not None else None, None, personal)
    return FactType(name, kind, None, parse_zone(str(stated_zone or zone)), personal)


def _in_full(name: str, raw: object) -> Mapping[str, object]:
    """A declaration in its full form, with the keys type, unit, zone and personal."""
    if isinstance(raw, str):
        return {"type": raw}
    if isinstance(raw, Mapping) and "type" in raw and set(raw) <= {"type", "unit", "zone", "personal"}:
        return raw
    if isinstance(raw, Mapping) and len(raw) == 1:
        kind, detail = next(iter(raw.items()))
        if detail == "personal":
            return {"type": kind, "personal": True}
        if detail is not None:
            return {"type": kind, ("unit" if kind == "number" else "zone"): detail}
    raise Refused(
        "bad_input", f"fact '{name}': expected a type such as date, {{number: EUR}} or {{code: personal}}"
    )


def _parse_kind(name: str, raw: object) -> FactKind:
    for kind in FactKind:
        if raw == kind.value and kind is not FactKind.QUESTION:
            return kind
    raise Refused("bad_input", f"fact '{name}': expected the type date, instant, code, number or text")


def _is_unit(unit: object) -> bool:
    return isinstance(unit, str) and bool(re.fullmatch(r"[^\s0-9+.-][^\s0-9]{0,23}", unit))


@dataclass(frozen=True, slots=True)
class FactTable:
    """The declared facts of a tenant, by name, with the built-in ``question_date``. Immutable."""

    zone: str = "UTC"
    types: Mapping[str, FactType] = field(default_factory=dict)

    def __post_init__(self) -> None:
        builtin = FactType(QUESTION_DATE, FactKind.QUESTION, zone=self.zone)
        object.__setattr__(self, "types", {**self.types, QUESTION_DATE: builtin})

    def __contains__(self, name: object) -> bool:
        return name in self.types

    def __iter__(self) -> Iterator[FactType]:
        """The types, by name."""
        return iter(sorted(self.types.values(), key=lambda type_: type_.name))

    def declare(self, type_: FactType) -> "FactTable":
        """A table that has ``type_`` too; the same table where it is declared so already.

        Raises Refused ``already_exists`` where the name is declared otherwise.
        """
        known = self.types.get(type_.name)
        if known == type_:
            return self
        if known is not None:
            raise Refused(
                "already_exists", f"fact '{type_.name}' is declared as {known.kind}: choose another name"
            )
        return replace(self, types={**self.types, type_.name: type_})

    def get(self, name: str) -> FactType:
        """The type of a fact; raises Refused ``undeclared_fact``, naming the nearest declared fact."""
        found = self.types.get(name)
        if found is not None:
            return found
        shown = f"'{name}'" if isinstance(name, str) and _NAME_FORM.fullmatch(name[:65]) else "of that name"
        raise Refused(
            "undeclared_fact",
            f"no fact {shown} is declared: did you mean '{self.nearest(name)}'? Else declare it",
        )

    def nearest(self, name: str) -> str:
        """The declared name most like ``name``."""

        def likeness(known: str) -> tuple[float, str]:
            return -difflib.SequenceMatcher(None, str(name).lower(), known).ratio(), known

        return min(self.types, key=likeness)

    def zone_of(self, name: str) -> str:
        """The zone in which the dates of a fact are read."""
        return self.get(name).zone or self.zone

    def parse_value(self, name: str, raw: object) -> FactValue:
        """A value of the fact's type; raises Refused ``undeclared_fact`` or ``bad_fact``.

        The message of a personal fact never holds the value.
        """
        type_ = self.get(name)
        try:
            return _parse_typed(type_, raw)
        except Refused as refusal:
            reason = refusal.message
        if type_.personal:
            reason = f"expected {_EXPECTED[type_.kind]}; the value is personal and not shown"
        raise Refused("bad_fact", f"fact '{name}': {reason}")

    def parse_facts(self, raw: Mapping[str, object]) -> dict[str, FactValue]:
        """All values of a question, by name; raises as ``parse_value`` does."""
        return {name: self.parse_value(name, value) for name, value in raw.items()}


_EXPECTED: Final = {
    FactKind.DATE: "a date (YYYY-MM-DD)",
    FactKind.INSTANT: "an instant with a zone",
    FactKind.QUESTION: "a date or an instant with a zone",
    FactKind.NUMBER: "a number",
    FactKind.CODE: "a string (in YAML, quote it)",
    FactKind.TEXT: "a string (in YAML, quote it)",
}


def _parse_typed(type_: FactType, raw: object) -> FactValue:
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
        raise Refused("bad_fact", f"expected {_EXPECTED[kind]}, got another type")
    if not raw.strip() or any(0xD800 <= ord(character) < 0xE000 for character in raw):
        raise Refused("bad_fact", f"a {kind} is not blank and is valid Unicode")
    return raw


def _parse_number(raw: object, unit: str | None) -> Decimal:
    if isinstance(raw, bool) or not isinstance(raw, int | float | Decimal | str):
        raise Refused("bad_fact", "expected a number, got another type")
    text = _without_unit(raw, unit) if isinstance(raw, str) else str(raw)
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
    return _parse_typed(FactType(kind.value, kind), text)
