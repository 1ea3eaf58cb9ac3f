"""A connection's way out, with an end to how long what was written may wait for whoever asked for it."""

import asyncio
import socket
import struct
from collections.abc import Iterable
from typing import Any

#: So much is taken within each timeout, or all that was there when it began.
LEAST_TAKEN = 2**20


class WatchedTransport(asyncio.Transport):
    """Another transport, which is cut where what was written to it is not read.

    Within each ``timeout_s`` the other side takes LEAST_TAKEN bytes, or all that had been written before; of
    what is left when the connection is to be closed too. One timer runs at a time, whatever is written.
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop, transport: asyncio.Transport, timeout_s: float
    ) -> None:
        super().__init__()
        self._loop, self._transport, self._timeout_s = loop, transport, timeout_s
        self._written = self._due = self._taken = 0
        self._timer: asyncio.TimerHandle | None = None

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Write, and see that it is taken."""
        self._transport.write(data)
        self._written += len(data)
        if self._timer is None:
            self._watch()

    def writelines(self, list_of_data: Iterable[bytes | bytearray | memoryview]) -> None:
        """Write all of them."""
        self.write(b"".join(list_of_data))

    def lost(self) -> None:
        """The connection is over: nothing is to be watched any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _watch(self) -> None:
        self._due, self._taken = self._written, self._now_taken()
        self._timer = self._loop.call_later(self._timeout_s, self._look)

    def _look(self) -> None:
        self._timer = None
        taken = self._now_taken()
        if taken == self._written:
            return
        if taken < self._due and taken - self._taken < LEAST_TAKEN:
            self._cut()
        else:
            self._watch()

    def _cut(self) -> None:
        connection = self._transport.get_extra_info("socket")
        if connection is not None:
            # What the system still holds is not to be offered any longer either.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._transport.abort()

    def _now_taken(self) -> int:
        return self._written - self._transport.get_write_buffer_size()

    def get_write_buffer_size(self) -> int:
        """How many bytes wait."""
        return self._transport.get_write_buffer_size()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """What is known of the connection."""
        return self._transport.get_extra_info(name, default)

    def is_closing(self) -> bool:
        """Whether it is closed, or will be."""
        return self._transport.is_closing()

    def close(self) -> None:
        """Close, once what was written has been taken."""
        self._transport.close()

    def abort(self) -> None:
        """Close at once."""
        self._transport.abort()

    def pause_reading(self) -> None:
        """Take nothing in for a while."""
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        """Take in again."""
        self._transport.resume_reading()
