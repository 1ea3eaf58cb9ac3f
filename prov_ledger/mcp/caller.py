"""Who a model acts as, and where the ledger's verbs run: stated by whoever starts or mounts the server."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol, TypeVar

from prov_ledger.errors import ProvLedgerError
from prov_ledger.ledger.ledger import Ledger

T = TypeVar("T")

_THREADS = 4
_TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True)
class Asker:
    """A ledger, and as whom and for what it is asked. None: the founding agent, no purpose."""

    ledger: Ledger
    name: str | None
    purpose: str | None = None


class Caller(Protocol):
    """Somebody known from the connection, for one request."""

    @property
    def asker(self) -> Asker:
        """The ledger, and as whom it is asked."""

    async def run(self, call: Callable[[], T]) -> T:
        """Call in another thread with what the credentials leave, in bounded time; raises what it raises."""


class LocalCaller:
    """The one caller of a process that serves one client, with threads of its own."""

    def __init__(self, asker: Asker, timeout_s: float = _TIMEOUT_S) -> None:
        self._asker, self._timeout_s = asker, timeout_s
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="prov-ledger-mcp")

    @property
    def asker(self) -> Asker:
        """The ledger, and as whom it is asked."""
        return self._asker

    async def run(self, call: Callable[[], T]) -> T:
        """What the call returns; ProvLedgerError ``timeout`` when it is late, and it runs to its end then."""
        future = self._threads.submit(call)
        try:
            return await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(future)), self._timeout_s)
        except TimeoutError:
            if future.done():
                raise
            message = "this took too long; what it writes may still be recorded: look before doing it again"
            raise ProvLedgerError(message, code="timeout") from None

    def close(self) -> None:
        """Return when every call has ended."""
        self._threads.shutdown(wait=True)
