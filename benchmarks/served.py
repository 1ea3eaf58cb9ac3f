"""The service as its own processes, for as long as it is measured."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Self

from benchmarks.load import Came, Plan
from prov_ledger.client.transport import Transport
from prov_ledger.errors import ProvLedgerError
from prov_ledger.ledger.ledger import Ledger
from prov_ledger.service.api_keys import ApiKeys


def free_port() -> int:
    """A port that nobody has now."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


def new_token(folder: Path, agent: str = "curator") -> str:
    """An API key of an agent of the default tenant."""
    with Ledger.open(folder) as ledger:
        id = ledger.find_agent(agent)
    assert id is not None
    keys = ApiKeys(folder)
    try:
        return keys.create("default", id)[1]
    finally:
        keys.close()


class Serving(AbstractContextManager["Serving"]):
    """``prov-ledger serve`` with so many workers, in a process group of its own."""

    def __init__(self, folder: Path, workers: int, *options: str) -> None:
        self.port = free_port()
        command = (sys.executable, "-m", "prov_ledger", "serve", str(folder))
        given = ("--port", str(self.port), "--workers", str(workers), *options)
        quiet = os.environ | {"PROV_LEDGER_SERVE_LOG_LEVEL": "error"}
        self._process = subprocess.Popen([*command, *given], env=quiet, start_new_session=True)

    def __enter__(self) -> Self:
        """Return when it is ready."""
        transport = Transport(f"http://127.0.0.1:{self.port}", None, 120.0)
        for _ in range(100):
            if self._process.poll() is not None:
                raise RuntimeError("the service did not start")
            try:
                transport.send("GET", "/readyz", again=True)
            except ProvLedgerError:
                continue
            transport.close()
            return self
        raise RuntimeError("the service did not become ready")

    def kill(self) -> None:
        """Kill every process of it at once."""
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self._process.terminate()
            self._process.wait()


def begin(plan: Plan) -> "subprocess.Popen[str]":
    """Start the clients of a plan."""
    clients = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.load"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert clients.stdin is not None
    clients.stdin.write(json.dumps(asdict(plan)))
    clients.stdin.close()
    return clients


def finish(clients: "subprocess.Popen[str]") -> Came:
    """What came of it."""
    assert clients.stdout is not None
    told = clients.stdout.read()
    clients.wait()
    return Came(**json.loads(told))


def resolves(batches: Sequence[Sequence[str]], facts: object) -> list[tuple[str, str]]:
    """Requests that resolve ids."""
    return [("/v1/default/resolve", json.dumps({"ids": list(ids), "facts": facts})) for ids in batches]
