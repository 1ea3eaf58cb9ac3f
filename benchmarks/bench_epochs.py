"""A change of epoch over all keys: how long it takes, and how long another process waits to write."""

import multiprocessing
import os
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from time import perf_counter

from benchmarks.table import Measured, Setting, seconds
from prov_ledger.vault.fingerprints import FingerprintMaker
from prov_ledger.vault.keys import FileKeys
from prov_ledger.vault.tickets import TicketStore

PAGE = 100_000
_RESERVED = 10_000


def measure(setting: Setting) -> Iterator[Measured]:
    folder = setting.scratch / "tenant"
    store = TicketStore.create(folder, "bench", FileKeys(setting.scratch / "keys"))
    for _ in range(0, setting.claims, _RESERVED):
        for _ in range(_RESERVED):
            store.take()
    taken, longest = _changed(store)
    yield Measured("a change of epoch", taken, "s", note=f"{setting.claims:,} keys")
    yield Measured("  longest wait of a writer", longest * 1e3, "ms", limit=50.0)
    yield _page()
    store.close()


def _changed(store: TicketStore) -> tuple[float, float]:
    """Seconds for the change, and the longest that a process beside it waited for the write lock."""
    context = multiprocessing.get_context("spawn")
    begun, ended = context.Event(), context.Event()
    waits: multiprocessing.Queue[list[float]] = context.Queue()
    other = context.Process(target=_write_on, args=(store.path, begun, ended, waits))
    other.start()
    begun.wait()

    def change() -> None:
        old = store.rotate() - 1
        store.rewrap()
        store.destroy_epoch(old)

    taken = seconds(change)
    ended.set()
    longest = waits.get()
    other.join()
    return taken, max(longest)


def _write_on(path: Path, begun: object, ended: object, waits: "multiprocessing.Queue[list[float]]") -> None:
    """Take the write lock over and over, and tell how long each taking lasted."""
    connection = sqlite3.connect(path, isolation_level=None, timeout=0)
    found = []
    begun.set()  # type: ignore[attr-defined]
    while not ended.is_set():  # type: ignore[attr-defined]
        start = perf_counter()
        while True:
            try:
                connection.execute("BEGIN IMMEDIATE")
                break
            except sqlite3.OperationalError:
                os.sched_yield()
        found.append(perf_counter() - start)
        connection.execute("ROLLBACK")
        os.sched_yield()
    waits.put(found or [0.0])


def _page() -> Measured:
    """A page beside the fingerprints of a few erased spans of its source."""
    maker = FingerprintMaker(os.urandom(32))
    later = datetime.now(UTC) + timedelta(days=1)
    spans = [f"A sentence of some length about order {number}, which was erased." for number in range(5)]
    known = [made for span in spans if (made := maker.of_span("src", span, later)) is not None]
    text = "".join(chr(97 + byte % 26) for byte in os.urandom(PAGE))
    now = datetime.now(UTC)
    taken = median(seconds(lambda: maker.matches_span("src", [text], known, now)) for _ in range(3))
    return Measured(
        "a page beside erased spans", taken, "s", limit=1.0, note=f"{PAGE:,} code points, 5 spans"
    )
