"""Who is asking: known from the transport alone, never from what a request says of itself."""

from dataclasses import dataclass
from typing import Literal

from prov_ledger.model.records import Role


@dataclass(frozen=True, slots=True)
class Principal:
    """An agent of one tenant, authenticated.

    ``name`` is the agent's name in the ledger; None is the agent that made the tenant (loopback only).
    ``roles`` and ``groups`` narrow what the ledger records of that agent; None: they do not.
    ``key`` stands for the caller in limits and logs; it tells no name.
    """

    tenant: str
    name: str | None
    via: Literal["key", "token", "loopback"]
    key: str
    roles: frozenset[Role] | None = None
    groups: frozenset[str] | None = None
