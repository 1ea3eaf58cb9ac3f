"""Answers made smaller: zstd or gzip, whichever the caller takes, for what is worth it."""

import asyncio
import zlib
from typing import Protocol

import zstandard
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_SMALLEST = 1024
_GZIP = 16 + zlib.MAX_WBITS


#: Fewer bytes than these are compressed sooner than another thread begins.
_AT_ONCE = 32_768


class _Coder(Protocol):
    def compress(self, data: bytes) -> bytes: ...

    def flush(self) -> bytes: ...


def _zstd() -> _Coder:
    return zstandard.ZstdCompressor(level=3).compressobj()


def _gzip() -> _Coder:
    return zlib.compressobj(5, zlib.DEFLATED, _GZIP)


_CODERS = {"zstd": _zstd, "gzip": _gzip}


class Compression:
    """Compresses bodies of 1 kB and more, and streams, in the first encoding of ours that is accepted."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and its answer back, smaller."""
        accepted = _accepted(_stated(scope)) if scope["type"] == "http" else None
        if accepted is None or scope["method"] == "HEAD":
            await self._app(scope, receive, send)
        else:
            await self._app(scope, receive, _Sender(send, accepted))


class _Sender:
    """Holds the head of the answer back until it is known whether compressing is worth it."""

    def __init__(self, send: Send, encoding: str) -> None:
        self._send, self._encoding = send, encoding
        self._head: Message | None = None
        self._coder: _Coder | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._head = message
            return
        if message["type"] != "http.response.body":
            await self._send(message)
            return
        body, more = message.get("body", b""), message.get("more_body", False)
        if self._head is not None:
            self._begin(self._head, len(body), more)
            await self._send(self._head)
            self._head = None
        if self._coder is not None:
            if len(body) > _AT_ONCE:
                # Others are served while a large answer is made smaller.
                body = await asyncio.to_thread(_made_smaller, self._coder, body, more)
            else:
                body = _made_smaller(self._coder, body, more)
            if not body and more:
                return
        await self._send({"type": "http.response.body", "body": body, "more_body": more})

    def _begin(self, head: Message, size: int, more: bool) -> None:
        headers = MutableHeaders(scope=head)
        headers.add_vary_header("Accept-Encoding")
        plain = "content-encoding" not in headers and head["status"] not in (204, 304)
        if plain and (more or size >= _SMALLEST):
            self._coder = _CODERS[self._encoding]()
            headers["Content-Encoding"] = self._encoding
            del headers["Content-Length"]


def _made_smaller(coder: _Coder, body: bytes, more: bool) -> bytes:
    return coder.compress(body) + (b"" if more else coder.flush())


def _stated(scope: Scope) -> str:
    """What is said to be accepted; the first that is said where it is said twice."""
    found = (value for name, value in scope["headers"] if name == b"accept-encoding")
    return str(next(found, b"").decode("latin-1"))


def _accepted(header: str) -> str | None:
    """The first of our encodings that a caller takes; None for none."""
    if not header:
        return None
    taken = set()
    for part in header.lower().split(","):
        name, _, parameters = part.strip().partition(";")
        if parameters.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000"):
            taken.add(name.strip())
    return next((name for name in _CODERS if name in taken), None)
