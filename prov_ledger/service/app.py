"""The application: ``create_app(settings)`` is all that a server needs."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import APIRouter, FastAPI
from fastapi.middleware.cors import CORSMiddleware

from prov_ledger.service import entities, health, journal, mcp, metrics, problems, sparql
from prov_ledger.service.bulk import bulk_router
from prov_ledger.service.compression import Compression
from prov_ledger.service.dispatch import Dispatch
from prov_ledger.service.headers import Answered, StrictHeaders, log_request
from prov_ledger.service.routes import verb_router
from prov_ledger.service.service import STOPPING, Service
from prov_ledger.service.settings import Settings

#: How long reading the journals may take before the service gives up starting.
_START_S = 600.0
DESCRIPTION = """Evidence and claims of LLM agents, resolved against current permission, validity and
applicability before anything is shown. Every refusal is `application/problem+json` with a stable `code`."""


def create_app(settings: Settings, abandon: Callable[[], None] | None = None) -> FastAPI:
    """An ASGI application that serves a ledger; its files are opened at startup and closed at the end.

    ``abandon`` is called at the end where calls still run after ``stop_timeout_s``, to end the process.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[dict[str, object]]:
        service = Service(settings)
        app.state.service = service
        metrics.count_authoriser_failures()
        try:
            await service.pool.run("start", service.load, _START_S)
            async with mcp.running(app, settings):
                yield {STOPPING: service.begin_stopping}
        finally:
            if not await service.close() and abandon is not None:
                abandon()

    app = FastAPI(
        title="prov-ledger",
        version=version("prov-ledger"),
        description=DESCRIPTION,
        lifespan=lifespan,
        openapi_url="/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    problems.install(app)
    verbs = verb_router(settings.limits)
    _add_middleware(app, settings, verbs)
    app.include_router(health.router)
    app.include_router(verbs)
    app.include_router(bulk_router(settings.limits))
    app.include_router(entities.router)
    app.include_router(journal.router)
    sparql.include(app, settings)
    mcp.include(app, settings)
    return app


def _add_middleware(app: FastAPI, settings: Settings, verbs: APIRouter) -> None:
    """What every request passes; the last that is added comes first."""
    app.add_middleware(Dispatch, routes=verbs.routes)
    if settings.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(settings.cors_origins),
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type", "Idempotency-Key"],
            max_age=600,
        )
    app.add_middleware(Answered)
    app.add_middleware(Compression)
    app.add_middleware(StrictHeaders, observe=_observe)


def _observe(method: str, route: str, status: int, seconds: float) -> None:
    metrics.observe_request(method, route, status, seconds)
    log_request(method, route, status, seconds)
