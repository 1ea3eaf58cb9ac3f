"""Taking in what a connector brings: sources, revisions, renames, endings; resumable at any change."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from prov_ledger.connectors.port import Connector, Held, Skipped
from prov_ledger.errors import ConnectorError
from prov_ledger.ledger.replay import TAKEN, Replay, is_retired
from prov_ledger.ledger.session import Acting
from prov_ledger.ledger.sources import Sources, check_connector
from prov_ledger.ledger.taking import SyncReport, Taker
from prov_ledger.ledger.tenant import Work
from prov_ledger.model import records as r
from prov_ledger.model.records import Node
from prov_ledger.vault.port import Lookup

Progress = Callable[[int, int], None]
#: Changes that become durable together: some 0.2 s of holding the write lock.
BATCH_CHANGES = 100


class Sync:
    """The verb ``sync``."""

    def __init__(self, sources: Sources) -> None:
        self.sources, self.session, self.tenant = sources, sources.session, sources.tenant

    def run(
        self, acting: Acting, connector: Connector, collection: str | None, progress: Progress | None
    ) -> SyncReport:
        """Take in every change after the last one taken; killed anywhere, the next run goes on.

        Raises ConnectorError; Refused ``denied``.
        """
        self.session.check_role(acting.agent, "sync")
        check_connector(connector.name)
        feed = f"{connector.name}\0{connector.feed}"
        cursor, last = self._cursor(feed), self._last(connector.name)
        found = connector.changes(cursor, _Known(self.sources, connector.name))
        report, agent = SyncReport(), acting.agent or ""
        replay = Replay(self.sources, connector.name)
        changes = iter(found.changes)
        while batch := list(islice(changes, found.batch or BATCH_CHANGES)):
            with self.tenant.writing(batched=True) as work:
                self._check_alone(feed, cursor, connector.name, last)
                taker = Taker(self.sources, work, agent, replay, report)
                taker.collection = self._collection(work, agent, collection)
                for change in batch:
                    taker.take(change)
                cursor = batch[-1].cursor
                last = self._record(work, agent, feed, cursor, replay)
            if progress is not None:
                progress(batch[-1].done, found.total)
        _count(report, found.skipped)
        return report

    def _check_alone(self, feed: str, cursor: str | None, connector: str, last: Node | None) -> None:
        """Without cursors, changes are told by comparison: then no other run may have come between."""
        if self._cursor(feed) != cursor or (not cursor and self._last(connector) != last):
            raise ConnectorError("another run takes in the same feed at this time: let it finish, run again")

    def _collection(self, work: Work, agent: Node, name: str | None) -> Node | None:
        return self.session.name(work, "collection", name, agent) if name else None

    def _found(self, kind: str, text: str) -> list[Lookup]:
        return self.tenant.journal.find(kind, self.tenant.sealer.token(kind, text))

    def _cursor(self, feed: str) -> str | None:
        found = self._found("feed", feed)
        return self.sources.text(found[-1].id, "cursor") if found else None

    def _last(self, connector: str) -> Node | None:
        """What the latest run of any feed of a connector recorded."""
        found = self._found("sync", connector)
        return found[-1].id if found else None

    def _record(self, work: Work, agent: Node, feed: str, cursor: str, replay: Replay) -> Node:
        """Say how far the feed was taken in, and which changes this batch took."""
        draft = work.draft("sync")
        id = draft.entity(f"{draft.id}#sync")
        sealed = draft.seal(id, "feed", feed), draft.seal(id, "cursor", cursor)
        draft.records.append(r.SyncRecord(id, *sealed, agent, self.tenant.now()))
        draft.name("feed", feed, id)
        draft.name("sync", replay.connector, id)
        for key, source in replay.taken:
            draft.name(TAKEN, key, source)
        replay.taken.clear()
        work.append(draft, agent)
        return id


def _count(report: SyncReport, skipped: Iterable[Skipped]) -> None:
    for one in skipped:
        report.skipped[one.reason] = report.skipped.get(one.reason, 0) + 1


class _Known:
    """What the ledger holds of one connector, for connectors that compare."""

    def __init__(self, sources: Sources, connector: str) -> None:
        self.sources, self.connector = sources, connector

    def natives(self) -> Iterator[str]:
        """The native ids of sources that are not retired."""
        for source in self._sources():
            history = self.sources.tenant.state.reader.history(source)
            if history is not None and not is_retired(history):
                yield self.sources.native(history)

    def find(self, native: str) -> Held | None:
        """What the source with this native id holds now; None when no source has it."""
        source = self.sources.find(self.connector, native)
        history = self.sources.tenant.state.reader.history(source) if source is not None else None
        if history is None or self.sources.native(history) != native or not history.revisions:
            return None
        last = history.revisions[-1].record
        times = [last.published, *(x.record.from_ for x in history.retirements)]
        return Held(
            max(times),
            is_retired(history),
            last.size_bytes,
            lambda data: self._same(last.id, data),
            lambda: self._label(last.id),
        )

    def _label(self, revision: Node) -> str:
        return "" if self.sources.session.is_revision_gone(revision) else self.sources.text(revision, "label")

    def _same(self, revision: Node, data: bytes) -> bool:
        """Whether a state has these bytes; one that is gone is compared with nothing any more."""
        if self.sources.session.is_revision_gone(revision):
            return False
        payload = self.sources.tenant.journal.payload(revision, "content")
        return payload is not None and self.sources.tenant.sealer.equals(payload, data)

    def _sources(self) -> Iterator[Node]:
        yield from self.sources.of_connector(self.connector)
