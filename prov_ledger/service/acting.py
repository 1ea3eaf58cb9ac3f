"""The dependencies by which a route learns who is asking."""

from typing import Annotated

from fastapi import Depends, HTTPException, Path, Request, Security
from fastapi.security import HTTPBearer

from prov_ledger.service.service import Caller, Service

_bearer = HTTPBearer(
    scheme_name="bearer", description="An API key (`plk_...`) or a token of the issuer.", auto_error=False
)
TENANT = "^[a-z0-9][a-z0-9_-]{0,62}$"
TenantName = Annotated[str, Path(description="Name of the tenant.", pattern=TENANT, examples=["default"])]


def service_of(request: Request) -> Service:
    """The service that a request came to."""
    found: Service = request.app.state.service
    return found


async def caller(request: Request, tenant: TenantName, _: Annotated[object, Security(_bearer)]) -> Caller:
    """Who is asking; raises ProvLedgerError ``unauthenticated``, Refused ``not_found``."""
    client = request.client.host if request.client is not None else None
    if len(request.headers.getlist("authorization")) > 1:
        raise HTTPException(400, "more than one Authorization header: send one")
    headers = {name.lower(): value for name, value in request.headers.items()}
    return await service_of(request).caller(headers, client, tenant)


CurrentService = Annotated[Service, Depends(service_of)]
CurrentCaller = Annotated[Caller, Depends(caller)]
