"""What a story is made of: one frozen value per step, named by handles, and the questions asked about it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal

Moment = date | datetime
Value = date | datetime | Decimal | str
Scope = tuple[Mapping[str, object], ...]


@dataclass(frozen=True)
class Sort:
    """How a fact is typed: kind, the zone of its dates, whether its values are personal."""

    kind: str
    zone: str = "UTC"
    personal: bool = False


@dataclass(frozen=True)
class Collection:
    name: str
    governed_by: str | None = None
    indifferent: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Source:
    name: str
    level: str = "official"
    collection: str | None = None
    governed_by: str | None = None
    indifferent: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Relation:
    kind: str
    to: str
    from_: Moment | None = None


@dataclass(frozen=True)
class Revision:
    name: str
    source: str
    published: datetime
    scope: Scope | None = None
    relation: Relation | None = None


@dataclass(frozen=True)
class Restated:
    """A later statement of the scope of a revision or an evidence item."""

    of: str
    scope: Scope


@dataclass(frozen=True)
class Evidence:
    name: str
    revision: str
    span: int = 0
    scope: Scope | None = None
    indifferent: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Claim:
    """``old`` names the claim that this one supersedes."""

    name: str
    support: tuple[tuple[str, ...], ...]
    kind: str = "select"
    by: frozenset[str] = frozenset()
    facts: Mapping[str, Value] = field(default_factory=dict)
    bound_to: frozenset[str] = frozenset()
    narrow: Scope | None = None
    exposure: tuple[str, ...] = ()
    old: str | None = None


@dataclass(frozen=True)
class Retraction:
    claim: str


@dataclass(frozen=True)
class Rewording:
    """The claim in words that rest on this exposure alone."""

    claim: str
    exposure: tuple[str, ...]


@dataclass(frozen=True)
class Check:
    source: str
    outcome: str


@dataclass(frozen=True)
class Retirement:
    source: str
    from_: datetime


@dataclass(frozen=True)
class Authority:
    source: str
    level: str


@dataclass(frozen=True)
class Grant:
    """``who``: a reader or ``group:NAME``; ``read``: a source, ``collection:NAME`` or ``*``."""

    who: str
    read: str
    purpose: str | None = None
    until: Moment | None = None


@dataclass(frozen=True)
class Revocation:
    who: str
    read: str
    purpose: str | None = None


@dataclass(frozen=True)
class Membership:
    who: str
    group: str
    left: bool = False


@dataclass(frozen=True)
class Denial:
    source: str
    allowed: bool = False


@dataclass(frozen=True)
class Erasure:
    """Something is erased, with all that is taken of it: a source, a revision, evidence or a claim."""

    of: str


@dataclass(frozen=True)
class Keeping:
    """For how long what is recorded of a source, or of ``collection:NAME``, is kept; None: for ever."""

    on: str
    bytes_for: timedelta | None = None
    metadata_for: timedelta | None = None


@dataclass(frozen=True)
class Hold:
    """Keeps what it is on from the sweeper, and shows nothing that expired."""

    source: str


Step = (
    Collection
    | Source
    | Revision
    | Restated
    | Evidence
    | Claim
    | Retraction
    | Rewording
    | Check
    | Retirement
    | Authority
    | Grant
    | Revocation
    | Membership
    | Denial
    | Erasure
    | Keeping
    | Hold
)


@dataclass(frozen=True)
class Told:
    """A step that happened: its place in the story, and when."""

    place: int
    at: datetime
    step: Step


@dataclass(frozen=True)
class Story:
    """Everything that happened in a tenant, in order."""

    zone: str
    governed_by: str
    sorts: Mapping[str, Sort]
    told: tuple[Told, ...] = ()


@dataclass(frozen=True)
class Ask:
    """One question; ``readable`` stands in for grants where a story has none. ``who`` None: the founder."""

    now: datetime
    facts: Mapping[str, Value] = field(default_factory=dict)
    who: str | None = None
    purpose: str | None = None
    as_of: datetime | None = None
    min_authority: str = "informal"
    max_age: timedelta | None = None
    readable: frozenset[str] | None = None
    drifted: frozenset[str] = frozenset()

    @property
    def clock(self) -> datetime:
        return self.as_of if self.as_of is not None else self.now
