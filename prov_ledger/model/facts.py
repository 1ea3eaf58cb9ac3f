"""Facts: what a question is about, each declared with a type before anything may speak of it."""

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from prov_ledger.errors import Refused
from prov_ledger.model.times import parse_zone
from prov_ledger.model.values import (
    EXPECTED,
    TEMPORAL_KINDS,
    FactKind,
    FactType,
    FactValue,
    SealedValue,
    canonical,
    parse_canonical,
    parse_typed,
)

__all__ = [
    "QUESTION_DATE",
    "TEMPORAL_KINDS",
    "FactKind",
    "FactTable",
    "FactType",
    "FactValue",
    "SealedValue",
    "canonical",
    "parse_canonical",
    "parse_fact_name",
    "parse_fact_type",
]

#: The fact that every tenant has: when the question is asked for, a date or an instant.
QUESTION_DATE: Final = "question_date"

_NAME_FORM: Final = re.compile(r"[a-z][a-z0-9_]*")


def _is_name(name: object) -> bool:
    return isinstance(name, str) and len(name) <= 64 and bool(_NAME_FORM.fullmatch(name))


def parse_fact_name(name: object) -> str:
    """``name`` where it is one (lower-case letters, digits, underscores); raises Refused ``bad_input``."""
    if isinstance(name, str) and _is_name(name):
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
        raise Refused("bad_input", f"fact '{name}': only a number has a unit, one word such as EUR")
    if stated_zone is not None and (kind not in TEMPORAL_KINDS or not isinstance(stated_zone, str)):
        raise Refused("bad_input", f"fact '{name}': only a date or an instant has a zone")
    if kind not in TEMPORAL_KINDS:
        return FactType(name, kind, str(unit) if unit is not None else None, None, personal)
    return FactType(name, kind, None, parse_zone(str(stated_zone or zone)), personal)


# What the one word of a short declaration states, where it is not "personal".
_DETAIL: Final = {"number": "unit", "date": "zone", "instant": "zone"}


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
        if kind in _DETAIL and isinstance(detail, str):
            return {"type": kind, _DETAIL[kind]: detail}
    raise Refused(
        "bad_input", f"fact '{name}': expected a type such as date, {{number: EUR}} or {{code: personal}}"
    )


def _parse_kind(name: str, raw: object) -> FactKind:
    for kind in FactKind:
        if raw == kind.value and kind is not FactKind.QUESTION:
            return kind
    raise Refused("bad_input", f"fact '{name}': expected the type date, instant, code, number or text")


def _is_unit(unit: object) -> bool:
    return isinstance(unit, str) and bool(re.fullmatch(r"[^\s0-9+.-]\S{0,23}", unit))


@dataclass(frozen=True, slots=True)
class FactTable:
    """The declared facts of a tenant, by name, with the built-in ``question_date``. Immutable."""

    zone: str = "UTC"
    types: Mapping[str, FactType] = field(default_factory=dict)

    def __post_init__(self) -> None:
        builtin = FactType(QUESTION_DATE, FactKind.QUESTION, zone=self.zone)
        object.__setattr__(self, "types", MappingProxyType({**self.types, QUESTION_DATE: builtin}))

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
        shown = f"'{name}'" if _is_name(name) else "of that name"
        raise Refused(
            "undeclared_fact",
            f"no fact {shown} is declared: did you mean '{self.nearest(name)}'? Else declare it",
        )

    def nearest(self, name: str) -> str:
        """The declared name most like ``name``."""

        def likeness(known: str) -> tuple[float, str]:
            return -difflib.SequenceMatcher(None, str(name)[:64].lower(), known).ratio(), known

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
            return parse_typed(type_, raw)
        except Refused as refusal:
            reason = refusal.message
        if type_.personal:
            reason = f"expected {EXPECTED[type_.kind]}; the value is personal and not shown"
        raise Refused("bad_fact", f"fact '{name}': {reason}")

    def parse_facts(self, raw: Mapping[str, object]) -> dict[str, FactValue]:
        """All values of a question, by name; raises as ``parse_value`` does."""
        return {name: self.parse_value(name, value) for name, value in raw.items()}
