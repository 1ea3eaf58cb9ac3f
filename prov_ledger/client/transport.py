"""One kept connection per thread, and requests that are repeated where that is safe."""

import http.client
import ipaddress
import json
import random
import re
import ssl
import threading
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from prov_ledger.errors import STATUS, ProvLedgerError, Refused, ShapeViolation
from prov_ledger.model.plain import Json

_ATTEMPTS = 5
_FIRST_PAUSE_S = 0.1
_LONGEST_PAUSE_S = 5.0
#: Answers after which the same request may do better.
_AGAIN = (429, 502, 503, 504)
_LOST = (OSError, http.client.HTTPException)
#: What a service answers where it did as asked; anything else, a redirect too, is none of its answers.
_DONE = (200, 204)
#: Larger answers are refused before they are unpacked whole.
_LARGEST_BYTES = 256 * 1024 * 1024
_PIECE_BYTES = 65_536
_TOKEN = re.compile(r"[\x21-\x7e]+")


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer: its status, headers by lower-case name, and body."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Json:
        """The body as a JSON value; None where there is none. Raises ProvLedgerError for one that is none."""
        try:
            found: Json = json.loads(self.body) if self.body else None
        except ValueError:
            raise ProvLedgerError(
                "the server answered with something else than JSON", code="internal"
            ) from None
        return found


class Transport:
    """Speaks to one service; for any number of threads."""

    def __init__(self, url: str, token: str | None, timeout_s: float) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise Refused("bad_input", "a server's address is http(s)://HOST[:PORT], and a path at most")
        if parts.username is not None or parts.password is not None:
            raise Refused("bad_input", "a server's address holds no name and password: give a token")
        _check_token(token, parts.scheme == "https" or _is_loopback(parts.hostname))
        self._secure, self._host, self._port = parts.scheme == "https", parts.hostname, parts.port
        self._path = parts.path.rstrip("/")
        self._token, self._timeout_s = token, timeout_s
        self._tls = ssl.create_default_context() if self._secure else None
        self._local = threading.local()
        self._open: set[http.client.HTTPConnection] = set()
        self._lock = threading.Lock()

    def send(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        *,
        again: bool,
    ) -> Reply:
        """The answer to a request; repeated after a lost connection or a busy server where ``again``.

        Raises the error that the answer names, with its code; ProvLedgerError ``busy`` where no answer came.
        """
        sent = {"Accept-Encoding": "gzip", **(headers or {})}
        if self._token is not None:
            sent["Authorization"] = f"Bearer {self._token}"
        deadline = time.monotonic() + self._timeout_s
        for attempt in range(1, _ATTEMPTS + 1):
            last = not again or attempt == _ATTEMPTS
            try:
                reply = self._once(method, self._path + path, body, sent, deadline)
            except _LOST as error:
                self._drop()
                if last or time.monotonic() >= deadline:
                    message = f"the server gave no answer ({type(error).__name__}): is it there?"
                    raise ProvLedgerError(message, code="busy") from None
                pause = _pause(attempt, None)
            else:
                if reply.status in _DONE:
                    return reply
                pause = _pause(attempt, reply.headers.get("retry-after"))
                if last or reply.status not in _AGAIN or time.monotonic() + pause >= deadline:
                    raise error_of(reply)
            time.sleep(pause)
        raise AssertionError("the last attempt returns or raises")

    def close(self) -> None:
        """Close every connection; no thread may be using one."""
        with self._lock:
            for connection in self._open:
                connection.close()
            self._open.clear()
            self._local = threading.local()

    def _once(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str], deadline: float
    ) -> Reply:
        connection = self._connection()
        connection.request(method, path, body, dict(headers))
        answer = connection.getresponse()
        found = {name.lower(): value for name, value in answer.getheaders()}
        unpacked = _Unpacked(found.get("content-encoding") == "gzip")
        while piece := answer.read1(_PIECE_BYTES):
            if time.monotonic() >= deadline:
                raise TimeoutError
            try:
                unpacked.take(piece)
            except ProvLedgerError:
                self._drop()
                raise
        if answer.length:
            raise http.client.IncompleteRead(b"", answer.length)
        answer.close()
        return Reply(answer.status, found, unpacked.whole())

    def _connection(self) -> http.client.HTTPConnection:
        found: http.client.HTTPConnection | None = getattr(self._local, "connection", None)
        if found is None:
            if self._secure:
                found = http.client.HTTPSConnection(
                    self._host, self._port, timeout=self._timeout_s, context=self._tls
                )
            else:
                found = http.client.HTTPConnection(self._host, self._port, timeout=self._timeout_s)
            self._local.connection = found
            with self._lock:
                self._open.add(found)
        return found

    def _drop(self) -> None:
        connection: http.client.HTTPConnection | None = getattr(self._local, "connection", None)
        if connection is not None:
            connection.close()
            with self._lock:
                self._open.discard(connection)
            self._local.connection = None


class _Unpacked:
    """The body of an answer, unpacked piece by piece up to a limit."""

    def __init__(self, packed: bool) -> None:
        self._parts: list[bytes] = []
        self._size = 0
        self._stream = zlib.decompressobj(16 + zlib.MAX_WBITS) if packed else None

    def take(self, piece: bytes) -> None:
        """The next piece. Raises ProvLedgerError for what is not gzip, and for what grows too large."""
        room = _LARGEST_BYTES - self._size + 1
        try:
            part = piece if self._stream is None else self._stream.decompress(piece, room)
        except zlib.error:
            raise ProvLedgerError("the server's answer does not unpack as gzip", code="internal") from None
        self._size += len(part)
        if self._size > _LARGEST_BYTES:
            raise ProvLedgerError(
                f"the server's answer has more than {_LARGEST_BYTES:,} bytes: ask for less at once",
                code="internal",
            )
        self._parts.append(part)

    def whole(self) -> bytes:
        """All of it. Raises ProvLedgerError where it breaks off."""
        if self._stream is not None and not self._stream.eof:
            raise ProvLedgerError("the server's answer breaks off before its end", code="internal")
        return b"".join(self._parts)


def _is_loopback(host: str) -> bool:
    """Whether what is sent to a host stays on this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _check_token(token: str | None, private: bool) -> None:
    """Raise Refused ``bad_input`` for a token that is none, or that others could read on its way."""
    if token is None:
        return
    if not token:
        raise Refused("bad_input", "the token is empty: give one (commands read PROV_LEDGER_TOKEN), or none")
    if not _TOKEN.fullmatch(token):
        raise Refused("bad_input", "the token holds a space, a line's end or what is not ASCII: mend it")
    if not private:
        raise Refused(
            "bad_input", "a token goes to https:// alone, or to this machine: others could read it on its way"
        )


def _pause(attempt: int, retry_after: str | None) -> float:
    """How long to wait: what the server says, else twice as long each time, never all at once."""
    if retry_after is not None and retry_after.isdecimal():
        return min(float(retry_after), _LONGEST_PAUSE_S) * random.uniform(0.5, 1.0)
    return min(_FIRST_PAUSE_S * 2.0 ** (attempt - 1), _LONGEST_PAUSE_S) * random.uniform(0.5, 1.0)


def _unexplained(reply: Reply) -> str:
    where = reply.headers.get("location")
    if 300 <= reply.status < 400 and where is not None:
        return f"the server answered {reply.status} and names {where!r}: nothing was done; give that address"
    return f"the server answered {reply.status} without saying why: nothing is known to be done"


def error_of(reply: Reply) -> ProvLedgerError:
    """The error that an answer names, of the class that the ledger itself would raise."""
    try:
        found = json.loads(reply.body)
        code, detail = str(found["code"]), str(found["detail"])
        findings = tuple((str(n), str(p), str(m)) for n, p, m in found.get("findings") or ())
    except (ValueError, KeyError, TypeError, AttributeError):
        return ProvLedgerError(_unexplained(reply), code="internal")
    if code not in STATUS:
        return ProvLedgerError(f"{code}: {detail}", code="internal")
    if code == ShapeViolation.code:
        return ShapeViolation(detail, findings)
    own = next(
        (one for one in ProvLedgerError.__subclasses__() if one.code == code and one is not Refused), None
    )
    return own(detail) if own is not None else Refused(code, detail)
