"""A caller's own query asks about this tenant's graph and does nothing else."""

import pytest
from backends import MakeStore

from prov_ledger.errors import QueryError
from prov_ledger.queries.guard import MAX_CHARACTERS, check_dataset, check_query, with_prefixes
from prov_ledger.store.port import GraphStore

ALLOWED = {
    "SELECT * WHERE { ?s ?p ?o }": "SELECT",
    "# a comment\nprefix x: <urn:x#> ask { ?s x:p 'it''s' }": "ASK",
    "BASE <urn:b/> PREFIX : <#> CONSTRUCT { ?s :p ?o } WHERE { ?s :p ?o }": "CONSTRUCT",
    "describe <urn:a>": "DESCRIBE",
    "SELECT ?service WHERE { ?service ?p ?o }": "SELECT",
    "SELECT * WHERE { ?s ?p 'the service is closed' } # SERVICE is only said here": "SELECT",
    "SELECT * WHERE { ?s <http://services.test/p> ?o }": "SELECT",
    "PREFIX x: <http://services.test/ns#> SELECT * WHERE { ?s x:p 'service' }": "SELECT",
    "SELECT * WHERE { ?s ?p '''a 'quoted' \\''' part''' FILTER(?o < 3 && ?o > 1) }": "SELECT",
    'SELECT * WHERE { ?s ?p "\\u00e9" }': "SELECT",
}
REFUSED = [
    "",
    "# only a comment",
    "INSERT DATA { <urn:a> <urn:p> 1 }",
    "PREFIX x: <urn:x> DELETE WHERE { ?s ?p ?o }",
    "LOAD <http://elsewhere.test/>",
    "DROP ALL",
    "SELECT * WHERE { SERVICE <http://elsewhere.test/> { ?s ?p ?o } }",
    "SELECT * WHERE { service silent <http://elsewhere.test/> { ?s ?p ?o } }",
    "SELECT * WHERE { SERVICE?x { ?s ?p ?o } }",
    "SELECT * WHERE { SERVICE:x { ?s ?p ?o } }",
    "SELECT * WHERE { ?s ?p trueSERVICE <http://elsewhere.test/> { ?s ?p ?o } }",
    "SELECT * WHERE { ?s ?p 1SERVICE <http://elsewhere.test/> { ?s ?p ?o } }",
    "SELECT * WHERE { #\nSERVICE#\n<http://elsewhere.test/> { ?s ?p ?o } }",
    "SELECT * WHERE { #\rSERVICE <http://elsewhere.test/> { ?s ?p ?o } }",
    r"SELECT * WHERE { \u0053ERVICE <http://elsewhere.test/> { ?s ?p ?o } }",
    r"SELECT * WHERE { \U00000053ERVICE <http://elsewhere.test/> { ?s ?p ?o } }",
    r"SELECT * WHERE { ?s ?p 'a\u0027 . SERVICE <http://elsewhere.test/> { ?s ?p ?o } # ' }",
    r"SELECT * WHERE { # \u000A SERVICE <http://elsewhere.test/> { ?s ?p ?o } }",
    # Where "<" compares, what looks like an IRI holds a comment, and the long string after it is code.
    "SELECT * WHERE { FILTER(?a<?x#>'''\n) SERVICE <http://elsewhere.test/> { ?s ?p ?o } #'''\n }",
    "SELECT * WHERE { FILTER(?a<?b)SERVICE#>\n<http://elsewhere.test/> { ?s ?p ?o } }",
    "PREFIX p: <?x#> SELECT * { FILTER(?a<?x#>'''\n) SERVICE <http://elsewhere.test/> {} #'''\n }",
    "SELECT * WHERE { FILTER(?a<'x>y') SERVICE <http://elsewhere.test/> {} FILTER(?z<'q') }",
    "SELECT * WHERE { ?s ?p 'no end }",
    r"SELECT * WHERE { ?s \p ?o }",
    r"SELECT * WHERE { ?s ?p '\UFFFFFFFF' }",
    "SELECT * WHERE " + "{" * 100 + "}" * 100,
    "SELECT * WHERE { FILTER(" + "(" * 100 + "1" + ")" * 100 + ") }",
    "SELECT * WHERE { FILTER(" + "+".join(["1"] * 8_000) + ") }",
    "SELECT * WHERE { " + " UNION ".join(["{ ?s ?p ?o }"] * 8_000) + " }",
    "SELECT * WHERE { ?s ?p '" + "x" * MAX_CHARACTERS + "' }",
]


@pytest.mark.parametrize("text", ALLOWED)
def test_a_question_is_allowed(text: str) -> None:
    assert check_query(text) == ALLOWED[text]


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: text[:60])
def test_what_is_no_question_about_this_ledger_is_refused(text: str) -> None:
    with pytest.raises(QueryError):
        check_query(text)


def test_preset_prefixes_need_no_declaration(graph_store: GraphStore) -> None:
    assert graph_store.query(with_prefixes("ASK { FILTER(STR(prov:Entity) != STR(pl:Claim)) }")) is True


def test_a_prefix_that_the_query_declares_is_its_own(graph_store: GraphStore) -> None:
    text = with_prefixes("# mine\nPREFIX pl: <urn:mine#> ASK { FILTER(pl:x = <urn:mine#x>) }")
    assert graph_store.query(text) is True


@pytest.mark.parametrize(
    "clause",
    ["FROM <urn:x>", "from named <urn:x>", "FROM<urn:x>", "FROM pl:x", "FROM <urn:g> FROM NAMED <urn:x>"],
)
def test_another_dataset_is_refused(clause: str) -> None:
    with pytest.raises(QueryError, match="the only one here"):
        check_dataset(f"PREFIX pl: <urn:pl#> SELECT * {clause} {{ ?s ?p ?o }}", "urn:g")


def _is_refused(text: str) -> bool:
    try:
        check_dataset(text, "urn:g")
    except QueryError:
        return True
    return False


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM <urn:g> FROM NAMED <urn:g> { ?s ?p ?o }",
        "SELECT ?from { ?from <urn:FROM> 'FROM <urn:x>' } # FROM <urn:x>",
        "ASK { ?s x:from ?o }",
    ],
)
def test_the_own_dataset_and_the_mere_word_are_not(text: str) -> None:
    assert not _is_refused(text)
    assert _is_refused(text.replace("{", "FROM <urn:x> {", 1))


def test_a_query_with_dataset_clauses_sees_the_tenant_and_no_other(new_store: MakeStore) -> None:
    one, two = new_store(), new_store()
    two.load(f"<urn:secret> <urn:p> <urn:o> <{two.base}graph> .\n".encode())
    for clause in (f"FROM <{two.base}graph>", f"FROM NAMED <{two.base}graph>"):
        text = f"ASK {clause} {{ {{ ?s ?p ?o }} UNION {{ GRAPH ?g {{ ?s ?p ?o }} }} }}"
        assert check_query(text) == "ASK"
        assert one.query(text) is False
