"""Recording what one change of a feed says: a source, a revision, a rename, an end, a return."""

import re
from dataclasses import dataclass, field
from datetime import datetime

from prov_ledger.connectors.port import Content, SourceChange
from prov_ledger.errors import ConnectorError
from prov_ledger.ledger.replay import Replay, in_order, is_retired
from prov_ledger.ledger.sources import NewRevision, NewSource, Sources
from prov_ledger.ledger.tenant import Work
from prov_ledger.model.records import Node
from prov_ledger.model.world import SourceHistory

_FRONT_MATTER = re.compile(r"\A---\r?\n(.*?)\r?\n---\r?\n", re.DOTALL)
_TITLE = re.compile(r"^title:[ \t]*(.+?)[ \t]*$", re.MULTILINE)
_HEADING = re.compile(r"^#[ \t]+(.+?)[ \t#]*$", re.MULTILINE)


@dataclass(slots=True)
class SyncReport:
    """What a run took in; ``skipped`` names the reason of each object left out, not the object.

    ``known`` counts the changes that another feed of the same connector had brought already.
    """

    sources: int = 0
    revisions: int = 0
    renamed: int = 0
    retired: int = 0
    returned: int = 0
    known: int = 0
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


class Taker:
    """Takes one change after another within one write."""

    def __init__(self, sources: Sources, work: Work, agent: Node, replay: Replay, report: SyncReport) -> None:
        self.sources, self.work, self.agent = sources, work, agent
        self.replay, self.report = replay, report
        self.connector = replay.connector
        self.collection: Node | None = None

    def take(self, change: SourceChange) -> None:
        """Record what one change says, unless it is recorded already."""
        known = self.replay.find(change)
        if known is not None:
            self._pass(change, known)
        elif change.kind == "new":
            self._new(change)
        elif change.kind == "renamed":
            self._rename(change)
        elif change.kind == "gone":
            self._retire(self._holder(change.native), change)
        else:
            self._content(change, self._holder(change.native))

    def _pass(self, change: SourceChange, known: Node) -> None:
        """Follow a change that another feed brought; a source that began there ends the one before."""
        self.report.known += 1
        self.replay.moved(change.native, known, change.renamed_from)
        before = self.replay.holder(change.renamed_from) if change.renamed_from is not None else None
        history = self._history(before) if before is not None and before != known else None
        if before is not None and history is not None and not is_retired(history):
            self._retire(before, change)

    def _history(self, source: Node) -> SourceHistory | None:
        return self.sources.tenant.state.reader.history(source)

    def _holder(self, native: str) -> Node:
        source = self.replay.holder(native)
        if source is None:
            raise ConnectorError(
                "the feed changes an object that it never brought: its history was rewritten"
            )
        return source

    def _load(self, change: SourceChange) -> Content:
        if change.load is None:
            raise ConnectorError("the feed names a change of content without content")
        return change.load()

    def _retire(self, source: Node, change: SourceChange) -> None:
        at = in_order(self._history(source), change.at)
        self.sources.record_retirement(self.work, self.agent, source, at)
        self.replay.recorded(source)
        self.report.retired += 1

    def _rename(self, change: SourceChange) -> None:
        source = self._holder(change.renamed_from or "")
        history = self._history(source)
        at = in_order(history, change.at)
        if history is not None and is_retired(history):
            self._return(source, history, at)
        self.sources.rename(self.work, self.agent, source, self.connector, change.native, at)
        self.replay.moved(change.native, source, change.renamed_from)
        self.replay.recorded(source)
        self.report.renamed += 1

    def _new(self, change: SourceChange) -> None:
        there = self._shared(change)
        if there is not None:
            self._content(change, there)
            return
        content = self._load(change)
        came_from = self.replay.holder(change.came_from) if change.came_from else None
        new = NewSource(change.native, title_of(content, change.native), self.connector, came_from=came_from)
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
        self._revise(source, change, content, change.at)

    def _shared(self, change: SourceChange) -> Node | None:
        """The source that has the native id by another feed, which brought the same path by itself."""
        source = self.replay.holder(change.native) if self.replay.overlaps else None
        history = self._history(source) if source is not None else None
        return source if history is not None and self.sources.native(history) == change.native else None

    def _content(self, change: SourceChange, source: Node) -> None:
        content = self._load(change)
        history = self._history(source)
        at = in_order(history, change.at)
        if history is not None and (change.kind == "back" or (change.kind == "new" and is_retired(history))):
            self._return(source, history, at)
        title = title_of(content, change.native)
        if self.sources.title(source) != title:
            self.sources.retitle(self.work, self.agent, source, title)
        self._revise(source, change, content, at)

    def _return(self, source: Node, history: SourceHistory, at: datetime) -> None:
        level = history.authorities[-1].record.level if history.authorities else None
        level = level or history.source.record.authority
        self.sources.record_authority(self.work, self.agent, source, level, at)
        self.report.returned += 1

    def _revise(self, source: Node, change: SourceChange, content: Content, at: datetime) -> None:
        new = NewRevision(source, content.data, change.label, content.media_type)
        self.sources.record_revision(self.work, self.agent, source, new, at)
        self.replay.moved(change.native, source)
        self.replay.recorded(source)
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
