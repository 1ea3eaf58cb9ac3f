"""HTTP requests to a SPARQL server over the standard library's client."""

import http.client
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from prov_ledger.errors import QueryError, StorageError

_CHUNK_BYTES = 1 << 20
#: A first line of a server's complaint; the rest is its own business.
_LINE_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class Reply:
    """A server's answer: status, media type without parameters, and the whole body."""

    status: int
    media_type: str
    body: bytes

    def first_line(self) -> str:
        """The first line of the body, cut short."""
        lines = self.body.decode(errors="replace").strip().splitlines()
        return lines[0][:_LINE_CHARACTERS] if lines else "no reason given"


class Transport:
    """Kept connections, one for each thread and server."""

    def __init__(self, authorization: str | None = None) -> None:
        self._headers = {"Authorization": authorization} if authorization else {}
        self._local = threading.local()
        self._all: list[http.client.HTTPConnection] = []
        self._closed = False

    def request(
        self, method: str, url: str, body: bytes, headers: Mapping[str, str], timeout: float | None = None
    ) -> Reply:
        """Send a request and read the whole reply; a connection gone stale is tried once more.

        Every request of a graph store may be repeated. ``timeout`` is in seconds, None for ever.
        Raises QueryError ``query_timeout``, or StorageError when the server cannot be reached.
        """
        fresh = False
        while True:
            connection = self._connection(url)
            fresh = fresh or connection.sock is None
            try:
                return self._send(connection, method, url, body, headers, timeout)
            except TimeoutError:
                connection.close()
                message = f"the server took longer than {timeout:g} s; narrow the query or allow more time"
                raise QueryError(message, code="query_timeout") from None
            except (OSError, http.client.HTTPException) as error:
                connection.close()
                if fresh:
                    raise _unreachable(url, error) from None
                fresh = True

    def _send(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        url: str,
        body: bytes,
        headers: Mapping[str, str],
        timeout: float | None,
    ) -> Reply:
        connection.timeout = timeout
        if connection.sock is not None:
            connection.sock.settimeout(timeout)
        connection.request(method, _target(url), body, {**self._headers, **headers})
        response = connection.getresponse()
        media_type = (response.getheader("Content-Type") or "").partition(";")[0].strip()
        return Reply(response.status, media_type, response.read())

    def _connection(self, url: str) -> http.client.HTTPConnection:
        if self._closed:
            raise StorageError("the graph store was closed; open it again")
        kept: dict[str, http.client.HTTPConnection] = self._local.__dict__.setdefault("kept", {})
        server = "/".join(url.split("/", 3)[:3])
        if server not in kept:
            kept[server] = _connect(url)
            self._all.append(kept[server])
        return kept[server]

    def stream(self, url: str, accept: str) -> Iterator[bytes]:
        """Yield the body at ``url`` in chunks cut anywhere; nothing when there is no such resource."""
        if self._closed:
            raise StorageError("the graph store was closed; open it again")
        connection = _connect(url)
        try:
            connection.request("GET", _target(url), headers={**self._headers, "Accept": accept})
            response = connection.getresponse()
            if response.status == 404:
                return
            if response.status != 200:
                raise StorageError(f"the SPARQL server failed a read ({response.status}); see its log")
            while chunk := response.read(_CHUNK_BYTES):
                yield chunk
        except (OSError, http.client.HTTPException) as error:
            raise _unreachable(url, error) from None
        finally:
            connection.close()

    def close(self) -> None:
        """Close every connection; a request after this raises StorageError."""
        self._closed = True
        for connection in self._all:
            connection.close()


def _connect(url: str) -> http.client.HTTPConnection:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise StorageError("the URL of a SPARQL server must begin with http:// or https://")
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    return kind(parts.hostname, parts.port)


def _target(url: str) -> str:
    parts = urlsplit(url)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def _unreachable(url: str, error: Exception) -> StorageError:
    server = urlsplit(url)
    where = f"{server.hostname}:{server.port}" if server.port else f"{server.hostname}"
    return StorageError(f"the SPARQL server at {where} cannot be reached; start it: {type(error).__name__}")
