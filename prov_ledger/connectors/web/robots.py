"""What sites ask of programs: their robots.txt, read once per run and site.

Protego reads it as RFC 9309 says, longest rule first; Python's own reader takes the first rule that fits and
knows no wildcards. The extra ``http`` brings it; this is the only file that calls it.

Source: RFC 9309 (2.3.1: a file that is not there allows all, one that cannot be had allows nothing).
"""

from collections.abc import Callable
from typing import Protocol

from prov_ledger.connectors.web.addresses import Unfetched, parse_target
from prov_ledger.connectors.web.client import AGENT, Reply
from prov_ledger.errors import Refused

try:
    import protego
except ModuleNotFoundError:
    protego = None  # type: ignore[assignment]

#: Rules beyond this are not read. Source: RFC 9309 2.5, at least 500 kibibytes.
MAX_BYTES = 512 << 10


class _Rules(Protocol):
    def can_fetch(self, url: str, user_agent: str) -> bool: ...


class Robots:
    """Whether pages may be read by programs; ``fetch`` gets a site's robots.txt.

    Raises Refused ``not_supported`` where the extra is not installed.
    """

    def __init__(self, fetch: Callable[[str], Reply]) -> None:
        if protego is None:
            raise Refused(
                "not_supported", "pages of the web need the extra 'http': install prov-ledger[http]"
            )
        self._fetch = fetch
        self._rules: dict[str, _Rules | bool] = {}

    def allow(self, url: str) -> bool:
        """Whether the site of this page lets programs read it."""
        target = parse_target(url)
        if target.origin not in self._rules:
            self._rules[target.origin] = self._read(target.origin)
        rules = self._rules[target.origin]
        return rules if isinstance(rules, bool) else rules.can_fetch(target.origin + target.path, AGENT)

    def _read(self, origin: str) -> _Rules | bool:
        try:
            reply = self._fetch(origin + "/robots.txt")
        except Unfetched as problem:
            if problem.reason == "private":
                raise
            return False
        if 400 <= reply.status < 500:
            return True
        if reply.status != 200:
            return False
        rules: _Rules = protego.Protego.parse(reply.body.decode("utf-8", "replace"))
        return rules
