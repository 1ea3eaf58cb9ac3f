"""The Model Context Protocol over HTTP, at ``/v1/{tenant}/mcp``: each request stands by itself.

Source: MCP 2026-07-28 and earlier revisions, transports, Streamable HTTP.
"""

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Protocol, TypeVar
from urllib.parse import unquote

from fastapi import APIRouter, FastAPI, Request, Response
from starlette.types import Message, Receive, Scope, Send

from prov_ledger.errors import Refused
from prov_ledger.service.acting import CurrentCaller, CurrentService
from prov_ledger.service.bodies import check_json_type, parse_json, read_body
from prov_ledger.service.service import Caller
from prov_ledger.service.settings import Settings

if TYPE_CHECKING:
    from prov_ledger.mcp.caller import Asker

T = TypeVar("T")

#: For what a client reads; as the ``purpose`` of any other request, and percent-encoded.
PURPOSE = "Prov-Ledger-Purpose"
_CALLER = "prov_ledger.mcp_caller"
_log = logging.getLogger(__name__)
router = APIRouter(prefix="/v1/{tenant}", include_in_schema=False)


class _Application(Protocol):
    async def handle_request(self, scope: Scope, receive: Receive, send: Send) -> None: ...


class _HttpCaller:
    """An authenticated caller of the service, as a server of the protocol wants one."""

    def __init__(self, caller: Caller, asker: "Asker") -> None:
        self._caller, self.asker = caller, asker

    async def run(self, call: Callable[[], T]) -> T:
        """Call in the pool of the service, narrowed by the credentials."""
        return await self._caller.run(call)


class _Handed(Response):
    """A request whose body was read, handed on to the protocol's own application."""

    def __init__(self, application: _Application, body: bytes) -> None:
        super().__init__()
        self._application, self._read = application, body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer it."""
        waiting: list[Message] = [{"type": "http.request", "body": self._read, "more_body": False}]

        async def replayed() -> Message:
            return waiting.pop() if waiting else await receive()

        await self._application.handle_request(scope, replayed, send)


@router.post("/mcp", response_class=Response)
async def post(request: Request, caller: CurrentCaller, service: CurrentService) -> Response:
    """One message; who sent it is known from its credentials alone, and asked again for each."""
    from prov_ledger.mcp.caller import Asker

    origin = request.headers.get("origin")
    if origin is not None and origin not in service.settings.cors_origins:
        raise Refused("denied", "no page of that origin may ask here: see cors_origins")
    check_json_type(request, "application/json")
    limits = service.settings.limits
    body = await read_body(request, limits, limits.json_bytes)
    await caller.run(lambda: parse_json(body, limits.json_depth))
    stated = unquote(request.headers.get(PURPOSE, "")).strip() or None
    request.scope[_CALLER] = _HttpCaller(caller, Asker(caller.ledger, caller.name, stated))
    application: _Application = request.app.state.mcp
    return _Handed(application, body)


def include(app: FastAPI, settings: Settings) -> None:
    """Add the endpoint, where the settings have it and the library is there."""
    if settings.mcp and _is_installed():
        app.include_router(router)


@asynccontextmanager
async def running(app: FastAPI, settings: Settings) -> AsyncIterator[None]:
    """Within, the endpoint answers."""
    if not (settings.mcp and _is_installed()):
        yield
        return
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from prov_ledger.mcp.server import build_server, quiet

    quiet()
    server = build_server(_caller_of, erasure=settings.mcp_erasure)
    # No session is kept, so that any worker process answers any request, as whoever sends it.
    manager = StreamableHTTPSessionManager(
        server, json_response=True, stateless=True, max_request_body_size=settings.limits.body_bytes
    )
    async with manager.run():
        app.state.mcp = manager
        yield


def _caller_of(request: object) -> _HttpCaller:
    assert isinstance(request, Request)
    found: _HttpCaller = request.scope[_CALLER]
    return found


def _is_installed() -> bool:
    try:
        import prov_ledger.mcp.server  # noqa: F401
    except ImportError:
        _log.warning("MCP is not offered: it needs the extra 'mcp'")
        return False
    return True
