"""A service over a folder of ledgers, as it is served: in a thread of this process, or in its own ones."""

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import uvicorn

from prov_ledger.service.app import create_app
from prov_ledger.service.serve import server_options
from prov_ledger.service.settings import Settings


@contextmanager
def serving(folder: Path, **settings: object) -> Iterator[str]:
    """The address of a running service; it has stopped when this ends."""
    listening = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    stated = Settings.model_validate({"ledger": folder, "log_level": "error", **settings})
    # As ``prov-ledger serve`` runs it.
    config = uvicorn.Config(lambda: create_app(stated), **server_options(stated))  # type: ignore[arg-type]
    server = uvicorn.Server(config)

    def serve() -> None:
        # Where it does not start, whoever waits for an answer is told so.
        with listening:
            server.run([listening])

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield address
    finally:
        server.should_exit = True
        thread.join()


@contextmanager
def serving_processes(
    folder: Path, workers: int, **environment: str
) -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """``prov-ledger serve`` in a process group of its own, ready; killed at the end if it is still there."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    options = ("--port", str(port), "--workers", str(workers))
    process = subprocess.Popen(
        [sys.executable, "-m", "prov_ledger", "serve", str(folder), *options],
        env=os.environ | environment,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    ready, listens = 0, False
    for line in process.stderr:
        ready += '"Application startup complete."' in line
        listens = listens or '"Uvicorn running on ' in line
        if ready == workers and listens:
            break
    rest = threading.Thread(target=process.stderr.read)
    rest.start()
    try:
        # It says that it has started shortly before it listens.
        while process.poll() is None:
            with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
                break
        yield f"http://127.0.0.1:{port}", process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        rest.join()
        process.stderr.close()
