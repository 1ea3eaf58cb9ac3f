"""The application: ``create_app(settings)`` is all that a server needs."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI

from prov_ledger.service import problems
from prov_ledger.service.routes import verb_router
from prov_ledger.service.service import Service
from prov_ledger.service.settings import Settings

DESCRIPTION = """Evidence and claims of LLM agents, resolved against current permission, validity and
applicability before anything is shown. Every refusal is `application/problem+json` with a stable `code`."""


def create_app(settings: Settings) -> FastAPI:
    """An ASGI application that serves a ledger; its files are opened at startup and closed at the end."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        service = Service(settings)
        app.state.service = service
        try:
            yield
        finally:
            await service.close()

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
    app.include_router(verb_router(settings.limits))
    return app
