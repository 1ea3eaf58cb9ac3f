"""A connection that is over when its time is, however slowly the other side talks.

A timeout per read would let a server that sends a byte now and then hold a run for ever.
"""

import io
import socket
import time
from collections.abc import Sequence

from prov_ledger.connectors.web.addresses import Unfetched


class Deadline:
    """A point in time, of the clock that never goes back."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds that are left; raises Unfetched ``unreachable`` when there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise Unfetched("unreachable")
        return left


def connect(addresses: Sequence[str], port: int, deadline: Deadline) -> socket.socket:
    """Connect to the first of the addresses that answers; Unfetched ``unreachable`` when none does."""
    for address in addresses:
        try:
            return socket.create_connection((address, port), timeout=deadline.left())
        except OSError:
            continue
    raise Unfetched("unreachable")


class TimedSocket:
    """What ``http.client`` needs of a socket, with one deadline over all of it."""

    def __init__(self, inner: socket.socket, deadline: Deadline) -> None:
        self._inner, self._deadline = inner, deadline

    def sendall(self, data: bytes) -> None:
        """Send all of the data."""
        self._inner.settimeout(self._deadline.left())
        self._inner.sendall(data)

    def makefile(self, mode: str) -> io.BufferedReader:
        """What the other side sends, as a file to read."""
        return io.BufferedReader(_Receiving(self._inner, self._deadline))

    def close(self) -> None:
        """Nothing yet: ``http.client`` says so before the answer is read. ``end`` ends the connection."""

    def end(self) -> None:
        """End the connection."""
        self._inner.close()


class _Receiving(io.RawIOBase):
    def __init__(self, inner: socket.socket, deadline: Deadline) -> None:
        self._inner, self._deadline = inner, deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "bytearray | memoryview") -> int:  # type: ignore[override]
        self._inner.settimeout(self._deadline.left())
        return self._inner.recv_into(buffer)
