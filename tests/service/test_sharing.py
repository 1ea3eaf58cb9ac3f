"""Several processes at one socket share what comes to it."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import cast

from prov_ledger.service.sharing import SharingLoop


class _Greeting(asyncio.Protocol):
    """Says which loop took the connection."""

    def __init__(self, connections: "set[_Greeting]", name: bytes) -> None:
        self.connections, self._name = connections, name

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.connections.add(self)
        self.transport.write(self._name)

    def connection_lost(self, exc: Exception | None) -> None:
        self.connections.discard(self)


@contextmanager
def _taking(listening: socket.socket, name: bytes) -> Iterator[None]:
    """A loop that takes connections of a socket, in a thread."""
    loop, begun = SharingLoop(), threading.Event()
    stop = asyncio.Event()

    async def serve() -> None:
        connections: set[_Greeting] = set()
        factory = partial(_Greeting, connections, name)
        server = await loop.create_server(factory, sock=listening)  # type: ignore[arg-type]
        begun.set()
        await stop.wait()
        server.close()
        await server.wait_closed()
        for one in list(connections):
            one.transport.abort()
        while connections:
            await asyncio.sleep(0)

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    assert begun.wait(10)
    try:
        yield
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()


@contextmanager
def _connected(address: tuple[str, int], count: int) -> Iterator[list[bytes]]:
    """Who took each of so many connections, that are open at once."""
    clients = [socket.create_connection(address, timeout=10) for _ in range(count)]
    try:
        yield [client.recv(1) for client in clients]
    finally:
        for client in clients:
            client.close()


def test_no_loop_takes_all_that_come_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening, listening.dup() as other:
        address = listening.getsockname()
        with _taking(listening, b"a"), _taking(other, b"b"), _connected(address, 40) as took:
            assert min(took.count(b"a"), took.count(b"b")) >= 8, took


def test_one_that_is_alone_takes_all() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = listening.getsockname()
        with _taking(listening, b"a"), _connected(address, 40) as took:
            assert took == [b"a"] * 40


def test_what_waits_when_a_loop_stops_is_left_to_others() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening, listening.dup() as other:
        address = listening.getsockname()
        with _taking(listening, b"a"), _connected(address, 5):
            pass
        with _taking(other, b"b"), _connected(address, 5) as took:
            assert took == [b"b"] * 5
