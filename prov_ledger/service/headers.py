"""Headers of every answer, and the line that is logged of it: no payload, no address, no name."""

import logging
import time
from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from prov_ledger.service.problems import of_error

_log = logging.getLogger("prov_ledger.access")

#: Nothing that is served may be framed, sniffed, kept on the way, or run.
STRICT = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": (
        "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    ),
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "interest-cohort=()",
}
_UNKEPT = "no-store"
#: All of them as a server sends them.
_SENT = [
    (name.lower().encode("latin-1"), value.encode("latin-1"))
    for name, value in {**STRICT, "Cache-Control": _UNKEPT}.items()
]

Observe = Callable[[str, str, int, float], None]


class Answered:
    """Answers with a problem whatever goes wrong below: no exception leaves the application."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        begun = False

        async def watched(message: Message) -> None:
            nonlocal begun
            begun = begun or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except Exception as error:
            if scope["type"] != "http" or begun:
                raise
            await of_error(error)(scope, receive, send)


class StrictHeaders:
    """Adds the headers and logs one line per request: method, route, status, milliseconds."""

    def __init__(self, app: ASGIApp, observe: Observe) -> None:
        self._app, self._observe = app, observe

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and complete its answer."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = time.perf_counter(), 500

        async def complete(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = list(message.get("headers", ()))
                stated = {name for name, _ in headers}
                message["headers"] = headers + [pair for pair in _SENT if pair[0] not in stated]
            await send(message)

        try:
            await self._app(scope, receive, complete)
        finally:
            self._observe(scope["method"], _route(scope), status, time.perf_counter() - began)


def _route(scope: Scope) -> str:
    """The template of the route, never the address that was asked for: that may hold a native id."""
    route = scope.get("route")
    return str(getattr(route, "path", "")) or "(none)"


def log_request(method: str, route: str, status: int, seconds: float) -> None:
    """One line in the log of what was asked for."""
    if _log.isEnabledFor(logging.INFO):
        fields = {"method": method, "route": route, "status": status, "ms": round(seconds * 1000, 1)}
        _log.info("request", extra={"fields": fields})
