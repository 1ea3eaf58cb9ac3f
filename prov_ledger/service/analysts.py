"""The workers of a service process, and the threads that wait for them."""

import asyncio
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING

from fastapi import Request

from prov_ledger.analysing.analysis import Analysed, Analysis
from prov_ledger.analysing.question import Limits
from prov_ledger.analysing.worker import START_S
from prov_ledger.analysing.workers import Workers
from prov_ledger.service.pool import Pool
from prov_ledger.service.settings import Limits as Requests
from prov_ledger.service.settings import Queries

if TYPE_CHECKING:
    from prov_ledger.service.service import Caller

#: How often it is looked whether whoever asked is still there.
_LOOK_S = 0.5

Asked = Callable[[Analysis, threading.Event], Analysed]


class Analysts:
    """Queries run here, apart from every verb: neither waits for the other's threads."""

    def __init__(self, settings: Queries) -> None:
        self.settings = settings
        self.limits = Limits(
            settings.deadline_s, settings.rows, settings.answer_bytes, settings.memory_mb << 20
        )
        self.workers = Workers(settings.workers, settings.waiting, settings.wait_s, self.limits)
        most = settings.workers + settings.waiting
        self._pool = Pool(Requests(threads=most, queue=0, per_caller=settings.per_caller))

    async def run(self, request: Request, caller: "Caller", ask: Asked) -> Analysed:
        """Run a query; it ends with its caller's connection. Raises as ``Analysis.ask`` and ``Pool.run``."""
        unwanted = threading.Event()
        analysis = Analysis(caller.ledger, self.workers, timedelta(seconds=self.settings.snapshot_max_age_s))
        longest = self.settings.wait_s + START_S + self.limits.deadline_s + 10
        running = asyncio.ensure_future(
            self._pool.run(
                caller.principal.key, lambda: caller.narrowed(lambda: ask(analysis, unwanted)), longest
            )
        )
        try:
            while not (await asyncio.wait({running}, timeout=_LOOK_S))[0]:
                if await request.is_disconnected():
                    unwanted.set()
            return running.result()
        finally:
            unwanted.set()

    async def close(self, timeout_s: float | None = None) -> bool:
        """End every worker, and return when nobody waits for one, or then; as ``Pool.close``."""
        await asyncio.get_running_loop().run_in_executor(None, self.workers.close)
        return await self._pool.close(timeout_s)
