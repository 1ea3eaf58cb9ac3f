"""Errors as answers: ``application/problem+json`` (RFC 9457) with the code and status of ``errors.py``."""

import logging
from collections.abc import Mapping, Sequence
from types import TracebackType

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from prov_ledger.errors import STATUS, ProvLedgerError, ShapeViolation

MEDIA_TYPE = "application/problem+json"
RETRY_AFTER_S = 1
_log = logging.getLogger(__name__)

#: Codes of what the framework refuses before any verb is reached, by status.
_CODES = {
    400: "bad_input",
    401: "unauthenticated",
    403: "denied",
    404: "not_found",
    405: "method_not_allowed",
    406: "not_acceptable",
    413: "too_large",
    415: "unsupported_media_type",
    422: "bad_input",
    429: "too_many",
    503: "busy",
    504: "timeout",
}
_TITLES = {
    400: "The request is malformed",
    401: "Credentials are needed",
    403: "You may not do that",
    404: "Nothing is there, or nothing for you",
    405: "Not by this method",
    406: "Not in this form",
    409: "The ledger is in another state",
    413: "Too large",
    415: "Not in this form",
    422: "The request is wrong",
    429: "Too many requests",
    500: "The service failed",
    501: "Not supported",
    502: "A source system failed",
    503: "Busy",
    504: "Too slow",
    507: "The disk is full",
}
_AT_FAULT = 500


class Problem(BaseModel):
    """What was refused and why; never holds a value of the request, nor any text of the ledger."""

    type: str = Field(default="about:blank", examples=["about:blank"])
    title: str = Field(examples=["The request is wrong"])
    status: int = Field(examples=[422])
    code: str = Field(description="Stable, to be acted upon.", examples=["bad_fact"])
    detail: str = Field(description="For a person: what, where, what to do.")
    findings: list[list[str]] | None = Field(
        default=None, description="With shape_violation: focus node, path and message of each."
    )


def problem(
    code: str,
    detail: str,
    findings: Sequence[Sequence[str]] = (),
    headers: Mapping[str, str] | None = None,
    status: int | None = None,
) -> Response:
    """The answer for a code; its status is that of ``errors.STATUS`` unless another is given."""
    number = STATUS[code].http if status is None else status
    body: dict[str, object] = {
        "type": "about:blank",
        "title": _TITLES.get(number, "The request is wrong"),
        "status": number,
        "code": code,
        "detail": detail,
    }
    if findings:
        body["findings"] = [list(one) for one in findings]
    return JSONResponse(body, number, _headers(number, headers), MEDIA_TYPE)


def _headers(status: int, given: Mapping[str, str] | None) -> dict[str, str]:
    headers = {"Cache-Control": "no-store", **(given or {})}
    if status == 401:
        headers["WWW-Authenticate"] = 'Bearer realm="prov-ledger"'
    if status in (429, 503):
        headers["Retry-After"] = str(RETRY_AFTER_S)
    return headers


def of_error(error: Exception) -> Response:
    """The answer for what a call raised; of a foreign exception only that there was one."""
    if isinstance(error, ProvLedgerError):
        if error.status.http >= _AT_FAULT and error.code not in ("busy", "timeout", "not_supported"):
            _log.error("refused with %s", error.code, extra={"code": error.code})
        findings = error.findings if isinstance(error, ShapeViolation) else ()
        return problem(error.code, error.message, findings)
    _log.error("unexpected %s", type(error).__name__, exc_info=_without_text(error))
    return problem("internal", "an unexpected error: the log of the service says which")


def _without_text(
    error: Exception,
) -> tuple[type[BaseException], BaseException, TracebackType | None]:
    """The traceback with an exception of the same name and no message, which may hold text of a source."""
    bare = type(type(error).__name__, (Exception,), {})()
    return (type(bare), bare, error.__traceback__)


def install(app: FastAPI) -> None:
    """Have every error of an application answered in this form."""

    async def known(request: Request, error: Exception) -> Response:
        return of_error(error)

    async def invalid(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        return problem("bad_input", f"the request does not fit: {places(error.errors())}")

    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        code = _CODES.get(error.status_code, "bad_input")
        detail = {404: "there is nothing here", 405: "this address has no such method"}
        told = detail.get(error.status_code, _TITLES.get(error.status_code, "the request is wrong"))
        return problem(code, told, headers=error.headers, status=error.status_code)

    app.add_exception_handler(ProvLedgerError, known)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, refused)


def places(errors: Sequence[Mapping[str, object]]) -> str:
    """Which parts do not fit and how, without what was sent: a key of the caller's own is not repeated."""
    found = []
    for one in errors[:5]:
        kind, loc = str(one["type"]), one["loc"]
        place = [str(part) for part in loc if part != "body"] if isinstance(loc, tuple) else []
        if kind == "extra_forbidden":
            place[-1:] = ["(a field that is not known here)"]
        else:
            place[1:] = []
        found.append(f"{'.'.join(place) or 'the body'}: {_KINDS.get(kind, kind.replace('_', ' '))}")
    return "; ".join(dict.fromkeys(found))


_KINDS = {
    "missing": "is missing",
    "json_invalid": "is not JSON",
    "extra_forbidden": "is not expected",
    "string_type": "has to be a text",
    "int_type": "has to be a whole number",
    "int_parsing": "has to be a whole number",
    "bool_type": "has to be true or false",
    "bool_parsing": "has to be true or false",
    "list_type": "has to be a list",
    "dict_type": "has to be an object",
    "model_attributes_type": "has to be a JSON object",
    "too_long": "is too long",
    "string_too_long": "is too long",
}
