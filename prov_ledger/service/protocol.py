"""HTTP as uvicorn speaks it, with an end to what one connection may send, ask for and leave unread."""

import asyncio
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from uvicorn import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from prov_ledger.service.service import STOPPING
from prov_ledger.service.settings import Limits
from prov_ledger.service.unread import WatchedTransport

#: Requests of one connection that may wait for the answers to those before them.
PIPELINED = 100
#: The connections of a server on which nothing is under way, those first that have been so for longest.
_IDLE: WeakKeyDictionary[ServerState, dict["BoundedProtocol", None]] = WeakKeyDictionary()
_TOO_LARGE = "431 Request Header Fields Too Large"


class BoundedProtocol(HttpToolsProtocol):
    """Closes a connection whose request has too much of a head, or is too long in coming.

    ``head_bytes`` bounds the request line with all headers, and trailers; ``head_timeout_s`` the time from
    the connection, or from the first byte of a later request, to the last of the head; ``unread_timeout_s``
    how long an answer may wait to be read. Where there are ``connections``, the one that has been idle for
    longest makes room for another.
    """

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
        *,
        limits: Limits,
        connections: int,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._limits, self._most_connections = limits, connections
        self._idle = _IDLE.setdefault(server_state, {})
        self._unread = self._sized = 0
        self._in_head, self._too_large = True, False
        self._timer: asyncio.TimerHandle | None = None
        self._out: WatchedTransport | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        self._out = WatchedTransport(self.loop, transport, self._limits.unread_timeout_s)
        super().connection_made(self._out)
        if len(self.connections) >= self._most_connections:
            self._make_room()
        self._idle[self] = None
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._wait_no_more()
        self._idle.pop(self, None)
        if self._out is not None:
            self._out.lost()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """The server was told to stop."""
        stopping: Callable[[], None] | None = self.app_state.get(STOPPING)
        if stopping is not None:
            stopping()
        super().shutdown()

    def data_received(self, data: bytes) -> None:
        """Take what came, and refuse what has no end."""
        if self._in_head and self._timer is None:
            self._wait()
        self._unread += len(data)
        super().data_received(data)
        if self._unread > self._limits.head_bytes and not self.transport.is_closing():
            self._refuse(_TOO_LARGE)

    def on_message_begin(self) -> None:
        """A head begins."""
        self._sized, self._in_head = 0, True
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """A piece of the address."""
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header, or what comes behind a body."""
        self._count(len(name) + len(value))
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """The head is there."""
        self._unread, self._in_head = 0, False
        self._wait_no_more()
        self._idle.pop(self, None)
        super().on_headers_complete()
        if len(self.pipeline) > PIPELINED:
            self._too_large = True
            raise ValueError("too many requests that wait")

    def on_body(self, body: bytes) -> None:
        """A piece of the body; whoever reads it says how long that may take."""
        self._unread = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The request is there."""
        self._unread, self._in_head = 0, True
        self._wait_no_more()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """It is answered; nobody reads any more what of its body has not come yet."""
        super().on_response_complete()
        if self.cycle.response_complete and not self.transport.is_closing():
            self._idle[self] = None
        if not self._in_head and self._timer is None:
            self._wait()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP, and what is too much of it."""
        self._refuse(_TOO_LARGE if self._too_large else "400 Bad Request")

    def _make_room(self) -> None:
        longest = next(iter(self._idle), None)
        if longest is not None:
            del self._idle[longest]
            # It counts no more, though it is lost only when the loop comes round.
            self.connections.discard(longest)
            longest.transport.close()

    def _count(self, size: int) -> None:
        self._sized += size
        if self._sized > self._limits.head_bytes:
            self._too_large = True
            raise ValueError("too large a head")

    def _wait(self) -> None:
        self._timer = self.loop.call_later(self._limits.head_timeout_s, self._late)

    def _wait_no_more(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _late(self) -> None:
        self._timer = None
        if self.transport.is_closing():
            return
        if self.cycle is None or self.cycle.response_complete:
            self.transport.close()
        elif self._in_head:
            # A later request waits for the answer to the one before it.
            self._wait()

    def _refuse(self, status: str) -> None:
        self._wait_no_more()
        # Within an answer, or before one that others wait behind, it would be taken for something else.
        if not self.pipeline and (
            self.cycle is None or self.cycle.response_complete or not self.cycle.response_started
        ):
            self.transport.write(
                f"HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".encode()
            )
        self.transport.close()
