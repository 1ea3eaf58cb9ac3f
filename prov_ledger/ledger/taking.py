"""Recording what one change of a feed says: a source, a revision, a rename, an end, a return."""

import re
from dataclasses import dataclass, field, replace
from datetime import datetime

from prov_ledger.checks.documents import decode_text, is_html, parse_media_type
from prov_ledger.checks.effective import Revisions, default_start
from prov_ledger.checks.html_text import html_title
from prov_ledger.connectors.port import Content, SourceChange
from prov_ledger.errors import ConnectorError, Refused
from prov_ledger.ledger.replay import Replay, in_order, is_retired
from prov_ledger.ledger.sources import NewRevision, NewSource, Sources
from prov_ledger.ledger.tenant import Work
from prov_ledger.model import records as r
from prov_ledger.model.conditions import Edge, Period
from prov_ledger.model.records import Node
from prov_ledger.model.scopes import Scope, intersect, parse_scope
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
    checked: int = 0
    skipped: dict[str, int] = field(default_factory=dict)

    @property
    def changes(self) -> int:
        """How many statements were recorded."""
        return self.revisions + self.renamed + self.retired

    def summary(self) -> str:
        """One line for a person."""
        parts = [f"{self.sources} new sources", f"{self.revisions} revisions"]
        parts = parts if self.changes else ["nothing new"]
        parts += [f"{self.renamed} renamed"] if self.renamed else []
        parts += [f"{self.retired} retired"] if self.retired else []
        parts += [f"{self.returned} came back"] if self.returned else []
        parts += [f"{self.checked} checked"] if self.checked else []
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
        if self.replay.find(change) is not None:
            self._pass(change)
        elif change.kind == "renamed":
            self._rename(change)
        elif change.kind == "gone":
            self._retire(change)
        elif change.kind == "checked":
            self._check(change)
        else:
            self._content(change)

    def _pass(self, change: SourceChange) -> None:
        """Follow a change that another feed brought."""
        self.report.known += 1
        if change.renamed_from is not None and self.replay.find(_departure(change)) is None:
            # To a feed whose glob begins here nothing was renamed: so the one before has to end.
            self._retire(_departure(change))

    def _history(self, source: Node) -> SourceHistory | None:
        return self.sources.tenant.state.reader.history(source)

    def _load(self, change: SourceChange) -> Content:
        if change.load is None:
            raise ConnectorError("the feed names a change of content without content")
        return change.load()

    def _retire(self, change: SourceChange) -> None:
        source = self.replay.holder(change.native)
        if source is None:
            self._check_brought(change.native)
            return
        at = in_order(self._history(source), change.at)
        self.sources.record_retirement(self.work, self.agent, source, at)
        self.replay.recorded(change, source)
        self.report.retired += 1

    def _check(self, change: SourceChange) -> None:
        source = self.replay.holder(change.native)
        if source is None or change.outcome is None:
            raise ConnectorError("the feed names a check of what it never brought, or one without an outcome")
        self.sources.record_check(self.work, self.agent, source, change.outcome)
        self.report.checked += 1

    def _check_brought(self, native: str) -> None:
        if not self.sources.ever_held(self.connector, native) and not self.sources.any_erased():
            raise ConnectorError(
                "the feed changes an object that it never brought: its history was rewritten"
            )

    def _rename(self, change: SourceChange) -> None:
        origin = change.renamed_from or ""
        source = self.replay.holder(origin)
        if source is None or self.replay.find(_departure(change)) is not None:
            # To a feed whose glob ends there the source was gone; what it is now called is another one.
            self._check_brought(origin)
            self._content(replace(change, kind="new", renamed_from=None, came_from=origin))
            return
        at = in_order(self._history(source), change.at)
        self.sources.rename(self.work, self.agent, source, self.connector, change.native, at)
        self.replay.recorded(change, source)
        self.report.renamed += 1

    def _content(self, change: SourceChange) -> None:
        content = self._load(change)
        source = self.replay.holder(change.native)
        if self._was_erased(source, change, content):
            self.report.skipped["erased"] = self.report.skipped.get("erased", 0) + 1
            return
        if source is None:
            if change.kind != "new":
                self._check_brought(change.native)
            self._revise(self._new(change, content), change, content, change.at)
            return
        history = self._history(source)
        at = in_order(history, change.at)
        if history is not None and (change.kind == "back" or (change.kind == "new" and is_retired(history))):
            self._return(source, history, at)
        title = title_of(content, change.native)
        if self.sources.title(source) != title:
            self.sources.retitle(self.work, self.agent, source, title)
        self._revise(source, change, content, at)

    def _was_erased(self, source: Node | None, change: SourceChange, content: Content) -> bool:
        """Whether what was brought was erased, or has expired under this name."""
        if self.sources.was_erased(source, content.data, content.media_type):
            return True
        named = {x.id for x in self.sources.ever_held(self.connector, change.native)}
        return self.sources.has_expired(named, content.data)

    def _new(self, change: SourceChange, content: Content) -> Node:
        came_from = self.sources.find(self.connector, change.came_from) if change.came_from else None
        title = title_of(content, change.native)
        new = NewSource(change.native, title, self.connector, came_from=came_from)
        since = change.at if self.sources.holders(self.connector, change.native) else None
        table = self.sources.table()
        self.report.sources += 1
        return self.sources.record(self.work, self.agent, new, "official", self.collection, table, since)

    def _return(self, source: Node, history: SourceHistory, at: datetime) -> None:
        level = history.authorities[-1].record.level if history.authorities else None
        level = level or history.source.record.authority
        self.sources.record_authority(self.work, self.agent, source, level, at)
        self.report.returned += 1

    def _revise(self, source: Node, change: SourceChange, content: Content, at: datetime) -> None:
        new = NewRevision(source, content.data, change.label, content.media_type)
        scope, relation = self._about(source, content, at) if content.about else (None, None)
        self.sources.record_revision(self.work, self.agent, source, new, at, scope, relation)
        self.replay.recorded(change, source)
        self.report.revisions += 1

    def _about(self, source: Node, content: Content, at: datetime) -> tuple[Scope, r.Relation | None]:
        """The scope of a state that is about something, and how it relates to the state before.

        In time it holds as if nobody had said anything: from then on, until the next one replaces it.
        """
        history, table = self._history(source), self.sources.table()
        assert history is not None
        tenant = self.sources.tenant.state.reader.tenant()
        governing = Revisions(history, table, tenant.governed_by).governing
        start = default_start(table, governing, at)
        raw = [{"fact": fact, "in": [value]} for fact, value in content.about.items()]
        period = Scope((Period(governing, start, Edge.ASSUMED_OPEN),))
        scope = intersect(parse_scope(raw, table), period, table)
        before = history.revisions[-1].record.id if history.revisions else None
        return scope, r.Relation("replaces", before, start) if before is not None else None


def _departure(change: SourceChange) -> SourceChange:
    """What a rename is to a feed whose glob ends there."""
    native = change.renamed_from or change.native
    return replace(change, kind="gone", native=native, renamed_from=None, load=None)


def _html_title(content: Content) -> str:
    try:
        return html_title(decode_text(content.data, parse_media_type(content.media_type)))
    except Refused:
        return ""


def title_of(content: Content, native: str) -> str:
    """The title that a page gives itself (front matter, first heading, title of HTML), else its native id."""
    if content.title is not None and content.title.strip():
        return content.title.strip()
    if is_html(content.media_type):
        return _html_title(content) or native
    if content.media_type != "text/markdown":
        return native
    text = content.data[:65536].decode("utf-8", "replace")
    front = _FRONT_MATTER.match(text)
    stated = _TITLE.search(front.group(1)) if front else None
    heading = _HEADING.search(text[front.end() :] if front else text)
    found = stated.group(1).strip("'\"") if stated else heading.group(1) if heading else ""
    return found.strip() or native
