"""Many verbs in one request: lines of JSON in, a line of JSON out for each, as they are done.

A line is durable before its answer is sent, and does not undo those before it. A line may name what an
earlier one made: ``{"as": "page", ...}`` there, ``{"ref": "page"}`` here in place of an id.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from typing import Annotated

from fastapi import APIRouter, Header, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel
from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope, Send

from prov_ledger.errors import ProvLedgerError, Refused
from prov_ledger.model.plain import Json
from prov_ledger.service.acting import CurrentCaller, CurrentService
from prov_ledger.service.bodies import (
    check_encoding,
    check_json_type,
    gone,
    parse_json,
    parse_value,
    too_large,
)
from prov_ledger.service.journal import NDJSON
from prov_ledger.service.models import arguments_of, request_model
from prov_ledger.service.routes import REFUSALS, call_once, call_verb
from prov_ledger.service.service import Caller, Service
from prov_ledger.service.settings import Limits
from prov_ledger.service.verbs import VERBS, Verb

_BY_PATH = {verb.path: verb for verb in VERBS if verb.writes and not verb.alone and verb.again is None}
_EXAMPLE = (
    '{"verb": "source", "as": "page", "native": "wiki:returns", "title": "Returns policy"}\n'
    '{"verb": "revision", "source": {"ref": "page"}, "data": "60 days.", "label": "12"}\n'
)
_LINES = {"application/x-ndjson": {"schema": {"type": "string"}, "examples": {"usual": {"value": _EXAMPLE}}}}


def bulk_router(limits: Limits) -> APIRouter:
    """``POST /v1/{tenant}/bulk``."""
    router = APIRouter(prefix="/v1/{tenant}", tags=["take in"], responses=REFUSALS)
    models = {path: request_model(verb, limits) for path, verb in _BY_PATH.items()}

    @router.post(
        "/bulk",
        operation_id="bulk",
        summary="Many writes, a line each",
        response_class=StreamingResponse,
        responses={200: {"description": "A line for each line.", "content": {NDJSON: {}}}},
        openapi_extra={"requestBody": {"required": True, "content": _LINES}},
    )
    async def bulk(
        request: Request,
        caller: CurrentCaller,
        service: CurrentService,
        idempotency_key: Annotated[str | None, Header(max_length=200)] = None,
    ) -> StreamingResponse:
        """Make many writes. With an Idempotency-Key, lines that were made are answered again, not made again.

        Each answer has ``line``, and ``value`` or ``error`` (a code and a detail). What comes after a refused
        line is made all the same; what names it is refused too.
        """
        check_json_type(request, NDJSON, "application/jsonl")
        check_encoding(request)
        work = _Work(service, caller, models, idempotency_key)
        return _Duplex(work.answers(_lines(request, service.settings.limits)), media_type=NDJSON)

    return router


class _Duplex(StreamingResponse):
    """Sends while the request still comes in: nothing else may wait for what is received meanwhile."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the answer."""
        await self.stream_response(send)


async def _lines(request: Request, limits: Limits) -> AsyncIterator[bytes]:
    """The lines of a body, as they come. Raises ``too_large``, ``request_timeout``."""
    kept, size, stream = list[bytes](), 0, request.stream().__aiter__()
    begun = _now()
    while (part := await _part(stream, begun + limits.body_timeout_s)) is not None:
        first, *rest = part.split(b"\n")
        kept.append(first)
        size += len(first)
        if size > limits.bulk_line_bytes:
            raise too_large(limits.bulk_line_bytes)
        if rest:
            yield b"".join(kept)
            for line in rest[:-1]:
                yield line
            kept, size, begun = rest[-1:], len(rest[-1]), _now()
    if size:
        yield b"".join(kept)


async def _part(stream: AsyncIterator[bytes], until: float) -> bytes | None:
    """The next part of the body; None at its end."""
    try:
        async with asyncio.timeout_at(until):
            return await anext(stream, None)
    except TimeoutError:
        raise ProvLedgerError("the next line was too long in coming", code="request_timeout") from None
    except ClientDisconnect:
        raise gone() from None


def _now() -> float:
    return asyncio.get_running_loop().time()


class _Work:
    """One bulk request under way."""

    def __init__(
        self, service: Service, caller: Caller, models: Mapping[str, type[BaseModel]], key: str | None
    ) -> None:
        self._service, self._caller, self._models, self._key = service, caller, models, key
        self._limits = service.settings.limits
        self._made: dict[str, Json] = {}

    async def answers(self, lines: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """A line for each line; the last one says what ended the request, where something did."""
        number = 0
        try:
            async for line in lines:
                number += 1
                if number > self._limits.bulk_lines:
                    raise Refused(
                        "too_large", f"more than {self._limits.bulk_lines} lines: send less at once"
                    )
                if line.strip():
                    yield _line(await self._answer(number, line))
        except ProvLedgerError as error:
            yield _line(
                {"line": number, "error": {"code": error.code, "detail": error.message}, "ended": True}
            )

    async def _answer(self, number: int, line: bytes) -> dict[str, Json]:
        while True:
            try:
                return {"line": number, "value": await self._caller.run(lambda: self._perform(number, line))}
            except ProvLedgerError as error:
                if error.code not in ("busy", "too_many"):
                    return {"line": number, "error": {"code": error.code, "detail": error.message}}
                # Whoever sends lines waits with them: that is what a stream is for.
                await asyncio.sleep(0.05)

    def _perform(self, number: int, line: bytes) -> Json:
        if len(line) > self._limits.bulk_line_bytes:
            raise too_large(self._limits.bulk_line_bytes)
        raw = parse_json(line, self._limits.json_depth)
        if not isinstance(raw, dict):
            raise Refused("bad_input", "a line is a JSON object with a 'verb'")
        verb, label = _BY_PATH.get(str(raw.pop("verb", ""))), raw.pop("as", None)
        if verb is None:
            raise Refused("bad_input", f"'verb' is one of {', '.join(sorted(_BY_PATH))}")
        filled = self._filled(raw)
        arguments = arguments_of(verb, parse_value(self._models[verb.path], filled))
        value = self._value(verb, arguments, number, line)
        if isinstance(label, str) and isinstance(value, dict):
            self._made[label] = value.get("id")
        return value

    def _value(self, verb: Verb, arguments: dict[str, object], number: int, line: bytes) -> Json:
        if self._key is None:
            return call_verb(verb, self._caller, arguments)
        key = f"{self._key}.{number}"
        return call_once(verb, self._service, self._caller, key, line, arguments)

    def _filled(self, value: object) -> object:
        """The line with ids in place of what it names."""
        if isinstance(value, dict):
            if set(value) == {"ref"}:
                made = self._made.get(str(value["ref"]))
                if made is None:
                    raise Refused("unknown_id", "'ref' names no line before that made something")
                return made
            return {name: self._filled(one) for name, one in value.items()}
        return [self._filled(one) for one in value] if isinstance(value, list) else value


def _line(value: Mapping[str, object]) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
