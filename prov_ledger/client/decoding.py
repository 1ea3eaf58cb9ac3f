"""Plain JSON values as the frozen values that they were: the inverse of ``encode_plain``, by type."""

import dataclasses
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from prov_ledger.model.plain import Json

T = TypeVar("T")


def decode_plain(hint: type[T], value: Json) -> T:
    """The value of a type that a JSON value stands for. Raises ValueError or TypeError where it is none.

    >>> decode_plain(tuple[date, ...], ["2026-06-01"])
    (datetime.date(2026, 6, 1),)
    """
    return cast(T, _decode(hint, value))


def _decode(hint: object, value: Json) -> object:
    origin, options = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _one_of(options, value)
    if origin is Literal or hint is object:
        return value
    if origin in (list, Sequence) and isinstance(value, list):
        return [_decode(options[0], one) for one in value]
    if origin is tuple and isinstance(value, list):
        hints = [options[0]] * len(value) if options[-1] is Ellipsis else list(options)
        return tuple(_decode(one, item) for one, item in zip(hints, value, strict=True))
    if origin in (dict, Mapping) and isinstance(value, dict):
        return {str(_decode(options[0], key)): _decode(options[1], one) for key, one in value.items()}
    if origin in (set, frozenset) and isinstance(value, list):
        return frozenset(_decode(options[0], one) for one in value)
    if isinstance(hint, type):
        return _of_class(hint, value)
    raise TypeError(f"no value of {hint!r}")


def _one_of(options: Sequence[object], value: Json) -> object:
    if value is None and NoneType in options:
        return None
    for option in options:
        try:
            if option is not NoneType:
                return _decode(option, value)
        except (ValueError, TypeError, KeyError):
            continue
    raise ValueError("the value is of none of the types that it may be of")


def _of_class(hint: type, value: Json) -> object:
    if dataclasses.is_dataclass(hint):
        return _of_fields(hint, value)
    if hint is datetime and isinstance(value, str):
        return datetime.fromisoformat(value)
    if hint is date and isinstance(value, str):
        return date.fromisoformat(value)
    if hint is Decimal and isinstance(value, str):
        return Decimal(value)
    if hint is bytes and isinstance(value, str):
        return bytes.fromhex(value)
    if issubclass(hint, Enum):
        return hint(value)
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if type(value) is hint:
        return value
    raise TypeError(f"expected {hint.__name__}")


def _of_fields(hint: type, value: Json) -> object:
    if not isinstance(value, dict):
        raise TypeError(f"expected {hint.__name__}")
    given: dict[str, object] = {}
    for name, (wire, needed, type_) in _fields(hint).items():
        if wire in value:
            given[name] = _decode(type_, value[wire])
        elif needed:
            raise KeyError(name)
    return hint(**given)


@cache
def _fields(hint: type) -> dict[str, tuple[str, bool, object]]:
    """Of each field: its name on the wire, whether it has to be there, its type."""
    hints = get_type_hints(hint)
    missing = dataclasses.MISSING
    return {
        field.name: (
            field.name.rstrip("_"),
            field.default is missing and field.default_factory is missing,
            hints[field.name],
        )
        for field in dataclasses.fields(hint)
        if field.init
    }
