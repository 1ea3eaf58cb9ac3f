"""Facts: how they are declared, what their values may be, and what a refusal says and does not say."""

import re
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from prov_ledger.errors import Refused
from prov_ledger.model.facts import (
    FactKind,
    FactTable,
    FactType,
    canonical,
    parse_canonical,
    parse_fact_type,
)

DECLARED = {
    "purchase_date": "date",
    "shipped_at": "instant",
    "region": "code",
    "total": {"number": "EUR"},
    "count": "number",
    "topic": "text",
    "order": {"code": "personal"},
    "born": {"date": "personal"},
    "salary": {"type": "number", "unit": "EUR", "personal": True},
}


@pytest.fixture
def table() -> FactTable:
    table = FactTable("Europe/Berlin")
    for name, raw in DECLARED.items():
        table = table.declare(parse_fact_type(name, raw, table.zone))
    return table


def refusal_of(function, *arguments) -> Refused:
    with pytest.raises(Refused) as refused:
        function(*arguments)
    return refused.value


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("date", FactType("f", FactKind.DATE, zone="Europe/Berlin")),
        ("instant", FactType("f", FactKind.INSTANT, zone="Europe/Berlin")),
        ({"date": "America/New_York"}, FactType("f", FactKind.DATE, zone="America/New_York")),
        ({"number": "EUR"}, FactType("f", FactKind.NUMBER, unit="EUR")),
        ({"number": "personal"}, FactType("f", FactKind.NUMBER, personal=True)),
        ({"code": "personal"}, FactType("f", FactKind.CODE, personal=True)),
        ({"text": "personal"}, FactType("f", FactKind.TEXT, personal=True)),
        ({"type": "number", "unit": "%"}, FactType("f", FactKind.NUMBER, unit="%")),
    ],
)
def test_the_forms_of_a_declaration(raw, expected):
    assert parse_fact_type("f", raw, "Europe/Berlin") == expected


@pytest.mark.parametrize(
    "raw",
    [
        "string",
        "question",
        "",
        None,
        1,
        True,
        [],
        {},
        {"number": None},
        {"number": 5},
        {"number": "12"},
        {"number": "a b"},
        {"code": "EUR"},
        {"date": "Mars"},
        {"type": "code", "unit": "EUR"},
        {"type": "number", "zone": "UTC"},
        {"type": "code", "personal": "yes"},
        {"type": "code", "colour": "red"},
        {"number": "EUR", "code": "x"},
    ],
)
def test_any_other_declaration_is_refused(raw):
    assert refusal_of(parse_fact_type, "f", raw, "UTC").code == "bad_input"


@pytest.mark.parametrize(
    "name", ["", "Region", "2nd", "a-b", "a b", "_a", "größe", "a\n", "a" * 65, None, False]
)
def test_a_name_is_lower_case_ascii(name):
    assert refusal_of(parse_fact_type, name, "date", "UTC").code == "bad_input"


def test_declaring_again_alike_changes_nothing(table):
    assert table.declare(parse_fact_type("total", {"number": "EUR"}, table.zone)) is table


@pytest.mark.parametrize(
    ("name", "raw"), [("total", {"number": "USD"}), ("region", "text"), ("question_date", "date")]
)
def test_declaring_again_otherwise_is_refused(table, name, raw):
    assert refusal_of(table.declare, parse_fact_type(name, raw, table.zone)).code == "already_exists"


def test_declaring_leaves_the_earlier_table_as_it_was(table):
    table.declare(FactType("tier", FactKind.CODE))
    assert "tier" not in table


@pytest.mark.parametrize(
    ("wrong", "nearest"),
    [
        ("purchase_dat", "purchase_date"),
        ("purchased", "purchase_date"),
        ("Region", "region"),
        ("shiped_at", "shipped_at"),
        ("question", "question_date"),
    ],
)
def test_an_undeclared_fact_names_the_nearest_declared_one(table, wrong, nearest):
    refusal = refusal_of(table.parse_facts, {wrong: "x"})
    assert (refusal.code, f"did you mean '{nearest}'" in refusal.message) == ("undeclared_fact", True)


def test_a_yaml_key_that_is_no_string_is_an_undeclared_fact(table):
    assert refusal_of(table.parse_facts, yaml.safe_load("no: DE")).code == "undeclared_fact"


def test_an_undeclared_name_of_another_form_is_not_repeated(table):
    assert "Schmidt" not in refusal_of(table.get, "Anna Schmidt").message


@pytest.mark.parametrize(
    ("name", "raw", "value"),
    [
        ("purchase_date", "2026-04-12", date(2026, 4, 12)),
        ("purchase_date", date(2026, 4, 12), date(2026, 4, 12)),
        ("shipped_at", "2026-06-01T06:00:00-04:00", datetime(2026, 6, 1, 10, tzinfo=UTC)),
        ("question_date", "2026-06-01", date(2026, 6, 1)),
        ("question_date", "2026-06-01T10:00:00Z", datetime(2026, 6, 1, 10, tzinfo=UTC)),
        ("region", "NO", "NO"),
        ("region", "no", "no"),
        ("order", "88-1417", "88-1417"),
        ("topic", " Größe ", " Größe "),
        ("total", 100, Decimal(100)),
        ("total", 99.99, Decimal("99.99")),
        ("total", "99.990", Decimal("99.99")),
        ("total", "100 EUR", Decimal(100)),
        ("total", "EUR 100", Decimal(100)),
        ("total", "1e3", Decimal(1000)),
        ("total", -0.0, Decimal(0)),
        ("count", Decimal("1E+2"), Decimal(100)),
    ],
)
def test_a_value_of_the_type_is_read(table, name, raw, value):
    parsed = table.parse_value(name, raw)
    assert (parsed, type(parsed)) == (value, type(value))


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("purchase_date", "2026-04-12T00:00:00Z"),
        ("purchase_date", datetime(2026, 4, 12, tzinfo=UTC)),
        ("purchase_date", "9999-12-31"),
        ("shipped_at", "2026-06-01T10:00:00"),
        ("shipped_at", "2026-06-01"),
        ("shipped_at", date(2026, 6, 1)),
        ("question_date", "2026-06-01T10:00:00"),
        ("question_date", None),
        ("region", False),
        ("region", 49),
        ("region", date(2026, 1, 1)),
        ("region", None),
        ("region", ["DE"]),
        ("region", ""),
        ("region", "  "),
        ("region", "\ud800"),
        ("total", True),
        ("total", float("nan")),
        ("total", float("inf")),
        ("total", Decimal("sNaN")),
        ("total", "Infinity"),
        ("total", "1_000"),
        ("total", "1,000"),
        ("total", "１００"),
        ("total", "100 USD"),
        ("total", "EUR"),
        ("total", "100 EUR EUR"),
        ("total", "1e999"),
        ("total", 10**20),
        ("total", "0.0000000000000000001"),
        ("total", date(2026, 1, 1)),
        ("total", None),
        ("count", "100 EUR"),
    ],
)
def test_a_value_of_another_type_is_refused(table, name, raw):
    refusal = refusal_of(table.parse_value, name, raw)
    assert (refusal.code, f"'{name}'" in refusal.message) == ("bad_fact", True)


def test_an_unquoted_yaml_no_is_not_the_country(table):
    refusal = refusal_of(table.parse_facts, yaml.safe_load("region: no"))
    assert "in YAML, quote it" in refusal.message


@pytest.mark.parametrize(
    ("name", "raw"),
    [("born", "12 Feb 1980"), ("salary", "90000 USD"), ("order", 881417), ("born", "1980-02-30")],
)
def test_a_refusal_keeps_a_personal_value_to_itself(table, name, raw):
    refusal = refusal_of(table.parse_value, name, raw)
    chained = [refusal.__context__, refusal.__cause__]
    assert (str(raw) in refusal.message, chained) == (False, [None, None])


decimals = st.decimals(min_value=-(10**19), max_value=10**19, places=6, allow_nan=False, allow_infinity=False)
texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda text: text.strip())
instants = st.datetimes(datetime(2, 1, 3), datetime(9998, 12, 30)).map(lambda d: d.replace(tzinfo=UTC))
dates = st.dates(date(2, 1, 1), date(9998, 12, 31))
values = st.one_of(
    st.tuples(st.just(FactKind.NUMBER), decimals),
    st.tuples(st.sampled_from([FactKind.CODE, FactKind.TEXT]), texts),
    st.tuples(st.just(FactKind.DATE), dates),
    st.tuples(st.just(FactKind.INSTANT), instants),
    st.tuples(st.just(FactKind.QUESTION), st.one_of(dates, instants)),
)


@given(values)
def test_the_canonical_form_reads_back_as_the_value(typed):
    kind, value = typed
    read = parse_canonical(kind, canonical(value))
    assert (read, type(read)) == (value, type(value))


@given(decimals, decimals)
def test_equal_numbers_and_only_they_share_a_canonical_form(a, b):
    assert (canonical(a) == canonical(b)) == (a == b)


@given(decimals, st.integers(0, 3))
def test_trailing_zeros_and_exponents_do_not_show(number, zeros):
    padded = Decimal(f"{number:f}" + ("0" * zeros if "." in f"{number:f}" else ""))
    assert canonical(padded) == canonical(number)


@given(decimals)
def test_a_canonical_number_is_what_xml_schema_calls_canonical(number):
    assert re.fullmatch(r"0|-?(0|[1-9][0-9]*)\.[0-9]*[1-9]|-?[1-9][0-9]*", canonical(number))
