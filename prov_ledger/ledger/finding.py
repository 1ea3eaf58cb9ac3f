"""Finding what may be shown now for a question: evidence, and passages that nobody captured yet."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from prov_ledger.checks.documents import parse_media_type, text_of
from prov_ledger.checks.markdown import Page, parse_page
from prov_ledger.checks.quotes import is_markdown
from prov_ledger.checks.search.asking import Hit, search
from prov_ledger.checks.search.passages import Piece, chunks_of, pieces_of
from prov_ledger.checks.search.texts import SourceTexts
from prov_ledger.checks.search.words import words_of
from prov_ledger.checks.verdict import Judge
from prov_ledger.errors import Corrupt, Refused
from prov_ledger.ledger.resolving import Demand, Resolver
from prov_ledger.ledger.search_index import SearchIndex
from prov_ledger.ledger.session import Acting, Session
from prov_ledger.ledger.sources import Sources
from prov_ledger.model import records as r
from prov_ledger.model.records import Node, TextPosition
from prov_ledger.model.slots import Decision, Slot
from prov_ledger.model.world import Recorded, SourceHistory, World
from prov_ledger.readers.port import Reader
from prov_ledger.vault.disclosures import Disclosed

#: A passage holds at least this share of what a question asks for, rare words weighing more.
_LEAST_SHARE = 0.4


@dataclass(frozen=True, slots=True)
class FoundEvidence:
    """Evidence that holds every word, with what a citation of it shows; ``score`` orders it."""

    id: Node
    score: float
    quote: str
    source: Node
    title: str
    revision: Node
    label: str
    header_path: tuple[str, ...] = ()
    assumed_open: bool = False
    last_confirmed: datetime | None = None


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A passage of a revision that governs, to be captured before it is cited: it is no evidence yet.

    ``text`` stands exactly so at ``start`` to ``end`` (code points); in a row of a CSV file, ``row``, it
    names the column of each cell.
    """

    revision: Node
    score: float
    text: str
    source: Node
    title: str
    label: str
    header_path: tuple[str, ...] = ()
    start: int | None = None
    end: int | None = None
    row: int | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """What was found for a text, each best first; what is withheld is not there, and not counted.

    ``missing`` and ``unconsidered``: the facts, by name, for want of which readable evidence that holds every
    word, or a passage, is ``unknown`` and was left out.
    """

    evidence: tuple[FoundEvidence, ...] = ()
    passages: tuple[FoundPassage, ...] = ()
    missing: tuple[str, ...] = ()
    unconsidered: tuple[str, ...] = ()


class Finding:
    """The verb ``find``."""

    def __init__(self, session: Session, sources: Sources, index: SearchIndex) -> None:
        self.session, self.sources, self.index = session, sources, index
        self.tenant, self.resolver = session.tenant, Resolver(session)

    def find(self, reader: Reader, acting: Acting, text: str, demand: Demand, limit: int | None) -> Found:
        """Search what the reader may read, and keep what may be shown to them for these facts now."""
        _check(text, limit)
        collections = self.index.refresh()
        allowed = self.session.readable(acting, list(collections.items()), self.tenant.now())
        texts = {source: self.index.of(source) for source in collections if source in allowed}
        self.index.save()
        hits = search(text, {source: x.partition for source, x in texts.items()})
        evidence, unknown = self._evidence(reader, acting, texts, hits, demand)
        passages = _Passages(self, texts, allowed, frozenset(x.id for x in evidence), demand)
        listed = tuple(_first(passages.found(hits), limit))
        lacking = [*unknown, *passages.unknown]
        return Found(
            tuple(evidence[:limit]),
            listed,
            tuple(sorted({fact for x in lacking for fact in x.missing})),
            tuple(sorted({fact for x in lacking for fact in x.unconsidered})),
        )

    def _evidence(
        self,
        reader: Reader,
        acting: Acting,
        texts: dict[Node, SourceTexts],
        hits: Sequence[Hit],
        demand: Demand,
    ) -> tuple[list[FoundEvidence], list[Decision]]:
        """The evidence that holds every word and is citable now; and the decisions where it is unknown."""
        scores = {
            texts[hit.part].evidence[hit.number]: hit.score
            for hit in hits
            if hit.holds_all and hit.number in texts[hit.part].evidence
        }
        judge = self.resolver.judge(reader, acting, list(scores), demand)
        decisions = [judge.decide(id) for id in scores]
        citable = [decision.id for decision in decisions if decision.verdict == "citable"]
        slots = self.resolver.resolve(reader, acting, citable, demand)
        found = [_found(slot, scores[slot.id]) for slot in slots if slot.verdict == "citable"]
        return found, [decision for decision in decisions if decision.verdict == "unknown"]


def disclosed_by(found: Found) -> Iterator[Disclosed]:
    """What a finding shows: evidence, and each revision that a passage is from."""
    for evidence in found.evidence:
        yield Disclosed(evidence.id, (evidence.id,), False)
    for revision in dict.fromkeys(passage.revision for passage in found.passages):
        yield Disclosed(revision, (), True)


def _check(text: str, limit: int | None) -> None:
    if not words_of(text):
        raise Refused("incomplete", "find needs at least one word to look for")
    if limit is not None and limit < 1:
        raise Refused("bad_input", f"a limit is at least 1, got {limit}: leave it out for everything")


def _first(found: Iterator[FoundPassage], limit: int | None) -> Iterator[FoundPassage]:
    for count, passage in enumerate(found, 1):
        yield passage
        if count == limit:
            return


def _found(slot: Slot, score: float) -> FoundEvidence:
    (citation,) = slot.quotes
    return FoundEvidence(
        citation.evidence,
        score,
        citation.quote,
        citation.source,
        citation.title,
        citation.revision,
        citation.label,
        citation.header_path,
        slot.assumed_open,
        slot.last_confirmed,
    )


class _Passages:
    """Passages of the revisions that govern, judged and opened source by source, as far as asked for."""

    def __init__(
        self,
        verb: Finding,
        texts: dict[Node, SourceTexts],
        allowed: frozenset[Node],
        evidence: frozenset[Node],
        demand: Demand,
    ) -> None:
        self.verb, self.texts, self.allowed, self.demand = verb, texts, allowed, demand
        self.reader = verb.tenant.state.reader
        self.evidence = evidence
        #: What was judged of pages that hold a passage, and of which nobody can tell whether they apply.
        self.unknown: list[Decision] = []
        self._governing: dict[Node, tuple[Judge, tuple[r.RevisionRecord, ...]]] = {}
        self._undecided: dict[Node, tuple[tuple[Node, Decision], ...]] = {}
        self._pieces: dict[Node, list[Piece]] = {}
        self._parsed: dict[Node, Page] = {}

    def found(self, hits: Sequence[Hit]) -> Iterator[FoundPassage]:
        """The passages among the hits that may be listed, best first."""
        for hit in hits:
            known = self.texts[hit.part]
            if hit.share < _LEAST_SHARE or hit.number not in known.passages:
                continue
            for revision in self._revisions(hit.part):
                if hit.number in known.pages.get(revision.id, ()):
                    yield from self._listed(revision, known.pages[revision.id].index(hit.number), hit)
            for id, decision in self._undecided[hit.part]:
                if hit.number in known.pages.get(id, ()):
                    self.unknown.append(decision)

    def _listed(self, revision: r.RevisionRecord, place: int, hit: Hit) -> Iterator[FoundPassage]:
        """The passage at a place of a page, read anew from the vault; nothing where that is gone."""
        pieces = self._pieces_of(revision)
        if place >= len(pieces) or self._is_captured(revision, pieces[place]):
            return
        piece, data = pieces[place], self.verb.sources
        yield FoundPassage(
            revision.id,
            hit.score,
            piece.text,
            revision.source,
            data.title(revision.source),
            data.text(revision.id, "label"),
            self._headings(revision, piece),
            piece.start,
            piece.end,
            piece.row,
        )

    def _pieces_of(self, revision: r.RevisionRecord) -> list[Piece]:
        if revision.id not in self._pieces:
            try:
                data = self.verb.sources.data(revision.id, "content")
                chunks = chunks_of(data, revision.media_type)
            except (Corrupt, Refused):
                chunks = []
            media = parse_media_type(revision.media_type)
            self._pieces[revision.id] = [p for at, chunk in chunks for p in pieces_of(chunk, at, media)]
        return self._pieces[revision.id]

    def _headings(self, revision: r.RevisionRecord, piece: Piece) -> tuple[str, ...]:
        if piece.start is None or not is_markdown(revision.media_type):
            return ()
        if revision.id not in self._parsed:
            text = text_of(self.verb.sources.data(revision.id, "content"), revision.media_type)
            self._parsed[revision.id] = parse_page(text)
        page = self._parsed[revision.id]
        return page.headings_above(bisect_right(page.line_starts, piece.start) - 1)

    def _revisions(self, source: Node) -> tuple[r.RevisionRecord, ...]:
        """The revisions of which a quote without a scope of its own would be citable now."""
        return self._judged(source)[1]

    def _judged(self, source: Node) -> tuple[Judge, tuple[r.RevisionRecord, ...]]:
        if source not in self._governing:
            self._governing[source] = self._judge(source)
        return self._governing[source]

    def _judge(self, source: Node) -> tuple[Judge, tuple[r.RevisionRecord, ...]]:
        history = self.reader.history(source)
        assert history is not None  # the index knows the source from its entry
        world = self.reader.read(list(self.reader.evidence_on([source])))
        world = replace(world, sources={**world.sources, source: history})
        judged = self.verb.resolver.judge_read(world, self.allowed, self.demand)
        judge = Judge(_with_whole_pages(world, history), judged.asked, judged.known)
        decided = [(x.record, judge.decide(_whole(x.record.id))) for x in history.revisions]
        self._undecided[source] = tuple((x.id, d) for x, d in decided if d.verdict == "unknown")
        return judge, tuple(x for x, decision in decided if decision.verdict == "citable")

    def _is_captured(self, revision: r.RevisionRecord, piece: Piece) -> bool:
        """Whether evidence holds all of a passage, was found in it, or says that a part does not apply."""
        judge = self._judged(revision.source)[0]
        for id, x in judge.world.evidence.items():
            selector = x.record.selector
            if x.record.revision != revision.id or id == _whole(revision.id):
                continue
            if not _touches(selector, piece):
                continue
            if id in self.evidence or _covers(selector, piece) or judge.evidence(id).verdict != "citable":
                return True
        return False


def _whole(revision: Node) -> Node:
    """Stands for a quote of a revision that nobody took; no id has this form."""
    return f"whole:{revision}"


def _with_whole_pages(world: World, history: SourceHistory) -> World:
    """The world as if something had been quoted from every revision of a source."""
    evidence = dict(world.evidence)
    for x in history.revisions:
        id = _whole(x.record.id)
        record = r.EvidenceRecord(id, x.record.id, TextPosition(0, 0), x.record.content, "")
        evidence[id] = Recorded(id, record, x.at, x.sequence)
    source_of = {**world.source_of, **{x.record.id: history.id for x in history.revisions}}
    return replace(world, evidence=evidence, source_of=source_of)


def _touches(selector: r.Selector, piece: Piece) -> bool:
    if isinstance(selector, r.CellPosition):
        return piece.row == selector.row
    return (
        piece.start is not None
        and piece.end is not None
        and (selector.start < piece.end and piece.start < selector.end)
    )


def _covers(selector: r.Selector, piece: Piece) -> bool:
    if isinstance(selector, r.CellPosition) or piece.start is None or piece.end is None:
        return False
    return selector.start <= piece.start and piece.end <= selector.end
