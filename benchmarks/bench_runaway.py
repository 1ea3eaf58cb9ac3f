"""Ten queries that never end, and what resolving over HTTP takes meanwhile, beside a quiet server.

Quiet and noisy phases take turns, so that what else the machine does falls on both.
"""

import http.client
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import quantiles
from urllib.parse import urlencode

from benchmarks.bench_resolve import citable
from benchmarks.claims_ledger import LATER, STANDING, Stepping, build_or_open
from benchmarks.table import Measured, Setting, seconds
from prov_ledger import Ledger

#: The most that the 99th percentile may grow by.
LIMIT = 3.0
CLAIMS = 5_000
RUNAWAYS = 10
IDS = 10
ROUNDS = 3
RESOLVES = 300
_PAIRS = "?a a ?k . ?b a ?k . ?c a ?k . ?d a ?k"
_NEAR = "(prov:wasDerivedFrom|^prov:wasDerivedFrom)*"
#: Joins, paths, text and look-ups that keep a processor busy for ever, within the memory they may have.
QUERIES = (
    f"SELECT (COUNT(*) AS ?n) {{ {_PAIRS} }}",
    f"SELECT (COUNT(*) AS ?n) {{ ?a {_NEAR} ?b . ?b {_NEAR} ?c . ?c {_NEAR} ?d . ?d {_NEAR} ?e }}",
    f"SELECT (SUM(STRLEN(CONCAT(STR(?a), STR(?d)))) AS ?n) {{ {_PAIRS} }}",
    f'SELECT * {{ {_PAIRS} FILTER(REGEX(CONCAT(STR(?a), STR(?d)), "(a|b|ab)*no such text$")) }}',
    f"SELECT * {{ {_PAIRS} FILTER NOT EXISTS {{ ?d a ?k }} }}",
)


class Server:
    """``prov-ledger serve`` in a process of its own, with as many workers as there are runaways."""

    def __init__(self, ledger: Path, workers: int) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = int(free.getsockname()[1])
        told = {"WORKERS": workers, "WAITING": RUNAWAYS, "PER_CALLER": 2 * RUNAWAYS}
        told |= {"WAIT_S": 3600, "DEADLINE_S": 3600}
        environment = {f"PROV_LEDGER_SERVE_QUERIES__{name}": str(value) for name, value in told.items()}
        command = [sys.executable, "-m", "prov_ledger", "serve", str(ledger), "--no-auth-on-loopback"]
        self.process = subprocess.Popen(
            [*command, "--port", str(self.port)],
            env={**os.environ, **environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while not self._is_ready():
            time.sleep(0.1)

    def _is_ready(self) -> bool:
        try:
            connection = self.connect()
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        except OSError:
            if self.process.poll() is not None:
                raise RuntimeError("the server ended before it was ready") from None
            return False

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)

    def stop(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def resolve(connection: http.client.HTTPConnection, ids: Sequence[str]) -> None:
    body = json.dumps({"ids": list(ids), "facts": STANDING})
    connection.request("POST", "/v1/default/resolve", body, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    said = answer.read()
    if answer.status != 200:
        raise RuntimeError(f"resolving failed with {answer.status}: {said[:200]!r}")


@contextmanager
def runaways(server: Server, working: int) -> Iterator[None]:
    """Ten queries under way, ``working`` of them at once; they end with their connections."""
    connections = []
    for number in range(RUNAWAYS):
        connection = server.connect()
        asked = urlencode({"query": QUERIES[number % len(QUERIES)]})
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "*/*"}
        connection.request("POST", "/v1/default/sparql", asked, headers)
        connections.append(connection)
    while busy_processes(server.process.pid) < working:
        time.sleep(0.05)
    yield
    for connection in connections:
        connection.close()
    while busy_processes(server.process.pid):
        time.sleep(0.05)


def busy_processes(parent: int) -> int:
    """How many children of a process have used the processor for a while."""
    found = 0
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            used = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
            found += int(fields[1]) == parent and fields[0] not in ("Z", "X") and used > 0.25
    return found


def phase(connection: http.client.HTTPConnection, ids: Sequence[str]) -> list[float]:
    """Milliseconds of so many resolves, one after another."""
    chosen = (ids[n % (len(ids) - IDS) :][:IDS] for n in range(RESOLVES))
    return [seconds(partial(resolve, connection, some)) * 1e3 for some in chosen]


def percentile_99(times: Sequence[float]) -> float:
    return quantiles(times, n=100)[98]


def measure(setting: Setting) -> Iterator[Measured]:
    folder = setting.home / f"runaway-{CLAIMS}"
    current = build_or_open(folder, CLAIMS).current
    with Ledger.open(folder, clock=Stepping(LATER)) as ledger:
        ids = citable(ledger, current, 200, random.Random(7))
    for workers in (2, RUNAWAYS):
        server = Server(folder, workers)
        try:
            quiet, noisy = alternate(server, ids, workers)
        finally:
            server.stop()
        yield Measured(
            f"resolve, {workers} of {RUNAWAYS} runaways run",
            percentile_99(noisy),
            "ms",
            percentile_99(quiet),
            limit=LIMIT,
            note="99th percentile over HTTP, 10 ids; bare: quiet",
        )


def alternate(server: Server, ids: Sequence[str], workers: int) -> tuple[list[float], list[float]]:
    connection = server.connect()
    phase(connection, ids)
    quiet: list[float] = []
    noisy: list[float] = []
    for _ in range(ROUNDS):
        quiet += phase(connection, ids)
        with runaways(server, workers):
            noisy += phase(connection, ids)
    return quiet, noisy
