"""The engine of the write path agrees with the W3C on SHACL Core, result by result."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlparse

import shacl
from rdflib import BNode, Graph, Namespace, URIRef
from rdflib.namespace import RDF, SH
from rdflib.term import Node

MF = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#")
SHT = Namespace("http://www.w3.org/ns/shacl-test#")
COMPARED = (SH.focusNode, SH.resultPath, SH.resultSeverity, SH.sourceConstraintComponent, SH.value)


def cases(manifest: Path) -> Iterator[tuple[Graph, Node]]:
    graph = Graph().parse(manifest, format="turtle", publicID=manifest.as_uri())
    for included in graph.objects(None, MF.include):
        yield from cases(path_of(included))
    for case in graph.subjects(RDF.type, SHT.Validate):
        yield graph, case


def path_of(iri: Node) -> Path:
    return Path(unquote(urlparse(str(iri)).path))


def results(graph: Graph, report: Node) -> Counter[tuple[str | None, ...]]:
    """Each result as what is compared; blank nodes are alike."""
    found = graph.objects(report, SH.result)
    return Counter(tuple(_name(graph.value(result, p)) for p in COMPARED) for result in found)


def _name(node: Node | None) -> str | None:
    return "blank" if isinstance(node, BNode) else node and node.n3()


def agrees(graph: Graph, case: Node) -> bool:
    action, expected = graph.value(case, MF.action), graph.value(case, MF.result)
    data, shapes = graph.value(action, SHT.dataGraph), graph.value(action, SHT.shapesGraph)
    compiled = shacl.Shapes.from_text(path_of(shapes).read_text(), "turtle", base=str(shapes))
    found = compiled.validate_text(path_of(data).read_text(), "turtle", base=str(data))
    report = Graph().parse(data=found.turtle, format="turtle")
    same = found.conforms == graph.value(expected, SH.conforms).toPython()
    root = report.value(None, RDF.type, SH.ValidationReport)
    return same and results(report, root) == results(graph, expected)


def test_every_core_case_of_the_w3c_agrees(shared: Path):
    suite = shared / "data" / "shacl" / "data-shapes-test-suite" / "tests" / "core" / "manifest.ttl"
    tried: dict[URIRef, bool] = {case: agrees(graph, case) for graph, case in cases(suite)}
    assert len(tried) == 98
    assert [str(case) for case, agreed in tried.items() if not agreed] == []
