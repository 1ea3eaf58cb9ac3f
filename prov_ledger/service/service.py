"""What one process of a service has: its settings, tenants, threads and the credentials that it knows."""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from prov_ledger.errors import ProvLedgerError
from prov_ledger.ledger.ledger import Ledger
from prov_ledger.service.analysts import Analysts
from prov_ledger.service.authentication import Authentication
from prov_ledger.service.pool import Pool
from prov_ledger.service.principal import Principal
from prov_ledger.service.requests import Requests
from prov_ledger.service.settings import Settings
from prov_ledger.service.tenants import Tenants

T = TypeVar("T")
#: In the state of the application: what its server calls when it was told to stop.
STOPPING = "stopping"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Caller:
    """Somebody authenticated, and the ledger of their tenant."""

    principal: Principal
    ledger: Ledger
    pool: Pool

    @property
    def name(self) -> str | None:
        """The agent's name, to be given to a verb as ``by`` or ``principal``; None is the founder."""
        return self.principal.name

    def narrowed(self, call: Callable[[], T]) -> T:
        """Call in this thread, with no more than the roles and groups that the credentials leave."""
        with self.ledger.narrowed(self.principal.roles, self.principal.groups):
            return call()

    async def run(self, call: Callable[[], T], timeout_s: float | None = None) -> T:
        """Call in a thread of the pool, narrowed. Raises what it raises, and as ``Pool.run``."""
        return await self.pool.run(self.principal.key, lambda: self.narrowed(call), timeout_s)


class Service:
    """Everything of one process; closed at its end."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.tenants = Tenants(settings)
        self.pool = Pool(settings.limits)
        self.analysts = Analysts(settings.queries)
        self.authentication = Authentication(settings, self.tenants)
        self._requests: dict[str, Requests] = {}
        self._lock = threading.Lock()
        self._stop_at: float | None = None

    @property
    def stopping(self) -> bool:
        """Whether the process was told to stop: it is not ready any more, and finishes what it has."""
        return self._stop_at is not None

    def begin_stopping(self) -> None:
        """Take the time from which on ``stop_timeout_s`` counts; later calls change nothing."""
        if self._stop_at is None:
            self._stop_at = time.monotonic() + self.settings.limits.stop_timeout_s

    async def caller(self, headers: Mapping[str, str], client: str | None, tenant: str) -> Caller:
        """Who is asking for something of a tenant; for interfaces that are no FastAPI routes too.

        ``headers`` have lower-case names; ``client`` is the address of whoever is connected. Raises
        ProvLedgerError ``unauthenticated``; Refused ``not_found``.
        """
        seen = self.authentication.seen(headers, client, tenant)
        if seen is not None:
            return Caller(*seen, self.pool)

        def find() -> Caller:
            principal = self.authentication.principal(headers, client, tenant)
            return Caller(principal, self.tenants.ledger(tenant), self.pool)

        # Whoever knocks without a key shares one place in the queue per address.
        return await self.pool.run(f"from {client}", find)

    def load(self) -> None:
        """Open every tenant and read it whole, so that no first request waits for that.

        One that does not open keeps the others from nobody: it is logged, and ``/readyz`` says so.
        """
        for name in self.tenants.names():
            try:
                self.tenants.ledger(name).load()
            except ProvLedgerError as error:
                _log.error("a tenant does not open", extra={"fields": {"tenant": name, "code": error.code}})

    def requests(self, tenant: str) -> Requests:
        """The keys of writes to a tenant."""
        with self._lock:
            if tenant not in self._requests:
                hours = self.settings.limits.idempotency_hours
                self._requests[tenant] = Requests(self.settings.ledger, tenant, hours)
            return self._requests[tenant]

    async def close(self) -> bool:
        """Let what runs end, then close every file; False where it has not ended ``stop_timeout_s`` after
        ``begin_stopping``.
        """
        self.begin_stopping()
        ended = [await pool.close(self._left_s()) for pool in (self.analysts, self.pool)]
        if not all(ended):
            _log.error("calls still run: they are left", extra={"fields": {"calls": self.pool.under_way}})
            return False
        self.tenants.close()
        self.authentication.close()
        for requests in self._requests.values():
            requests.close()
        return True

    def _left_s(self) -> float:
        return max(0.0, (self._stop_at or 0.0) - time.monotonic())
