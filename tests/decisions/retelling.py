"""A story told to the ledger: as a world for the pure decision, or verb by verb to a ledger on disk."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from obvious import Model
from told import (
    Ask,
    Authority,
    Check,
    Claim,
    Collection,
    Erasure,
    Evidence,
    Hold,
    Keeping,
    Restated,
    Retirement,
    Retraction,
    Revision,
    Rewording,
    Scope,
    Source,
    Story,
    Told,
    Value,
)

from prov_ledger.authz.removals import Removals
from prov_ledger.checks.candidates import is_usable, proposed, sources_under, wants_candidates
from prov_ledger.checks.verdict import Asked, Judge
from prov_ledger.model import records as r
from prov_ledger.model.durations import parse_duration
from prov_ledger.model.facts import FactKind, FactTable, FactType, SealedValue
from prov_ledger.model.scopes import Among, parse_scope
from prov_ledger.model.scopes import Scope as ParsedScope
from prov_ledger.model.slots import Decision
from prov_ledger.model.world import Recorded, SourceHistory, World

NOTHING = "0" * 64


def table_of(story: Story) -> FactTable:
    """The story's facts as the ledger declares them."""
    table = FactTable(story.zone)
    for name, sort in story.sorts.items():
        if name != "question_date":
            kind = FactKind(sort.kind)
            zone = sort.zone if sort.kind in ("date", "instant") else None
            table = table.declare(FactType(name, kind, None, zone, sort.personal))
    return table


class Retelling:
    """Builds the world of a story up to a time."""

    def __init__(self, story: Story, as_of: datetime | None) -> None:
        self.story, self.table = story, table_of(story)
        self.told = [t for t in story.told if as_of is None or t.at <= as_of]
        self.opened: dict[str, str] = {}

    def seal(self, text: str) -> SealedValue:
        node = f"sealed_{len(self.opened)}"
        self.opened[node] = text
        return SealedValue(node, NOTHING)

    def scope(self, raw: Scope | None) -> ParsedScope | None:
        if raw is None:
            return None
        parsed = parse_scope([listed(c) for c in raw], self.table)
        sealed = [
            Among(c.fact, frozenset(self.seal(str(v)) for v in c.values))
            if isinstance(c, Among) and self.story.sorts[c.fact].personal
            else c
            for c in parsed.conditions
        ]
        return ParsedScope(tuple(sealed))

    def facts(self, facts: Mapping[str, Value]) -> dict[str, object]:
        return {f: self.seal(str(v)) if self.story.sorts[f].personal else v for f, v in facts.items()}

    def world(self) -> World:
        of: dict[type, list[Recorded[object]]] = {}
        for told in self.told:
            record = self.record(told)
            if record is not None:
                of.setdefault(type(record), []).append(self.recorded(told, record))
        supersessions = {
            t.step.old: t.step.name for t in self.told if isinstance(t.step, Claim) and t.step.old
        }
        scopes = of.get(r.ScopeRecord, [])
        evidence_scopes = {
            e: about(scopes, "of", e) for e in {s.record.of for s in scopes} if e.startswith("ev_")
        }
        revisions = of.get(r.RevisionRecord, [])
        return World(
            self.story.zone,
            self.story.governed_by,
            self.table,
            by_id(of.get(r.ClaimRecord, [])),
            {x.record.claim: x for x in of.get(r.RestatementRecord, [])},
            supersessions,
            frozenset(x.record.claim for x in of.get(r.RetractionRecord, [])),
            by_id(of.get(r.EvidenceRecord, [])),
            evidence_scopes,
            {x.record.id: x.record.source for x in revisions},
            {x.record.id: self.history(x, of) for x in of.get(r.SourceRecord, [])},
        )

    def history(self, source: Recorded[r.SourceRecord], of: Mapping[type, list[Recorded]]) -> SourceHistory:
        id = source.record.id
        revisions = about(of.get(r.RevisionRecord, []), "source", id)
        ids = {x.record.id for x in revisions}
        scopes = tuple(x for x in of.get(r.ScopeRecord, []) if x.record.of in ids)
        stated = about(of.get(r.CollectionRecord, []), "id", source.record.collection)
        rest = [
            about(of.get(kind, []), "source", id)
            for kind in (r.AuthorityRecord, r.RetirementRecord, r.CheckRecord)
        ]
        collection = stated[-1].record if stated else None
        return SourceHistory(source, revisions, scopes, *rest, collection=collection)

    def recorded(self, told: Told, record: object) -> Recorded[object]:
        node = getattr(record, "id", f"ent_{told.place}#x")
        return Recorded(node, record, told.at, told.place + 1)

    def record(self, told: Told) -> object | None:
        s, at = told.step, told.at
        match s:
            case Collection():
                return r.CollectionRecord(s.name, s.governed_by, s.indifferent)
            case Source():
                return r.SourceRecord(
                    s.name, "manual", NOTHING, NOTHING, s.level, s.collection, s.governed_by, s.indifferent
                )
            case Revision():
                return self.revision(s, at)
            case Restated():
                return r.ScopeRecord(s.of, self.scope(s.scope))
            case Evidence():
                position = r.TextPosition(s.span, s.span + 1)
                return r.EvidenceRecord(
                    s.name,
                    s.revision,
                    position,
                    NOTHING,
                    "ent_x#retrieval",
                    self.scope(s.scope),
                    s.indifferent,
                )
            case Claim():
                return self.claim(s, at)
            case Retraction():
                return r.RetractionRecord(s.claim)
            case Rewording():
                exposure = frozenset(Model(self.story, Ask(at)).exposure(s.claim, told.place + 1))
                return r.RestatementRecord(
                    f"ent_{told.place}#restatement", s.claim, NOTHING, exposure, "agt_a", at
                )
            case Check():
                return r.CheckRecord(f"ent_{told.place}#check", s.source, s.outcome, at)
            case Retirement():
                return r.RetirementRecord(s.source, s.from_)
            case Authority():
                return r.AuthorityRecord(s.source, s.level)
        return None

    def revision(self, s: Revision, at: datetime) -> r.RevisionRecord:
        relation = r.Relation(s.relation.kind, s.relation.to, s.relation.from_) if s.relation else None
        before = [
            (t.step.published, t.place, t.step.name)
            for t in self.told
            if isinstance(t.step, Revision)
            and t.step.source == s.source
            and t.step.name < s.name
            and t.step.published <= s.published
        ]
        return r.RevisionRecord(
            s.name,
            s.source,
            "text/plain",
            1,
            NOTHING,
            NOTHING,
            s.published,
            at,
            "ent_x#capture",
            self.scope(s.scope),
            relation,
            max(before)[2] if before else None,
        )

    def claim(self, s: Claim, at: datetime) -> r.ClaimRecord:
        exposure = Model(self.story, Ask(at)).exposure(
            s.name, next(t.place for t in self.told if t.step is s) + 1
        )
        return r.ClaimRecord(
            s.name,
            NOTHING,
            s.support,
            frozenset(exposure),
            r.Transformation(s.kind, s.by),
            r.Question(NOTHING, self.facts(s.facts)),
            "agt_a",
            at,
            s.bound_to,
            self.scope(s.narrow),
        )


def listed(condition: Mapping[str, object]) -> dict[str, object]:
    """A condition as YAML would bring it."""
    return {k: list(v) if isinstance(v, tuple) else v for k, v in condition.items()}


def about(found: Iterable[Recorded], name: str, id: object) -> tuple[Recorded, ...]:
    return tuple(x for x in found if getattr(x.record, name) == id)


def by_id(found: Iterable[Recorded]) -> dict[str, Recorded]:
    return {x.record.id: x for x in found}


def removals_of(story: Story) -> Removals:
    """What the whole story took away, as the journal states it."""
    removals = Removals()
    for told in story.told:
        record = removal(told)
        if record is not None:
            stated = r.Stated(f"ent_{told.place}#x", record)
            removals.apply(r.Entry(f"ent_{told.place}", told.place + 1, "agt_a", told.at, (stated,)))
    return removals


def removal(told: Told) -> r.Record | None:
    s = told.step
    match s:
        case Erasure():
            return r.ErasureRecord(f"era_{told.place}", (s.of,), frozenset({s.of}), NOTHING)
        case Keeping():
            on = s.on.removeprefix("collection:")
            return r.RetentionRecord(on, hours(s.bytes_for), hours(s.metadata_for))
        case Hold():
            return r.HoldRecord(s.source)
    return None


def hours(limit: timedelta | None) -> str | None:
    return f"PT{limit // timedelta(hours=1)}H" if limit is not None else None


def asked_of(ask: Ask, opened: Mapping[str, str]) -> Asked:
    facts = {"question_date": ask.clock, **ask.facts}
    age = parse_duration(f"PT{ask.max_age // timedelta(hours=1)}H") if ask.max_age is not None else None
    return Asked(
        facts,
        ask.clock,
        ask.readable or frozenset(),
        "question_date" in ask.facts,
        ask.min_authority,
        age,
        opened=opened,
    )


@dataclass(frozen=True)
class Decided:
    decision: Decision
    candidates: frozenset[str]


def decide_all(story: Story, ask: Ask, ids: Iterable[str]) -> dict[str, Decided]:
    """What the pure decision says about each id on its own."""
    retelling = Retelling(story, ask.as_of)
    world = retelling.world()
    asked = replace(asked_of(ask, retelling.opened), gone=removals_of(story).gone(world, ask.now))
    found: dict[str, Decided] = {}
    for id in ids:
        judge = Judge(world, asked)
        drifted = {e for e in ask.drifted if judge.is_readable(e)}
        if id in ask.drifted and id in world.claims and judge.words(id):
            drifted.add(id)
        judge = Judge(world, replace(asked, drifted=frozenset(drifted)))
        decision = judge.decide(id)
        candidates: Iterable[str] = ()
        if wants_candidates(decision):
            others: Iterable[Recorded[r.EvidenceRecord]] = ()
            if decision.verdict != "superseded":
                sources = sources_under(judge, id)
                others = [x for x in world.evidence.values() if world.source_of[x.record.revision] in sources]
            candidates = [e for e in proposed(judge, decision, others) if is_usable(judge, e)]
        found[id] = Decided(decision, frozenset(candidates))
    return found
