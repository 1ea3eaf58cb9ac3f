"""Frozen values as plain JSON values: one form for commands, reports and comparisons."""

from collections.abc import Mapping, Set
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import Enum

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


def encode_plain(value: object) -> Json:
    """The JSON value of a dataclass, mapping, collection or scalar.

    Fields keep their order (a trailing underscore is dropped), sets are sorted, instants are RFC 3339
    in UTC with ``Z``, decimals are text, bytes are hex. Raises TypeError for anything else.

    >>> encode_plain({"from": date(2026, 6, 1), "in": frozenset({"FR", "DE"})})
    {'from': '2026-06-01', 'in': ['DE', 'FR']}
    """
    if value is None or isinstance(value, bool | int | float) or type(value) is str:
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name.rstrip("_"): encode_plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {_key(key): encode_plain(item) for key, item in value.items()}
    if isinstance(value, Set):
        return sorted((encode_plain(item) for item in value), key=repr)
    if isinstance(value, list | tuple):
        return [encode_plain(item) for item in value]
    return _scalar(value)


def _key(key: object) -> str:
    return key if type(key) is str else str(_scalar(key))


def _scalar(value: object) -> str:
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, bytes):
        return value.hex()
    raise TypeError(f"no plain form for {type(value).__name__}")
