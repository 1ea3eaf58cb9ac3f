"""One page of the web by its address: redirects followed, size and time bounded, machines checked.

The standard library's ``http.client`` over a socket of our own. httpx, compared, resolves a name inside its
pool, so that checking the address needs its private parts, and it times each read but not the whole.

Source: RFC 9110 (redirects 15.4, conditional requests 13, content codings 8.4).
"""

import http.client
import ssl
import zlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from urllib.parse import urldefrag, urljoin

from prov_ledger.connectors.web.addresses import (
    Resolver,
    Target,
    Unfetched,
    checked_addresses,
    look_up,
    parse_target,
)
from prov_ledger.connectors.web.deadline import Deadline, TimedSocket, connect
from prov_ledger.errors import ConnectorError

#: What robots.txt files call us.
AGENT = "prov-ledger"
_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_ASKED = {
    "Accept": "text/html, application/xhtml+xml, text/*;q=0.9, application/pdf;q=0.9, */*;q=0.5",
    # The bytes are kept exactly: as the page is, not as it was packed for the way.
    "Accept-Encoding": "identity",
    "Connection": "close",
    "User-Agent": AGENT,
}
_CHUNK_BYTES = 64 << 10


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one page may take: bytes unpacked, seconds with all redirects, redirects."""

    size_bytes: int = 20 << 20
    seconds: float = 30.0
    redirects: int = 5


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer: its status, the address that gave it at last, its fields by lower-case name, its bytes."""

    status: int
    url: str
    fields: Mapping[str, str]
    body: bytes


class WebClient:
    """Fetches pages, one connection each.

    ``allow_private``: whether machines that are not public may be asked, or the names of those that may.
    ``tls`` None: the certificates that the system trusts.
    """

    def __init__(
        self,
        limits: Limits,
        allow_private: bool | Collection[str],
        resolve: Resolver = look_up,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.limits = limits
        self._allow_private, self._resolve, self._tls = allow_private, resolve, tls

    def hop(self, url: str, fields: Mapping[str, str], deadline: Deadline, size_bytes: int) -> Reply:
        """One request, no redirect followed; raises Unfetched."""
        target = parse_target(url)
        try:
            line = self._connected(target, deadline)
        except OSError:
            raise Unfetched("unreachable") from None
        connection = http.client.HTTPConnection(target.host, target.port)
        connection.sock = line
        try:
            asked = {"Host": target.authority, **_ASKED, **fields}
            connection.request("GET", target.path, headers=asked)
            answer = connection.getresponse()
            told = {name.lower(): value for name, value in answer.getheaders()}
            return Reply(answer.status, url, told, _body(answer, told, size_bytes))
        except (OSError, http.client.HTTPException, zlib.error):
            # TimeoutError and failures of TLS are among these; what the other side said is not repeated.
            raise Unfetched("unreachable") from None
        finally:
            connection.close()
            line.end()

    def _connected(self, target: Target, deadline: Deadline) -> TimedSocket:
        allowed = self._allow_private
        may_be_private = allowed if isinstance(allowed, bool) else target.host in allowed
        addresses = checked_addresses(self._resolve(target.host, target.port), may_be_private)
        plain = connect(addresses, target.port, deadline)
        if not target.is_tls:
            return TimedSocket(plain, deadline)
        try:
            context = self._tls or ssl.create_default_context()
            return TimedSocket(context.wrap_socket(plain, server_hostname=target.host), deadline)
        except BaseException:
            plain.close()
            raise


def redirected(reply: Reply) -> str | None:
    """Where an answer sends its reader, absolute; None when it answers itself.

    Raises Unfetched ``unreachable``: to no page of the web, or from TLS to none.
    """
    location = reply.fields.get("location")
    if reply.status not in _REDIRECTS or location is None:
        return None
    url = urldefrag(urljoin(reply.url, location)).url
    try:
        target = parse_target(url)
    except ConnectorError:
        raise Unfetched("unreachable") from None
    if reply.url.startswith("https:") and not target.is_tls:
        raise Unfetched("unreachable")
    return url


def _body(answer: http.client.HTTPResponse, told: Mapping[str, str], limit: int) -> bytes:
    """The bytes of an answer, unpacked where it was packed though that was not asked for."""
    coding = told.get("content-encoding", "identity").strip().lower()
    unpacker = None
    if coding in ("gzip", "x-gzip", "deflate"):
        unpacker = zlib.decompressobj(wbits=47 if coding != "deflate" else 15)
    elif coding not in ("identity", ""):
        raise Unfetched("unreadable")
    body = bytearray()
    while chunk := answer.read(_CHUNK_BYTES):
        body += unpacker.decompress(chunk, limit - len(body) + 1) if unpacker else chunk
        if len(body) > limit:
            raise Unfetched("too_large")
    if answer.length or (unpacker is not None and not unpacker.eof):
        raise Unfetched("unreachable")
    return bytes(body)
