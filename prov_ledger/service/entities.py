"""An entity at its own address, in the form that is asked for; and where its provenance is.

Source: PROV-AQ (W3C Note 2013) section 3.1, the ``Link`` header.
"""

from hashlib import sha256
from html import escape
from typing import Annotated

from fastapi import APIRouter, Path, Request, Response

from prov_ledger.errors import Refused
from prov_ledger.ledger.provenance import Provenance
from prov_ledger.model.slots import Slot
from prov_ledger.rdf.renderings import render_json_ld, render_prov_json, render_turtle
from prov_ledger.rdf.terms import Iri, Literal, Term
from prov_ledger.service.acting import CurrentCaller
from prov_ledger.service.negotiating import best_of
from prov_ledger.service.routes import REFUSALS
from prov_ledger.service.service import Caller
from prov_ledger.vocab import PROV

HTML, TURTLE, JSON_LD, PROV_JSON = "text/html", "text/turtle", "application/ld+json", "application/prov+json"
_GRAPHS = (TURTLE, JSON_LD, PROV_JSON)
#: ``Link`` relations of PROV-AQ.
_HAS_PROVENANCE, _HAS_ANCHOR = PROV + "has_provenance", PROV + "has_anchor"
_HAS_QUERY_SERVICE = PROV + "has_query_service"

EntityId = Annotated[str, Path(description="Id of an entity.", examples=["cl_0000000000000000ab"])]

router = APIRouter(prefix="/v1/{tenant}", tags=["ask"])


def _responses(forms: tuple[str, ...]) -> dict[int | str, dict[str, object]]:
    content: dict[str, object] = {form: {} for form in forms}
    found: dict[int | str, dict[str, object]] = {
        200: {"description": "In the form asked for.", "content": content},
        304: {"description": "As it was."},
        406: {**REFUSALS[415], "description": "Not to be had in that form."},
    }
    return REFUSALS | found


@router.get(
    "/id/{id}",
    operation_id="entity",
    summary="An entity, as HTML, Turtle, JSON-LD or PROV-JSON",
    responses=_responses((HTML, *_GRAPHS)),
    response_class=Response,
)
async def entity(request: Request, caller: CurrentCaller, id: EntityId) -> Response:
    """What is recorded of an entity, for a reader who may see it; a page has what may be shown of it too."""
    form = best_of(request.headers.get("accept"), (HTML, *_GRAPHS))

    def answer() -> Response:
        found = caller.ledger.provenance(id, principal=caller.name)
        return _page(caller, found) if form == HTML else _graph(found, form)

    return _linked(request, await caller.run(answer), id, caller.ledger.base)


@router.get(
    "/id/{id}/provenance",
    operation_id="provenance",
    summary="The provenance record of an entity",
    responses=_responses(_GRAPHS),
    response_class=Response,
)
async def provenance(request: Request, caller: CurrentCaller, id: EntityId) -> Response:
    """What is recorded of an entity, as Turtle, JSON-LD or PROV-JSON."""
    form = best_of(request.headers.get("accept"), _GRAPHS)

    def answer() -> Response:
        return _graph(caller.ledger.provenance(id, principal=caller.name), form)

    return _unchanged(request, await caller.run(answer))


def _graph(found: Provenance, form: str) -> Response:
    base = found.iri.removesuffix(found.id)
    if form == TURTLE:
        text = render_turtle(found.triples, base)
    elif form == JSON_LD:
        text = render_json_ld(found.triples)
    else:
        text = render_prov_json(found.triples, base)
    data = text.encode()
    kept = {"ETag": f'"{sha256(data).hexdigest()[:32]}"', "Cache-Control": "private, no-cache"}
    return Response(data, headers={**kept, "Vary": "Accept, Authorization", "Content-Type": form})


def _linked(request: Request, response: Response, id: str, base: str) -> Response:
    here = request.url.path
    tenant = here.removesuffix(f"/id/{id}")
    links = (
        f'<{here}/provenance>; rel="{_HAS_PROVENANCE}"; anchor="{base}{id}"',
        f'<{base}{id}>; rel="{_HAS_ANCHOR}"',
        f'<{tenant}/sparql>; rel="{_HAS_QUERY_SERVICE}"',
    )
    response.headers["Link"] = ", ".join(links)
    return _unchanged(request, response)


def _unchanged(request: Request, response: Response) -> Response:
    """304 where the caller holds just this: found anew all the same, so that what was taken away is not."""
    etag = response.headers.get("etag")
    held = [one.strip().removeprefix("W/") for one in request.headers.get("if-none-match", "").split(",")]
    if etag is None or (etag not in held and "*" not in held):
        return response
    kept = {k: v for k, v in response.headers.items() if k in ("etag", "cache-control", "vary", "link")}
    return Response(status_code=304, headers=kept)


def _page(caller: Caller, found: Provenance) -> Response:
    """A page with what may be shown of the entity now; its texts are not kept anywhere on the way."""
    slot = None
    if found.id.startswith(("cl_", "ev_")):
        slot = caller.ledger.resolve([found.id], principal=caller.name)[0]
        if slot.verdict == "withheld":
            raise Refused("unknown_id", f"{found.id}: no id like this is known to you here")
    base = found.iri.removesuffix(found.id)
    rows = "".join(
        f"<tr><td>{_link(s, base)}</td><td>{_link(p, base)}</td><td>{_link(o, base)}</td></tr>"
        for s, p, o in found.triples
    )
    shown = "" if slot is None else _shown(slot)
    text = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(found.id)}</title></head>'
        f"<body><h1>{escape(found.id)}</h1>{shown}<table>{rows}</table></body></html>"
    )
    headers = {"Cache-Control": "private, no-store", "Vary": "Accept, Authorization"}
    return Response(text.encode(), headers=headers, media_type=HTML)


def _shown(slot: Slot) -> str:
    """Verdict, statement and quotes: texts of sources, escaped, and no more than texts."""
    parts = [f"<p>{escape(slot.verdict)}, next: {escape(slot.next)}</p>"]
    if slot.statement is not None:
        parts.append(f"<p>{escape(slot.statement)}</p>")
    for one in slot.quotes:
        cited = f"{escape(one.title)}, {escape(one.label)}"
        parts.append(f"<blockquote><p>{escape(one.quote)}</p><footer>{cited}</footer></blockquote>")
    return "".join(parts)


def _link(term: Term, base: str) -> str:
    if isinstance(term, Literal):
        return escape(term.lexical)
    if not isinstance(term, Iri):
        return ""
    if term.value.startswith(base):
        name = term.value.removeprefix(base)
        target = escape(name.partition("#")[0])
        return f'<a href="{target}">{escape(name)}</a>'
    return escape(term.value)
