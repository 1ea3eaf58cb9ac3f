"""SPARQL 1.1 Protocol over a tenant's graph: to read only, and never anything but this graph.

Source: SPARQL 1.1 Protocol section 2.1 (query operation); SPARQL 1.1 Service Description section 2.
"""

from dataclasses import dataclass
from urllib.parse import parse_qsl

from fastapi import APIRouter, FastAPI, Request, Response

from prov_ledger.analysing.analysis import Analysed
from prov_ledger.analysing.rendering import (
    BOOLEAN_FORMS,
    CSV,
    GRAPH_FORMS,
    JSON,
    JSON_LD,
    ROW_FORMS,
    TSV,
    TURTLE,
    XML,
)
from prov_ledger.errors import QueryError, Refused
from prov_ledger.model.times import format_instant
from prov_ledger.queries.guard import Kind
from prov_ledger.service import metrics
from prov_ledger.service.acting import CurrentCaller, CurrentService
from prov_ledger.service.bodies import check_json_type, read_body
from prov_ledger.service.describing import describe
from prov_ledger.service.negotiation import choose_type
from prov_ledger.service.problems import MEDIA_TYPE, Problem
from prov_ledger.service.service import Caller, Service
from prov_ledger.service.settings import Settings
from prov_ledger.store.port import graph_iri

SNAPSHOT = "Prov-Ledger-Snapshot"
CUT = "Prov-Ledger-Cut"
QUERY, FORM = "application/sparql-query", "application/x-www-form-urlencoded"
_UPDATES = ("application/sparql-update", "update")

#: Names that clients know some forms by.
_ROW_ALIASES = {"application/json": JSON, "application/xml": XML, "text/xml": XML}
_GRAPH_ALIASES = {
    "application/json": JSON_LD,
    "application/turtle": TURTLE,
    "application/x-turtle": TURTLE,
    "text/plain": "application/n-triples",
}
_PARAMETERS = [
    {"name": name, "in": "query", "required": False, "schema": schema, "description": text}
    for name, schema, text in (
        ("query", {"type": "string"}, "The query; without one, the service describes itself."),
        *(
            (name, {"type": "array", "items": {"type": "string"}}, "The tenant's graph, or left out.")
            for name in ("default-graph-uri", "named-graph-uri")
        ),
        (
            "text",
            {"type": "array", "items": {"type": "string"}},
            "Columns to whose ids the text is joined, as far as the caller may see it; not of the protocol.",
        ),
    )
]
_ANSWERS: dict[int | str, dict[str, object]] = {
    200: {
        "description": "The answer. A header says how far in the journal it goes and when that was; another, "
        "where it was cut.",
        "content": {
            form: {"schema": {"type": "string"}}
            for form in dict.fromkeys((*ROW_FORMS, *BOOLEAN_FORMS, *GRAPH_FORMS))
        },
        "headers": {
            SNAPSHOT: {"schema": {"type": "string"}, "description": 'sequence=412, taken="2026-07-01T..Z"'},
            CUT: {"schema": {"type": "string"}, "description": "rows;limit=N or bytes;limit=N"},
        },
    },
    **{
        status: {"model": Problem, "description": text, "content": {MEDIA_TYPE: {}}}
        for status, text in {
            400: "The query is not valid, or not allowed.",
            401: "No valid credentials.",
            403: "Only analysts and auditors ask in SPARQL.",
            404: "Nothing is there, or nothing for this caller.",
            406: "Not in this form.",
            408: "The body came too slowly.",
            413: "Too large.",
            415: "Not a body of the protocol.",
            422: "The query needs more memory than it may have.",
            429: "Too much of this caller's is under way; see Retry-After.",
            500: "The service failed.",
            501: "This system cannot shut a query off from the network.",
            503: "Busy; see Retry-After.",
            504: "The query took too long and was ended.",
        }.items()
    },
}
router = APIRouter(prefix="/v1/{tenant}", tags=["analyse"], responses=_ANSWERS)


def include(app: FastAPI, settings: Settings) -> None:
    """Add the endpoint, where the settings have it."""
    if settings.sparql:
        app.include_router(router)


@dataclass(frozen=True, slots=True)
class Operation:
    """A query operation as it came; ``query`` None asks for the service description."""

    query: str | None
    default_graphs: tuple[str, ...]
    named_graphs: tuple[str, ...]
    text_columns: tuple[str, ...]


@router.get(
    "/sparql",
    operation_id="sparql",
    summary="Ask in SPARQL",
    response_class=Response,
    openapi_extra={"parameters": _PARAMETERS},
)
async def get(request: Request, caller: CurrentCaller, service: CurrentService) -> Response:
    """Answer the query, or describe the service. Rows and bytes have limits; a header says when they cut."""
    return await _answer(request, caller, service, parse_operation(_pairs(request.url.query)))


@router.post(
    "/sparql",
    operation_id="sparql_post",
    summary="Ask in SPARQL, in a body",
    response_class=Response,
    openapi_extra={
        "parameters": _PARAMETERS[1:],
        "requestBody": {
            "required": True,
            "content": {
                QUERY: {"schema": {"type": "string"}, "example": "ASK { ?claim a pl:Claim }"},
                FORM: {"schema": {"type": "object", "properties": {"query": {"type": "string"}}}},
            },
        },
    },
)
async def post(request: Request, caller: CurrentCaller, service: CurrentService) -> Response:
    """Answer the query of the body, which is the query itself or a form with it."""
    media_type, charset = _content_type(request)
    if media_type in _UPDATES:
        raise _no_update()
    check_json_type(request, QUERY, FORM)
    body = await read_body(request, service.settings.limits, service.settings.limits.json_bytes)
    if charset not in ("", "utf-8", "us-ascii"):
        raise QueryError("a query is sent in UTF-8")
    try:
        text = body.decode()
    except UnicodeDecodeError:
        raise QueryError("the body is not UTF-8") from None
    pairs = _pairs(request.url.query)
    pairs += [("query", text)] if media_type == QUERY else _pairs(text)
    operation = parse_operation(pairs)
    if operation.query is None:
        raise QueryError("there is no query: send one as the parameter 'query'")
    return await _answer(request, caller, service, operation)


def parse_operation(pairs: list[tuple[str, str]]) -> Operation:
    """The operation of some parameters. Raises QueryError for an update, and for more than one query."""
    found: dict[str, list[str]] = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    if "update" in found:
        raise _no_update()
    if len(found.get("query", ())) > 1:
        raise QueryError("there is more than one query: send one")
    return Operation(
        next(iter(found.get("query", ())), None),
        tuple(found.get("default-graph-uri", ())),
        tuple(found.get("named-graph-uri", ())),
        tuple(found.get("text", ())),
    )


def _pairs(text: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=100)
    except ValueError:
        raise QueryError("the parameters cannot be read: they are UTF-8, percent-encoded") from None


def _content_type(request: Request) -> tuple[str, str]:
    media_type, *parameters = request.headers.get("content-type", "").lower().split(";")
    charset = next((p.partition("=")[2] for p in parameters if p.strip().startswith("charset=")), "")
    return media_type.strip(), charset.strip().strip('"')


def _no_update() -> Refused:
    return Refused("bad_query", "this endpoint changes nothing: the ledger's verbs write")


async def _answer(request: Request, caller: Caller, service: Service, operation: Operation) -> Response:
    accept = request.headers.get("accept")
    base = caller.ledger.base
    for graph in (*operation.default_graphs, *operation.named_graphs):
        if graph != graph_iri(base):
            raise QueryError(f"the only graph here is {graph_iri(base)}: leave the parameter out")
    if operation.query is None:
        return await describe(request, caller, service)
    text, stated = operation.query, bool(operation.default_graphs or operation.named_graphs)
    found = await service.analysts.run(
        request,
        caller,
        lambda analysis, unwanted: analysis.ask(
            text,
            lambda kind: choose_form(accept, kind),
            text_columns=operation.text_columns,
            as_default=not stated or bool(operation.default_graphs),
            as_named=not stated or bool(operation.named_graphs),
            by=caller.name,
            unwanted=unwanted,
        ),
    )
    metrics.SNAPSHOT_AGE.set(found.age_s)
    return Response(found.answer.body, headers=_headers(found, service), media_type=found.form)


def choose_form(accept: str | None, kind: Kind) -> str:
    """The media type of the answer to a kind of query. Raises Refused ``not_acceptable``."""
    if kind in ("CONSTRUCT", "DESCRIBE"):
        return choose_type(accept, (TURTLE, *GRAPH_FORMS), _GRAPH_ALIASES)
    return choose_type(accept, BOOLEAN_FORMS if kind == "ASK" else (JSON, XML, CSV, TSV), _ROW_ALIASES)


def _headers(found: Analysed, service: Service) -> dict[str, str]:
    """Source: RFC 8941 (structured fields) for both."""
    headers = {
        "Vary": "Accept, Authorization",
        SNAPSHOT: f'sequence={found.sequence}, taken="{format_instant(found.taken)}"',
    }
    if found.answer.cut is not None:
        limits = service.analysts.limits
        limit = found.answer.rows if found.answer.cut == "rows" else limits.answer_bytes
        headers[CUT] = f"{found.answer.cut};limit={limit}"
    return headers
