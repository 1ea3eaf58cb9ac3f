"""The verbs that take in what providers and tools say of where their words come from."""

from collections.abc import Mapping, Sequence
from functools import cached_property

from prov_ledger.checks.citations.parse import parse_citations
from prov_ledger.checks.citations.sent import SentDocument
from prov_ledger.ledger.binding import Binding, Bound, Unbound
from prov_ledger.ledger.capture import Capture
from prov_ledger.ledger.handle import Handle
from prov_ledger.ledger.sources import RawScope
from prov_ledger.ledger.tool_results import NewToolResult, ToolEvidence, ToolResults


class BindingVerbs(Handle):
    """Binding citations, recording results of tools."""

    @cached_property
    def _bound_capture(self) -> Capture:
        return Capture(self._sources)

    def bind(
        self,
        citations: object,
        documents: Sequence[str | SentDocument],
        *,
        answer: str | None = None,
        by: str | None = None,
        purpose: str | None = None,
    ) -> list[Bound | Unbound]:
        """Turn the citations of an answer into ids, each quote that stands where it is said into evidence.

        ``citations`` is a response, a message, an annotation, a retrieved document of Anthropic's,
        OpenAI's, Google's, LangChain's or LlamaIndex's SDK, its JSON, or a list of them. ``documents`` are
        what was sent in *that* request, in order: ids of revisions, or ``SentDocument`` where only a part
        was sent or a file id names it. ``answer`` is the text that bare annotations count in. The results
        are in the order of the citations. Raises Refused ``malformed_id``, ``denied``.
        """
        sent = [SentDocument(one) if isinstance(one, str) else one for one in documents]
        parsed = parse_citations(citations, answer)
        writing = self._writing("evidence", by, purpose, "bind")
        with self._tenant.writing(batched=True), writing as (work, acting):
            return Binding(self._bound_capture).bind(work, acting, parsed, sent)

    def tool_result(
        self,
        tool: str,
        arguments: Mapping[str, object],
        result: object,
        *,
        quote: str | None = None,
        scope: RawScope | None = None,
        authority: str = "informal",
        collection: str | None = None,
        by: str | None = None,
        purpose: str | None = None,
    ) -> ToolEvidence:
        """Record what a tool answered to a call, and a quote of it (None: all of it) as evidence.

        ``result`` is a text, or a result as Anthropic, OpenAI, MCP or LangChain carry it. The call with its
        arguments is the source, each answer that differs a revision of it. Raises Refused ``bad_input``.
        """
        new = NewToolResult(tool, arguments, result, quote, scope, authority, collection)
        writing = self._writing("revision", by, purpose, "tool_result")
        with self._tenant.writing(batched=True), writing as (work, acting):
            # No id is named that could be unknown: whoever may not record is told so.
            self._session.check_role(acting.agent, "revision", "tool_result")
            return ToolResults(self._bound_capture).record(work, acting, new)
