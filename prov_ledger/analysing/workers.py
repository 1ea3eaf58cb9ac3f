"""A pool of workers with a queue that has an end: so many queries at once, so many waiting, no more."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from prov_ledger.analysing.question import IDLE_S, Limits, Question
from prov_ledger.analysing.rendering import Rendered
from prov_ledger.analysing.worker import Worker
from prov_ledger.errors import ProvLedgerError, StorageError
from prov_ledger.store.snapshots import Snapshot


class Workers:
    """At most ``size`` processes, for any number of tenants; closed by its owner.

    At most ``waiting`` callers wait for one to be free, ``wait_s`` at most.
    """

    def __init__(
        self, size: int = 2, waiting: int = 16, wait_s: float = 10.0, limits: Limits | None = None
    ) -> None:
        self.size, self.limits = size, limits if limits is not None else Limits()
        self._most_waiting, self._wait_s = waiting, wait_s
        self._free = threading.Condition()
        self._idle: list[Worker] = []
        self._busy: set[Worker] = set()
        self._reserved = self._waiting = 0
        self._closing = threading.Event()

    def ask(
        self,
        snapshot: Snapshot,
        base: str,
        question: Question,
        limits: Limits | None = None,
        unwanted: threading.Event | None = None,
    ) -> Rendered:
        """Answer a query over a snapshot; ``unwanted`` set meanwhile ends it.

        Raises as ``Worker.ask``; StorageError ``busy`` when all workers stay busy.
        """
        chosen = limits if limits is not None else self.limits
        with self._reserving():
            worker = self._take(snapshot, base, chosen.memory_bytes)
            try:
                return worker.ask(question, chosen, unwanted or threading.Event())
            finally:
                self._give_back(worker)

    @contextmanager
    def _reserving(self) -> Iterator[None]:
        """One of ``size`` places."""
        with self._free:
            if self._reserved >= self.size and self._waiting >= self._most_waiting:
                raise _busy()
            self._waiting += 1
            try:
                got = self._free.wait_for(
                    lambda: self._closing.is_set() or self._reserved < self.size, self._wait_s
                )
            finally:
                self._waiting -= 1
            if not got or self._closing.is_set():
                raise _busy()
            self._reserved += 1
        try:
            yield
        finally:
            with self._free:
                self._reserved -= 1
                self._free.notify()

    def _take(self, snapshot: Snapshot, base: str, memory_bytes: int) -> Worker:
        """A worker that has this snapshot open, or a new one, in the place of one with another."""
        with self._free:
            fit = [w for w in self._idle if w.snapshot == snapshot and w.memory_bytes == memory_bytes]
            found = next((worker for worker in reversed(fit) if self._is_kept(worker)), None)
            ended = [worker for worker in self._idle if worker is not found and not self._is_kept(worker)]
            if found is None and len(self._idle) - len(ended) + len(self._busy) >= self.size:
                ended += [worker for worker in self._idle if worker not in ended][:1]
            self._idle = [worker for worker in self._idle if worker is not found and worker not in ended]
            if found is not None:
                self._busy.add(found)
        for worker in ended:
            worker.end()
        return found if found is not None else self._started(snapshot, base, memory_bytes)

    def _is_kept(self, worker: Worker) -> bool:
        unused = time.monotonic() - worker.used
        return unused < IDLE_S / 2 and worker.is_alive() and worker.snapshot.is_there()

    def _started(self, snapshot: Snapshot, base: str, memory_bytes: int) -> Worker:
        worker = Worker(snapshot, base, memory_bytes)
        with self._free:
            if not self._closing.is_set():
                self._busy.add(worker)
                return worker
        worker.end()
        raise _busy()

    def _give_back(self, worker: Worker) -> None:
        with self._free:
            self._busy.discard(worker)
            kept = worker.is_ready and not self._closing.is_set()
            if kept:
                self._idle.append(worker)
        if not kept:
            worker.end()

    def pids(self) -> list[int]:
        """The ids of the processes that are there now."""
        with self._free:
            return sorted(worker.pid for worker in (*self._idle, *self._busy))

    @property
    def under_way(self) -> int:
        """How many queries run or wait."""
        return self._reserved + self._waiting

    def close(self) -> None:
        """End every worker; queries that run or wait are refused as ``busy``."""
        with self._free:
            self._closing.set()
            self._free.notify_all()
            ended, self._idle = self._idle, []
            for worker in self._busy:
                worker.kill()
        for worker in ended:
            worker.end()
        with self._free:
            while self._reserved:
                self._free.wait(0.1)


def _busy() -> ProvLedgerError:
    return StorageError("all workers for queries are busy: try again in a moment", code="busy")
