"""Resolving ids: reading, deciding, and only then handing out text."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from itertools import islice
from typing import NamedTuple

from prov_ledger.checks.candidates import (
    MOST_CANDIDATES,
    is_usable,
    proposed,
    readable_leaves,
    revisions_without,
    sources_under,
    wants_candidates,
    widened,
)
from prov_ledger.checks.quotes import Quote, fate_of
from prov_ledger.checks.verdict import Asked, Judge
from prov_ledger.errors import Refused
from prov_ledger.ledger.session import Acting, Session
from prov_ledger.ledger.sources import instant_from, parse_level
from prov_ledger.model.durations import Duration, parse_duration
from prov_ledger.model.facts import QUESTION_DATE, FactValue, SealedValue
from prov_ledger.model.ids import parse_id
from prov_ledger.model.records import EvidenceRecord, Level, Node
from prov_ledger.model.scopes import Among, Scope
from prov_ledger.model.slots import NEXT, Became, Candidate, Citation, Decision, Slot
from prov_ledger.model.times import parse_date_or_instant, parse_instant
from prov_ledger.model.world import Recorded, SourceHistory, World
from prov_ledger.readers.memory import MemoryReader
from prov_ledger.readers.port import Reader
from prov_ledger.vault.opened import Opened


@dataclass(frozen=True, slots=True)
class Demand:
    """What a resolve asks for beside its ids; the values are as a caller gives them."""

    facts: Mapping[str, object] = field(default_factory=dict)
    now: str | datetime | None = None
    as_of: str | date | datetime | None = None
    min_authority: str = "informal"
    max_age: str | None = None


@dataclass(frozen=True, slots=True)
class _Parsed:
    facts: dict[str, FactValue]
    states_date: bool
    now: datetime
    clock: datetime
    as_of: datetime | None
    level: Level
    max_age: Duration | None


class Resolver:
    """The verb ``resolve`` over any reader."""

    def __init__(self, session: Session) -> None:
        self.session, self.tenant = session, session.tenant

    def resolve(self, reader: Reader, acting: Acting, ids: Sequence[str], demand: Demand) -> list[Slot]:
        """One slot per id, in order. Raises Refused ``undeclared_fact``, ``bad_fact``, ``bad_input``."""
        return self.judged(reader, acting, ids, demand)[0]

    def judged(
        self, reader: Reader, acting: Acting, ids: Sequence[str], demand: Demand
    ) -> tuple[list[Slot], Judge]:
        """As ``resolve``, with the judge, for an account of how the slots came about."""
        with self.tenant.lock, self.tenant.state.steady():
            return self._judged(reader, acting, ids, demand)

    def _judged(
        self, reader: Reader, acting: Acting, ids: Sequence[str], demand: Demand
    ) -> tuple[list[Slot], Judge]:
        parsed = self._parse(demand)
        asked = reader.labels.asked_by(acting.agent) if isinstance(reader, MemoryReader) else ()
        names = [id if id in asked else _parsed_or_none(id) for id in ids]
        judge, texts = self._judge(*self._permitted(reader, acting, names, parsed), parsed, names)
        answer = _Answer(self.session, reader, judge, texts, parsed.as_of)
        decisions = [judge.decide(id) if id is not None else None for id in names]
        decided = [decision for decision in decisions if decision is not None]
        answer.make_citations(decided)
        answer.read_candidates(decided)
        return [answer.slot(text, decision) for text, decision in zip(ids, decisions, strict=True)], judge

    def judge(self, reader: Reader, acting: Acting, ids: Sequence[Node], demand: Demand) -> Judge:
        """The decision alone, without any text: a judge for these ids, this reader and question."""
        parsed = self._parse(demand)
        return self._judge(*self._permitted(reader, acting, ids, parsed), parsed, ids)[0]

    def judge_read(self, world: World, allowed: frozenset[Node], demand: Demand) -> Judge:
        """A judge for a world that was read, and sources that were permitted, by the caller."""
        return self._judge(world, allowed, self._parse(demand), ())[0]

    def _judge(
        self, world: World, allowed: frozenset[Node], parsed: "_Parsed", names: Sequence[Node | None]
    ) -> "tuple[Judge, _Texts]":
        texts = _Texts(self.session)
        asked = Asked(
            parsed.facts,
            parsed.clock,
            allowed,
            parsed.states_date,
            parsed.level,
            parsed.max_age,
            opened=texts.sealed_values(world),
            gone=self.session.gone_in(world),
        )
        known = self.tenant.state.revisions
        judge = Judge(world, asked, known)
        judge.note_drifted(texts.drifted(world, judge, names))
        return judge, texts

    def _permitted(
        self, reader: Reader, acting: Acting, names: Sequence[Node | None], parsed: "_Parsed"
    ) -> tuple[World, frozenset[Node]]:
        """What is read for a resolve, and the sources readable now; one batch to the authoriser.

        Labels decide first where the reader keeps them: what fails, or was erased, is not read at all.
        Permission is asked for by the ledger's own clock, whatever time the question is put to.
        """
        wanted = [id for id in dict.fromkeys(names) if id is not None]
        if not isinstance(reader, MemoryReader):
            world = reader.read(wanted, parsed.as_of)
            return world, self.session.readable_in(acting, world, self.tenant.now())
        reader.refresh()
        labels = reader.labels
        gates = labels.gates(wanted, parsed.as_of, acting.agent)
        sources = frozenset().union(*(label.sources for _, label, _ in gates))
        pairs = [(source, reader.collection_of(source)) for source in sorted(sources)]
        now = self.tenant.now()
        allowed = self.session.readable(acting, pairs, now)
        admitted = []
        for id, label, own in gates:
            if not label.admits(allowed, now):
                labels.refuse(label, acting.agent)
            elif own:
                admitted.append(id)
        return reader.read(admitted, parsed.as_of), allowed

    def _parse(self, demand: Demand) -> _Parsed:
        table = self.tenant.state.reader.table()
        zone = self.tenant.state.reader.tenant().zone
        now = parse_instant(demand.now) if demand.now is not None else self.tenant.now()
        as_of = None
        if demand.as_of is not None:
            as_of = instant_from(parse_date_or_instant(demand.as_of), zone)
        facts = table.parse_facts(demand.facts)
        clock = as_of if as_of is not None else now
        states_date = QUESTION_DATE in facts
        facts.setdefault(QUESTION_DATE, clock)
        max_age = parse_duration(demand.max_age) if demand.max_age is not None else None
        return _Parsed(facts, states_date, now, clock, as_of, parse_level(demand.min_authority), max_age)


def _parsed_or_none(id: str) -> Node | None:
    try:
        return parse_id(id)
    except Refused:
        return None


#: So much evidence is read at first to find candidates among it; as a rule the nearest do.
_FIRST_LOOK = 2 * MOST_CANDIDATES
_FATES: tuple[Became, ...] = ("same", "moved", "changed")


class _Texts:
    """The payloads of one answer, each opened once."""

    def __init__(self, session: Session) -> None:
        self.tenant = session.tenant
        self._opened: dict[tuple[Node, str], Opened | None] = {}

    def open_all(self, keys: Iterable[tuple[Node, str]]) -> None:
        """Open payloads; one that does not open, or is not there, is kept as None."""
        wanted = [key for key in keys if key not in self._opened]
        if wanted:
            self._opened |= self.tenant.open_texts(wanted)

    def get(self, owner: Node, field: str) -> bytes | None:
        """The bytes of a payload, or None."""
        opened = self._get(owner, field)
        return opened.data if opened is not None else None

    def _get(self, owner: Node, field: str) -> Opened | None:
        if (owner, field) not in self._opened:
            self.open_all([(owner, field)])
        return self._opened[owner, field]

    def text(self, owner: Node, field: str) -> str:
        """The text of a payload; empty when it does not open."""
        opened = self._get(owner, field)
        return opened.data.decode() if opened is not None else ""

    def statement(self, world: World, claim: Node) -> Opened | None:
        """The present statement of a claim, or None; ``made`` is for the slot that shows it."""
        return self._get(statement_owner(world, claim), "statement")

    def quote(self, evidence: Node) -> Quote:
        """The quote of an evidence item; an empty one when it does not open."""
        opened = self._get(evidence, "quote")
        return Quote.from_bytes(opened.data) if opened is not None else Quote("")

    def citation(self, evidence: Node, history: SourceHistory) -> Citation | None:
        """How an evidence item was cited last, where every text of it is still what the disk holds."""
        opened = self._get(evidence, "quote")
        made = opened.made if opened is not None else None
        if not isinstance(made, _Cited) or made.history is not history:
            return None
        holds = self.tenant.opened.holds
        return made.citation if holds(made.title) and holds(made.label) else None

    def keep(self, citation: Citation, history: SourceHistory, titled: Node) -> None:
        """Keep a citation beside the quote for as long as that is held."""
        opened = self._get(citation.evidence, "quote")
        title, label = self._get(titled, "title"), self._get(citation.revision, "label")
        if opened is not None and title is not None and label is not None:
            opened.made = _Cited(citation, history, title, label)

    def sealed_values(self, world: World) -> dict[Node, str]:
        """The texts of all sealed values that the scopes and questions of a world compare."""
        if not any(type_.personal for type_ in world.table):
            return {}
        nodes = {value.node for value in _sealed_in(world)}
        self.open_all((node, "value") for node in nodes)
        return {node: self.text(node, "value") for node in nodes if self.get(node, "value") is not None}

    def drifted(self, world: World, judge: Judge, names: Sequence[Node | None]) -> frozenset[Node]:
        """Of what would be shown, the ids whose payload does not open."""
        shown = {(id, "quote"): id for id in filter(judge.is_readable, world.evidence)}
        claims = world.claims
        for id in names:
            if id is not None and id in claims and judge.words(id):
                shown[statement_owner(world, id), "statement"] = id
        self.open_all(shown)
        if None not in self._opened.values():
            return frozenset()
        return frozenset(id for key, id in shown.items() if self._opened[key] is None)


class _Answered(NamedTuple):
    """A slot with the decision that it came from."""

    decision: Decision
    slot: Slot


class _Cited(NamedTuple):
    """A citation with what it was made of: the history that names its title, and the texts beside its own."""

    citation: Citation
    history: SourceHistory
    title: Opened
    label: Opened


def statement_owner(world: World, id: Node) -> Node:
    """The node whose payload is the present statement of a claim."""
    restated = world.restatements.get(id)
    return restated.node if restated is not None else id


def _sealed_in(world: World) -> Iterable[SealedValue]:
    scopes = [x.record.scope for x in world.evidence.values()]
    scopes += [x.record.narrow for x in world.claims.values()]
    scopes += [s.record.scope for found in world.scopes.values() for s in found]
    for history in world.sources.values():
        scopes += [x.record.scope for x in history.revisions]
        scopes += [x.record.scope for x in history.scopes]
    for scope in scopes:
        yield from _sealed_of(scope)
    for claim in world.claims.values():
        for value in claim.record.question.facts.values():
            if isinstance(value, SealedValue):
                yield value


def _sealed_of(scope: Scope | None) -> Iterable[SealedValue]:
    for condition in scope.conditions if scope is not None else ():
        if isinstance(condition, Among):
            yield from (value for value in condition.values if isinstance(value, SealedValue))


class _Answer:
    """Makes slots from decisions."""

    def __init__(
        self, session: Session, reader: Reader, judge: Judge, texts: _Texts, as_of: datetime | None
    ) -> None:
        self.session = session
        self.reader, self.judge, self.texts, self.as_of = reader, judge, texts, as_of
        self.world = judge.world
        self._others: Mapping[Node, Recorded[EvidenceRecord]] = {}
        self._on_source: dict[Node, list[Recorded[EvidenceRecord]]] = {}
        self._usable: dict[Node, bool] = {}
        self._citations: dict[Node, Citation] = {}

    def make_citations(self, decisions: Iterable[Decision]) -> None:
        """Make the citations of all decisions; the texts that name their sources are opened all at once."""
        evidence, source_of, sources = self.world.evidence, self.world.source_of, self.world.sources
        new: list[tuple[Node, Node, Node]] = []
        for leaf in [leaf for decision in decisions for leaf in decision.citations]:
            revision = evidence[leaf].record.revision
            source = source_of[revision]
            kept = self.texts.citation(leaf, sources[source])
            if kept is None:
                new.append((leaf, revision, source))
            else:
                self._citations[leaf] = kept
        if new:
            self._make_citations(new)

    def _make_citations(self, cited: Sequence[tuple[Node, Node, Node]]) -> None:
        """Make citations of evidence with its revision and source."""
        titled = {source: self._titled(source) for _, _, source in cited}
        keys = [(node, "title") for node in titled.values()]
        self.texts.open_all([*keys, *[(revision, "label") for _, revision, _ in cited]])
        titles = {source: self.texts.text(node, "title") for source, node in titled.items()}
        for leaf, revision, source in cited:
            quote, label = self.texts.quote(leaf), self.texts.text(revision, "label")
            made = Citation(leaf, quote.exact, source, titles[source], revision, label, quote.header_path)
            self._citations[leaf] = made
            self.texts.keep(made, self.world.sources[source], titled[source])

    def _titled(self, source: Node) -> Node:
        """The node whose payload is the present title of a source."""
        history = self.world.sources[source]
        return history.titles[-1].node if history.titles else source

    def slot(self, text: str, decision: Decision | None) -> Slot:
        """The slot of one id; None decides on a text that is no id."""
        historical = self.as_of is not None
        if decision is None:
            return Slot(text, "malformed", NEXT["malformed"], historical=historical)
        id = decision.id
        if decision.verdict == "withheld":
            return Slot(id, "withheld", NEXT["withheld"], historical=historical)
        candidates, more = self._candidates(decision) if wants_candidates(decision) else ((), False)
        citable = decision.verdict == "citable"
        shown = citable and decision.words is True
        quotes = tuple([self._citations[leaf] for leaf in decision.citations])
        statement = self.texts.statement(self.world, id) if shown else None
        made = statement.made if statement is not None else None
        if type(made) is _Answered and made.decision is decision and made.slot.quotes == quotes:
            return made.slot
        slot = Slot(
            id,
            decision.verdict,
            NEXT[decision.verdict],
            statement=statement.data.decode() if statement is not None else "" if shown else None,
            words=None if decision.words is None else "shown" if decision.words else "withheld",
            quotes=quotes,
            same_question=decision.same_question,
            superseded_by=decision.superseded_by,
            decided_by=decision.decided_by,
            missing=decision.missing,
            unconsidered=decision.unconsidered,
            candidates=candidates,
            more_candidates=more,
            assumed_open=decision.assumed_open,
            last_confirmed=decision.last_confirmed,
            historical=historical,
        )
        if statement is not None:
            statement.made = _Answered(decision, slot)
        return slot

    def read_candidates(self, decisions: Sequence[Decision]) -> None:
        """Read the evidence on the sources of all ids that are to be derived anew, at once."""
        wanting = [d for d in decisions if wants_candidates(d) and d.verdict != "superseded"]
        sources = dict.fromkeys(source for d in wanting for source in sources_under(self.judge, d.id))
        if not sources:
            return
        self._others = self.reader.evidence_on(list(sources), self.as_of)
        on = {x.record.id: history.id for history in self.world.sources.values() for x in history.revisions}
        for x in self._others.values():
            self._on_source.setdefault(on[x.record.revision], []).append(x)

    def _candidates(self, decision: Decision) -> tuple[tuple[Candidate, ...], bool]:
        """What to derive an id anew from, and whether there is more of it than is listed."""
        sources = sources_under(self.judge, decision.id)
        others = [x for source in sources for x in self._on_source.get(source, ())]
        usable = self._usable_of(proposed(self.judge, decision, others))
        chosen = list(islice(usable, MOST_CANDIDATES + 1))
        found = [Candidate(id) for id in chosen[:MOST_CANDIDATES]]
        if decision.verdict == "superseded" or len(chosen) > MOST_CANDIDATES:
            return tuple(found), len(chosen) > MOST_CANDIDATES
        without = revisions_without(self.judge, decision, (self._revision_of(id) for id in chosen))
        left = MOST_CANDIDATES - len(found)
        found += [Candidate(rev, self._became(decision.id, rev)) for rev in without[:left]]
        return tuple(found), len(without) > left

    def _revision_of(self, evidence: Node) -> Node:
        found = self.world.evidence.get(evidence) or self._others[evidence]
        return found.record.revision

    def _usable_of(self, ids: Sequence[Node]) -> Iterator[Node]:
        """Of evidence, what is usable, in order; the first is looked at without reading all of it."""
        start, size = 0, _FIRST_LOOK
        while start < len(ids):
            looked_at = ids[start : start + size]
            self._look_at([id for id in looked_at if id not in self._usable])
            yield from (id for id in looked_at if self._usable[id])
            start, size = start + size, size * 4

    def _look_at(self, ids: Sequence[Node]) -> None:
        extra = {id: self._others[id] for id in ids if id not in self.world.evidence}
        judge = self._widened(extra) if extra else self.judge
        self._usable |= {id: is_usable(judge, id) for id in ids}

    def _widened(self, extra: Mapping[Node, Recorded[EvidenceRecord]]) -> Judge:
        """A judge of a world with further evidence in it, for the same question."""
        world = widened(self.world, extra, self.reader.read(list(extra), self.as_of).scopes)
        opened, gone = self.texts.sealed_values(world), self.session.gone_in(world)
        return Judge(world, replace(self.judge.asked, opened=opened, gone=gone), self.judge.known)

    def _became(self, id: Node, revision: Node) -> Became:
        """What became of the quotes under an id in another revision of their source: the worst of them."""
        source = self.texts.tenant.state.reader.source_of(revision)
        content = self.texts.get(revision, "content")
        media_type = next(
            x.record.media_type for x in self.world.sources[source or ""].revisions if x.record.id == revision
        )
        worst: Became = "same"
        for leaf in readable_leaves(self.judge, id):
            record = self.world.evidence[leaf].record
            quote = self.texts.get(leaf, "quote")
            if self.world.source_of[record.revision] != source:
                continue
            if quote is None or content is None:
                return "changed"
            became, _ = fate_of(Quote.from_bytes(quote), record.selector, content, media_type)
            worst = max(worst, became, key=_FATES.index)
        return worst
