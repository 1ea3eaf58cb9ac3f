"""One route for each row of the table of verbs."""

import json
import time
from collections.abc import Callable, Mapping
from typing import Annotated, cast

from fastapi import APIRouter, Header, Request, Response
from pydantic import BaseModel

from prov_ledger.errors import Refused
from prov_ledger.ledger.ledger import Ledger
from prov_ledger.model.plain import Json
from prov_ledger.model.slots import Slot
from prov_ledger.service import metrics
from prov_ledger.service.acting import CurrentCaller, CurrentService
from prov_ledger.service.answers import answered, value_of
from prov_ledger.service.bodies import check_json_type, parse_model, read_body
from prov_ledger.service.models import Arguments, answer_model, arguments_of, parameters_of, request_model
from prov_ledger.service.problems import MEDIA_TYPE, Problem
from prov_ledger.service.requests import LONGEST_KEY, Sent
from prov_ledger.service.service import Caller, Service
from prov_ledger.service.settings import Limits
from prov_ledger.service.verbs import NOTHING, VERBS, Verb

#: What every route may answer beside its own.
REFUSALS: dict[int | str, dict[str, object]] = {
    status: {"model": Problem, "description": text, "content": {MEDIA_TYPE: {}}}
    for status, text in {
        400: "An id is malformed.",
        401: "No valid credentials.",
        403: "The roles do not allow it.",
        404: "Nothing is there, or nothing for this caller.",
        408: "The body came too slowly.",
        409: "The ledger is in another state than the request supposes.",
        413: "Too large.",
        415: "The body is not JSON.",
        422: "The request is wrong.",
        429: "Too much of this caller's is under way; see Retry-After.",
        500: "The service failed.",
        503: "Busy; see Retry-After.",
        504: "It took too long.",
    }.items()
}
#: Verbs that carry documents.
_LARGE = ("revision", "tool_result", "bind")
IdempotencyKey = Annotated[
    str | None,
    Header(
        description="Chosen by the caller; a write that is sent again with it is made once.",
        max_length=LONGEST_KEY,
    ),
]


def verb_router(limits: Limits) -> APIRouter:
    """The routes of all verbs, below ``/v1/{tenant}``."""
    router = APIRouter(prefix="/v1/{tenant}", responses=REFUSALS)
    for verb in VERBS:
        add_verb(router, verb, limits)
    return router


def add_verb(router: APIRouter, verb: Verb, limits: Limits) -> None:
    """Add the route of one verb."""
    model = request_model(verb, limits)
    function = getattr(Ledger, verb.method)
    summary, _, rest = (function.__doc__ or "").partition("\n")
    router.add_api_route(
        f"/{verb.path}",
        _writing(verb, model) if verb.writes and not verb.alone else _reading(verb, model),
        methods=["POST"],
        operation_id=verb.method,
        tags=[verb.tag],
        summary=summary.strip().rstrip("."),
        description=_described(summary, rest),
        response_model=answer_model(verb),
        status_code=204 if verb.answers is NOTHING else 200,
        openapi_extra=_body_of(verb, model),
    )


def _described(summary: str, rest: str) -> str:
    return "\n".join(line.strip() for line in (summary, *rest.splitlines())).strip()


def _body_of(verb: Verb, model: type[BaseModel]) -> dict[str, object]:
    content = {"schema": model.model_json_schema(), "examples": {"usual": {"value": dict(verb.example)}}}
    return {"requestBody": {"required": True, "content": {"application/json": content}}}


Endpoint = Callable[..., object]


def _reading(verb: Verb, model: type[BaseModel]) -> Endpoint:
    async def read(request: Request, caller: CurrentCaller, service: CurrentService) -> Response:
        if verb.alone and "idempotency-key" in request.headers:
            raise Refused("bad_input", "this takes no Idempotency-Key: it goes on where it was when repeated")
        data = await _body(request, service, verb)

        def answer() -> Response:
            return answered(verb, _call(verb, caller, _parsed(verb, model, data, service)))

        return await caller.run(answer)

    return read


def _writing(verb: Verb, model: type[BaseModel]) -> Endpoint:
    async def write(
        request: Request,
        caller: CurrentCaller,
        service: CurrentService,
        idempotency_key: IdempotencyKey = None,
    ) -> Response:
        data = await _body(request, service, verb)

        def answer() -> Response:
            if verb.role is not None:
                # What was answered to whoever had the role is not for whoever has it no more.
                caller.ledger.check_may(verb.role, called=verb.path, by=caller.name)
            arguments = _parsed(verb, model, data, service)
            if idempotency_key is None:
                return answered(verb, _call(verb, caller, arguments))
            sent = Sent.of(caller.ledger, caller.name or "", verb.path, idempotency_key, data)
            return _once(verb, service, caller, sent, arguments)

        return await caller.run(answer)

    return write


async def _body(request: Request, service: Service, verb: Verb) -> bytes:
    check_json_type(request, "application/json")
    limits = service.settings.limits
    return await read_body(request, limits, limits.body_bytes if verb.method in _LARGE else limits.json_bytes)


def _parsed(verb: Verb, model: type[BaseModel], data: bytes, service: Service) -> Arguments:
    return arguments_of(verb, parse_model(model, data, service.settings.limits.json_depth))


def _call(verb: Verb, caller: Caller, arguments: Arguments) -> object:
    """Call the verb as the caller: who that is, no argument can say."""
    method = getattr(caller.ledger, verb.method)
    began = time.perf_counter()
    result: object = method(**arguments, **acting(verb.method, caller.name))
    if verb.method == "resolve":
        metrics.observe_resolve(cast(list[Slot], result), time.perf_counter() - began)
    return result


def acting(method: str, name: str | None) -> dict[str, str | None]:
    """The argument by which a verb is told who acts."""
    for parameter in ("by", "principal"):
        if parameter in parameters_of(method):
            return {parameter: name}
    return {}


def call_verb(verb: Verb, caller: Caller, arguments: Arguments) -> Json:
    """The JSON value of what a verb returns to the caller."""
    return value_of(verb, _call(verb, caller, arguments))


def call_once(
    verb: Verb, service: Service, caller: Caller, key: str, body: bytes, arguments: Arguments
) -> Json:
    """The same under an Idempotency-Key; for verbs whose whole answer may be kept."""
    if verb.role is not None:
        caller.ledger.check_may(verb.role, called=verb.path, by=caller.name)
    sent = Sent.of(caller.ledger, caller.name or "", verb.path, key, body)
    requests = service.requests(caller.principal.tenant)
    return requests.once(caller.ledger, sent, lambda: call_verb(verb, caller, arguments))[0]


def _once(verb: Verb, service: Service, caller: Caller, sent: Sent, arguments: Arguments) -> Response:
    made: list[object] = []

    def call() -> Json:
        made.append(_call(verb, caller, arguments))
        value = value_of(verb, made[0])
        if verb.again is None:
            return value
        return value[verb.again[0]] if isinstance(value, Mapping) else None

    kept, again = service.requests(caller.principal.tenant).once(caller.ledger, sent, call)
    if not again:
        return answered(verb, made[0])
    if verb.again is None:
        return _replayed(verb, kept)
    _, method = verb.again
    anew = getattr(caller.ledger, method)(kept, **acting(method, caller.name))
    return _marked(answered(verb, anew))


def _replayed(verb: Verb, kept: Json) -> Response:
    if verb.answers is NOTHING:
        return _marked(Response(status_code=204))
    return _marked(Response(json.dumps(kept), media_type="application/json"))


def _marked(response: Response) -> Response:
    response.headers["Idempotency-Replayed"] = "true"
    return response
