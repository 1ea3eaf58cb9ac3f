"""HTTP as uvicorn speaks it, with an end to how long and how large what comes before an answer may be."""

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol


class BoundedProtocol(HttpToolsProtocol):
    """Closes a connection whose request has too much of a head, or is too long in coming.

    ``head_bytes`` bounds the request line with all headers, and trailers; ``head_timeout_s`` the time from
    the connection, or from the first byte of a later request, to the last of the head.
    """

    head_bytes = 65_536
    head_timeout_s = 10.0
    _unread = _sized = 0
    _in_head = True
    _too_large = False
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._wait_no_more()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what came, and refuse what has no end."""
        if self._in_head and self._timer is None:
            self._wait()
        self._unread += len(data)
        super().data_received(data)
        if self._unread > self.head_bytes and not self.transport.is_closing():
            self._refuse("431 Request Header Fields Too Large")

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
        super().on_headers_complete()

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
        if not self._in_head and self._timer is None:
            self._wait()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP, and what is too much of it."""
        if self._too_large:
            self._refuse("431 Request Header Fields Too Large")
        else:
            super().send_400_response(msg)

    def _count(self, size: int) -> None:
        self._sized += size
        if self._sized > self.head_bytes:
            self._too_large = True
            raise ValueError("too large a head")

    def _wait(self) -> None:
        self._timer = self.loop.call_later(self.head_timeout_s, self._late)

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
        if self.cycle is None or self.cycle.response_complete or not self.cycle.response_started:
            self.transport.write(
                f"HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".encode()
            )
        self.transport.close()
