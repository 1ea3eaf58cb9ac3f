"""Web addresses: which ones name a page, and which machines they may lead to.

A name is looked up once and the connection goes to the addresses that were checked, so that a name server
that answers differently the second time (DNS rebinding) gains nothing.

Source: RFC 3986; IANA special-purpose address registries (RFC 6890).
"""

import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.parse import quote, urlsplit

from prov_ledger.connectors.port import SkipReason
from prov_ledger.errors import ConnectorError

#: Gives the addresses of a host name as text.
Resolver = Callable[[str, int], Sequence[str]]
#: IPv6 addresses that lead to the IPv4 address in their last 32 bits.
_TRANSLATED = (IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"))
_SENT_AS_IS = "%/:?#[]@!$&'()*+,;=~-._"


class Unfetched(Exception):
    """A page that could not be had; ``reason`` is why, as the run's report counts it."""

    def __init__(self, reason: SkipReason) -> None:
        super().__init__(reason)
        self.reason: SkipReason = reason


@dataclass(frozen=True, slots=True)
class Target:
    """Where a request goes and what it asks for; the fragment of an address is never sent."""

    is_tls: bool
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        """The value of the Host field."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == (443 if self.is_tls else 80) else f"{host}:{self.port}"

    @property
    def origin(self) -> str:
        """Scheme and authority: what one robots.txt speaks for."""
        return f"{'https' if self.is_tls else 'http'}://{self.authority}"


def parse_target(url: str) -> Target:
    """Take an address apart. Raises ConnectorError for one that names no page of the web.

    >>> parse_target("https://shop.example/returns?lang=de#eu").path
    '/returns?lang=de'
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
        host = host.encode("idna").decode("ascii") if host and ":" not in host else host
    except ValueError:
        raise _bad() from None
    is_plain = url.isprintable() and " " not in url
    if not is_plain or parts.scheme not in ("http", "https") or not host or parts.username is not None:
        raise _bad()
    is_tls = parts.scheme == "https"
    path = quote(parts.path or "/", safe=_SENT_AS_IS)
    if parts.query:
        path += "?" + quote(parts.query, safe=_SENT_AS_IS)
    return Target(is_tls, host, port or (443 if is_tls else 80), path)


def look_up(host: str, port: int) -> Sequence[str]:
    """The addresses of a host name, as the system resolves it; Unfetched when there are none."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise Unfetched("unreachable") from None
    return list(dict.fromkeys(str(address[4][0]) for address in found))


def checked_addresses(addresses: Sequence[str], allow_private: bool) -> Sequence[str]:
    """The addresses, all of them public or private ones allowed; Unfetched ``private`` otherwise.

    One that is not public among public ones is enough: a name that leads to both is set up to mislead.
    """
    if not allow_private and not all(is_public(address) for address in addresses):
        raise Unfetched("private")
    return addresses


def is_public(address: str) -> bool:
    """Whether an address is one of the public Internet, whatever form hides it.

    >>> [is_public(a) for a in ("93.184.215.14", "127.0.0.1", "::ffff:10.0.0.1", "169.254.169.254")]
    [True, False, False, False]
    """
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(ip, IPv6Address):
        inner = _inner(ip)
        if inner is not None:
            return is_public(str(inner))
    return ip.is_global and not ip.is_multicast and not ip.is_reserved


def _inner(ip: IPv6Address) -> IPv4Address | None:
    if any(ip in network for network in _TRANSLATED):
        return IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)


def _bad() -> ConnectorError:
    # The address itself is a text of the source and may hold credentials.
    return ConnectorError(
        "An address names no page of the web: expected http:// or https://, a host, and no user name, "
        "password, space or control character."
    )
