"""Frozen values have one plain form."""

from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import StrEnum

import pytest

from prov_ledger.model.plain import encode_plain


class _Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True, slots=True)
class _Thing:
    from_: date
    members: frozenset[str]
    inner: tuple[object, ...] = ()


def test_a_dataclass_becomes_a_mapping_in_order_of_its_fields() -> None:
    thing = _Thing(date(2026, 6, 1), frozenset({"b", "a"}), (_Colour.RED, Decimal("1E+2"), b"\x00\xff", None))
    plain = encode_plain(thing)
    assert plain == {"from": "2026-06-01", "members": ["a", "b"], "inner": ["red", "100", "00ff", None]}
    assert list(plain) == ["from", "members", "inner"]


def test_an_instant_ends_in_z() -> None:
    plain = encode_plain({date(2026, 1, 1): datetime(2026, 1, 2, tzinfo=UTC)})
    assert plain == {"2026-01-01": "2026-01-02T00:00:00Z"}


def test_anything_else_is_refused() -> None:
    with pytest.raises(TypeError, match="no plain form for object"):
        encode_plain(object())
