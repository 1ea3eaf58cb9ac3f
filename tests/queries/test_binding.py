"""Parameters get into a query as typed terms, and a query file says truly what it takes."""

from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from backends import MakeStore
from random_world import RandomWorld

from prov_ledger import queries
from prov_ledger.errors import ProvLedgerError, QueryError, Refused
from prov_ledger.model.facts import FactKind, FactTable, FactType
from prov_ledger.model.ids import mint_id
from prov_ledger.queries.analyst import run_named, run_query
from prov_ledger.queries.binding import load_query, parse_query, query_names
from prov_ledger.queries.guard import check_query
from prov_ledger.queries.parameters import day_rows, parse_parameters
from prov_ledger.rdf.terms import (
    XSD_DATE,
    XSD_DATE_TIME,
    Iri,
    Literal,
    civil_date,
    instant,
    literal_of,
    string,
)
from prov_ledger.store.port import GraphStore, Rows

CLAIM, OTHER = mint_id("cl"), mint_id("cl")
HEADER = """\
# title: A test
# params: pair (facts), one (ids, optional)
# returns: ?fact ?given ?one
# order: fact
# limit_ms: 10
# source: none
"""
TEXT = (
    HEADER
    + """SELECT ?fact ?given ?one WHERE {
  VALUES (?fact ?given) { (UNDEF UNDEF) }  # $pair
  VALUES ?one { UNDEF }  # $one
}
"""
)
NOW = datetime(2026, 3, 1, 23, 30, tzinfo=UTC)
TABLE = FactTable(zone="Europe/Berlin").declare(FactType("total", FactKind.NUMBER, unit="EUR"))


def rows(store: GraphStore, text: str) -> set[tuple[object, ...]]:
    answer = store.query(text)
    assert isinstance(answer, Rows)
    return set(answer.rows)


@pytest.mark.parametrize("name", query_names())
def test_every_file_is_valid_sparql_by_itself(graph_store: GraphStore, name: str) -> None:
    text = load_query(name).text
    assert check_query(text) in ("SELECT", "CONSTRUCT", "ASK")
    graph_store.query(text)


@pytest.mark.parametrize("name", query_names())
def test_every_file_tells_its_columns_and_order(graph_store: GraphStore, name: str) -> None:
    query = load_query(name)
    answer = graph_store.query(query.bind({p.name: [] for p in query.parameters}))
    if isinstance(answer, Rows):
        assert answer.variables == query.returns
        assert {column.strip() for column in query.order.split(",")} <= set(query.returns)


def test_rows_of_terms_take_the_place_of_a_block(graph_store: GraphStore) -> None:
    hostile = 'x" } # $pair\n } DROP ALL { \\ \u2028'
    given = [(Iri("urn:f"), string(hostile)), (Iri("urn:g"), literal_of(Decimal("1.5")))]
    text = parse_query("test", TEXT).bind({"pair": given, "one": [(Iri("urn:x"),), (Iri("urn:y"),)]})
    expected = {(*pair, Iri(one)) for pair in given for one in ("urn:x", "urn:y")}
    assert rows(graph_store, text) == expected


def test_an_optional_parameter_left_out_is_unbound(graph_store: GraphStore) -> None:
    text = parse_query("test", TEXT).bind({"pair": [(Iri("urn:f"), None)]})
    assert rows(graph_store, text) == {(Iri("urn:f"), None, None)}


def test_no_rows_mean_no_answer(graph_store: GraphStore) -> None:
    assert rows(graph_store, parse_query("test", TEXT).bind({"pair": []})) == set()


def test_a_parameter_may_stand_in_several_places(graph_store: GraphStore) -> None:
    text = TEXT.replace("WHERE {", "WHERE { {} UNION {\n VALUES ?one { UNDEF }  # $one\n }\n")
    bound = parse_query("test", text).bind({"pair": [(Iri("urn:f"), None)], "one": [(Iri("urn:x"),)]})
    assert bound.count("<urn:x>") == 2
    assert "$" not in bound


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "needs the parameter pair"),
        ({"pair": [], "other": []}, "no parameter other"),
        ({"pair": [(Iri("urn:f"),)]}, "1 terms; expected 2"),
    ],
)
def test_wrong_parameters_are_refused(values: dict[str, list[tuple[Iri, ...]]], message: str) -> None:
    with pytest.raises(QueryError, match=message):
        parse_query("test", TEXT).bind(values)


def test_an_iri_cannot_close_its_brackets() -> None:
    with pytest.raises(ProvLedgerError):
        parse_query("test", TEXT).bind({"pair": [], "one": [(Iri("urn:x> } DROP ALL"),)]})


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace("# limit_ms: 10\n", ""),
        TEXT.replace("limit_ms: 10", "limit_ms: soon"),
        TEXT.replace("# $one", "# $two"),
        TEXT.replace(", one (ids, optional)", ""),
        TEXT.replace("one (ids", "one (words"),
    ],
)
def test_a_header_that_does_not_fit_its_query_is_refused(text: str) -> None:
    with pytest.raises(QueryError):
        parse_query("test", text)


def test_an_unknown_query_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(QueryError, match="rests_on"):
        load_query("../guard")


def test_days_look_at_instants_and_at_dates_of_the_zone() -> None:
    assert day_rows(NOW, 2, "Europe/Berlin") == [
        (Iri(XSD_DATE_TIME), instant(NOW), instant(datetime(2026, 3, 3, 23, 30, tzinfo=UTC))),
        (Iri(XSD_DATE), civil_date(date(2026, 3, 2)), civil_date(date(2026, 3, 4))),
    ]


def test_what_is_typed_becomes_rows_by_kind() -> None:
    parsed = parse_parameters(
        load_query("applicability"),
        {"claim": f"{CLAIM}, {OTHER.upper()}", "facts": "question_date=2026-06-01, total=5"},
        base="urn:b/",
        table=TABLE,
        now=NOW,
    )
    assert parsed == {
        "claim": [(Iri(f"urn:b/{CLAIM}"),), (Iri(f"urn:b/{OTHER}"),)],
        "facts": [
            (Iri("urn:b/fact/question_date"), civil_date(date(2026, 6, 1))),
            (Iri("urn:b/fact/total"), literal_of(Decimal(5))),
        ],
    }


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("who_concluded", {"interval": "2026-01-01T00:00:00Z"}),
        ("who_concluded", {"interval": "2026-01-01/2026-02-01"}),
        ("ending_soon", {"days": "a month"}),
        ("ending_soon", {"days": "-1"}),
        ("applicability", {"claim": CLAIM, "facts": "total"}),
        ("applicability", {"claim": CLAIM, "facts": "totla=5"}),
        ("state_as_of", {"at": "2026-01-01T00:00:00"}),
        ("rests_on", {"claim": CLAIM}),
    ],
)
def test_what_cannot_be_read_is_refused(name: str, typed: dict[str, str]) -> None:
    with pytest.raises((QueryError, Refused)):
        parse_parameters(load_query(name), typed, base="urn:b/", table=TABLE, now=NOW)


@pytest.mark.parametrize("form", ["rev_zzz", "returns", "{}, cl_x", "{}#a b>", "{}#>"])
def test_what_is_no_id_is_refused(form: str) -> None:
    text = form.format(CLAIM)
    with pytest.raises(Refused) as caught:
        parse_parameters(load_query("rests_on"), {"node": text}, base="urn:b/", table=TABLE, now=NOW)
    assert caught.value.code == "malformed_id"


def test_a_node_of_an_entry_is_an_id_too() -> None:
    node = f"{mint_id('ent')}#thread"
    parsed = parse_parameters(
        load_query("stale_in_threads"), {"thread": node}, base="urn:b/", table=TABLE, now=NOW
    )
    assert parsed == {"thread": [(Iri(f"urn:b/{node}"),)]}


def test_a_fact_that_is_given_twice_is_refused() -> None:
    typed = {"claim": CLAIM, "facts": "total=5,total=6"}
    with pytest.raises(Refused, match="total is given twice"):
        parse_parameters(load_query("applicability"), typed, base="urn:b/", table=TABLE, now=NOW)


def test_a_query_runs_by_name_with_what_was_typed(new_store: MakeStore) -> None:
    world, store = RandomWorld(1), new_store()
    store.load(world.leaves(store.base))
    node = world.ids["rev"][0]
    named = run_named(store, "rests_on", {"node": node}, table=TABLE, now=NOW)
    assert named == run_query(store, "rests_on", {"node": [(Iri(store.base + node),)]})
    assert named.rows
    assert not any(isinstance(cell, Literal) for row in named.rows for cell in row)


def test_every_query_is_shipped_with_the_package() -> None:
    folder = Path(queries.__file__).parent
    assert {path.stem for path in folder.glob("*.rq")} == set(query_names())
