"""The gaps that erased evidence leaves in the bytes of revisions that stay."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from prov_ledger.checks.documents import parse_media_type, text_of
from prov_ledger.checks.quotes import Quote
from prov_ledger.checks.redaction.gap import cannot_redact, redact
from prov_ledger.checks.redaction.neighbours import without_gap
from prov_ledger.checks.redaction.spans import overlap, span_of
from prov_ledger.checks.selectors import text_at
from prov_ledger.errors import Corrupt, Refused
from prov_ledger.ledger.erasing.manifest import Gap
from prov_ledger.ledger.tenant import Tenant
from prov_ledger.model import records as r
from prov_ledger.model.records import Node, TextPosition


@dataclass(frozen=True, slots=True)
class Redacted:
    """A revision with its new gaps: the bytes before and after, and what its other evidence is kept with.

    ``taken`` is the evidence that goes, ``erased`` the texts of the spans that were asked for.
    """

    revision: Node
    before: bytes
    after: bytes
    spans: tuple[TextPosition, ...]
    taken: tuple[Node, ...]
    quotes: Mapping[Node, Quote]
    erased: tuple[str, ...]

    @property
    def gap(self) -> Gap:
        """As the plan says it."""
        return Gap(self.revision, self.spans, tuple(sorted(self.quotes)))


class Gaps:
    """Makes the redacted copies of revisions; nothing is written."""

    def __init__(self, tenant: Tenant) -> None:
        self.tenant = tenant

    def of(
        self, revision: Node, targets: Sequence[Node], evidence: Mapping[Node, r.EvidenceRecord]
    ) -> Redacted | None:
        """The revision without the spans of ``targets``; ``evidence`` is all that there is on it.

        None where its bytes are there no more. Raises Refused ``cannot_redact`` where the kind of its bytes
        lets no span be taken out.
        """
        data = self._opened(revision, "content")
        recorded = self.tenant.state.reader.revision(revision)
        if data is None or recorded is None:
            return None
        media_type = recorded.record.media_type
        places = {id: self._span(x.selector, data, media_type) for id, x in evidence.items()}
        erased = self._texts_at(targets, places, data, media_type, evidence)
        spans = tuple(sorted({places[id] for id in targets}, key=lambda span: (span.start, span.end)))
        after = redact(data, media_type, spans)
        taken = [id for id, place in places.items() if any(overlap(place, span) for span in spans)]
        quotes = {}
        for id, x in evidence.items():
            if id not in taken and (changed := self._changed(id, x.selector, data, after, media_type)):
                quotes[id] = changed
        return Redacted(revision, data, after, spans, tuple(sorted(taken)), quotes, erased)

    def _texts_at(
        self,
        targets: Sequence[Node],
        places: Mapping[Node, TextPosition],
        data: bytes,
        media_type: str,
        evidence: Mapping[Node, r.EvidenceRecord],
    ) -> tuple[str, ...]:
        """What stands at each target; it has to be its quote, or another extractor counted its place."""
        text = text_of(data, media_type)
        found = []
        for id in targets:
            exact, quote = text_at(text, places[id]), self._quote(id)
            counted = isinstance(evidence[id].selector, TextPosition)
            if counted and quote is not None and quote.exact != exact:
                raise cannot_redact(parse_media_type(media_type).essence)
            found.append(exact)
        return tuple(found)

    @staticmethod
    def _span(selector: r.Selector, data: bytes, media_type: str) -> TextPosition:
        found = span_of(selector, data, media_type)
        if found is None:
            raise cannot_redact(parse_media_type(media_type).essence)
        return found

    def _changed(
        self, id: Node, selector: r.Selector, before: bytes, after: bytes, media_type: str
    ) -> Quote | None:
        """What evidence is kept with beside the gap; None where nothing changes."""
        quote = self._quote(id)
        if quote is None:
            return None
        changed = without_gap(quote, selector, before, after, media_type)
        return changed if changed != quote else None

    def _quote(self, id: Node) -> Quote | None:
        data = self._opened(id, "quote")
        return Quote.from_bytes(data) if data is not None else None

    def _opened(self, owner: Node, field: str) -> bytes | None:
        payload = self.tenant.journal.payload(owner, field)
        if payload is None:
            return None
        try:
            return self.tenant.sealer.open(payload)
        except Corrupt:
            return None


def check_outside(gaps: Sequence[r.Selector], selector: r.Selector, data: bytes, media_type: str) -> None:
    """Raise Refused ``quote_not_found``, or ``bad_cell``, for evidence that touches a gap."""
    place = span_of(selector, data, media_type)
    spans = [span for gap in gaps if (span := span_of(gap, data, media_type)) is not None]
    if place is not None and any(overlap(place, span) for span in spans):
        code = "bad_cell" if isinstance(selector, r.CellPosition) else "quote_not_found"
        raise Refused(code, "There is no text any more where that would stand: it was erased.")
