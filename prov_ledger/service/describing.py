"""What a SPARQL endpoint says of itself, in RDF.

Source: SPARQL 1.1 Service Description.
"""

import pyoxigraph as ox
from fastapi import Request, Response

from prov_ledger.analysing.rendering import GRAPH_FORMS, TURTLE, render_triples
from prov_ledger.model.times import format_instant
from prov_ledger.rdf.terms import XSD_DATE_TIME
from prov_ledger.service.negotiation import choose_type
from prov_ledger.service.service import Caller, Service
from prov_ledger.store.port import POSITION_SEQUENCE, graph_iri
from prov_ledger.store.snapshots import Snapshot
from prov_ledger.vocab import RDF_TYPE

_SD = "http://www.w3.org/ns/sparql-service-description#"
_COMMENT = "http://www.w3.org/2000/01/rdf-schema#comment"
_MODIFIED = "http://purl.org/dc/terms/modified"
_FORMATS = "http://www.w3.org/ns/formats/"
_RESULTS = (
    "SPARQL_Results_JSON",
    "SPARQL_Results_XML",
    "SPARQL_Results_CSV",
    "SPARQL_Results_TSV",
    "Turtle",
    "N-Triples",
    "JSON-LD",
    "RDF_XML",
)


async def describe(request: Request, caller: Caller, service: Service) -> Response:
    """The service description, for who may query. Raises Refused ``denied``, ``not_acceptable``."""
    form = choose_type(request.headers.get("accept"), (TURTLE, *GRAPH_FORMS))
    newest = await caller.run(lambda: _newest(caller))
    address = str(request.url.replace(query="", fragment=""))
    triples = _triples(address, caller.ledger.base, newest, _limits(service))
    body = render_triples(form, triples, len(triples), service.analysts.limits.answer_bytes).body
    return Response(body, headers={"Vary": "Accept, Authorization"}, media_type=form)


def _newest(caller: Caller) -> Snapshot | None:
    caller.ledger.check_may("sparql", by=caller.name)
    return caller.ledger.snapshots.newest()


def _limits(service: Service) -> str:
    limits, settings = service.analysts.limits, service.analysts.settings
    return (
        f"An answer knows everything that was recorded {settings.snapshot_max_age_s:g} s before it was asked "
        f"for. A query ends after {limits.deadline_s:g} s or with {limits.memory_bytes >> 20} MB; an answer "
        f"is cut after {limits.rows} rows or {limits.answer_bytes} bytes, and says so. SERVICE and updates "
        "are refused; FROM and GRAPH see this graph alone. Text is not in the graph."
    )


def _triples(address: str, base: str, newest: Snapshot | None, limits: str) -> list[ox.Triple]:
    service, dataset, graph, statements = (
        ox.NamedNode(address),
        ox.BlankNode("dataset"),
        ox.BlankNode("default"),
        ox.BlankNode("named"),
    )
    said: list[tuple[ox.NamedNode | ox.BlankNode, str, ox.NamedNode | ox.BlankNode | ox.Literal]] = [
        (service, RDF_TYPE, ox.NamedNode(_SD + "Service")),
        (service, _SD + "endpoint", service),
        (service, _SD + "supportedLanguage", ox.NamedNode(_SD + "SPARQL11Query")),
        *((service, _SD + "resultFormat", ox.NamedNode(_FORMATS + name)) for name in _RESULTS),
        (service, _COMMENT, ox.Literal(limits, language="en")),
        (service, _SD + "defaultDataset", dataset),
        (dataset, RDF_TYPE, ox.NamedNode(_SD + "Dataset")),
        (dataset, _SD + "defaultGraph", graph),
        (graph, RDF_TYPE, ox.NamedNode(_SD + "Graph")),
        (dataset, _SD + "namedGraph", statements),
        (statements, RDF_TYPE, ox.NamedNode(_SD + "NamedGraph")),
        (statements, _SD + "name", ox.NamedNode(graph_iri(base))),
        (statements, _SD + "graph", graph),
    ]
    if newest is not None:
        taken = ox.Literal(format_instant(newest.taken), datatype=ox.NamedNode(XSD_DATE_TIME))
        said += [
            (graph, POSITION_SEQUENCE, ox.Literal(newest.position.sequence)),
            (graph, _MODIFIED, taken),
        ]
    return [ox.Triple(subject, ox.NamedNode(predicate), object) for subject, predicate, object in said]
