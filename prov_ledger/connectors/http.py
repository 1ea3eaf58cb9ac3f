"""Pages of the web: each exact address is a native id, query and fragment included.

The web keeps no history, so a page is compared with what the ledger has; its ``ETag`` and ``Last-Modified``,
which make up the label, ask whether it has changed at all. Every look is a currency check: ``current`` (not
modified, or the same bytes), ``gone`` (404; with 410 the source also ends), ``unreachable`` (anything else).

Redirects are followed and named in the label; the identity stays the address that was asked for, since sites
redirect what they have deleted to their front page.
"""

import re
import ssl
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from types import TracebackType
from typing import Self

from prov_ledger.connectors.port import (
    ChangeKind,
    Content,
    Feed,
    Held,
    Known,
    NothingKnown,
    Skipped,
    SourceChange,
)
from prov_ledger.connectors.web.addresses import Resolver, Unfetched, look_up, parse_target
from prov_ledger.connectors.web.client import Limits, Reply, WebClient, redirected
from prov_ledger.connectors.web.deadline import Deadline
from prov_ledger.connectors.web.media import web_media_type
from prov_ledger.connectors.web.robots import MAX_BYTES, Robots
from prov_ledger.model.records import CheckOutcome
from prov_ledger.model.times import format_instant

__all__ = ["HttpConnector", "Limits"]

#: What a killed run has to fetch again at most.
_BATCH = 10
_LABEL = re.compile(r'(?:(?P<time>\S+Z)|read \S+Z)(?: (?P<tag>(?:W/)?"[^"]*"))?(?: from \S+)?')


class HttpConnector:
    """Pages by their addresses; none given: all that the ledger has under this name.

    ``allow_private``: machines that are not public may be read as well, or those of these names.
    ``obey_robots``: pages that a site keeps programs from are left out. ``clock`` gives the time of the run;
    ``resolve`` and ``tls`` are the system's unless given. Raises ConnectorError for an address that names
    no page of the web, Refused ``not_supported`` where the extra ``http`` is not installed.
    """

    def __init__(
        self,
        urls: Sequence[str] = (),
        name: str = "http",
        *,
        allow_private: bool | Collection[str] = False,
        obey_robots: bool = True,
        limits: Limits | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        resolve: Resolver = look_up,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._urls = tuple(dict.fromkeys(urls))
        for url in self._urls:
            parse_target(url)
        self._name, self._clock = name, clock
        self._limits = limits or Limits()
        self._client = WebClient(self._limits, allow_private, resolve, tls)
        self._robots = Robots(self._robots_txt) if obey_robots else None

    @property
    def name(self) -> str:
        """The connector part of the identity of its sources."""
        return self._name

    @property
    def feed(self) -> str:
        """Nothing: there are no cursors to exchange."""
        return ""

    def changes(self, since: str | None = None, known: Known | None = None) -> Feed:
        """Give what differs from ``known``, and a check of each page; pages are fetched as it is read."""
        known = known or NothingKnown()
        urls = self._urls or tuple(sorted(known.natives()))
        feed = Feed(len(urls), iter(()), batch=_BATCH)
        feed.changes = self._changes(urls, known, feed)
        return feed

    def close(self) -> None:
        """Nothing is held open."""

    def __enter__(self) -> Self:
        """Give the connector itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()

    def _changes(self, urls: Sequence[str], known: Known, feed: Feed) -> Iterator[SourceChange]:
        for done, url in enumerate(urls, 1):
            held = known.find(url)
            now = self._clock().astimezone(UTC)
            try:
                reply = self._fetch(url, _validators(held))
            except Unfetched as problem:
                feed.skipped.append(Skipped(url, problem.reason))
                if held is not None and not held.retired:
                    yield _checked(url, now, done, "unreachable")
                continue
            if reply.status in (404, 410):
                yield from _missing(url, now, done, held, reply.status, feed)
            elif reply.status == 304:
                yield _checked(url, now, done, "current")
            else:
                yield _found(url, now, done, held, reply)

    def _fetch(self, url: str, fields: Mapping[str, str]) -> Reply:
        """The page, through redirects, each hop asked of robots.txt; raises Unfetched."""
        deadline, at = Deadline(self._limits.seconds), url
        for _ in range(self._limits.redirects + 1):
            if self._robots is not None and not self._robots.allow(at):
                raise Unfetched("robots")
            reply = self._client.hop(at, fields, deadline, self._limits.size_bytes)
            following = redirected(reply)
            if following is None:
                # Nothing can be "not modified" that was not asked for so.
                if reply.status not in (200, 404, 410) and not (reply.status == 304 and fields):
                    raise Unfetched("unreachable")
                return reply
            at = following
        raise Unfetched("unreachable")

    def _robots_txt(self, url: str) -> Reply:
        deadline, at = Deadline(self._limits.seconds), url
        for _ in range(self._limits.redirects + 1):
            reply = self._client.hop(at, {}, deadline, MAX_BYTES)
            following = redirected(reply)
            if following is None:
                return reply
            at = following
        raise Unfetched("unreachable")


def _found(url: str, now: datetime, done: int, held: Held | None, reply: Reply) -> SourceChange:
    """What a page that is there says: new, back, changed, or the same as before."""
    same = held is not None and held.size_bytes == len(reply.body) and held.same(reply.body)
    if held is not None and same and not held.retired:
        return _checked(url, now, done, "current")
    kind: ChangeKind = "new" if held is None else "back" if held.retired else "content"
    modified = _modified(reply)
    is_later = modified is not None and (held is None or modified > held.latest) and modified <= now
    content = Content(reply.body, web_media_type(reply.fields.get("content-type", ""), url, reply.body))
    return SourceChange(
        native=url,
        kind=kind,
        at=modified if is_later and modified is not None else now,
        label=_label(url, now, modified, reply),
        cursor="",
        done=done,
        load=lambda: content,
    )


def _missing(
    url: str, now: datetime, done: int, held: Held | None, status: int, feed: Feed
) -> Iterator[SourceChange]:
    if held is None:
        feed.skipped.append(Skipped(url, "not_found"))
    elif not held.retired:
        yield _checked(url, now, done, "gone")
        if status == 410:
            yield SourceChange(url, "gone", now, f"read {format_instant(now)}", "", done)


def _checked(url: str, now: datetime, done: int, outcome: CheckOutcome) -> SourceChange:
    return SourceChange(url, "checked", now, f"read {format_instant(now)}", "", done, outcome=outcome)


def _label(url: str, now: datetime, modified: datetime | None, reply: Reply) -> str:
    """How the site names this state: its time, its tag, and where it came from if redirected."""
    parts = [f"read {format_instant(now)}" if modified is None else format_instant(modified)]
    tag = reply.fields.get("etag", "").strip()
    parts += [tag] if re.fullmatch(r'(?:W/)?"[^"]*"', tag) else []
    parts += [f"from {reply.url}"] if reply.url != url else []
    return " ".join(parts)


def _validators(held: Held | None) -> Mapping[str, str]:
    """The fields that ask whether a page has changed since the ledger's last state of it."""
    if held is None or held.retired:
        return {}
    told = _LABEL.fullmatch(held.label())
    fields: dict[str, str] = {}
    if told is not None and told["tag"]:
        fields["If-None-Match"] = told["tag"]
    if told is not None and told["time"]:
        time = datetime.fromisoformat(told["time"].replace("Z", "+00:00"))
        fields["If-Modified-Since"] = format_datetime(time.astimezone(UTC), usegmt=True)
    return fields


def _modified(reply: Reply) -> datetime | None:
    try:
        modified = parsedate_to_datetime(reply.fields.get("last-modified", ""))
    except ValueError:
        return None
    return modified.astimezone(UTC) if modified.tzinfo is not None else None
