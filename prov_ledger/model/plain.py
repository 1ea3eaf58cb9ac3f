"""Frozen values as plain JSON values: one form for commands, reports and comparisons."""

from collections.abc import Callable, Mapping, Set
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from types import NoneType
from typing import cast

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

_Encode = Callable[[object], Json]
#: Types whose values are JSON values already.
_AS_THEY_ARE = frozenset({NoneType, bool, int, float, str})


def encode_plain(value: object) -> Json:
    """The JSON value of a dataclass, mapping, collection or scalar.

    Fields keep their order (a trailing underscore is dropped), sets are sorted, instants are RFC 3339
    in UTC with ``Z``, decimals are text, bytes are hex. Raises TypeError for anything else.

    >>> encode_plain({"from": date(2026, 6, 1), "in": frozenset({"FR", "DE"})})
    {'from': '2026-06-01', 'in': ['DE', 'FR']}
    """
    kind = type(value)
    encode = _ENCODERS.get(kind)
    if encode is None:
        # What a type is made of is looked at once: an answer holds hundreds of values of few types.
        encode = _ENCODERS[kind] = _encoder_of(kind)
    return encode(value)


def _encoder_of(kind: type) -> _Encode:
    """How values of a type are encoded; the first that fits counts."""
    if issubclass(kind, bool | int | float):
        return _same
    if is_dataclass(kind):
        return _encoder_of_fields(kind)
    for base, encode in _KINDS:
        if issubclass(kind, base):
            return encode
    return _refuse


def _encoder_of_fields(kind: type) -> _Encode:
    names = [(field.name.rstrip("_"), field.name) for field in fields(kind)]

    def encode(value: object) -> Json:
        found: dict[str, Json] = {}
        for key, name in names:
            item = getattr(value, name)
            found[key] = item if type(item) in _AS_THEY_ARE else encode_plain(item)
        return found

    return encode


def _same(value: object) -> Json:
    return cast(Json, value)


def _mapping(value: Mapping[object, object]) -> Json:
    return {_key(key): encode_plain(item) for key, item in value.items()}


def _set(value: Set[object]) -> Json:
    return sorted((encode_plain(item) for item in value), key=repr)


def _list(value: list[object] | tuple[object, ...]) -> Json:
    return [encode_plain(item) for item in value] if value else []


def _key(key: object) -> str:
    if type(key) is str:
        return key
    scalar = _encoder_of_scalar(type(key))
    return str(scalar(key))


def _encoder_of_scalar(kind: type) -> _Encode:
    return next((encode for base, encode in _SCALARS if issubclass(kind, base)), _refuse)


def _refuse(value: object) -> Json:
    raise TypeError(f"no plain form for {type(value).__name__}")


_SCALARS: tuple[tuple[type, _Encode], ...] = (
    (Enum, lambda value: str(cast(Enum, value).value)),
    (str, str),
    (datetime, lambda value: cast(datetime, value).isoformat().replace("+00:00", "Z")),
    (date, lambda value: cast(date, value).isoformat()),
    (Decimal, lambda value: format(cast(Decimal, value), "f")),
    (bytes, lambda value: cast(bytes, value).hex()),
)
_KINDS: tuple[tuple[type, _Encode], ...] = (
    (Mapping, cast(_Encode, _mapping)),
    (Set, cast(_Encode, _set)),
    (list, cast(_Encode, _list)),
    (tuple, cast(_Encode, _list)),
    *_SCALARS,
)
_ENCODERS: dict[type, _Encode] = dict.fromkeys(_AS_THEY_ARE, _same)
