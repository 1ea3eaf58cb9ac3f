"""What every file of shapes holds: names, messages and sources, and only terms that the ontology has."""

import pytest
from pyshacl import validate
from rdflib import Graph, Literal, URIRef
from rdflib.namespace import DCTERMS, RDF, RDFS, SH

from prov_ledger.checks.shape_index import SHAPES
from prov_ledger.resources import load_topics, ontology_dir
from prov_ledger.vocab import PL


@pytest.fixture(scope="module")
def named(shapes: Graph) -> list[URIRef]:
    return [shape for shape in set(shapes.subjects(RDF.type)) if isinstance(shape, URIRef)]


@pytest.mark.parametrize("predicate", [SH.name, SH.message, DCTERMS.source])
def test_every_named_constraint_has_one_name_one_message_and_one_source(
    named: list[URIRef], shapes: Graph, predicate: URIRef
):
    counts = {shape: len(list(shapes.objects(shape, predicate))) for shape in named}
    assert {shape for shape, count in counts.items() if count != 1} == set()


def test_every_shape_that_is_looked_up_by_iri_is_described(named: list[URIRef], shapes: Graph):
    used = {o for o in shapes.objects() if str(o).startswith(SHAPES)}
    assert used <= set(named)


def test_the_name_of_a_constraint_is_the_end_of_its_iri(named: list[URIRef], shapes: Graph):
    assert {s for s in named if shapes.value(s, SH.name) != Literal(s.removeprefix(SHAPES))} == set()


def test_a_message_says_what_is_needed_in_one_or_two_sentences(named: list[URIRef], shapes: Graph):
    messages = [str(shapes.value(shape, SH.message)) for shape in named]
    assert [m for m in messages if not m.endswith(".") or len(m) > 220] == []


def test_every_own_term_of_the_shapes_is_in_the_ontology(shapes: Graph):
    ontology = Graph()
    for text in load_topics(ontology_dir()).values():
        ontology.parse(data=text, format="turtle")
    used = {term for triple in shapes for term in triple if str(term).startswith(PL)}
    assert used - set(ontology.subjects(RDFS.label)) == set()


def test_the_shapes_are_well_formed_by_the_shapes_of_shapes(shapes: Graph):
    conforms, _, report = validate(Graph(), shacl_graph=shapes, meta_shacl=True)
    assert conforms, report
