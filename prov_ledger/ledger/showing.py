"""Showing the state of a source: by id, or by a native id that it had at a date."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from prov_ledger.errors import Refused
from prov_ledger.ledger.session import Acting, Session, unknown
from prov_ledger.ledger.sources import Sources
from prov_ledger.model import records as r
from prov_ledger.model.ids import looks_like_id, parse_id
from prov_ledger.model.records import Node
from prov_ledger.model.times import day_interval, parse_date_or_instant
from prov_ledger.model.world import Recorded, SourceHistory


@dataclass(frozen=True, slots=True)
class Shown:
    """One revision with its exact bytes and what its source was called then."""

    source: Node
    revision: Node
    title: str
    label: str
    media_type: str
    published: datetime
    retrieved: datetime
    data: bytes


class Showing:
    """The verb ``show``."""

    def __init__(self, session: Session, sources: Sources) -> None:
        self.session, self.sources, self.tenant = session, sources, session.tenant

    def show(self, acting: Acting, named: str, on: str | date | datetime | None) -> Shown:
        """Show a revision by its id, or the one that a source had at a time.

        ``on`` a date means the end of that day in the tenant's zone; None means now. Raises Refused
        ``malformed_id``, ``unknown_id``, or ``not_found`` where the source had no state then.
        """
        at = self._instant(on)
        if looks_like_id(named):
            id = parse_id(named)
            if id.startswith("rev_"):
                return self._shown(self.session.require_revision(acting, id))
            source = self.session.require_source(acting, id)
        else:
            source = self._holder(acting, named, at)
        history = self.tenant.state.reader.history(source)
        revision = revision_at(history, at) if history is not None else None
        if revision is None or self.session.is_revision_gone(revision.record.id):
            raise Refused("not_found", f"{source} had no state at that time: it was not there yet, or gone")
        return self._shown(revision.record.id)

    def _instant(self, on: str | date | datetime | None) -> datetime | None:
        if on is None:
            return None
        at = parse_date_or_instant(on)
        if isinstance(at, datetime):
            return at
        zone = self.tenant.state.reader.tenant().zone
        return day_interval(at, zone)[1] - timedelta(microseconds=1)

    def _holder(self, acting: Acting, native: str, at: datetime | None) -> Node:
        """The source that had a native id at a time, whichever connector gave it."""
        found = {holder for connector in self.connectors() for holder in self._holders(connector, native, at)}
        readable = [s for s in sorted(found) if self._may_read(acting, s)]
        if not readable:
            raise unknown("that native id")
        if len(readable) > 1:
            listed = ", ".join(readable)
            raise Refused("ambiguous_title", f"several connectors have that native id: name one of {listed}")
        return readable[0]

    def connectors(self) -> list[str]:
        """The connectors that gave the ledger any source."""
        return self.sources.connectors()

    def _holders(self, connector: str, native: str, at: datetime | None) -> list[Node]:
        had = [
            x.id
            for x in self.sources.holders(connector, native)
            if (x.since is None or at is None or x.since <= at) and self._had(x.id, native, at)
        ]
        return had[-1:]

    def _had(self, source: Node, native: str, at: datetime | None) -> bool:
        """Whether a source had this native id at a time, and not a later one already; any, for no time."""
        history = self.tenant.state.reader.history(source)
        if history is None:
            return False
        if at is None:
            return True
        later = [x for x in history.natives if x.record.since <= at]
        owner = max(later, key=lambda x: (x.record.since, x.sequence)).node if later else source
        return self.sources.text(owner, "native") == native

    def _may_read(self, acting: Acting, source: Node) -> bool:
        try:
            self.session.require_source(acting, source)
        except Refused:
            return False
        return True

    def _shown(self, revision: Node) -> Shown:
        recorded = self.tenant.state.reader.revision(revision)
        if recorded is None:
            raise unknown(revision)
        record = recorded.record
        return Shown(
            record.source,
            record.id,
            self.sources.title(record.source),
            self.sources.text(record.id, "label"),
            record.media_type,
            record.published,
            record.retrieved,
            self.sources.data(record.id, "content"),
        )


def revision_at(history: SourceHistory, at: datetime | None) -> Recorded[r.RevisionRecord] | None:
    """The revision that a source had at a time by publication; None before the first and while gone."""
    known = [x for x in history.revisions if at is None or x.record.published <= at]
    latest = max(known, key=lambda x: (x.record.published, x.sequence), default=None)
    if latest is None or at is None:
        return latest
    present = [(latest.record.published, latest.sequence)]
    present += [
        (x.record.since, x.sequence)
        for x in history.authorities
        if x.record.since is not None and x.record.since <= at
    ]
    gone = [(x.record.from_, x.sequence) for x in history.retirements if x.record.from_ <= at]
    return None if gone and max(gone) > max(present) else latest
