"""A connection by hand: what is sent on it, and when, is up to the test."""

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager

#: Longer than any of it takes; only a test that fails waits so long.
PATIENCE_S = 30.0


@contextmanager
def connected(address: str, receive_bytes: int | None = None) -> Iterator[socket.socket]:
    host, _, port = address.removeprefix("http://").partition(":")
    with socket.socket() as connection:
        if receive_bytes is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        connection.settimeout(PATIENCE_S)
        connection.connect((host, int(port)))
        yield connection


def head(method: str, path: str, *headers: str) -> bytes:
    return "\r\n".join((f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", *headers, "", "")).encode()


def rest(connection: socket.socket) -> bytes:
    """All that comes until the other side closes."""
    connection.settimeout(PATIENCE_S)
    parts = []
    try:
        while part := connection.recv(1 << 20):
            parts.append(part)
    except ConnectionError:
        pass
    return b"".join(parts)


def answers(connection: socket.socket, count: int, data: bytes = b"") -> bytes:
    """``data`` and what comes until so many answers have begun, and the last is whole by its length."""
    connection.settimeout(PATIENCE_S)
    while True:
        *_, last = data.split(b"HTTP/1.1 ")
        heading, found, body = last.partition(b"\r\n\r\n")
        length = int(heading.lower().partition(b"content-length: ")[2].split(b"\r\n")[0] or b"0")
        if data.count(b"HTTP/1.1 ") == count and found and len(body) >= length:
            return data
        part = connection.recv(65_536)
        assert part, data
        data += part


def trickle(connection: socket.socket, data: bytes, every_s: float = 0.02) -> tuple[bytes, float]:
    """Send byte after byte until the other side answers or closes; what it said, and after how long."""
    began = time.monotonic()
    for byte in data:
        try:
            connection.sendall(bytes([byte]))
            connection.settimeout(every_s)
            said = connection.recv(65_536)
        except TimeoutError:
            continue
        except ConnectionError:
            said = b""
        return said, time.monotonic() - began
    raise AssertionError("everything was taken")
