"""Evidence: a quote or a cell of one revision, with how it was retrieved."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from prov_ledger.checks.documents import extractor_of, text_of
from prov_ledger.checks.effective import Revisions
from prov_ledger.checks.pages import get_page
from prov_ledger.checks.quotes import Quote, quote_in
from prov_ledger.checks.selectors import find_quote
from prov_ledger.checks.tables import find_cell
from prov_ledger.errors import Refused
from prov_ledger.ledger.draft import Draft
from prov_ledger.ledger.erasing.gaps import check_outside
from prov_ledger.ledger.session import Acting
from prov_ledger.ledger.sources import RawScope, Sources, declared
from prov_ledger.ledger.tenant import Work
from prov_ledger.model import records as r
from prov_ledger.model.facts import FactTable
from prov_ledger.model.ids import mint_id
from prov_ledger.model.records import CellPosition, Node, Selector, TextPosition
from prov_ledger.model.scopes import Scope, intersect, parse_scope

#: Of a row or a table; a larger one could not even be named in a message.
_LARGEST_NUMBER = 10**9


@dataclass(frozen=True, slots=True)
class NewEvidence:
    """A quote, or a cell, of one revision.

    A quote that occurs more than once has prefix and suffix, or the page that it stands on, from 1.
    """

    revision: str
    quote: str | None = None
    prefix: str | None = None
    suffix: str | None = None
    cell: Mapping[str, object] | None = None
    scope: RawScope | None = None
    indifferent_to: Sequence[str] = ()
    page: int | None = None


class Capture:
    """The verb ``evidence``."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.session = sources.session
        self.tenant = sources.tenant
        #: The text of the last revision, as it was since its last redaction.
        self._text: tuple[tuple[Node, r.RedactionRecord | None], str, bytes] | None = None

    def evidence(self, work: Work, acting: Acting, new: NewEvidence) -> Node:
        """Record a quote or a cell; the same span of the same revision again gives the same id.

        Raises Refused: ``malformed_id``, ``unknown_id``, ``incomplete``, ``undeclared_fact``,
        ``bad_fact``, ``bad_scope``, ``empty_quote``, ``quote_not_found``, ``ambiguous_quote``, ``bad_cell``,
        ``denied`` where another scope is stated for what another agent captured, unless by a curator.
        """
        revision = self.session.require_revision(acting, new.revision)
        if (new.quote is None) == (new.cell is None):
            raise Refused("incomplete", "evidence needs a quote or a cell of the revision: give one of them")
        table = self.sources.table()
        scope = parse_scope(new.scope, table) if new.scope is not None else None
        indifferent = declared(table, new.indifferent_to)
        if scope is not None:
            self._check_narrower(revision, scope, table)
        selector, quote = self._select(revision, new)
        return self.record(work, acting, revision, selector, quote, scope, indifferent)

    def _check_narrower(self, revision: Node, scope: Scope, table: FactTable) -> None:
        reader = self.tenant.state.reader
        history = reader.history(reader.source_of(revision) or "")
        if history is not None:
            effective = Revisions(history, table, reader.tenant().governed_by).effective(revision)
            if effective.stated:
                intersect(scope, effective.scope, table)

    def _select(self, revision: Node, new: NewEvidence) -> tuple[Selector, Quote]:
        recorded = self.tenant.state.reader.revision(revision)
        media_type = recorded.record.media_type if recorded is not None else "text/plain"
        data = self._content(revision)
        redaction = self.tenant.state.removals.redactions.get(revision)
        gaps = redaction.gaps if redaction is not None else ()
        if new.cell is not None:
            selected = _select_cell(data, media_type, new.cell)
            check_outside(gaps, selected[0], data, media_type)
            return selected
        if new.quote == "":
            raise Refused("empty_quote", "the quote is empty: give the exact text")
        key = (revision, redaction)
        if self._text is None or self._text[0] != key:
            self._text = (key, text_of(data, media_type), data)
        text = self._text[1]
        position = _find_on_page(text, new) if new.page is not None else _find(text, new)
        check_outside(gaps, position, data, media_type)
        return position, quote_in(text, position, media_type)

    def _content(self, revision: Node) -> bytes:
        key = (revision, self.tenant.state.removals.redactions.get(revision))
        if self._text is not None and self._text[0] == key:
            return self._text[2]
        return self.sources.data(revision, "content")

    def record(
        self,
        work: Work,
        acting: Acting,
        revision: Node,
        selector: Selector,
        quote: Quote,
        scope: Scope | None,
        indifferent: frozenset[str],
    ) -> Node:
        """Record evidence whose parts were checked before; the same provision again gives the same id."""
        whole, span = f"{revision}#evidence", self._span(selector, quote.extractor)
        erased = self.tenant.state.removals.is_erased
        known = [x for x in self.tenant.journal.of_span(whole, span) if not erased(x)]
        again = self._same_provision(known, scope)
        if again is not None:
            return self._again(work, acting, again, scope)
        draft = work.draft("evidence")
        context = self._context(work, draft, acting)
        id = draft.entity(mint_id("ev"))
        sealed = draft.seal_scope(scope, f"{id}#scope", self.sources.table()) if scope is not None else None
        commitment = draft.seal(id, "quote", quote.to_bytes())
        draft.records.append(
            r.EvidenceRecord(id, revision, selector, commitment, context, sealed, indifferent)
        )
        draft.about.append(whole)
        draft.spans.append((whole, span, id))
        work.append(draft, acting.agent or "")
        return id

    def _same_provision(self, known: Sequence[Node], scope: Scope | None) -> Node | None:
        """Which evidence on this span a capture with this scope is about; None for a further provision.

        A span may be quoted for periods that exclude each other; each is evidence of its own. Any
        other difference is a later statement about the evidence that is there.
        """
        table = self.sources.table()
        for id in reversed(known):
            stated = self._stated(id)
            if scope is None or stated is None or scope == stated:
                return id
        for id in reversed(known):
            try:
                intersect(scope or Scope(), self._stated(id) or Scope(), table)
            except Refused:
                continue
            return id
        return None

    def _stated(self, id: Node) -> Scope | None:
        world = self.tenant.state.reader.read([id])
        statements = world.scopes.get(id, ())
        scope = statements[-1].record.scope if statements else world.evidence[id].record.scope
        try:
            return self.sources.opened_scope(scope) if scope is not None else None
        except Refused:
            return scope  # a value of it was erased

    def _again(self, work: Work, acting: Acting, id: Node, scope: Scope | None) -> Node:
        if scope is not None and scope != self._stated(id):
            entry = self.tenant.state.entry_of(id)
            captured = entry is not None and entry.agent == acting.agent
            if not captured and not self.session.is_curator(acting.agent):
                raise Refused(
                    "denied",
                    f"{id} is another agent's: only that agent or a curator may state another scope of it",
                )
            self.sources.record_scope(work, acting.agent or "", id, scope)
        return id

    @staticmethod
    def _span(selector: Selector, extractor: str) -> str:
        if isinstance(selector, CellPosition):
            return f"cell {selector.table} {selector.row} {selector.column}"
        # Another version of an extractor may count otherwise: then it is another span.
        return f"text {selector.start} {selector.end} {extractor}".rstrip()

    def _context(self, work: Work, draft: Draft, acting: Acting) -> Node:
        """How it was retrieved: within a batch in an entry of its own, for all that was retrieved alike."""
        now, policy = self.tenant.now(), self.session.policy_version
        key = (acting.agent, acting.purpose, policy, now)
        node = work.contexts.get(key)
        if node is not None:
            return node
        home = work.draft("context") if work.batched else draft
        # Nobody asks for it by its id, so the journal need not lead to it.
        node = f"{home.id}#retrieval"
        agent = acting.agent or ""
        checks = (("passed", None), ("untested", "no_question_yet"))
        home.records.append(
            r.ContextRecord(node, agent, agent, acting.purpose, "permit", policy, now, *checks)
        )
        if work.batched:
            work.append(home, agent)
            work.contexts[key] = node
        return node


def _find(text: str, new: NewEvidence) -> TextPosition:
    return find_quote(text, new.quote or "", new.prefix, new.suffix)


def _find_on_page(text: str, new: NewEvidence) -> TextPosition:
    page = get_page(text, new.page or 0)
    found = _find(text[page.start : page.end], new)
    return TextPosition(page.start + found.start, page.start + found.end)


def _select_cell(data: bytes, media_type: str, cell: Mapping[str, object]) -> tuple[Selector, Quote]:
    unknown = set(cell) - {"row", "column", "table"}
    row, column, table = cell.get("row"), cell.get("column"), cell.get("table", 1)
    if (
        unknown
        or not isinstance(row, int | Mapping)
        or not isinstance(column, str)
        or not isinstance(table, int | str)
        or any(isinstance(number, int) and abs(number) > _LARGEST_NUMBER for number in (row, table))
    ):
        raise Refused(
            "bad_cell",
            "a cell is {row: NUMBER or {COLUMN: VALUE}, column: HEADER, table: NUMBER or TITLE of a sheet}",
        )
    found = find_cell(data, media_type, row, column, table)
    key, extractor = found.key or (), extractor_of(media_type)
    return found.position, Quote(found.text, header_path=found.header_path, key=key, extractor=extractor)
