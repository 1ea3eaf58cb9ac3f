"""Whether the service lives, is ready, and how it fares; none of it needs credentials or names a tenant."""

from typing import Literal

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel

from prov_ledger.errors import ProvLedgerError, Refused
from prov_ledger.service import metrics
from prov_ledger.service.acting import CurrentService
from prov_ledger.service.problems import MEDIA_TYPE, Problem
from prov_ledger.service.service import Service
from prov_ledger.service.settings import is_loopback, passed_on

router = APIRouter(tags=["operate"])
_NOT_READY: dict[int | str, dict[str, object]] = {
    503: {"model": Problem, "description": "Not ready.", "content": {MEDIA_TYPE: {}}}
}


class Health(BaseModel):
    """It answers."""

    status: Literal["ok"] = "ok"


@router.get("/healthz", summary="Whether the process answers", responses=_NOT_READY)
async def healthz() -> Health:
    """The process answers; that alone."""
    return Health()


@router.get("/readyz", summary="Whether every tenant is open and read to its end", responses=_NOT_READY)
async def readyz(service: CurrentService) -> Health:
    """Every tenant is open here, and what was recorded by others is read."""
    if service.stopping:
        raise ProvLedgerError("the service is stopping", code="busy")
    try:
        metrics.JOURNAL_LAG.set(await service.pool.run("readiness", lambda: _catch_up(service)))
    except ProvLedgerError as error:
        message = f"a tenant does not open ({error.code}): the log of the service says more"
        raise ProvLedgerError(message, code="busy") from None
    return Health()


def _catch_up(service: Service) -> int:
    """Open every tenant and read what is new; the most entries that one had not read."""
    return max((service.tenants.ledger(name).catch_up() for name in service.tenants.names()), default=0)


@router.get("/metrics", include_in_schema=False)
async def exposed(request: Request, service: CurrentService) -> Response:
    """Metrics for Prometheus, to whom the settings let them."""
    offered = service.settings.metrics
    near = request.client is not None and is_loopback(request.client.host)
    near = near and not passed_on(request.headers)
    if offered == "off" or (offered == "loopback" and not near):
        raise Refused("not_found", "there is nothing here")
    metrics.UNDER_WAY.set(service.pool.under_way)
    body, media_type = await service.pool.run("metrics", metrics.exposition)
    return Response(body, headers={"Content-Type": media_type})
