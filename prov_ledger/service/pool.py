"""The threads that verbs run in, with a queue that has an end, so that a flood is told to come back."""

import asyncio
import contextlib
import contextvars
import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from prov_ledger.errors import ProvLedgerError, Refused
from prov_ledger.service.settings import Limits

T = TypeVar("T")


class Pool:
    """Runs calls in threads: at most so many at once, so many waiting, so many for one caller.

    One caller never has all threads: the last is for others, where there is more than one.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._threads = ThreadPoolExecutor(limits.threads, thread_name_prefix="prov-ledger-verb")
        self._lock = threading.Lock()
        self._under_way: Counter[str] = Counter()
        self._total = 0
        self._most = max(1, limits.threads - 1)
        self._running: Counter[str] = Counter()
        self._waiting: dict[str, deque[tuple[Future[Any], Callable[[], Any]]]] = {}
        self._closing = False

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
        future: Future[T] = Future()
        future.add_done_callback(lambda _: self._leave(caller))
        self._begin(caller, future, partial(context.run, call))
        await _done(future, timeout_s or self._limits.request_timeout_s)
        if future.done():
            return future.result()
        future.cancel()
        message = (
            "this took too long; a write may have been recorded: repeat it with the same Idempotency-Key"
        )
        raise ProvLedgerError(message, code="timeout")

    def check_room(self, caller: str) -> None:
        """Raise as ``run`` would for a caller with too much under way, a full queue, or at the end."""
        if self._closing:
            raise ProvLedgerError("the service is stopping: try again", code="busy")
        if self._under_way.get(caller, 0) >= self._limits.per_caller:
            raise Refused("too_many", "too many of your requests are under way: wait for their answers")
        if self._total >= self._limits.threads + self._limits.queue:
            raise ProvLedgerError("the service is busy: try again in a moment", code="busy")

    async def close(self, timeout_s: float | None = None) -> bool:
        """Return when every call has ended, or then; whether all have. Later ones are refused."""
        self._closing = True
        until = None if timeout_s is None else time.monotonic() + timeout_s
        while self._running or self._waiting:
            if until is not None and time.monotonic() >= until:
                self._threads.shutdown(wait=False, cancel_futures=True)
                return False
            await asyncio.sleep(0.01)
        self._threads.shutdown(wait=False)
        return True

    def _begin(self, caller: str, future: "Future[T]", call: Callable[[], T]) -> None:
        with self._lock:
            if self._running[caller] >= self._most:
                self._waiting.setdefault(caller, deque()).append((future, call))
                return
            self._running[caller] += 1
        self._threads.submit(self._work, caller, future, call)

    def _work(self, caller: str, future: "Future[Any]", call: Callable[[], Any]) -> None:
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(call())
            except BaseException as error:
                future.set_exception(error)
        with self._lock:
            waiting = self._waiting.get(caller)
            if waiting:
                following = waiting.popleft()
                if not waiting:
                    del self._waiting[caller]
            else:
                following = None
                self._running[caller] -= 1
                if not self._running[caller]:
                    del self._running[caller]
        if following is not None:
            self._threads.submit(self._work, caller, *following)

    def _enter(self, caller: str) -> None:
        with self._lock:
            self.check_room(caller)
            self._under_way[caller] += 1
            self._total += 1

    def _leave(self, caller: str) -> None:
        with self._lock:
            self._total -= 1
            self._under_way[caller] -= 1
            if not self._under_way[caller]:
                del self._under_way[caller]


async def _done(future: "Future[T]", timeout_s: float) -> None:
    """Return when a call has ended, or then; whoever is cancelled meanwhile leaves it to run on."""
    loop = asyncio.get_running_loop()
    waiting = loop.create_future()

    def wake() -> None:
        if not waiting.done():
            waiting.set_result(None)

    def told(_: "Future[T]") -> None:
        # Nobody waits any more where the loop is at its end.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(wake)

    timer = loop.call_later(timeout_s, wake)
    future.add_done_callback(told)
    try:
        await waiting
    finally:
        timer.cancel()
