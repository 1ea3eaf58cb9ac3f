"""Citations that others made, bound to what the ledger holds, in the call that takes them in."""

from collections.abc import Sequence
from dataclasses import dataclass

from prov_ledger.checks.citations.cited import NOT_UNDERSTOOD, Cited, End, Unit
from prov_ledger.checks.citations.fit import fit_answer
from prov_ledger.checks.citations.sent import (
    Found,
    Matched,
    Reason,
    SentDocument,
    find_documents,
    find_passage,
)
from prov_ledger.checks.documents import text_of
from prov_ledger.checks.quotes import quote_in
from prov_ledger.errors import Refused
from prov_ledger.ledger.capture import Capture
from prov_ledger.ledger.session import Acting
from prov_ledger.ledger.tenant import Work
from prov_ledger.model.ids import parse_id
from prov_ledger.model.records import Node, TextPosition


@dataclass(frozen=True, slots=True)
class AnswerSpan:
    """The words of the answer that a citation stands at: code points, end exclusive.

    ``unit`` and ``end_is`` say how the provider's numbers had to be read; ``end_is`` None: both ways fit.
    """

    start: int
    end: int
    unit: Unit
    end_is: End | None


@dataclass(frozen=True, slots=True)
class Bound:
    """A citation of something that the ledger holds.

    ``evidence`` and ``position`` are None where the citation names the document without quoting it: such a
    one supports no claim. ``matched`` says how the quote was found, ``unit`` and ``end_is`` by which
    reading of the citation's numbers.
    """

    scheme: str
    source: Node
    revision: Node
    evidence: Node | None = None
    position: TextPosition | None = None
    matched: Matched | None = None
    unit: Unit | None = None
    end_is: str | None = None
    answer: AnswerSpan | None = None


@dataclass(frozen=True, slots=True)
class Unbound:
    """A citation that is none of anything the ledger holds; it names no source, so none can be shown."""

    scheme: str
    reason: Reason
    answer: AnswerSpan | None = None


@dataclass(frozen=True, slots=True)
class _Held:
    """A document sent, with what the ledger holds of it; ``revision`` empty: not the acting agent's to read.

    ``text`` is None where the revision has no text. ``names`` are all that it is called.
    """

    sent: SentDocument
    source: Node = ""
    revision: Node = ""
    text: str | None = None
    media_type: str = ""
    names: frozenset[str] = frozenset()


class Binding:
    """The verb ``bind``."""

    def __init__(self, capture: Capture) -> None:
        self.capture, self.sources, self.session = capture, capture.sources, capture.session
        self.tenant = capture.tenant

    def bind(
        self, work: Work, acting: Acting, cited: Sequence[Cited], sent: Sequence[SentDocument]
    ) -> list[Bound | Unbound]:
        """Bind each citation to the documents of its request. Raises Refused ``malformed_id``."""
        held = [self._held(acting, document) for document in sent]
        return [self._bind(work, acting, one, held) for one in cited]

    def _held(self, acting: Acting, document: SentDocument) -> _Held:
        parse_id(document.revision)
        try:
            revision = self.session.require_revision(acting, document.revision)
        except Refused:
            # It keeps its place, so that those behind it keep theirs.
            return _Held(document)
        recorded = self.tenant.state.reader.revision(revision)
        assert recorded is not None
        source, media_type = recorded.record.source, recorded.record.media_type
        history = self.tenant.state.reader.history(source)
        natives = {self.sources.native(history)} if history is not None else set()
        names = frozenset({revision, source, *natives, *document.names})
        text = self._text(revision, media_type)
        return _Held(document, source, revision, text, media_type, names)

    def _text(self, revision: Node, media_type: str) -> str | None:
        try:
            return text_of(self.sources.data(revision, "content"), media_type)
        except Refused:
            return None

    def _bind(self, work: Work, acting: Acting, cited: Cited, held: Sequence[_Held]) -> Bound | Unbound:
        answer = _answer_of(cited)
        if cited.scheme == NOT_UNDERSTOOD:
            return Unbound(cited.scheme, "not_understood", answer)
        places = find_documents(cited.document, [one.sent for one in held], [one.names for one in held])
        meant = [held[at] for at in places if held[at].revision]
        return self._place(work, acting, cited, meant, answer)

    def _place(
        self, work: Work, acting: Acting, cited: Cited, meant: Sequence[_Held], answer: AnswerSpan | None
    ) -> Bound | Unbound:
        if not meant:
            return Unbound(cited.scheme, "no_document", answer)
        if cited.source is None:
            revisions = {one.revision: one for one in meant}
            if len(revisions) > 1:
                return Unbound(cited.scheme, "several_documents", answer)
            return Bound(cited.scheme, meant[0].source, meant[0].revision, answer=answer)
        results = [_find(cited, one) for one in meant]
        placed = {
            (one.revision, found.span): (one, found)
            for one, found in zip(meant, results, strict=True)
            if isinstance(found, Found)
        }
        if not placed:
            reason = next(found for found in results if not isinstance(found, Found))
            return Unbound(cited.scheme, reason, answer)
        if len(placed) > 1:
            return Unbound(cited.scheme, "several_documents", answer)
        return self._evidence(work, acting, cited, *next(iter(placed.values())), answer)

    def _evidence(
        self,
        work: Work,
        acting: Acting,
        cited: Cited,
        held: _Held,
        found: Found,
        answer: AnswerSpan | None,
    ) -> Bound:
        quote = quote_in(held.text or "", found.span, held.media_type)
        evidence = self.capture.record(work, acting, held.revision, found.span, quote, None, frozenset())
        return Bound(
            cited.scheme,
            held.source,
            held.revision,
            evidence,
            found.span,
            found.matched,
            found.unit,
            found.end_is,
            answer,
        )


def _find(cited: Cited, held: _Held) -> Found | Reason:
    assert cited.source is not None
    return "no_text" if held.text is None else find_passage(cited.source, held.sent, held.text)


def _answer_of(cited: Cited) -> AnswerSpan | None:
    fit = fit_answer(cited.answer) if cited.answer is not None else None
    return AnswerSpan(fit.span.start, fit.span.end, fit.unit, fit.end_is) if fit is not None else None
