"""Threads are shared: no caller has all of them, what is too much is told to come back, a stop has an end."""

import asyncio
import contextlib
import json
import signal
import socket
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from served import Shop
from served_ledgers import serving, serving_processes
from sockets import PATIENCE_S, answers, connected, head

from prov_ledger import Client, Ledger
from prov_ledger.errors import ProvLedgerError
from prov_ledger.service.api_keys import ApiKeys
from prov_ledger.service.pool import Pool
from prov_ledger.service.settings import Limits
from prov_ledger.vault.journal import LEDGER_FILE

JSON = "Content-Type: application/json"
STOP_TIMEOUT_S = 2


@contextmanager
def _writer(shop: Shop) -> Iterator[None]:
    """Another process' write that has no end: whoever writes waits for it, whoever reads does not."""
    file = shop.folder / "tenants" / "default" / LEDGER_FILE
    connection = sqlite3.connect(file, isolation_level=None, timeout=PATIENCE_S)
    try:
        connection.execute("BEGIN IMMEDIATE")
        yield
    finally:
        connection.rollback()
        connection.close()


def _write(shop: Shop, role: str = "curator") -> bytes:
    body = json.dumps({"native": "mine", "title": "Mine"}).encode()
    key = f"Authorization: Bearer {shop.keys[role]}"
    return head("POST", "/v1/default/source", key, JSON, f"Content-Length: {len(body)}") + body


def _under_way(address: str) -> float:
    with connected(address) as connection:
        connection.sendall(head("GET", "/metrics"))
        text = answers(connection, 1).decode()
    (line,) = (x for x in text.splitlines() if x.startswith("prov_ledger_calls_under_way "))
    return float(line.split()[1])


def _wait_for(address: str, calls: int) -> None:
    until = time.monotonic() + PATIENCE_S
    while _under_way(address) < calls and time.monotonic() < until:
        pass


def test_no_caller_has_all_threads() -> None:
    async def run() -> tuple[int, str, int]:
        pool = Pool(Limits(threads=3, queue=50, per_caller=40))
        release, running = threading.Event(), threading.Semaphore(0)

        def hold() -> None:
            running.release()
            release.wait()

        held = [asyncio.ensure_future(pool.run("greedy", hold)) for _ in range(40)]
        other = await pool.run("other", lambda: "answered")
        begun = 0
        while running.acquire(blocking=False):
            begun += 1
        release.set()
        await asyncio.gather(*held)
        await pool.close()
        return begun, other, pool.under_way

    assert asyncio.run(run()) == (2, "answered", 0)


def test_what_waits_of_a_caller_is_done_in_its_order() -> None:
    async def run() -> list[int]:
        pool, done = Pool(Limits(threads=2)), list[int]()
        await asyncio.gather(*(pool.run("a", lambda n=n: done.append(n)) for n in range(20)))  # type: ignore[misc]
        await pool.close()
        return done

    assert asyncio.run(run()) == list(range(20))


def test_whoever_gave_up_waiting_leaves_no_call_behind() -> None:
    async def run() -> tuple[str, list[str], int]:
        pool, release, done = Pool(Limits(threads=2)), threading.Event(), list[str]()
        first = asyncio.ensure_future(pool.run("a", release.wait))
        await asyncio.sleep(0)
        with pytest.raises(ProvLedgerError) as late:
            await pool.run("a", lambda: done.append("late"), timeout_s=0.05)
        release.set()
        await first
        await pool.run("a", lambda: done.append("next"))
        await pool.close()
        return late.value.code, done, pool.under_way

    assert asyncio.run(run()) == ("timeout", ["next"], 0)


def test_who_waits_to_write_keeps_nobody_from_reading_and_too_much_is_told_to_come_back(shop: Shop) -> None:
    limits = {"threads": 3, "per_caller": 6, "queue": 4}
    with serving(shop.folder, limits=limits) as address, ExitStack() as stack:
        stack.enter_context(_writer(shop))
        for number in range(6):
            connection = stack.enter_context(connected(address))
            connection.sendall(_write(shop))
            _wait_for(address, number + 1)
        with Client(address, token=shop.keys["agent"]) as client:
            assert client.resolve([shop.claim])[0].verdict == "citable"
        with connected(address) as connection:
            connection.sendall(_write(shop))
            told = answers(connection, 1)
    assert told.startswith(b"HTTP/1.1 429 ")
    assert b'"too_many"' in told
    assert b"retry-after: 1" in told.lower()


def _waits(connection: socket.socket) -> bool:
    connection.settimeout(0.5)
    try:
        connection.recv(1)
    except TimeoutError:
        return True
    return False


def test_the_end_of_the_queue_is_told_to_come_back(shop: Shop) -> None:
    limits = {"threads": 2, "per_caller": 2, "queue": 1}
    with Ledger.open(shop.folder) as ledger:
        curator = str(ledger.find_agent("the-curator"))
    keys = ApiKeys(shop.folder)
    shop.keys["another"] = keys.create("default", curator)[1]
    keys.close()
    with serving(shop.folder, limits=limits) as address, ExitStack() as stack:
        stack.enter_context(_writer(shop))
        for number in (1, 2):
            stack.enter_context(connected(address)).sendall(_write(shop))
            _wait_for(address, number)
        told, until = b"", time.monotonic() + PATIENCE_S / 2
        while not told.startswith(b"HTTP/1.1 503 ") and time.monotonic() < until:
            # The third, of somebody else; it may itself be told so while another question is under way.
            third = stack.enter_context(connected(address))
            third.sendall(_write(shop, "another"))
            if _waits(third):
                with connected(address) as connection:
                    connection.sendall(head("GET", "/readyz"))
                    told = answers(connection, 1)
    assert b'"busy"' in told
    assert b"retry-after: 1" in told.lower()


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("stays", [True, False], ids=["caller stays", "caller goes"])
def test_a_stop_does_not_wait_for_a_call_that_never_ends(shop: Shop, workers: int, stays: bool) -> None:
    stop = {"PROV_LEDGER_SERVE_LIMITS__STOP_TIMEOUT_S": str(STOP_TIMEOUT_S)}
    with ExitStack() as stack:
        address, process = stack.enter_context(serving_processes(shop.folder, workers, **stop))
        stack.enter_context(_writer(shop))
        connection = stack.enter_context(connected(address))
        connection.sendall(_write(shop))
        if workers == 1:
            _wait_for(address, 1)
        else:
            # Another worker may be asked; this one has begun when it has read what follows.
            connection.sendall(head("GET", "/healthz"))
            connection.settimeout(0.5)
            with pytest.raises(TimeoutError):
                connection.recv(1)
        if not stays:
            connection.close()
        began = time.monotonic()
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=PATIENCE_S)
        seconds = time.monotonic() - began
    assert STOP_TIMEOUT_S * 0.5 <= seconds < STOP_TIMEOUT_S + 20
    until = time.monotonic() + PATIENCE_S
    # What keeps books for the others ends after them.
    while (left := _running(process.pid)) and time.monotonic() < until:
        pass
    assert left == []


def _running(group: int) -> list[str]:
    """The processes of a group that have not ended, whoever is to collect them."""
    found = []
    for file in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            name, _, rest = file.read_text().rpartition(") ")
            state, _, of, *_ = rest.split()
            if int(of) == group and state != "Z":
                found.append(name)
    return found
