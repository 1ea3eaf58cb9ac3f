"""Taking in what a connector brings: sources, revisions, renames, endings; resumable at any change."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from prov_ledger.connectors.port import Connector, Content, Held, Skipped, SourceChange
from prov_ledger.errors import ConnectorError
from prov_ledger.ledger.session import Acting
from prov_ledger.ledger.sources import NewRevision, NewSource, Sources
from prov_ledger.ledger.tenant import Work
from prov_ledger.model import records as r
from prov_ledger.model.records import Node
from prov_ledger.model.world import SourceHistory

Progress = Callable[[int, int], None]
#: Changes that become durable together: some 0.2 s of holding the write lock.
BATCH_CHANGES = 100
_FRONT_MATTER = re.compile(r"\A---\r?\n(.*?)\r?\n---\r?\n", re.DOTALL)
_TITLE = re.compile(r"^title:[ \t]*(.+?)[ \t]*$", re.MULTILINE)
_HEADING = re.compile(r"^#[ \t]+(.+?)[ \t#]*$", re.MULTILINE)


@dataclass(slots=True)
class SyncReport:
    """What a run took in; ``skipped`` names the reason of each object left out, not the object."""

    sources: int = 0
    revisions: int = 0
    renamed: int = 0
    retired: int = 0
    returned: int = 0
    skipped: dict[str, int] = field(default_factory=dict)

    @property
    def changes(self) -> int:
        """How many statements were recorded."""
        return self.revisions + self.renamed + self.retired

    def summary(self) -> str:
        """One line for a person."""
        if not self.changes:
            return "nothing new"
        parts = [f"{self.sources} new sources", f"{self.revisions} revisions"]
        parts += [f"{self.renamed} renamed"] if self.renamed else []
        parts += [f"{self.retired} retired"] if self.retired else []
        parts += [f"{self.returned} came back"] if self.returned else []
        parts += [f"{count} skipped ({reason})" for reason, count in sorted(self.skipped.items())]
        return ", ".join(parts)


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
        feed = f"{connector.name}\0{connector.feed}"
        cursor = self._cursor(feed)
        known = _Known(self.sources, connector.name)
        found = connector.changes(cursor, known)
        report = SyncReport()
        changes = iter(found.changes)
        while batch := list(islice(changes, BATCH_CHANGES)):
            with self.tenant.writing(batched=True) as work:
                if self._cursor(feed) != cursor:
                    raise ConnectorError("another run takes in the same feed at this time: let it finish")
                taker = _Taker(self.sources, work, acting.agent or "", connector.name, report)
                taker.collection = self._collection(work, acting.agent or "", collection)
                for change in batch:
                    taker.take(change)
                cursor = batch[-1].cursor
                self._record(work, acting.agent or "", feed, cursor)
            if progress is not None:
                progress(batch[-1].done, found.total)
        _count(report, found.skipped)
        return report

    def _collection(self, work: Work, agent: Node, name: str | None) -> Node | None:
        return self.session.name(work, "collection", name, agent) if name else None

    def _cursor(self, feed: str) -> str | None:
        found = self.tenant.journal.find("feed", self.tenant.sealer.token("feed", feed))
        return self.sources.text(found[-1].id, "cursor") if found else None

    def _record(self, work: Work, agent: Node, feed: str, cursor: str) -> None:
        draft = work.draft("sync")
        id = draft.entity(f"{draft.id}#sync")
        sealed = draft.seal(id, "feed", feed), draft.seal(id, "cursor", cursor)
        draft.records.append(r.SyncRecord(id, *sealed, agent, self.tenant.now()))
        draft.name("feed", feed, id)
        work.append(draft, agent)


def _count(report: SyncReport, skipped: Iterable[Skipped]) -> None:
    for one in skipped:
        report.skipped[one.reason] = report.skipped.get(one.reason, 0) + 1


class _Taker:
    """Takes one change after another within one write."""

    def __init__(
        self, sources: Sources, work: Work, agent: Node, connector: str, report: SyncReport
    ) -> None:
        self.sources, self.work, self.agent = sources, work, agent
        self.connector, self.report = connector, report
        self.collection: Node | None = None

    def take(self, change: SourceChange) -> None:
        """Record what one change says."""
        if change.kind == "new":
            self._new(change)
        elif change.kind == "renamed":
            source = self._holder(change.renamed_from or "")
            self.sources.rename(self.work, self.agent, source, self.connector, change.native, change.at)
            self.report.renamed += 1
        elif change.kind == "gone":
            self.sources.record_retirement(self.work, self.agent, self._holder(change.native), change.at)
            self.report.retired += 1
        else:
            self._content(change)

    def _holder(self, native: str) -> Node:
        source = self.sources.find(self.connector, native)
        if source is None:
            raise ConnectorError(
                "the feed changes an object that it never brought: its history was rewritten"
            )
        return source

    def _load(self, change: SourceChange) -> Content:
        if change.load is None:
            raise ConnectorError("the feed names a change of content without content")
        return change.load()

    def _new(self, change: SourceChange) -> None:
        content = self._load(change)
        came_from = self.sources.find(self.connector, change.came_from) if change.came_from else None
        new = NewSource(
            change.native, title_of(content, change.native), self.connector, came_from=came_from
        )
        taken = bool(self.sources.holders(self.connector, change.native))
        source = self.sources.record(
            self.work,
            self.agent,
            new,
            "official",
            self.collection,
            self.sources.table(),
            since=change.at if taken else None,
        )
        self.report.sources += 1
        self._revise(source, change, content)

    def _content(self, change: SourceChange) -> None:
        content = self._load(change)
        source = self._holder(change.native)
        history = self.sources.tenant.state.reader.history(source)
        if change.kind == "back" and history is not None:
            level = history.authorities[-1].record.level if history.authorities else None
            level = level or history.source.record.authority
            self.sources.record_authority(self.work, self.agent, source, level, change.at)
            self.report.returned += 1
        title = title_of(content, change.native)
        if self.sources.title(source) != title:
            self.sources.retitle(self.work, self.agent, source, title)
        self._revise(source, change, content)

    def _revise(self, source: Node, change: SourceChange, content: Content) -> None:
        new = NewRevision(source, content.data, change.label, content.media_type)
        self.sources.record_revision(self.work, self.agent, source, new, change.at)
        self.report.revisions += 1


def title_of(content: Content, native: str) -> str:
    """The title that a page gives itself (front matter, else its first heading), else its native id."""
    if content.media_type != "text/markdown":
        return native
    text = content.data[:65536].decode("utf-8", "replace")
    front = _FRONT_MATTER.match(text)
    stated = _TITLE.search(front.group(1)) if front else None
    heading = _HEADING.search(text[front.end() :] if front else text)
    found = stated.group(1).strip("'\"") if stated else heading.group(1) if heading else ""
    return found.strip() or native


class _Known:
    """What the ledger holds of one connector, for connectors that compare."""

    def __init__(self, sources: Sources, connector: str) -> None:
        self.sources, self.connector = sources, connector

    def natives(self) -> Iterator[str]:
        """The native ids of sources that are not retired."""
        for source in self._sources():
            history = self.sources.tenant.state.reader.history(source)
            if history is not None and not _retired(history):
                yield self._native(history)

    def find(self, native: str) -> Held | None:
        """What the source with this native id holds now; None when no source has it."""
        source = self.sources.find(self.connector, native)
        history = self.sources.tenant.state.reader.history(source) if source is not None else None
        if history is None or self._native(history) != native or not history.revisions:
            return None
        last = history.revisions[-1].record
        times = [last.published, *(x.record.from_ for x in history.retirements)]
        return Held(max(times), _retired(history), last.size_bytes, lambda data: self._same(last.id, data))

    def _same(self, revision: Node, data: bytes) -> bool:
        payload = self.sources.tenant.journal.payload(revision, "content")
        return payload is not None and self.sources.tenant.sealer.equals(payload, data)

    def _native(self, history: SourceHistory) -> str:
        owner = history.natives[-1].node if history.natives else history.id
        return self.sources.text(owner, "native")

    def _sources(self) -> Iterator[Node]:
        for entry in self.sources.tenant.state.entries_of("source"):
            for stated in entry.statements:
                record = stated.record
                if isinstance(record, r.SourceRecord) and record.connector == self.connector:
                    yield record.id


def _retired(history: SourceHistory) -> bool:
    last = history.authorities[-1].sequence if history.authorities else -1
    return any(x.sequence > last for x in history.retirements)
