"""The threads that verbs run in, with a queue that has an end, so that a flood is told to come back."""

import asyncio
import contextvars
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from prov_ledger.errors import ProvLedgerError, Refused
from prov_ledger.service.settings import Limits

T = TypeVar("T")


class Pool:
    """Runs calls in threads: at most so many at once, so many waiting, so many for one caller."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._threads = ThreadPoolExecutor(limits.threads, thread_name_prefix="prov-ledger-verb")
        self._lock = threading.Lock()
        self._under_way: Counter[str] = Counter()
        self._total = 0

    @property
    def under_way(self) -> int:
        """How many calls run or wait."""
        return self._total

    async def run(self, caller: str, call: Callable[[], T], timeout_s: float | None = None) -> T:
        """What the call returns, or raises.

        Raises Refused ``too_many`` for a caller with too much under way; ProvLedgerError ``busy`` when the
        queue is full, ``timeout`` when it takes too long: the call itself then runs to its end all the same.
        """
        self._enter(caller)
        context = contextvars.copy_context()
        try:
            future = self._threads.submit(context.run, call)
        except RuntimeError:
            self._leave(caller)
            raise ProvLedgerError("the service is stopping: try again", code="busy") from None
        future.add_done_callback(lambda _: self._leave(caller))
        waiting = asyncio.shield(asyncio.wrap_future(future))
        try:
            return await asyncio.wait_for(waiting, timeout_s or self._limits.request_timeout_s)
        except TimeoutError:
            if future.done():
                raise
            future.cancel()
            message = (
                "this took too long; a write may have been recorded: repeat it with the same Idempotency-Key"
            )
            raise ProvLedgerError(message, code="timeout") from None

    async def close(self) -> None:
        """Return when every call has ended; later ones are refused."""
        ending = partial(self._threads.shutdown, wait=True)
        await asyncio.get_running_loop().run_in_executor(None, ending)

    def _enter(self, caller: str) -> None:
        with self._lock:
            if self._under_way[caller] >= self._limits.per_caller:
                raise Refused("too_many", "too many of your requests are under way: wait for their answers")
            if self._total >= self._limits.threads + self._limits.queue:
                raise ProvLedgerError("the service is busy: try again in a moment", code="busy")
            self._under_way[caller] += 1
            self._total += 1

    def _leave(self, caller: str) -> None:
        with self._lock:
            self._total -= 1
            self._under_way[caller] -= 1
            if not self._under_way[caller]:
                del self._under_way[caller]
