"""Scopes: when and for what something holds, as a conjunction of conditions on facts."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from prov_ledger.errors import Refused
from prov_ledger.model.conditions import (
    Among,
    Bound,
    Condition,
    Edge,
    Period,
    Range,
    condition_key,
    is_inside,
    merge_conditions,
)
from prov_ledger.model.facts import (
    TEMPORAL_KINDS,
    FactKind,
    FactTable,
    FactType,
    FactValue,
    SealedValue,
    parse_canonical,
)
from prov_ledger.model.times import parse_date_or_instant

__all__ = [
    "Among",
    "Bound",
    "Condition",
    "Edge",
    "Period",
    "Range",
    "Scope",
    "check_narrowing",
    "intersect",
    "open_scope",
    "parse_scope",
    "period_facts",
]

_PERIOD_KEYS: Final = frozenset({"from", "until"})
_RANGE_KEYS: Final = frozenset({"min", "above", "max", "below"})
_SET_KEYS: Final = frozenset({"in"})


@dataclass(frozen=True, slots=True)
class Scope:
    """Conditions that all must hold, in canonical order; without any, it always applies."""

    conditions: tuple[Condition, ...] = ()

    @property
    def facts(self) -> frozenset[str]:
        """The facts that the scope looks at."""
        return frozenset(condition.fact for condition in self.conditions)

    def on(self, fact: str) -> list[Condition]:
        """The conditions on one fact."""
        return [condition for condition in self.conditions if condition.fact == fact]


def period_facts(scope: Scope) -> frozenset[str]:
    """The facts on which the scope has a period."""
    return frozenset(condition.fact for condition in scope.conditions if isinstance(condition, Period))


def parse_scope(raw: object, table: FactTable) -> Scope:
    """The scope that a list of conditions states, merged and in canonical order.

    Values of personal facts come back plain; whoever records the scope seals them first. Raises Refused
    ``undeclared_fact``, ``bad_fact`` (ill-typed) or ``bad_scope`` (empty, inverted, no condition at all).
    """
    if not isinstance(raw, list | tuple) or not raw:
        raise Refused("bad_scope", "a scope is a list of at least one condition; leave it out to state none")
    stated = [_parse_shape(item) for item in raw]
    types = [table.get(fact) for fact, _ in stated]
    parsed = [_parse_condition(type_, keys, table) for type_, (_, keys) in zip(types, stated, strict=True)]
    return _canonical(parsed, table)


def intersect(a: Scope, b: Scope, table: FactTable) -> Scope:
    """The scope that holds exactly where both do, for any facts and any time of confirmation.

    Raises Refused ``bad_scope`` when no facts can satisfy both.
    """
    return _canonical([*a.conditions, *b.conditions], table)


def check_narrowing(narrow: Scope, support: Scope, table: FactTable) -> None:
    """Raises Refused ``widened_scope`` unless each condition lies surely inside the support's on its fact.

    Where the two have nothing in common, that is ``bad_scope``: nothing would be claimed.
    A fact that the support says nothing about may be narrowed freely. An unknown bound is not surely
    inside a stated one. Sealed values are compared by node, so open both scopes first where they are known.
    """
    intersect(narrow, support, table)
    for fact in sorted(narrow.facts & support.facts):
        inner, zone = narrow.on(fact), table.zone_of(fact)
        if not all(is_inside(inner, outer, zone) for outer in support.on(fact)):
            raise Refused(
                "widened_scope",
                f"the condition on '{fact}' is not inside that of the support: state bounds, both of them, "
                "that the support covers, or leave the condition out",
            )


def open_scope(scope: Scope, opened: Mapping[str, str], table: FactTable) -> Scope:
    """The scope with each sealed value whose node is in ``opened`` replaced by the value; others stay."""

    def value_of(value: FactValue | SealedValue, fact: str) -> FactValue | SealedValue:
        if isinstance(value, SealedValue) and value.node in opened:
            return parse_canonical(table.get(fact).kind, opened[value.node])
        return value

    conditions = [
        Among(c.fact, frozenset(value_of(v, c.fact) for v in c.values)) if isinstance(c, Among) else c
        for c in scope.conditions
    ]
    return Scope(tuple(sorted(conditions, key=condition_key)))


def _canonical(conditions: Iterable[Condition], table: FactTable) -> Scope:
    by_fact: dict[str, list[Condition]] = {}
    for condition in conditions:
        by_fact.setdefault(condition.fact, []).append(condition)
    merged = [c for fact, group in by_fact.items() for c in merge_conditions(group, table.zone_of(fact))]
    return Scope(tuple(sorted(merged, key=condition_key) if len(merged) > 1 else merged))


def _parse_shape(raw: object) -> tuple[str, dict[str, object]]:
    """The fact of a condition, and what else is stated about it (null is as good as absent)."""
    if not isinstance(raw, Mapping) or not isinstance(raw.get("fact"), str):
        raise Refused("bad_scope", "a condition is a mapping with 'fact' and a period, a range or a set")
    return raw["fact"], {key: value for key, value in raw.items() if key != "fact"}


def _parse_condition(type_: FactType, keys: dict[str, object], table: FactTable) -> Condition:
    stated = frozenset(keys)
    allowed = _allowed_keys(type_)
    if not stated or not any(stated <= group for group in (_PERIOD_KEYS, _RANGE_KEYS, _SET_KEYS)):
        raise Refused(
            "bad_scope",
            f"the condition on '{type_.name}' has other keys than {_listed(allowed)}, or none of them",
        )
    if not stated <= allowed:
        secret = "personal and compared for equality only" if type_.personal else f"a {type_.kind} fact"
        raise Refused("bad_fact", f"'{type_.name}' is {secret}: expected {_listed(allowed)}")
    if stated <= _PERIOD_KEYS:
        return Period(
            type_.name, _parse_bound(type_, keys.get("from")), _parse_bound(type_, keys.get("until"))
        )
    if stated <= _RANGE_KEYS:
        return _parse_range(type_, keys, table)
    return _parse_set(type_, keys["in"], table)


def _listed(keys: frozenset[str]) -> str:
    return " or ".join(
        f"'{key}'" for key in ("from", "until", "min", "above", "max", "below", "in") if key in keys
    )


def _allowed_keys(type_: FactType) -> frozenset[str]:
    if type_.personal:
        return _SET_KEYS
    if type_.kind in TEMPORAL_KINDS:
        return _PERIOD_KEYS
    return _RANGE_KEYS if type_.kind is FactKind.NUMBER else _SET_KEYS


def _parse_bound(type_: FactType, raw: object) -> Bound:
    if raw is None or raw == "unknown":
        return Edge.UNKNOWN
    if raw == "open":
        return Edge.OPEN
    try:
        return parse_date_or_instant(raw)
    except Refused as refusal:
        reason = refusal.message
    raise Refused("bad_fact", f"a bound on '{type_.name}': {reason}; or 'open' or 'unknown'")


def _parse_range(type_: FactType, keys: dict[str, object], table: FactTable) -> Range:
    values = {key: table.parse_value(type_.name, raw) for key, raw in keys.items() if raw is not None}
    if not values or {"min", "above"} <= set(values) or {"max", "below"} <= set(values):
        raise Refused(
            "bad_scope",
            f"the range of '{type_.name}' has one of 'min' and 'above', one of 'max' and 'below', or both",
        )
    return Range(
        type_.name,
        _number(values, "min", "above"),
        "above" not in values,
        _number(values, "max", "below"),
        "below" not in values,
    )


def _number(values: Mapping[str, FactValue], *keys: str) -> Decimal | None:
    found = [value for key in keys if isinstance(value := values.get(key), Decimal)]
    return found[0] if found else None


def _parse_set(type_: FactType, raw: object, table: FactTable) -> Among:
    if not isinstance(raw, list | tuple) or not raw:
        raise Refused("bad_scope", f"the set of '{type_.name}' is a list of at least one value")
    return Among(type_.name, frozenset(table.parse_value(type_.name, value) for value in raw))
