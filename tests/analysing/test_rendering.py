"""What is written is read back by parsers that others wrote, whatever the terms hold."""

import csv
import io
from xml.etree import ElementTree

import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import Graph
from rdflib.query import Result

from prov_ledger.analysing.rendering import (
    BOOLEAN_FORMS,
    CSV,
    GRAPH_FORMS,
    JSON,
    JSON_LD,
    N_TRIPLES,
    RDF_XML,
    TSV,
    TURTLE,
    XML,
    render_boolean,
    render_rows,
    render_triples,
)
from prov_ledger.rdf.terms import BlankNode, Iri, Literal, Term
from prov_ledger.store.port import Rows
from prov_ledger.store.results import answer_of_json, rows_of, text_of_term
from prov_ledger.vocab import RDF, XSD

_MOST = 1 << 20
_OXIGRAPH = {
    JSON: ox.QueryResultsFormat.JSON,
    XML: ox.QueryResultsFormat.XML,
    TSV: ox.QueryResultsFormat.TSV,
}
_RDFLIB = {TURTLE: "turtle", N_TRIPLES: "nt", JSON_LD: "json-ld", RDF_XML: "xml"}
#: What XML can hold; the other forms hold any text.
_text = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), max_size=20
)
_any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


def _terms(text: st.SearchStrategy[str]) -> st.SearchStrategy[Term | None]:
    return st.one_of(
        st.none(),
        st.builds(Iri, st.sampled_from(["urn:x:a", "https://a.test/b?c=d&e=f#g", "https://ä.test/ö"])),
        st.builds(Literal, text),
        st.builds(lambda t: Literal(t, RDF + "langString", "de-at"), text),
        st.builds(lambda n: Literal(str(n), XSD + "integer"), st.integers()),
        st.builds(BlankNode, st.sampled_from(["b0", "b1"])),
    )


def _tables(text: st.SearchStrategy[str]) -> st.SearchStrategy[list[tuple[Term | None, ...]]]:
    return st.lists(st.tuples(_terms(text), _terms(text)), max_size=5)


def _read_xml(body: bytes) -> Rows:
    """By the standard library's parser: Oxigraph's trims the text of literals."""
    space = "{http://www.w3.org/2005/sparql-results#}"
    root = ElementTree.fromstring(body)
    names = tuple(each.get("name", "") for each in root.iter(f"{space}variable"))
    rows = []
    for result in root.iter(f"{space}result"):
        cells = {binding.get("name"): _term(binding[0]) for binding in result}
        rows.append(tuple(cells.get(name) for name in names))
    return Rows(names, tuple(rows))


def _term(element: ElementTree.Element) -> Term:
    text = element.text or ""
    if element.tag.endswith("}uri"):
        return Iri(text)
    if element.tag.endswith("}bnode"):
        return BlankNode(text)
    language = element.get("{http://www.w3.org/XML/1998/namespace}lang", "")
    return Literal(
        text, RDF + "langString" if language else element.get("datatype", XSD + "string"), language
    )


def _read(form: str, body: bytes) -> Rows:
    parsed = ox.parse_query_results(body, _OXIGRAPH[form])
    assert isinstance(parsed, ox.QuerySolutions)
    return rows_of(parsed)


@pytest.mark.parametrize("form", [JSON, TSV])
@given(rows=_tables(_any_text))
def test_json_and_tsv_hold_any_row(form: str, rows: list[tuple[Term | None, ...]]) -> None:
    body = render_rows(form, ("a", "b"), rows, 100, _MOST).body
    assert _read(form, body) == Rows(("a", "b"), tuple(rows))


@given(rows=_tables(_text))
def test_xml_holds_any_row_of_characters_that_xml_has(rows: list[tuple[Term | None, ...]]) -> None:
    body = render_rows(XML, ("a", "b"), rows, 100, _MOST).body
    assert _read_xml(body) == Rows(("a", "b"), tuple(rows))


def test_xml_says_where_it_cannot_hold_a_character() -> None:
    body = render_rows(XML, ("a",), [(Literal("a\x00b\x1bc"),)], 100, _MOST).body
    assert _read_xml(body).rows == ((Literal("a\ufffdb\ufffdc"),),)


@given(rows=_tables(_any_text.filter(lambda text: "\r" not in text and "\x00" not in text)))
def test_csv_holds_the_text_of_any_row(rows: list[tuple[Term | None, ...]]) -> None:
    body = render_rows(CSV, ("a", "b"), rows, 100, _MOST).body
    read = list(csv.reader(io.StringIO(body.decode(), newline="")))
    assert read == [["a", "b"], *([text_of_term(cell) for cell in row] for row in rows)]


@given(rows=_tables(_any_text))
def test_what_the_ledger_itself_reads_is_what_was_written(rows: list[tuple[Term | None, ...]]) -> None:
    body = render_rows(JSON, ("a", "b"), rows, 100, _MOST).body
    assert answer_of_json(body) == Rows(("a", "b"), tuple(rows))


@pytest.mark.parametrize(("form", "name"), [(JSON, "json"), (XML, "xml"), (TSV, "tsv"), (CSV, "csv")])
def test_rdflib_reads_every_form(form: str, name: str) -> None:
    rows = [(Iri("urn:x:a"), Literal("text")), (Iri("urn:x:b"), None)]
    body = render_rows(form, ("a", "b"), rows, 100, _MOST).body
    result = Result.parse(io.BytesIO(body), format=name)
    assert [[None if cell is None else str(cell) for cell in row] for row in result] == [
        ["urn:x:a", "text"],
        ["urn:x:b", None],
    ]


@pytest.mark.parametrize("form", BOOLEAN_FORMS)
@pytest.mark.parametrize("value", [True, False])
def test_a_boolean_is_read_back(form: str, value: bool) -> None:
    parsed = ox.parse_query_results(render_boolean(form, value).body, _OXIGRAPH[form])
    assert isinstance(parsed, ox.QueryBoolean)
    assert bool(parsed) is value


@pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated")
@pytest.mark.parametrize("form", GRAPH_FORMS)
def test_triples_are_read_back(form: str) -> None:
    literal = ox.Literal('say "hi"\n\t\\', language="en")
    triple = ox.Triple(ox.NamedNode("urn:x:a"), ox.NamedNode("https://a.test/ns#p"), literal)
    rendered = render_triples(form, [triple, triple], 100, _MOST)
    read = Graph().parse(data=rendered.body, format=_RDFLIB[form])
    assert [str(o) for _, _, o in read] == ['say "hi"\n\t\\']


@given(rows=_tables(_any_text), most=st.integers(1, 6))
def test_an_answer_that_is_cut_is_whole_as_far_as_it_goes(
    rows: list[tuple[Term | None, ...]], most: int
) -> None:
    rendered = render_rows(JSON, ("a", "b"), rows, most, _MOST)
    assert answer_of_json(rendered.body) == Rows(("a", "b"), tuple(rows[:most]))
    assert rendered.cut == ("rows" if len(rows) > most else None)


@given(rows=_tables(_any_text), most=st.integers(60, 600))
def test_no_answer_is_larger_than_it_may_be(rows: list[tuple[Term | None, ...]], most: int) -> None:
    for form in (JSON, CSV, TSV):
        rendered = render_rows(form, ("a", "b"), rows, 100, most)
        assert len(rendered.body) <= most
        whole = render_rows(form, ("a", "b"), rows, 100, _MOST)
        assert (rendered.cut is None) == (rendered.rows == len(rows))
        assert rendered.cut is None or len(whole.body) > most - 2


def test_rows_beyond_the_cut_are_not_asked_for() -> None:
    asked = []

    def rows() -> "object":
        for number in range(1_000):
            asked.append(number)
            yield (Literal(str(number)),)

    render_rows(CSV, ("a",), rows(), 3, _MOST)  # type: ignore[arg-type]
    assert len(asked) == 4
