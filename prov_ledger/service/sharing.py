"""Several processes at one socket: a connection is left for a while to whichever has fewer of them.

The loop alone would take all that wait at once, and one process may be awake before the others are.
"""

import asyncio
import socket
from collections.abc import Callable
from typing import cast

import uvloop
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

#: Milliseconds for which a process that has connections already leaves one to others, at most.
_LONGEST_WAIT_MS = 2
_CONNECTIONS_A_MS = 2
_NO_FILES_WAIT_S = 1.0

Factory = Callable[[], HttpToolsProtocol]


class SharingLoop(uvloop.Loop):
    """A loop whose servers take one connection at a time; for a socket that other processes have too."""

    async def create_server(  # type: ignore[override]
        self, protocol_factory: Factory, *, sock: socket.socket, backlog: int = 100, ssl: None = None
    ) -> asyncio.AbstractServer:
        """Serve at a socket, in the clear: TLS ends before a service of several processes."""
        sock.setblocking(False)
        sock.listen(backlog)
        # It has what is asked of a server by whoever runs this one.
        return cast(asyncio.AbstractServer, _Taking(self, sock, protocol_factory))


class _Taking:
    """A server that waits the longer before it takes a connection, the more it has."""

    def __init__(self, loop: asyncio.AbstractEventLoop, listening: socket.socket, factory: Factory) -> None:
        self._loop, self._listening, self._factory = loop, listening, factory
        self._timer: asyncio.TimerHandle | None = None
        self._beginning: set[asyncio.Task[None]] = set()
        self._listen()

    def close(self) -> None:
        """Take no more connections."""
        if self._timer is not None:
            self._timer.cancel()
        self._loop.remove_reader(self._listening)

    async def wait_closed(self) -> None:
        """Return when those that were taken have begun."""
        if self._beginning:
            await asyncio.wait(self._beginning)

    def _listen(self) -> None:
        self._timer = None
        self._loop.add_reader(self._listening, self._ready)

    def _ready(self) -> None:
        """Somebody is there: for this process, or for another."""
        protocol = self._factory()
        waits_ms = min(len(protocol.connections) // _CONNECTIONS_A_MS, _LONGEST_WAIT_MS)
        if not waits_ms:
            self._take(protocol)
            return
        self._loop.remove_reader(self._listening)
        self._timer = self._loop.call_later(waits_ms / 1000, self._take_and_listen, protocol)

    def _take_and_listen(self, protocol: HttpToolsProtocol) -> None:
        if self._take(protocol):
            self._listen()

    def _take(self, protocol: HttpToolsProtocol) -> bool:
        """Take one if nobody else did; whether to listen on at once."""
        try:
            taken, _ = self._listening.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return True
        except OSError:
            # No more files may be opened: somebody may close one.
            self._loop.remove_reader(self._listening)
            self._timer = self._loop.call_later(_NO_FILES_WAIT_S, self._listen)
            return False
        taken.setblocking(False)
        task = self._loop.create_task(self._begin(taken, protocol))
        self._beginning.add(task)
        task.add_done_callback(self._beginning.discard)
        return True

    async def _begin(self, taken: socket.socket, protocol: HttpToolsProtocol) -> None:
        try:
            await self._loop.connect_accepted_socket(lambda: protocol, taken)
        except OSError:
            # Whoever it was is gone again.
            taken.close()
