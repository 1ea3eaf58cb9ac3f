"""Carrying claims over to the revisions that govern now, where every quote is still the same there.

It is never silent: what is carried over is a new claim that supersedes the old one, rests on the old
justifications and on new evidence, and is recorded as reaffirmed.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from prov_ledger.checks.candidates import leaves_of
from prov_ledger.checks.documents import extractor_of, text_of
from prov_ledger.checks.quotes import Quote, fate_of, quote_in
from prov_ledger.checks.verdict import Asked, Judge, authority_of
from prov_ledger.errors import Refused
from prov_ledger.ledger.capture import Capture
from prov_ledger.ledger.claims import owned
from prov_ledger.ledger.draft import Draft
from prov_ledger.ledger.indexing import about_claim
from prov_ledger.ledger.session import Acting, Session
from prov_ledger.ledger.sources import Sources
from prov_ledger.ledger.tenant import Work
from prov_ledger.model import records as r
from prov_ledger.model.facts import QUESTION_DATE, FactKind, FactValue, SealedValue
from prov_ledger.model.ids import mint_id
from prov_ledger.model.records import Node, Selector
from prov_ledger.model.scopes import Scope
from prov_ledger.model.slots import RANK
from prov_ledger.model.times import civil_date
from prov_ledger.model.world import World


@dataclass(frozen=True, slots=True)
class Reaffirmation:
    """What a run did: claims carried over (old to new), claims whose quotes changed or went, claims
    that needed nothing or ended for another reason, and claims that rest on a source that is retired.
    """

    carried: dict[Node, Node]
    changed: tuple[Node, ...]
    left: tuple[Node, ...]
    retired: tuple[Node, ...] = ()


class Reaffirming:
    """The verb ``reaffirm``."""

    def __init__(self, session: Session, sources: Sources, capture: Capture) -> None:
        self.session, self.sources, self.capture = session, sources, capture
        self.tenant = session.tenant

    def claims(self, work: Work, acting: Acting, ids: Sequence[str]) -> Reaffirmation:
        """Carry over the claims named; each must be the agent's own, or the agent a curator."""
        parsed, world = self.session.require(acting, ids)
        for id in parsed:
            owned(self.session, acting, world, id, "reaffirm")
        return self._run(work, acting, parsed)

    def collection(self, work: Work, acting: Acting, name: str) -> Reaffirmation:
        """Carry over every claim that rests on a source of a collection; of an agent's that is no curator,
        its own.

        Claims that are withheld from the agent are not spoken of. Raises Refused ``not_found``, also where
        an agent that is no curator may read none of its sources.
        """
        id = self.session.find_name("collection", name)
        members = self._members(id) if id is not None else []
        curator = self.session.is_curator(acting.agent)
        pairs = [(member, id) for member in members]
        if id is None or not (curator or self.session.readable(acting, pairs, self.tenant.now())):
            raise Refused("not_found", "no collection has that name")
        ids = self._may_change(acting, self._resting_on(members))
        judge = self.session.judge(acting, self.tenant.state.reader.read(ids))
        return self._run(work, acting, [x for x in ids if judge.decide(x).verdict != "withheld"])

    def on_sources(self, work: Work, acting: Acting, sources: Sequence[Node]) -> Reaffirmation:
        """Carry over every claim that rests on evidence from the sources, and that the agent may change."""
        return self._run(work, acting, self._may_change(acting, self._resting_on(sources)))

    def _may_change(self, acting: Acting, ids: list[Node]) -> list[Node]:
        if self.session.is_curator(acting.agent):
            return ids
        world = self.tenant.state.reader.read(ids)
        return [id for id in ids if world.claims[id].record.agent == acting.agent]

    def _members(self, collection: Node) -> list[Node]:
        return [
            stated.record.id
            for entry in self.tenant.state.entries_of("source")
            for stated in entry.statements
            if isinstance(stated.record, r.SourceRecord) and stated.record.collection == collection
        ]

    def _resting_on(self, sources: Sequence[Node]) -> list[Node]:
        """All claims above the evidence of sources, by the journal's index of support."""
        found: dict[Node, None] = {}
        waiting: list[Node] = list(self.tenant.state.reader.evidence_on(sources))
        while waiting:
            for entry in self.tenant.state.entries_about(f"{waiting.pop()}#claims"):
                for stated in entry.statements:
                    if isinstance(stated.record, r.ClaimRecord) and stated.record.id not in found:
                        found[stated.record.id] = None
                        waiting.append(stated.record.id)
        return list(found)

    def _run(self, work: Work, acting: Acting, ids: Sequence[Node]) -> Reaffirmation:
        world = self.tenant.state.reader.read(ids)
        carrier = _Carrier(self, work, acting, world)
        carrier.take_all(sorted(set(ids), key=lambda c: world.claims[c].sequence))
        return Reaffirmation(
            carrier.carried, tuple(carrier.changed), tuple(carrier.left), tuple(carrier.retired)
        )


class _Carrier:
    """Carries one claim after another, those that others rest on first."""

    def __init__(self, verb: Reaffirming, work: Work, acting: Acting, world: World) -> None:
        self.verb, self.work, self.acting, self.world = verb, work, acting, world
        self.tenant = verb.tenant
        self.now = self.tenant.now()
        self.carried: dict[Node, Node] = {}
        self.changed: list[Node] = []
        self.left: list[Node] = []
        self.retired: list[Node] = []
        self._evidence: dict[Node, Node | None] = {}
        self._waiting: dict[Node, None] = {}
        self._judges: dict[tuple[tuple[str, FactValue], ...], Judge] = {}
        self._readable = verb.session.readable_in(acting, world, self.now)
        self._gone = verb.session.gone_in(world)

    def take_all(self, ids: Sequence[Node]) -> None:
        """Carry claims over; the one that took the place of another's support goes before it."""
        self._waiting = dict.fromkeys(ids)
        while self._waiting:
            self._take(next(iter(self._waiting)))

    def _take(self, id: Node) -> None:
        """Carry one claim over, if it ended only because its pages were replaced."""
        del self._waiting[id]
        claim = self.world.claims[id].record
        judge = self._judge(claim)
        verdict = judge.decide(id).verdict
        resting = self._rests_on_carried(claim)
        over = id in self.world.superseded_by or id in self.world.retracted
        if over or self._lost_words(judge, id) or (verdict not in ("ended", "undercut") and not resting):
            self.left.append(id)
            return
        mapped = [self._mapped(judge, members) for members in claim.justifications]
        fresh = [m for m, old in zip(mapped, claim.justifications, strict=True) if m is not None and m != old]
        if fresh:
            self.carried[id] = self._write(claim, fresh)
        elif any(self._is_retired(member) for members in claim.justifications for member in members):
            self.retired.append(id)
        else:
            self.changed.append(id)

    def _is_retired(self, member: Node) -> bool:
        """Whether a member rests on a source that is no authority any more: nothing on it is carried over."""
        if member not in self.world.evidence:
            return member in self.retired
        source = self.world.source_of.get(self.world.evidence[member].record.revision)
        return source is not None and authority_of(self.world.sources[source], self.now) is None

    def _lost_words(self, judge: Judge, id: Node) -> bool:
        """Whether something that the claim's writer had before it is gone: no words are left to carry."""
        restated = self.world.restatements.get(id)
        exposure = restated.record.exposure if restated else self.world.claims[id].record.exposure
        known = self.world.evidence.keys() | self.world.claims.keys()
        return id in self._gone or not self._gone.isdisjoint(exposure) or not exposure <= known

    def _rests_on_carried(self, claim: r.ClaimRecord) -> bool:
        return any(member in self.carried for members in claim.justifications for member in members)

    def _judge(self, claim: r.ClaimRecord) -> Judge:
        """A judge for the claim's own question, asked today."""
        facts: dict[str, FactValue] = {
            name: value
            for name, value in claim.question.facts.items()
            if not isinstance(value, SealedValue) and name != QUESTION_DATE
        }
        facts |= {fact: self._today(fact) for fact in self._governing(claim.id)}
        facts[QUESTION_DATE] = self.now
        key = tuple(sorted(facts.items()))
        if key not in self._judges:
            self._judges[key] = Judge(self.world, Asked(facts, self.now, self._readable, gone=self._gone))
        return self._judges[key]

    def _today(self, fact: str) -> FactValue:
        table = self.world.table
        return (
            civil_date(self.now, table.zone_of(fact)) if table.get(fact).kind is FactKind.DATE else self.now
        )

    def _governing(self, id: Node) -> set[str]:
        """The governing facts of the sources under a claim."""
        revisions = (self.world.evidence[leaf].record.revision for leaf in leaves_of(self.world, id))
        sources = (self.world.source_of[rev] for rev in revisions if rev in self.world.source_of)
        histories = (self.world.sources[source] for source in sources)
        return {
            h.source.record.governed_by
            or (h.collection.governed_by if h.collection else None)
            or self.world.governed_by
            for h in histories
        }

    def _mapped(self, judge: Judge, members: Sequence[Node]) -> tuple[Node, ...] | None:
        """The members carried over where they have to be; None when one cannot be."""
        mapped = [self._member(judge, member) for member in members]
        return None if any(m is None for m in mapped) else tuple(m for m in mapped if m is not None)

    def _member(self, judge: Judge, id: Node) -> Node | None:
        if id in self.carried:
            return self.carried[id]
        if id.startswith("cl_"):
            head = self._reaffirmed_head(id) or id
            if head in self._waiting:
                self._take(head)
            if head in self.carried:
                return self.carried[head]
            return head if judge.decide(head).verdict == "citable" else None
        finding = judge.evidence(id)
        if self._is_retired(id):
            return None
        if finding.rank > RANK["outdated"]:
            return id
        if finding.verdict != "ended":
            return None
        if id not in self._evidence:
            self._evidence[id] = self._carry_evidence(judge, id)
        return self._evidence[id]

    def _reaffirmed_head(self, id: Node) -> Node | None:
        """The head of a claim that was superseded by nothing but reaffirmations."""
        head = None
        while id in self.world.superseded_by:
            id = head = self.world.superseded_by[id]
            entry = self.tenant.state.entry_of(id)
            records = [s.record for s in entry.statements] if entry is not None else []
            if not any(isinstance(x, r.SupersessionRecord) and x.reaffirmed for x in records):
                return None
        return head

    def _carry_evidence(self, judge: Judge, id: Node) -> Node | None:
        """New evidence in the revision that governs now, if the quote is the same there."""
        record = self.world.evidence[id].record
        source = self.world.source_of[record.revision]
        standing = judge.standing(source)
        if record.scope is not None or id in self.world.scopes or len(standing) != 1:
            return None
        (revision,) = standing
        media_type = judge.revisions(source).by_id[revision].record.media_type
        data = self.verb.sources.data(revision, "content")
        quote = Quote.from_bytes(self.verb.sources.data(id, "quote"))
        became, selector = fate_of(quote, record.selector, data, media_type)
        if became != "same" or selector is None:
            return None
        new = self._quote(quote, selector, data, media_type)
        return self.verb.capture.record(
            self.work, self.acting, revision, selector, new, None, record.indifferent_to
        )

    @staticmethod
    def _quote(quote: Quote, selector: Selector, data: bytes, media_type: str) -> Quote:
        if isinstance(selector, r.CellPosition):
            return replace(quote, extractor=extractor_of(media_type))
        return quote_in(text_of(data, media_type), selector, media_type)

    def _write(self, old: r.ClaimRecord, fresh: Iterable[tuple[Node, ...]]) -> Node:
        draft = self.work.draft("reaffirm")
        id = draft.entity(mint_id("cl"))
        justifications = tuple(dict.fromkeys([*old.justifications, *fresh]))
        exposure = old.exposure | {m for members in justifications for m in members}
        draft.records.append(
            replace(
                old,
                id=id,
                statement=self._copied(draft, old.id, id, "statement"),
                justifications=justifications,
                exposure=exposure,
                transformation=self._transformation(draft, old, id),
                question=self._question(draft, old, id),
                agent=self.acting.agent or "",
                made=self.now,
                narrow=self._narrow(draft, old, id),
            )
        )
        draft.records.append(r.SupersessionRecord(old.id, id, None, reaffirmed=True))
        draft.about += [old.id, *about_claim(justifications, exposure)]
        self.work.append(draft, self.acting.agent or "")
        return id

    def _copied(self, draft: Draft, old: Node, new: Node, field: str) -> r.Commitment:
        owner = old
        if field == "statement" and old in self.world.restatements:
            owner = self.world.restatements[old].node
        return draft.seal(new, field, self.verb.sources.data(owner, field))

    def _transformation(self, draft: Draft, old: r.ClaimRecord, id: Node) -> r.Transformation:
        note = self._copied(draft, old.id, id, "note") if old.transformation.note is not None else None
        return replace(old.transformation, note=note)

    def _question(self, draft: Draft, old: r.ClaimRecord, id: Node) -> r.Question:
        facts = {
            name: self._opened(value) if isinstance(value, SealedValue) else value
            for name, value in old.question.facts.items()
        }
        text = self._copied(draft, old.id, id, "question")
        return r.Question(text, draft.seal_facts(facts, id, self.world.table))

    def _opened(self, value: SealedValue) -> FactValue:
        return self.verb.sources.text(value.node, "value")

    def _narrow(self, draft: Draft, old: r.ClaimRecord, id: Node) -> Scope | None:
        if old.narrow is None:
            return None
        opened = self.verb.sources.opened_scope(old.narrow)
        return draft.seal_scope(opened, f"{id}#scope", self.world.table)
