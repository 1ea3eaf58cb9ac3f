"""The result of a tool as evidence: the call is a source, what it answered is a state of it."""

from collections.abc import Mapping
from dataclasses import dataclass

from prov_ledger.checks.citations.tool_text import ToolText, canonical_call, parse_tool_result
from prov_ledger.errors import Refused
from prov_ledger.ledger.capture import Capture, NewEvidence
from prov_ledger.ledger.session import Acting
from prov_ledger.ledger.sources import NewRevision, NewSource, RawScope
from prov_ledger.ledger.tenant import Work
from prov_ledger.model.records import Node
from prov_ledger.model.times import format_instant

CONNECTOR = "tool"


@dataclass(frozen=True, slots=True)
class NewToolResult:
    """A call and its result. ``quote`` None: the whole of the result. ``scope`` is what it is about."""

    tool: str
    arguments: Mapping[str, object]
    result: object
    quote: str | None = None
    scope: RawScope | None = None
    authority: str = "informal"
    collection: str | None = None


@dataclass(frozen=True, slots=True)
class ToolEvidence:
    """Where the result of a tool stands in the ledger."""

    source: Node
    revision: Node
    evidence: Node


class ToolResults:
    """The verb ``tool_result``."""

    def __init__(self, capture: Capture) -> None:
        self.capture, self.sources, self.tenant = capture, capture.sources, capture.tenant

    def record(self, work: Work, acting: Acting, new: NewToolResult) -> ToolEvidence:
        """Record what a tool answered; the same answer again is a check that it is current.

        Raises Refused ``bad_input``, ``quote_not_found``, ``ambiguous_quote``, and as for a source.
        """
        if not new.tool.strip():
            raise Refused("incomplete", "a tool result needs the name of the tool: give it")
        told = parse_tool_result(new.result)
        native = canonical_call(new.tool, new.arguments)
        known = self.sources.find(CONNECTOR, native)
        if known is not None:
            self.sources.require_known(acting, known)
        source = known or self.sources.add(
            work, acting, NewSource(native, new.tool, CONNECTOR, new.authority, new.collection)
        )
        revision = self._same(source, told) if known is not None else None
        if revision is not None:
            self.sources.check(work, acting, source, "current")
        else:
            revision = self._revise(work, acting, source, told, new.scope)
        quote = new.quote if new.quote is not None else told.text
        return ToolEvidence(
            source, revision, self.capture.evidence(work, acting, NewEvidence(revision, quote))
        )

    def _same(self, source: Node, told: ToolText) -> Node | None:
        """The latest state of the source, where the tool answered with just that."""
        history = self.tenant.state.reader.history(source)
        latest = history.revisions[-1].record if history is not None and history.revisions else None
        if latest is None or self.sources.data(latest.id, "content") != told.text.encode():
            return None
        return latest.id

    def _revise(
        self, work: Work, acting: Acting, source: Node, told: ToolText, scope: RawScope | None
    ) -> Node:
        label = told.call or format_instant(self.tenant.now())
        new = NewRevision(source, told.text, label, told.media_type, scope=scope)
        return self.sources.revise(work, acting, new)
