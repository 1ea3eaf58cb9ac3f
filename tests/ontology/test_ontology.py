"""Every own term says what it is, what it specialises and where that comes from."""

import re
from pathlib import Path

import pytest
from rdflib import Graph, Literal, URIRef
from rdflib.namespace import DCTERMS, OWL, PROV, RDF, RDFS, SH

import prov_ledger.rdf
from prov_ledger.resources import load_topics, ontology_dir, shapes_dir
from prov_ledger.vocab import DCTERMS as DCTERMS_IRI
from prov_ledger.vocab import EARL, OA, PL, TIME
from prov_ledger.vocab import PROV as PROV_IRI
from prov_ledger.vocab import RDF as RDF_IRI
from prov_ledger.vocab import RDFS as RDFS_IRI

ONTOLOGY = URIRef("https://w3id.org/prov-ledger")
SKOS = "http://www.w3.org/2004/02/skos/core#"
STANDARDS = (PROV_IRI, OA, TIME, EARL, DCTERMS_IRI, RDF_IRI, RDFS_IRI, SKOS)
PARENTS = (RDFS.subClassOf, RDFS.subPropertyOf)


@pytest.fixture(scope="module")
def ontology() -> Graph:
    graph = Graph()
    for text in load_topics(ontology_dir()).values():
        graph.parse(data=text, format="turtle")
    return graph


@pytest.fixture(scope="module")
def terms(ontology: Graph) -> set[URIRef]:
    return {term for term in ontology.subjects() if isinstance(term, URIRef) and term != ONTOLOGY}


def parents(ontology: Graph, term: URIRef) -> set[URIRef]:
    kinds = {RDFS.Class, RDF.Property, OWL.Class, OWL.ObjectProperty, OWL.DatatypeProperty}
    own = {o for p in PARENTS for o in ontology.objects(term, p)}
    return own or set(ontology.objects(term, RDF.type)) - kinds


def test_the_subjects_are_own_terms(terms: set[URIRef]):
    assert {term for term in terms if not term.startswith(PL)} == set()


@pytest.mark.parametrize("predicate", [RDFS.label, RDFS.comment])
def test_every_term_has_one_label_and_one_comment_in_english(
    ontology: Graph, terms: set[URIRef], predicate: URIRef
):
    texts = {term: list(ontology.objects(term, predicate)) for term in terms}
    assert {t for t, found in texts.items() if [x.language for x in found] != ["en"]} == set()


def test_no_two_comments_are_the_same(ontology: Graph, terms: set[URIRef]):
    comments = [str(ontology.value(term, RDFS.comment)) for term in sorted(terms)]
    assert len(comments) == len(set(comments))


def test_every_term_has_a_source_and_says_who_defines_it(ontology: Graph, terms: set[URIRef]):
    assert {t for t in terms if ontology.value(t, DCTERMS.source) is None} == set()
    assert {t for t in terms if ontology.value(t, RDFS.isDefinedBy) != ONTOLOGY} == set()


def test_every_term_leads_to_a_term_of_a_standard(ontology: Graph, terms: set[URIRef]):
    def reaches(term: URIRef, seen: frozenset[URIRef]) -> bool:
        above = parents(ontology, term) - seen
        return any(str(p).startswith(STANDARDS) or reaches(p, seen | {p}) for p in above)

    assert {term for term in terms if not reaches(term, frozenset({term}))} == set()


def test_parents_of_our_own_are_terms_too(ontology: Graph, terms: set[URIRef]):
    above = {p for term in terms for p in parents(ontology, term) if p.startswith(PL)}
    assert above <= terms


def test_nothing_but_derivation_itself_is_a_derivation(ontology: Graph):
    derived = ontology.transitive_subjects(RDFS.subPropertyOf, PROV.wasDerivedFrom)
    assert set(derived) == {PROV.wasDerivedFrom}


def test_a_class_of_things_of_provenance_is_asserted_as_such_by_its_shape(ontology: Graph):
    """Stores run without a reasoner, so a parent in PROV-O stands beside the class in the data."""
    shapes = Graph()
    for text in load_topics(shapes_dir()).values():
        shapes.parse(data=text, format="turtle")
    for shape, kind in shapes.subject_objects(SH.targetClass):
        above = set(ontology.transitive_objects(kind, RDFS.subClassOf)) - {kind}
        wanted = {p for p in above if p.startswith(PROV_IRI)}
        for types in shapes.objects(shape, SH.property):
            if shapes.value(types, SH.path) == RDF.type:
                assert wanted <= set(shapes.items(shapes.value(types, SH["in"]))), kind


def test_every_own_term_that_the_encoder_writes_is_in_the_ontology(terms: set[URIRef]):
    source = (Path(prov_ledger.rdf.__path__[0]) / "encode.py").read_text()
    written = {URIRef(PL + name) for name in re.findall(r'pl\("(\w+)"', source)}
    assert written
    assert written - terms == set()


def test_the_ontology_says_its_title_and_licence(ontology: Graph):
    assert (ONTOLOGY, RDF.type, OWL.Ontology) in ontology
    assert ontology.value(ONTOLOGY, DCTERMS.title) == Literal("prov-ledger")
    assert ontology.value(ONTOLOGY, DCTERMS.license) is not None
