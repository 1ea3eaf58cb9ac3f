"""A story told verb by verb to a ledger on disk, with the clock of the story."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from obvious import UNDATED
from retelling import hours, listed
from stories import BEGINNING
from told import (
    Ask,
    Authority,
    Check,
    Claim,
    Collection,
    Denial,
    Erasure,
    Evidence,
    Grant,
    Hold,
    Keeping,
    Membership,
    Relation,
    Restated,
    Retirement,
    Retraction,
    Revision,
    Revocation,
    Rewording,
    Scope,
    Sort,
    Source,
    Step,
)

from prov_ledger.errors import Refused
from prov_ledger.ledger.ledger import Ledger
from prov_ledger.model.slots import Slot

#: What a step may be refused for (``unknown_id``: a source is denied, or something is gone;
#: ``bad_input``: it is held already); the story goes on without it.
REFUSALS = {"bad_scope", "widened_scope", "lower_authority", "not_found", "cycle", "unknown_id"}
REFUSALS |= {"legal_hold", "bad_input"}
TEXT = " ".join(f"word{n:02}." for n in range(40))


class Living:
    """A ledger in a folder, and the ids of the story's handles."""

    def __init__(self, folder: Path, zone: str, governed_by: str, sorts: Mapping[str, Sort]) -> None:
        self.now = BEGINNING
        facts = {name: declared(sort) for name, sort in sorts.items() if name != "question_date"}
        self.ledger = Ledger.init(
            folder, zone=zone, governed_by=governed_by, facts=facts, clock=lambda: self.now
        )
        self.ids: dict[str, str] = {}

    def __enter__(self) -> "Living":
        return self

    def __exit__(self, *_: object) -> None:
        self.ledger.close()

    def tell(self, step: Step, at: datetime) -> bool:
        """Whether the ledger took the step; raises what no story should cause."""
        self.now = at
        try:
            id = self.record(step)
        except Refused as refusal:
            if refusal.code not in REFUSALS:
                raise
            return False
        if id is not None:
            self.ids[step.name] = id  # type: ignore[union-attr]
        return True

    def record(self, step: Step) -> str | None:
        ledger, ids = self.ledger, self.ids
        match step:
            case Source():
                return ledger.source(
                    native=step.name,
                    title=step.name,
                    authority=step.level,
                    collection=step.collection,
                    governed_by=step.governed_by,
                    indifferent_to=sorted(step.indifferent),
                )
            case Revision():
                return ledger.revision(
                    ids[step.source],
                    data=f"{step.name} {TEXT}",
                    label=step.name,
                    published=step.published,
                    scope=raw(step.scope),
                    relation=self.relation(step.relation),
                )
            case Evidence():
                return ledger.evidence(
                    ids[step.revision],
                    quote=f"word{step.span:02}.",
                    scope=raw(step.scope),
                    indifferent_to=sorted(step.indifferent),
                )
            case Claim():
                return self.claim(step)
            case _:
                self.state(step)
                return None

    def relation(self, relation: Relation | None) -> dict[str, object] | None:
        if relation is None:
            return None
        stated: dict[str, object] = {relation.kind: self.ids[relation.to]}
        return stated if relation.from_ is None else stated | {"from": relation.from_}

    def claim(self, step: Claim) -> str:
        parts = {
            "says": f"It is so, says {step.name}.",
            "support": [[self.ids[m] for m in members] for members in step.support],
            "transformation": {"kind": step.kind, "by": sorted(step.by)},
            "question": {"text": "Is it so?", "facts": step.facts},
            "bound_to": sorted(step.bound_to),
            "narrow": raw(step.narrow),
            "exposure": [self.ids[e] for e in step.exposure],
        }
        if step.old is None:
            return self.ledger.claim(**parts)  # type: ignore[arg-type]
        return self.ledger.supersede(self.ids[step.old], reason="a better reading", **parts)  # type: ignore[arg-type]

    def state(self, step: Step) -> None:
        """The steps that make nothing with an id."""
        ledger, ids = self.ledger, self.ids
        match step:
            case Collection():
                indifferent = sorted(step.indifferent)
                ledger.collection(step.name, governed_by=step.governed_by, indifferent_to=indifferent)
            case Restated():
                ledger.scope(ids[step.of], raw(step.scope) or [])
            case Retraction():
                ledger.retract(ids[step.claim])
            case Rewording():
                used = [ids[e] for e in step.exposure]
                ledger.restate(ids[step.claim], says="It is so, in other words.", exposure=used)
            case Check():
                ledger.check(ids[step.source], step.outcome)
            case Retirement():
                ledger.retire(ids[step.source], step.from_)
            case Authority():
                ledger.authority(ids[step.source], step.level)
            case Grant():
                read = ids.get(step.read, step.read)
                ledger.grant(step.who, read, for_purpose=step.purpose, until=step.until)
            case Revocation():
                ledger.revoke(step.who, ids.get(step.read, step.read), for_purpose=step.purpose)
            case Membership():
                ledger.member(step.who, step.group, left=step.left)
            case Erasure():
                ledger.erase([ids[step.of]])
            case Keeping():
                on = ids.get(step.on, step.on)
                bytes_for, metadata_for = hours(step.bytes_for), hours(step.metadata_for)
                ledger.retention(on, bytes_for=bytes_for, metadata_for=metadata_for)
            case Hold():
                ledger.hold(ids[step.source])
            case Denial():
                (ledger.allow if step.allowed else ledger.deny)(ids[step.source], "a reason")

    def resolve(self, ask: Ask, names: list[str]) -> dict[str, Slot]:
        """The slots of all names, asked for at once."""
        self.now = ask.now
        hours = None if ask.max_age is None else int(ask.max_age.total_seconds()) // 3600
        slots = self.ledger.resolve(
            [self.ids[name] for name in names],
            principal=ask.who,
            purpose=ask.purpose,
            facts=ask.facts,
            as_of=ask.as_of,
            min_authority=ask.min_authority,
            max_age=None if hours is None else f"PT{hours}H",
        )
        return dict(zip(names, slots, strict=True))


def declared(sort: Sort) -> object:
    if sort.personal:
        return {sort.kind: "personal"}
    return sort.kind if sort.kind in UNDATED else {sort.kind: sort.zone}


def raw(scope: Scope | None) -> list[dict[str, object]] | None:
    return None if scope is None else [listed(c) for c in scope]
