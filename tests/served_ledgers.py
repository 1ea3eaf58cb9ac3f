"""A service over a folder of ledgers, in a thread of this process, on a port of its own."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from prov_ledger.service.app import create_app
from prov_ledger.service.logs import logging_config
from prov_ledger.service.settings import Settings


@contextmanager
def serving(folder: Path, **settings: object) -> Iterator[str]:
    """The address of a running service; it has stopped when this ends."""
    listening = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    app = create_app(Settings.model_validate({"ledger": folder, **settings}))
    config = uvicorn.Config(
        app, log_config=logging_config("error"), access_log=False, ws="none", lifespan="on"
    )
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
