"""Whether a whole graph conforms to the shapes, by pySHACL: the reference for the write path's check."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

import pyoxigraph as ox
from pyshacl import validate as _validate
from pyshacl.errors import ReportableRuntimeError, ShapeLoadError
from rdflib import BNode, Graph, URIRef
from rdflib.namespace import RDF, SH
from rdflib.term import Node

from prov_ledger.checks.findings import NOT_CANONICAL, Finding, find_strays
from prov_ledger.checks.shape_index import RECORDED_AS, SHAPES
from prov_ledger.errors import ProvLedgerError
from prov_ledger.resources import load_topics, shapes_dir
from prov_ledger.vocab import PL

_RECORDED_AS = URIRef(RECORDED_AS)
_ENTRY = URIRef(PL + "Entry")


@dataclass(frozen=True, slots=True)
class Report:
    """What the shapes say of a graph of ``triples`` triples, ``findings`` sorted by focus node.

    A graph without an entry does not conform: the shapes alone would say that it does.
    """

    conforms: bool
    triples: int
    findings: tuple[Finding, ...]


@cache
def _shapes() -> Graph:
    graph = Graph()
    for text in load_topics(shapes_dir()).values():
        graph.parse(data=text, format="turtle")
    return graph


def validate_graph(data: Graph | str | bytes, known: Iterable[tuple[str, str]] = ()) -> Report:
    """Check a graph, or N-Triples or N-Quads of one, against every shape; slow and by the book.

    ``known`` as in ``EntryValidator.check``; none for the whole graph of a tenant. Raises
    ProvLedgerError when the shapes cannot be read or the data is not RDF.

    Source: SHACL section 3 (validation and graphs).
    """
    graph = data if isinstance(data, Graph) else _read(data)
    triples, described = len(graph), _described(graph)
    before = {URIRef(node): URIRef(kind) for node, kind in known if URIRef(node) not in described}
    own = _survey(graph, described.union(before, _pruned(graph)))
    context = Graph()
    for node, kind in before.items():
        context.add((node, _RECORDED_AS, kind))
    try:
        _, report, _ = _validate(
            graph + context if before else graph, shacl_graph=_shapes(), inference="none"
        )
    except (ReportableRuntimeError, ShapeLoadError) as error:
        raise ProvLedgerError(f"the shapes of this installation cannot be used: {error}") from error
    if not isinstance(report, Graph):
        raise ProvLedgerError(f"pySHACL could not validate the graph: {report}")
    findings = own | {_finding(report, result) for result in report.objects(None, SH.result)}
    return Report(not findings, triples, tuple(sorted(findings)))


def _read(text: str | bytes) -> Graph:
    try:
        triples = [quad.triple for quad in ox.parse(input=text, format=ox.RdfFormat.N_QUADS)]
    except SyntaxError as error:
        raise ProvLedgerError(f"the graph to validate is not N-Quads: {error}", code="bad_input") from error
    # By way of N-Triples, since rdflib's own reader of N-Quads warns of itself.
    lines = "".join(f"{triple} .\n" for triple in triples)
    return Graph().parse(data=lines, format="nt")


def _pruned(graph: Graph) -> set[Node]:
    """The nodes of which nothing is left but the class under which they were recorded, by a pruning."""
    names = (URIRef(f"{PL}{name}") for name in ("prunedEntry", "prunedNode"))
    named = {node for name in names for node in graph.objects(None, name)}
    return {node for node in named if set(graph.predicates(node)) <= {_RECORDED_AS}}


def _described(graph: Graph) -> set[Node]:
    """The nodes that some shape looks at."""
    targeted = set(_shapes().objects(None, SH.targetClass))
    return {node for node, kind in graph.subject_objects(RDF.type) if kind in targeted}


def _survey(graph: Graph, accounted: set[Node]) -> set[Finding]:
    """What no shape finds: blank nodes, nodes that no shape looks at, no entry."""
    nodes = set(graph.subjects())
    blank = any(isinstance(node, BNode) for node in nodes.union(graph.objects()))
    found = find_strays(map(str, nodes - accounted), (None, RDF.type, _ENTRY) in graph)
    return {*found, NOT_CANONICAL} if blank else set(found)


def _finding(report: Graph, result: Node) -> Finding:
    shape = report.value(result, SH.sourceShape)
    path = report.value(result, SH.resultPath)
    message = _shapes().value(shape, SH.message)
    name = str(shape).removeprefix(SHAPES)
    where = str(path) if isinstance(path, URIRef) else ""
    return Finding(str(report.value(result, SH.focusNode)), name, where, str(message))
