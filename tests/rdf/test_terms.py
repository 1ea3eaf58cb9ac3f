"""Literals have the one form that every store keeps, and come back as the value they were made of."""

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prov_ledger.errors import Refused
from prov_ledger.rdf.terms import (
    Literal,
    Value,
    civil_date,
    decimal,
    instant,
    literal_of,
    render_term,
    value_of,
)

ZONES = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
INSTANTS = st.datetimes(datetime(1000, 1, 2), datetime(9000, 1, 1), timezones=ZONES)
NUMBERS = st.decimals(-(10**17), 10**17, allow_nan=False, allow_infinity=False, places=9)
VALUES = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.booleans(),
    st.integers(-(2**62), 2**62),
    NUMBERS,
    st.dates(date(1000, 1, 1)),
    INSTANTS,
)


@given(VALUES)
def test_a_value_comes_back_from_its_literal(value: Value) -> None:
    back = value_of(literal_of(value))
    assert back == value
    assert type(back) is type(value)


@given(VALUES)
def test_a_store_keeps_the_form_of_a_literal(value: Value) -> None:
    literal = literal_of(value)
    store = ox.Store()
    line = f"<urn:s> <urn:p> {render_term(literal)} <urn:g> .\n".encode()
    store.load(line, ox.RdfFormat.N_QUADS)
    assert store.dump(format=ox.RdfFormat.N_QUADS) == line


@given(INSTANTS)
def test_an_instant_is_written_in_utc(value: datetime) -> None:
    assert instant(value) == instant(value.astimezone(UTC))
    assert instant(value).lexical.endswith("Z")


@pytest.mark.parametrize(
    ("number", "lexical"),
    [("1.50", "1.5"), ("100", "100"), ("1E+3", "1000"), ("-0", "0"), ("0.000", "0"), ("1E-7", "0.0000001")],
)
def test_a_decimal_has_no_exponent_and_no_trailing_zero(number: str, lexical: str) -> None:
    assert decimal(Decimal(number)).lexical == lexical


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1E+18", "1E-19", "-1234567890123456789"])
def test_a_number_that_stores_do_not_compare_is_refused(number: str) -> None:
    with pytest.raises(Refused):
        decimal(Decimal(number))


def test_a_datetime_is_no_civil_date_and_needs_a_zone() -> None:
    with pytest.raises(TypeError):
        civil_date(datetime(2026, 1, 1, tzinfo=UTC))
    with pytest.raises(TypeError):
        instant(datetime(2026, 1, 1))


def test_another_datatype_is_read_as_its_text() -> None:
    assert value_of(Literal("P1D", "http://www.w3.org/2001/XMLSchema#duration")) == "P1D"
