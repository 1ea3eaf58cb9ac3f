"""What every graph store does, run on each of them."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from backends import MakeStore

from prov_ledger.errors import QueryError, StorageError
from prov_ledger.rdf.nquads import write_nquads
from prov_ledger.rdf.terms import Iri, Literal, civil_date, decimal, instant, integer, string
from prov_ledger.store.port import GraphStore, Position, Rows, Triples, graph_iri, index_iri

P = Iri("urn:p")
ALL = "SELECT ?s ?o WHERE { ?s <urn:p> ?o }"
MANY = 5_000


def lines(store: GraphStore, *names: str) -> bytes:
    return write_nquads([(Iri(f"urn:{n}"), P, string(n)) for n in names], graph_iri(store.base))


def subjects(store: GraphStore, text: str = "SELECT ?s WHERE { ?s ?p ?o }") -> set[str]:
    answer = store.query(text)
    assert isinstance(answer, Rows)
    return {row[0].value for row in answer.rows if isinstance(row[0], Iri)}


def dumped(store: GraphStore) -> bytes:
    return b"".join(sorted(b"".join(store.dump()).splitlines(keepends=True)))


def test_an_empty_store_holds_nothing_and_is_nowhere(graph_store: GraphStore) -> None:
    assert (graph_store.size(), graph_store.position(), dumped(graph_store)) == (0, None, b"")
    assert graph_store.query(ALL) == Rows(("s", "o"), ())


def test_a_select_returns_typed_terms_in_the_order_of_its_variables(graph_store: GraphStore) -> None:
    objects = [
        string('tab\t quote" back\\slash é 𝄞 \u2028'),
        integer(-7),
        decimal(Decimal("1.50")),
        civil_date(date(2026, 6, 1)),
        instant(datetime(2026, 6, 1, 12, 30, 0, 120000, UTC)),
        Iri("urn:x"),
    ]
    graph = graph_iri(graph_store.base)
    graph_store.load(write_nquads([(Iri("urn:s"), P, o) for o in objects], graph))
    answer = graph_store.query("SELECT ?o ?s WHERE { ?s ?p ?o }")
    assert isinstance(answer, Rows)
    assert answer.variables == ("o", "s")
    assert set(answer.rows) == {(o, Iri("urn:s")) for o in objects}


def test_an_unbound_variable_is_none(graph_store: GraphStore) -> None:
    graph_store.load(lines(graph_store, "a"))
    answer = graph_store.query("SELECT ?s ?x WHERE { ?s ?p ?o OPTIONAL { ?s <urn:none> ?x } }")
    assert answer == Rows(("s", "x"), ((Iri("urn:a"), None),))


def test_a_language_tag_comes_back(graph_store: GraphStore) -> None:
    answer = graph_store.query('SELECT ("Haus"@de AS ?o) WHERE {}')
    assert isinstance(answer, Rows)
    cell = answer.rows[0][0]
    assert isinstance(cell, Literal)
    assert (cell.lexical, cell.language) == ("Haus", "de")


def test_an_ask_is_a_bool(graph_store: GraphStore) -> None:
    graph_store.load(lines(graph_store, "a"))
    assert graph_store.query("ASK { <urn:a> ?p ?o }") is True
    assert graph_store.query("ASK { <urn:b> ?p ?o }") is False


def test_a_construct_returns_triples(graph_store: GraphStore) -> None:
    graph_store.load(lines(graph_store, "a"))
    answer = graph_store.query("CONSTRUCT { ?s <urn:q> ?o } WHERE { ?s <urn:p> ?o }")
    assert answer == Triples(((Iri("urn:a"), Iri("urn:q"), string("a")),))


def test_a_describe_returns_triples(graph_store: GraphStore) -> None:
    graph_store.load(lines(graph_store, "a", "b"))
    assert graph_store.query("DESCRIBE <urn:a>") == Triples(((Iri("urn:a"), P, string("a")),))


def test_loading_the_same_lines_again_changes_nothing(graph_store: GraphStore) -> None:
    for _ in range(2):
        graph_store.load(lines(graph_store, "a", "b"))
    assert graph_store.size() == 2


def test_loading_nothing_changes_nothing(graph_store: GraphStore) -> None:
    graph_store.load(b"")
    graph_store.bulk_load([])
    assert graph_store.size() == 0


def test_bulk_loaded_lines_join_what_is_there(graph_store: GraphStore) -> None:
    graph_store.load(lines(graph_store, "a"))
    graph_store.bulk_load([lines(graph_store, "b"), b"", lines(graph_store, "a", "c")])
    assert subjects(graph_store) == {"urn:a", "urn:b", "urn:c"}


def test_a_dump_gives_back_the_lines_that_were_loaded(graph_store: GraphStore) -> None:
    graph = graph_iri(graph_store.base)
    triples = [(Iri(f"urn:{n}"), P, string(f"{n}\n. é \x7f <{n}> .")) for n in range(MANY)]
    loaded = write_nquads(triples, graph)
    graph_store.bulk_load([loaded])
    graph_store.set_position(Position(1, "00"))
    assert dumped(graph_store) == loaded


def test_a_dump_can_be_left_before_its_end(graph_store: GraphStore) -> None:
    graph_store.bulk_load([lines(graph_store, *map(str, range(MANY)))])
    dump = graph_store.dump()
    assert next(iter(dump)).endswith(b" .\n")
    del dump
    assert graph_store.size() == MANY


def test_the_position_is_the_last_one_set_and_is_no_statement_of_the_tenant(graph_store: GraphStore) -> None:
    graph_store.load(lines(graph_store, "a"))
    graph_store.set_position(Position(3, "ab" * 32))
    graph_store.set_position(Position(4, "cd" * 32))
    assert graph_store.position() == Position(4, "cd" * 32)
    assert subjects(graph_store) == {"urn:a"}
    assert graph_store.size() == 1


def test_clearing_takes_statements_and_position(graph_store: GraphStore) -> None:
    graph_store.load(lines(graph_store, "a"))
    graph_store.set_position(Position(1, "00"))
    graph_store.clear()
    assert (graph_store.size(), graph_store.position()) == (0, None)


def test_replacing_leaves_only_the_new_lines_and_position(graph_store: GraphStore) -> None:
    graph_store.load(lines(graph_store, "old"))
    graph_store.set_position(Position(1, "00"))
    graph_store.replace([lines(graph_store, "a"), lines(graph_store, "b")], Position(2, "11"))
    assert subjects(graph_store) == {"urn:a", "urn:b"}
    assert graph_store.position() == Position(2, "11")
    graph_store.load(lines(graph_store, "c"))
    assert graph_store.size() == 3


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ?s FROM <{other}> WHERE {{ ?s ?p ?o }}",
        "SELECT ?s FROM NAMED <{other}> WHERE {{ GRAPH <{other}> {{ ?s ?p ?o }} }}",
        "SELECT ?s WHERE {{ GRAPH <{other}> {{ ?s ?p ?o }} }}",
        "SELECT ?s WHERE {{ GRAPH ?g {{ ?s ?p ?o }} }}",
    ],
)
def test_a_query_reaches_no_other_graph_however_it_asks(graph_store: GraphStore, text: str) -> None:
    other = graph_store.base + "another"
    graph_store.load(lines(graph_store, "own"))
    add_to_another_graph(graph_store)
    assert "urn:secret" not in subjects(graph_store, text.format(other=other))


def add_to_another_graph(store: GraphStore) -> None:
    """Write where no port method writes: into a graph that is not the tenant's."""
    text = f"INSERT DATA {{ GRAPH <{store.base}another> {{ <urn:secret> <urn:p> 'x' }} }}"
    if hasattr(store, "_update"):
        store._update(text)
    else:
        store._opened().update(text)
    assert subjects_of(store, store.base + "another") == {"urn:secret"}


def subjects_of(store: GraphStore, graph: str) -> set[str]:
    answer = store.query("SELECT ?s WHERE { ?s ?p ?o }", graph=graph)
    assert isinstance(answer, Rows)
    return {row[0].value for row in answer.rows if isinstance(row[0], Iri)}


def test_two_tenants_do_not_see_each_other(new_store: MakeStore) -> None:
    one, two = new_store(), new_store()
    one.load(lines(one, "a"))
    two.load(lines(two, "b"))
    assert (subjects(one), subjects(two)) == ({"urn:a"}, {"urn:b"})
    two.clear()
    assert subjects(one) == {"urn:a"}


def test_a_query_over_the_index_graph_sees_only_the_position(graph_store: GraphStore) -> None:
    graph_store.load(lines(graph_store, "a"))
    graph_store.set_position(Position(1, "00"))
    index = index_iri(graph_store.base)
    assert subjects_of(graph_store, index) == {index}


@pytest.mark.parametrize("text", ["SELECT ?s WHERE {", "", "INSERT DATA { <urn:a> <urn:p> 1 }", "CLEAR ALL"])
def test_what_is_no_query_is_refused_and_changes_nothing(graph_store: GraphStore, text: str) -> None:
    graph_store.load(lines(graph_store, "a"))
    with pytest.raises(QueryError):
        graph_store.query(text)
    assert graph_store.size() == 1


def test_a_query_that_takes_too_long_gives_its_caller_back(graph_store: GraphStore) -> None:
    graph_store.bulk_load([lines(graph_store, *map(str, range(3_000)))])
    endless = "SELECT (COUNT(*) AS ?n) WHERE { ?a ?p ?x . ?b ?q ?y . FILTER(?x != ?y && ?a != ?y) }"
    with pytest.raises(QueryError) as refused:
        graph_store.query(endless, timeout=0.05)
    assert refused.value.code == "query_timeout"
    assert graph_store.query("ASK { <urn:1> ?p ?o }") is True


def test_a_query_within_its_time_is_answered(graph_store: GraphStore) -> None:
    assert graph_store.query("ASK {}", timeout=60) is True


def test_a_flushed_store_still_answers(graph_store: GraphStore) -> None:
    graph_store.load(lines(graph_store, "a"))
    graph_store.flush()
    assert graph_store.size() == 1


def test_a_closed_store_says_that_it_is_closed(graph_store: GraphStore) -> None:
    graph_store.close()
    graph_store.close()
    with pytest.raises(StorageError, match="closed"):
        graph_store.query("ASK {}")
    with pytest.raises(StorageError, match="closed"):
        graph_store.load(lines(graph_store, "a"))
