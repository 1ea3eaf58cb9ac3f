"""The short way of a verb's request to it: found in a table, where routes would be tried one by one.

The routes stay, for what describes them and for all that is to be refused before a verb is reached: what
is not just as it should be is handed on to them.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import cast

from fastapi import Request, Response
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from prov_ledger.errors import ProvLedgerError
from prov_ledger.service.acting import TENANT, service_of
from prov_ledger.service.pool import Pool
from prov_ledger.service.requests import LONGEST_KEY

#: How long a request waits for room before it is refused.
REFUSED_AFTER_S = 0.2
_KEY = b"idempotency-key"
_PREFIX = "/v1/{tenant}/"


@dataclass(frozen=True, slots=True)
class _Row:
    route: APIRoute
    endpoint: Callable[..., Awaitable[Response]]
    keyed: bool


class Dispatch:
    """Calls the endpoint of a verb at once; all else goes on to the application."""

    def __init__(self, app: ASGIApp, routes: Sequence[BaseRoute]) -> None:
        self._app = app
        self._rows = {
            route.path.removeprefix(_PREFIX): _Row(
                route,
                cast(Callable[..., Awaitable[Response]], route.endpoint),
                any(parameter.name == "idempotency_key" for parameter in route.dependant.header_params),
            )
            for route in routes
            if isinstance(route, APIRoute) and route.path.startswith(_PREFIX) and route.methods == {"POST"}
        }
        self._tenant = re.compile(TENANT)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        found = self._find(scope)
        headers = None if found is None else _headers(scope)
        if found is None or headers is None:
            await self._app(scope, receive, send)
            return
        tenant, row = found
        scope["route"] = row.route
        request = Request(scope, receive, send)
        service = service_of(request)
        client = scope["client"][0] if scope.get("client") else None
        caller = await service.caller(headers, client, tenant)
        await _room(service.pool, caller.principal.key)
        if row.keyed:
            response = await row.endpoint(request, caller, service, headers.get("idempotency-key"))
        else:
            response = await row.endpoint(request, caller, service)
        await response(scope, receive, send)

    def _find(self, scope: Scope) -> tuple[str, _Row] | None:
        if scope["type"] != "http" or scope["method"] != "POST" or scope.get("root_path"):
            return None
        parts = scope["path"].split("/", 3)
        if len(parts) != 4 or parts[1] != "v1" or parts[0]:
            return None
        row = self._rows.get(parts[3])
        return (parts[2], row) if row is not None and self._tenant.fullmatch(parts[2]) else None


async def _room(pool: Pool, key: str) -> None:
    """Return where there is room for a request, raise where there is none, before its body is read.

    Whoever is refused may ask again at once, and asking takes time from those who are answered: so a
    refusal is not given at once.
    """
    try:
        pool.check_room(key)
    except ProvLedgerError:
        await asyncio.sleep(REFUSED_AFTER_S)
        pool.check_room(key)


def _headers(scope: Scope) -> dict[str, str] | None:
    """The headers; None where one stands twice, or is longer than it may be."""
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        text = name.decode("latin-1").lower()
        if text in found or (name == _KEY and len(value) > LONGEST_KEY):
            return None
        found[text] = value.decode("latin-1")
    return found
