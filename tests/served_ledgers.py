"""A service over a folder of ledgers, as it is served, in a thread of this process on a port of its own."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
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
