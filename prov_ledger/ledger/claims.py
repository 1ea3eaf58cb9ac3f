"""Claims: recording, correcting and withdrawing conclusions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from prov_ledger.checks.support import SupportScopes
from prov_ledger.checks.verdict import Judge, authority_of
from prov_ledger.errors import Refused
from prov_ledger.ledger.draft import Draft
from prov_ledger.ledger.indexing import about_claim
from prov_ledger.ledger.session import Acting, Session, unknown
from prov_ledger.ledger.sources import RawScope, Sources, declared
from prov_ledger.ledger.tenant import Work
from prov_ledger.model import records as r
from prov_ledger.model.facts import FactTable, FactValue
from prov_ledger.model.ids import mint_id
from prov_ledger.model.records import LEVELS, TRANSFORMATIONS, Node
from prov_ledger.model.scopes import Scope, check_narrowing, intersect, parse_scope
from prov_ledger.model.world import World

Support = Sequence[str] | Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class NewClaim:
    """A conclusion as it comes in; ``support`` is one set of ids, or alternative sets."""

    says: str
    support: Support
    transformation: Mapping[str, object]
    question: Mapping[str, object]
    bound_to: Sequence[str] = ()
    narrow: RawScope | None = None
    exposure: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class _Checked:
    """A claim whose parts were looked up and found to fit."""

    justifications: tuple[tuple[Node, ...], ...]
    exposure: frozenset[Node]
    transformation: r.TransformationKind
    by: frozenset[str]
    note: str | None
    question: str
    facts: dict[str, FactValue]
    bound_to: frozenset[str]
    narrow: Scope | None
    world: World


class Claims:
    """The verbs ``claim``, ``supersede``, ``retract`` and ``contradict``."""

    def __init__(self, session: Session, sources: Sources) -> None:
        self.session, self.sources, self.tenant = session, sources, session.tenant

    def claim(self, work: Work, acting: Acting, new: NewClaim) -> Node:
        """Record a claim. Raises Refused with the first code of FORMAT's list that fits."""
        checked = self._check(acting, new, None)
        draft = work.draft("claim")
        id = self._record(draft, acting, new, checked)
        work.append(draft, acting.agent or "")
        return id

    def supersede(self, work: Work, acting: Acting, old: str, new: NewClaim, reason: str | None) -> Node:
        """Record a claim in place of another: only its agent or a curator may, and only of a head."""
        named = [id for group in _groups(new.support) for id in group]
        former, world = self._owned(acting, old, "supersede", [*named, *new.exposure])
        checked = self._check(acting, new, (former, world))
        draft = work.draft("supersede")
        id = self._record(draft, acting, new, checked)
        sealed = draft.seal_reason(f"{draft.id}#supersession", reason)
        draft.records.append(r.SupersessionRecord(former, id, sealed))
        draft.about.append(former)
        work.append(draft, acting.agent or "")
        return id

    def retract(self, work: Work, acting: Acting, claim: str, reason: str | None) -> None:
        """Withdraw a claim: only its agent or a curator may."""
        id, _ = self._owned(acting, claim, "retract")
        draft = work.draft("retract")
        sealed = draft.seal_reason(f"{draft.id}#retraction", reason)
        draft.records.append(r.RetractionRecord(id, sealed))
        draft.about.append(id)
        work.append(draft, acting.agent or "")

    def restate(self, work: Work, acting: Acting, claim: str, says: str, exposure: Sequence[str]) -> None:
        """Put a claim into words that rest on ``exposure`` alone."""
        id, _ = self._owned(acting, claim, "restate", exposure)
        ids, world = self.session.require(acting, exposure)
        if not says.strip() or not ids:
            raise Refused("incomplete", "a restatement needs its words and what they rest on")
        self._check_kinds(dict(zip(ids, ids, strict=True)))
        draft = work.draft("restate")
        node = f"{draft.id}#restatement"
        sealed = draft.seal(node, "statement", says)
        agent = acting.agent or ""
        used = _closed_exposure(world, ids)
        draft.records.append(r.RestatementRecord(node, id, sealed, used, agent, self.tenant.now()))
        draft.about += [id, *(f"{used_id}#exposed" for used_id in sorted(used))]
        work.append(draft, agent)

    def contradict(self, work: Work, acting: Acting, claims: Sequence[str]) -> None:
        """Record that two claims cannot both hold."""
        ids, _ = self.session.require(acting, claims)
        if len(set(ids)) != 2 or not all(id.startswith("cl_") for id in ids):
            raise Refused("bad_input", "a contradiction is between two different claims: give two claim ids")
        draft = work.draft("contradict")
        first, second = sorted(ids)
        draft.records.append(r.ContradictionRecord((first, second)))
        draft.about += [first, second]
        work.append(draft, acting.agent or "")

    def _owned(self, acting: Acting, claim: str, verb: str, others: Sequence[str] = ()) -> tuple[Node, World]:
        """A claim that the agent may change; ``others`` are named with it, and looked up before that."""
        ids, world = self.session.require(acting, [claim, *others])
        owned(self.session, acting, world, ids[0], verb)
        return ids[0], world

    # checks

    def _check(self, acting: Acting, new: NewClaim, old: tuple[Node, World] | None) -> _Checked:
        groups = _groups(new.support)
        named = [*dict.fromkeys(id for group in groups for id in group), *new.exposure]
        ids, judge = self.session.require_judged(acting, named)
        world = judge.world
        parsed = dict(zip(named, ids, strict=True))
        justifications = tuple(tuple(dict.fromkeys(parsed[id] for id in group)) for group in groups)
        _check_complete(new, justifications)
        self._check_kinds(parsed)
        if old is not None:
            self._check_acyclic(world, justifications, old[0])
            if old[0] in old[1].superseded_by:
                raise Refused("stale_head", f"{old[0]} was superseded already: resolve it, correct its head")
            self._check_authority(*old, world, justifications)
        table = self.sources.table()
        transformation = new.transformation
        by = declared(table, cast(Sequence[str], transformation.get("by") or ()))
        facts = table.parse_facts(cast(Mapping[str, object], new.question.get("facts") or {}))
        bound = declared(table, new.bound_to)
        kind = cast(r.TransformationKind, transformation["kind"])
        _check_bound(bound | (by if kind == "compute" else frozenset()), facts)
        narrow = parse_scope(new.narrow, table) if new.narrow is not None else None
        self._check_scopes(judge, justifications, narrow, table)
        note = cast(str | None, transformation.get("note"))
        exposure = _closed_exposure(world, [*ids])
        return _Checked(
            justifications,
            exposure,
            kind,
            by,
            note,
            str(new.question["text"]),
            facts,
            bound,
            narrow,
            world,
        )

    @staticmethod
    def _check_kinds(parsed: Mapping[str, Node]) -> None:
        for id in parsed.values():
            if not id.startswith(("ev_", "cl_")):
                raise Refused("not_evidence", f"{id} is neither evidence nor a claim: nothing can rest on it")

    def _check_acyclic(self, world: World, justifications: Iterable[Iterable[Node]], old: Node) -> None:
        reached: set[Node] = set()
        waiting = [m for members in justifications for m in members if m.startswith("cl_")]
        while waiting:
            id = waiting.pop()
            if id in reached or id not in world.claims:
                continue
            reached.add(id)
            waiting += [m for g in world.claims[id].record.justifications for m in g if m.startswith("cl_")]
        chain = self.tenant.state.reader.superseded_chain(old)
        if reached & chain:
            raise Refused("cycle", f"it would rest on {min(reached & chain)}, which it supersedes")

    def _check_scopes(
        self,
        judge: Judge,
        justifications: Sequence[Sequence[Node]],
        narrow: Scope | None,
        table: FactTable,
    ) -> None:
        scopes = SupportScopes(judge, table)
        alternatives = [scopes.alternatives(members) for members in justifications]
        for found in alternatives:
            if isinstance(found, Refused):
                raise found
        if narrow is None:
            return
        refusals: list[Refused] = []
        for scope in (s for found in alternatives if not isinstance(found, Refused) for s in found):
            try:
                check_narrowing(narrow, scope, table)
                intersect(narrow, scope, table)
            except Refused as refusal:
                refusals.append(refusal)
            else:
                return
        raise refusals[0]

    def _check_authority(
        self, old: Node, before_world: World, world: World, justifications: Sequence[Sequence[Node]]
    ) -> None:
        now = self.tenant.now()
        gone = self.session.gone_in(before_world) | self.session.gone_in(world)
        before = _authority(before_world, before_world.claims[old].record.justifications, now, gone)
        after = _authority(world, justifications, now, gone)
        if after > before:
            weaker, stronger = _level(after), _level(before)
            raise Refused(
                "lower_authority",
                f"the new claim rests on {weaker} sources, {old} on {stronger} ones: give support as strong",
            )

    # recording

    def _record(self, draft: Draft, acting: Acting, new: NewClaim, checked: _Checked) -> Node:
        id = draft.entity(mint_id("cl"))
        table = self.sources.table()
        narrow = checked.narrow
        sealed = draft.seal_scope(narrow, f"{id}#scope", table) if narrow is not None else None
        question = r.Question(
            draft.seal(id, "question", checked.question), draft.seal_facts(checked.facts, id, table)
        )
        note = draft.seal_or_none(id, "note", checked.note)
        draft.records.append(
            r.ClaimRecord(
                id,
                draft.seal(id, "statement", new.says),
                checked.justifications,
                checked.exposure,
                r.Transformation(checked.transformation, checked.by, note),
                question,
                acting.agent or "",
                self.tenant.now(),
                checked.bound_to,
                sealed,
            )
        )
        draft.about += about_claim(checked.justifications, checked.exposure)
        return id


def owned(session: Session, acting: Acting, world: World, id: Node, verb: str) -> None:
    """Raise Refused ``unknown_id`` unless it is a claim, ``denied`` unless the agent may change it."""
    if id not in world.claims:
        raise unknown(id)
    if world.claims[id].record.agent != acting.agent and not session.is_curator(acting.agent):
        raise Refused("denied", f"{id} is another agent's: only that agent or a curator may {verb} it")


def _groups(support: Support) -> list[list[str]]:
    """Support as alternative sets: one set of ids is one alternative."""
    if isinstance(support, str):
        raise Refused("bad_input", "support is a list of ids, or a list of such lists")
    if all(isinstance(member, str) for member in support):
        return [list(cast(Sequence[str], support))] if support else []
    if any(isinstance(member, str) for member in support):
        raise Refused("bad_input", "support mixes ids and lists: give one set of ids, or alternative sets")
    return [list(group) for group in support]


def _check_complete(new: NewClaim, justifications: Sequence[Sequence[Node]]) -> None:
    question = new.question.get("text")
    kind = new.transformation.get("kind")
    missing = [
        name
        for name, given in (
            ("says", isinstance(new.says, str) and new.says.strip()),
            ("support", bool(justifications) and all(justifications)),
            ("transformation.kind", kind),
            ("question.text", isinstance(question, str) and question.strip()),
        )
        if not given
    ]
    if missing:
        raise Refused("incomplete", f"a claim needs {', '.join(missing)}: nothing may be empty")
    if kind not in TRANSFORMATIONS:
        raise Refused("bad_input", f"transformation kind is none of {', '.join(TRANSFORMATIONS)}")
    unknown_keys = sorted(
        (set(new.transformation) - {"kind", "by", "note"}) | (set(new.question) - {"text", "facts"})
    )
    if unknown_keys:
        raise Refused(
            "bad_input",
            "a transformation has kind, by and note, a question has text and facts: leave out the rest",
        )
    _check_parts(new)


def _check_parts(new: NewClaim) -> None:
    """The kinds of what is inside the transformation and the question."""
    by, note, facts = new.transformation.get("by"), new.transformation.get("note"), new.question.get("facts")
    if not (by is None or (isinstance(by, list | tuple) and all(isinstance(name, str) for name in by))):
        raise Refused("bad_input", "transformation.by is a list of names of facts")
    if not (note is None or isinstance(note, str)):
        raise Refused("bad_input", "transformation.note is a text")
    if not (facts is None or (isinstance(facts, Mapping) and all(isinstance(name, str) for name in facts))):
        raise Refused("bad_input", "question.facts is a mapping of names of facts to values")


def _check_bound(bound: frozenset[str], facts: Mapping[str, FactValue]) -> None:
    missing = sorted(bound - facts.keys())
    if missing:
        raise Refused(
            "incomplete", f"bound to '{missing[0]}', which the question gives no value: add it to its facts"
        )


def _closed_exposure(world: World, ids: Iterable[Node]) -> frozenset[Node]:
    """The ids and, for each claim among them, its own exposure, or that of its restatement."""
    found: set[Node] = set()
    for id in ids:
        found.add(id)
        if id in world.claims:
            restated = world.restatements.get(id)
            found |= restated.record.exposure if restated else world.claims[id].record.exposure
    return frozenset(found)


def _authority(
    world: World, justifications: Iterable[Sequence[Node]], now: datetime, gone: frozenset[Node]
) -> int:
    """The rank of the strongest justification, each as weak as its weakest source; larger is weaker.

    One of which anything is gone does not count.
    """
    ranks: dict[Node, int] = {}
    for id, evidence in world.evidence.items():
        source = world.source_of.get(evidence.record.revision)
        if id not in gone and source is not None:
            level = authority_of(world.sources[source], now)
            ranks[id] = LEVELS.index(level) if level is not None else len(LEVELS)

    def best(groups: Iterable[Sequence[Node]]) -> int | None:
        whole = (members for members in groups if ranks.keys() >= set(members))
        return min((max(ranks[member] for member in members) for members in whole), default=None)

    # What a claim rests on was recorded before it, so that no recursion is needed.
    for id, claim in sorted(world.claims.items(), key=lambda item: item[1].sequence):
        rank = best(claim.record.justifications)
        if rank is not None and id not in gone:
            ranks[id] = rank
    strongest = best(justifications)
    return strongest if strongest is not None else len(LEVELS)


def _level(rank: int) -> str:
    return LEVELS[rank] if rank < len(LEVELS) else "retired"
