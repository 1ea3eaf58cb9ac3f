"""Reading the body of a request: so many bytes, in so much time, JSON of so much depth."""

import asyncio
import json
import re
from typing import TypeVar

from fastapi import Request
from pydantic import BaseModel, ValidationError
from starlette.requests import ClientDisconnect

from prov_ledger.errors import ProvLedgerError, Refused
from prov_ledger.service.problems import places
from prov_ledger.service.settings import Limits

M = TypeVar("M", bound=BaseModel)

_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
_BRACKET = re.compile(rb"[\[\]{}]")


async def read_body(request: Request, limits: Limits, most: int) -> bytes:
    """The whole body, of so many bytes.

    Raises Refused ``too_large``, ``unsupported_media_type``; ProvLedgerError ``request_timeout``, also where
    the connection ends.
    """
    most = min(most, limits.body_bytes)
    check_encoding(request)
    announced = request.headers.get("content-length", "0")
    if announced.isdecimal() and int(announced) > most:
        raise too_large(most)
    parts, size = [], 0
    try:
        async with asyncio.timeout(limits.body_timeout_s):
            async for part in request.stream():
                size += len(part)
                if size > most:
                    raise too_large(most)
                parts.append(part)
    except TimeoutError:
        message = f"the body took longer than {limits.body_timeout_s:g} s to arrive"
        raise ProvLedgerError(message, code="request_timeout") from None
    except ClientDisconnect:
        raise gone() from None
    return b"".join(parts)


def gone() -> ProvLedgerError:
    """For the log alone: nobody is there to be told."""
    return ProvLedgerError("the connection ended within the body", code="request_timeout")


def too_large(most: int) -> Refused:
    """The refusal of more bytes than may be."""
    return Refused("too_large", f"more than {most} bytes: send less at once")


def check_encoding(request: Request) -> None:
    """Raise Refused ``unsupported_media_type`` for a compressed body: its size could not be told."""
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise Refused("unsupported_media_type", "a body is sent as it is, without a Content-Encoding")


def check_json_type(request: Request, *types: str) -> None:
    """Raise Refused ``unsupported_media_type`` unless the body says that it is of one of these types.

    A page of the web can send other types without being asked whether it may.
    """
    said = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if said not in types:
        raise Refused("unsupported_media_type", f"send it as {' or '.join(types)}")


def parse_json(data: bytes, depth: int) -> object:
    """The JSON value. Raises Refused ``bad_input`` for what is none, or nests deeper than that."""
    if _nests_deeper(data, depth):
        raise Refused("bad_input", f"the JSON nests deeper than {depth} levels")
    try:
        value = json.loads(data, parse_constant=_no_constant)
        if _HALF.search(data):
            # Half a character is no text, and could not be sent back.
            json.dumps(value, ensure_ascii=False).encode()
        return value
    except (ValueError, RecursionError):
        raise Refused("bad_input", "the body is not JSON in UTF-8") from None


def parse_model(model: type[M], data: bytes, depth: int) -> M:
    """The body as a model. Raises Refused ``bad_input``, naming fields and never values."""
    return parse_value(model, parse_json(data or b"{}", depth))


def parse_value(model: type[M], raw: object) -> M:
    """A JSON value as a model; raises as ``parse_model``."""
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        raise Refused("bad_input", f"the request does not fit: {places(error.errors())}") from None


def _no_constant(name: str) -> object:
    raise ValueError(name)


def _nests_deeper(data: bytes, depth: int) -> bool:
    if data.count(b"[") + data.count(b"{") <= depth:
        return False
    level = 0
    for bracket in _BRACKET.finditer(_STRING.sub(b"", data)):
        level += 1 if bracket.group() in b"[{" else -1
        if level > depth:
            return True
    return False
