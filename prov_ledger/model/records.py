"""What an entry records: one frozen value per kind of statement.

Texts never stand in a record; a record holds the *commitment* to a sealed text (64 lower-case hex
digits, HMAC-SHA256) and the text itself lies in the vault under (owner, field).

Node names are strings: an id (``src_…``) or an id with a fragment (``ent_…#scope``); the tenant's
base IRI is put in front when a record becomes RDF. ``"*"`` names everything a tenant holds.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal

from prov_ledger.model.facts import FactType, FactValue, SealedValue
from prov_ledger.model.scopes import Bound, Scope

Node = str
Commitment = str
Level = Literal["official", "delegated", "informal"]
#: Strongest first; a position in this tuple is the rank of a level.
LEVELS: tuple[Level, ...] = ("official", "delegated", "informal")
TransformationKind = Literal["quote", "select", "compute", "combine", "summarise"]
TRANSFORMATIONS: tuple[TransformationKind, ...] = ("quote", "select", "compute", "combine", "summarise")
CheckOutcome = Literal["current", "changed", "gone", "unreachable"]
CHECK_OUTCOMES: tuple[CheckOutcome, ...] = ("current", "changed", "gone", "unreachable")
#: Why something is erased, and what becomes of a claim that rests on it: no verdict is left to it, it
#: keeps one on another justification, or nobody can tell.
ErasureCause = Literal["request", "retention"]
ErasureOutcome = Literal["erased", "kept", "unknown"]
ERASURE_OUTCOMES: tuple[ErasureOutcome, ...] = ("erased", "kept", "unknown")


class Role(StrEnum):
    """What an agent may do; one agent may have several."""

    AGENT = "agent"
    CURATOR = "curator"
    ANALYST = "analyst"
    AUDITOR = "auditor"
    PRIVACY_OFFICER = "privacy_officer"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class TenantRecord:
    """The first statement of a tenant: its zone (IANA name) and governing fact."""

    zone: str
    governed_by: str


@dataclass(frozen=True, slots=True)
class FactRecord:
    """A declared fact."""

    type: FactType


@dataclass(frozen=True, slots=True)
class AgentRecord:
    """An agent with its roles; a later record about the same id replaces the roles."""

    id: Node
    name: Commitment
    roles: frozenset[Role]


@dataclass(frozen=True, slots=True)
class NameRecord:
    """A group (``grp_``), collection (``col_``) or purpose (``pur_``) and its sealed name."""

    id: Node
    name: Commitment


@dataclass(frozen=True, slots=True)
class CollectionRecord:
    """What holds for the sources of a collection; a later record replaces the earlier one."""

    id: Node
    governed_by: str | None = None
    indifferent_to: frozenset[str] = frozenset()
    sensitive: bool = False
    reaffirm: bool = False


@dataclass(frozen=True, slots=True)
class SourceRecord:
    """A source object; ``derived_from`` is the source that it was copied or renamed from, if another."""

    id: Node
    connector: str
    native: Commitment
    title: Commitment
    authority: Level
    collection: Node | None = None
    governed_by: str | None = None
    indifferent_to: frozenset[str] = frozenset()
    derived_from: Node | None = None


@dataclass(frozen=True, slots=True)
class NativeRecord:
    """A further native id of a source, in use from ``since`` on; the one before ends there."""

    source: Node
    native: Commitment
    since: datetime


@dataclass(frozen=True, slots=True)
class TitleRecord:
    """A new title of a source."""

    source: Node
    title: Commitment


@dataclass(frozen=True, slots=True)
class AuthorityRecord:
    """The level of authority of a source from now on; ends an earlier retirement."""

    source: Node
    level: Level
    since: datetime | None = None


@dataclass(frozen=True, slots=True)
class RetirementRecord:
    """The source is no authority for a resolve whose clock is at or after ``from_``."""

    source: Node
    from_: datetime


@dataclass(frozen=True, slots=True)
class Relation:
    """How a revision relates to an earlier one; ``from_`` only for ``replaces``."""

    kind: Literal["replaces", "corrects", "parallel"]
    to: Node
    from_: Bound | None = None


@dataclass(frozen=True, slots=True)
class RevisionRecord:
    """One state of a source. ``content`` commits to its exact bytes, ``size_bytes`` counts them.

    ``previous`` is the revision that it was a revision of, by publication; None for the first.
    """

    id: Node
    source: Node
    media_type: str
    size_bytes: int
    content: Commitment
    label: Commitment
    published: datetime
    retrieved: datetime
    activity: Node
    scope: Scope | None = None
    relation: Relation | None = None
    previous: Node | None = None


@dataclass(frozen=True, slots=True)
class ScopeRecord:
    """A later statement of the effective scope of a revision or an evidence item."""

    of: Node
    scope: Scope


@dataclass(frozen=True, slots=True)
class TextPosition:
    """A span in code points of the revision's text, half-open. Source: Web Annotation 4.2.5."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class CellPosition:
    """A table cell: data row and column, both counted from 1; ``table`` counts the page's tables.

    Key, column name and header path are text of the source and lie in the sealed payload.
    """

    row: int
    column: int
    table: int = 1


Selector = TextPosition | CellPosition


@dataclass(frozen=True, slots=True)
class ContextRecord:
    """How evidence of one batch was retrieved: by whom, under which permission, after which checks.

    ``id`` is the retrieval activity (``ent_…#retrieval``); the permission and the checks are nodes
    of the same entry. An outcome is ``passed``, ``failed`` or ``untested``; untested has a reason code.
    """

    id: Node
    agent: Node
    principal: Node
    purpose: Node | None
    decision: Literal["permit"]
    policy_version: str
    retrieved: datetime
    authority: tuple[str, str | None]
    applicability: tuple[str, str | None]


@dataclass(frozen=True, slots=True)
class EvidenceRecord:
    """A quote or a cell of one revision; ``scope`` where one was stated for it alone."""

    id: Node
    revision: Node
    selector: Selector
    quote: Commitment
    context: Node
    scope: Scope | None = None
    indifferent_to: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Transformation:
    """How a conclusion was reached; ``by`` names the facts it was selected or computed by."""

    kind: TransformationKind
    by: frozenset[str] = frozenset()
    note: Commitment | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """What a claim was made for: a sealed question text and the facts that were given."""

    text: Commitment
    facts: Mapping[str, FactValue | SealedValue]


@dataclass(frozen=True, slots=True)
class ClaimRecord:
    """A conclusion. ``justifications`` are alternatives, each a set of evidence and claims.

    ``exposure`` is all that the writer had before it: ids of evidence and claims, closed over the
    exposure of each claim among them, support included.
    """

    id: Node
    statement: Commitment
    justifications: tuple[tuple[Node, ...], ...]
    exposure: frozenset[Node]
    transformation: Transformation
    question: Question
    agent: Node
    made: datetime
    bound_to: frozenset[str] = frozenset()
    narrow: Scope | None = None


@dataclass(frozen=True, slots=True)
class RestatementRecord:
    """The same claim in words that rest on ``exposure`` alone."""

    id: Node
    claim: Node
    statement: Commitment
    exposure: frozenset[Node]
    agent: Node
    made: datetime


@dataclass(frozen=True, slots=True)
class SupersessionRecord:
    """``new`` replaces ``old``; not a derivation."""

    old: Node
    new: Node
    reason: Commitment | None = None
    reaffirmed: bool = False


@dataclass(frozen=True, slots=True)
class RetractionRecord:
    """A claim is withdrawn."""

    claim: Node
    reason: Commitment | None = None


@dataclass(frozen=True, slots=True)
class GrantRecord:
    """``who`` (agent or group) may read ``read`` (source, collection or ``"*"``)."""

    id: Node
    who: Node
    read: Node
    purpose: Node | None = None
    until: datetime | None = None
    max_age: str | None = None


@dataclass(frozen=True, slots=True)
class RevocationRecord:
    """Ends the grants named; they had been given to the same reader for the same thing."""

    grants: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class MembershipRecord:
    """``who`` joins ``group``, or leaves it."""

    who: Node
    group: Node
    left: bool = False


@dataclass(frozen=True, slots=True)
class CheckRecord:
    """A currency check of a source at a time."""

    id: Node
    source: Node
    outcome: CheckOutcome
    at: datetime


@dataclass(frozen=True, slots=True)
class ThreadRecord:
    """A conversation: ``name`` commits to the application's own id of it."""

    id: Node
    name: Commitment
    owner: Node
    readers: frozenset[Node] = frozenset()


@dataclass(frozen=True, slots=True)
class ReminderRecord:
    """A packet for a compacted context: which claims, in order, for which thread, in how many tokens."""

    id: Node
    claims: tuple[Node, ...]
    budget: int
    agent: Node
    made: datetime
    thread: Node | None = None


@dataclass(frozen=True, slots=True)
class DenialRecord:
    """A source is withheld from everyone (``allowed`` False) or released again."""

    source: Node
    allowed: bool = False
    reason: Commitment | None = None


@dataclass(frozen=True, slots=True)
class ContradictionRecord:
    """Two claims that cannot both hold."""

    claims: tuple[Node, Node]


@dataclass(frozen=True, slots=True)
class SyncRecord:
    """A connector's feed was taken up to a cursor; both texts are the connector's and sealed."""

    id: Node
    feed: Commitment
    cursor: Commitment
    agent: Node
    at: datetime


@dataclass(frozen=True, slots=True)
class ErasureRecord:
    """The first step of an erasure, and the one that counts: nothing of ``erased`` is given out again.

    ``targets`` is what was asked for, ``erased`` all that goes: sources, revisions, evidence, claims,
    and whatever else loses its texts. ``outcomes`` says what becomes of each claim that rests on any of
    it. ``manifest`` is the SHA-256 of the plan, 64 lower-case hex digits; ``subject`` commits to the
    name of a subject, where everything about one was asked for.
    """

    id: Node
    targets: tuple[Node, ...]
    erased: frozenset[Node]
    manifest: str
    cause: ErasureCause = "request"
    outcomes: tuple[tuple[Node, ErasureOutcome], ...] = ()
    reason: Commitment | None = None
    subject: Commitment | None = None


@dataclass(frozen=True, slots=True)
class RedactionRecord:
    """Gaps in a revision's bytes where evidence was erased; ``content`` commits to what is left.

    ``gaps`` are spans of code points or cells as in evidence, in order, and all that the revision has
    by now; each is marked and as long as what it took the place of.
    """

    revision: Node
    erasure: Node
    content: Commitment
    size_bytes: int
    gaps: tuple[Selector, ...]


@dataclass(frozen=True, slots=True)
class RequoteRecord:
    """Evidence beside a gap: the same quote at the same place, without what of the gap was kept with it."""

    evidence: Node
    erasure: Node
    quote: Commitment


@dataclass(frozen=True, slots=True)
class ReceiptRecord:
    """An erasure is complete. ``epoch`` is that of the destroyed key, None where it cannot be destroyed."""

    erasure: Node
    finished: datetime
    payloads: int
    epoch: int | None = None


@dataclass(frozen=True, slots=True)
class HoldRecord:
    """A legal hold on a source, or on all sources of a collection: no erasure touches it."""

    on: Node
    reason: Commitment | None = None


@dataclass(frozen=True, slots=True)
class ReleaseRecord:
    """The end of a legal hold."""

    on: Node
    reason: Commitment | None = None


@dataclass(frozen=True, slots=True)
class RetentionRecord:
    """How long what is recorded of a source, or of a collection's sources, may be kept from then on.

    ISO 8601 durations, counted from the recording; None is no limit. A later record replaces it.
    """

    on: Node
    bytes_for: str | None = None
    metadata_for: str | None = None


@dataclass(frozen=True, slots=True)
class PruneRecord:
    """Entries whose bodies were removed, and the nodes that they had recorded; for an erasure."""

    erasure: Node
    entries: tuple[Node, ...]
    nodes: frozenset[Node]


@dataclass(frozen=True, slots=True)
class BackupRecord:
    """A backup was made: the tree that it holds, and the epoch of the key that opens it."""

    id: Node
    at: datetime
    size: int
    root: str
    epoch: int | None = None


@dataclass(frozen=True, slots=True)
class ExportRecord:
    """An export was handed out; ``digest`` is its SHA-256, ``items`` what it holds (none: not listed)."""

    id: Node
    at: datetime
    digest: str
    items: frozenset[Node] = frozenset()


@dataclass(frozen=True, slots=True)
class IncarnationRecord:
    """The ledger was restored: the last tree that is known of it, and whether grants wait to be confirmed."""

    size: int
    root: str
    grants_suspended: bool = False


@dataclass(frozen=True, slots=True)
class GrantsConfirmedRecord:
    """The grants of a restored ledger hold again."""


@dataclass(frozen=True, slots=True)
class DisclosureHeadRecord:
    """How many disclosures were recorded by then, and the last hash of their chain, 64 hex digits."""

    size: int
    head: str


@dataclass(frozen=True, slots=True)
class EndingRecord:
    """Earlier statements that are no longer the latest about their subject."""

    statements: tuple[Node, ...]


Record = (
    TenantRecord
    | FactRecord
    | AgentRecord
    | NameRecord
    | CollectionRecord
    | SourceRecord
    | NativeRecord
    | TitleRecord
    | AuthorityRecord
    | RetirementRecord
    | RevisionRecord
    | ScopeRecord
    | ContextRecord
    | EvidenceRecord
    | ClaimRecord
    | RestatementRecord
    | SupersessionRecord
    | RetractionRecord
    | GrantRecord
    | RevocationRecord
    | MembershipRecord
    | CheckRecord
    | ThreadRecord
    | ReminderRecord
    | DenialRecord
    | ContradictionRecord
    | SyncRecord
    | ErasureRecord
    | RedactionRecord
    | RequoteRecord
    | ReceiptRecord
    | HoldRecord
    | ReleaseRecord
    | RetentionRecord
    | PruneRecord
    | BackupRecord
    | ExportRecord
    | IncarnationRecord
    | GrantsConfirmedRecord
    | DisclosureHeadRecord
    | EndingRecord
)


@dataclass(frozen=True, slots=True)
class Stated:
    """A record as it stands in an entry: at which node."""

    node: Node
    record: Record


@dataclass(frozen=True, slots=True)
class Entry:
    """One write to the journal: who, when, and what it states."""

    id: Node
    sequence: int
    agent: Node
    recorded: datetime
    statements: tuple[Stated, ...]


#: Fragment of the node of a record that has no id of its own; ``.2`` and on where an entry has several.
FRAGMENTS: dict[type, str] = {
    AgentRecord: "roles",
    CollectionRecord: "collection",
    NativeRecord: "native",
    TitleRecord: "title",
    AuthorityRecord: "authority",
    RetirementRecord: "retirement",
    ScopeRecord: "scope",
    SupersessionRecord: "supersession",
    RetractionRecord: "retraction",
    RevocationRecord: "revocation",
    MembershipRecord: "membership",
    DenialRecord: "denial",
    ContradictionRecord: "contradiction",
    RedactionRecord: "redaction",
    RequoteRecord: "requote",
    ReceiptRecord: "receipt",
    HoldRecord: "hold",
    ReleaseRecord: "release",
    RetentionRecord: "retention",
    PruneRecord: "pruning",
    IncarnationRecord: "incarnation",
    GrantsConfirmedRecord: "confirmation",
    DisclosureHeadRecord: "disclosures",
    EndingRecord: "ending",
}


def entry_of(id: Node, sequence: int, agent: Node, recorded: datetime, records: Iterable[Record]) -> Entry:
    """Name the node of each record and put them into one entry."""
    statements = []
    seen: dict[str, int] = {}
    for record in records:
        fragment = FRAGMENTS.get(type(record))
        if isinstance(record, TenantRecord):
            node = "tenant"
        elif isinstance(record, FactRecord):
            node = f"fact/{record.type.name}"
        elif fragment is None:
            node = record.id  # type: ignore[union-attr]
        else:
            count = seen[fragment] = seen.get(fragment, 0) + 1
            node = f"{id}#{fragment}" if count == 1 else f"{id}#{fragment}.{count}"
        statements.append(Stated(node, record))
    return Entry(id, sequence, agent, recorded, tuple(statements))
