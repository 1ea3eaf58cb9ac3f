"""What the journal must index of an entry, told from the entry's own records.

The leaves are the truth; the rows by which entries are found are not hashed. An ``Indexer`` takes in the
entries in order and says for each what its rows have to be, exactly as the verbs put it into a ``Draft``.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from prov_ledger.model import records as r

#: The kind of the entry that holds such a record; the first that fits tells, since a claim may come with
#: its supersession, evidence with its retrieval context, and a tenant with an agent, facts and a grant.
_KINDS: tuple[tuple[type, str], ...] = (
    (r.TenantRecord, "tenant"),
    (r.ErasureRecord, "erase"),
    (r.RedactionRecord, "redact"),
    (r.ReceiptRecord, "receipt"),
    (r.HoldRecord, "hold"),
    (r.ReleaseRecord, "release"),
    (r.RetentionRecord, "retention"),
    (r.PruneRecord, "prune"),
    (r.BackupRecord, "backup"),
    (r.ExportRecord, "export"),
    (r.IncarnationRecord, "incarnation"),
    (r.GrantsConfirmedRecord, "confirm"),
    (r.DisclosureHeadRecord, "checkpoint"),
    (r.AgentRecord, "agent"),
    (r.FactRecord, "fact"),
    (r.NameRecord, "name"),
    (r.CollectionRecord, "collection"),
    (r.SourceRecord, "source"),
    (r.NativeRecord, "native"),
    (r.TitleRecord, "title"),
    (r.AuthorityRecord, "authority"),
    (r.RetirementRecord, "retire"),
    (r.RevisionRecord, "revision"),
    (r.ScopeRecord, "scope"),
    (r.EvidenceRecord, "evidence"),
    (r.ContextRecord, "context"),
    (r.SupersessionRecord, "supersede"),
    (r.ClaimRecord, "claim"),
    (r.RestatementRecord, "restate"),
    (r.RetractionRecord, "retract"),
    (r.GrantRecord, "grant"),
    (r.RevocationRecord, "revoke"),
    (r.MembershipRecord, "member"),
    (r.CheckRecord, "check"),
    (r.ThreadRecord, "thread"),
    (r.ReminderRecord, "remind"),
    (r.DenialRecord, "deny"),
    (r.ContradictionRecord, "contradict"),
    (r.SyncRecord, "sync"),
)
_NAMED = {"grp": "group", "col": "collection", "pur": "purpose"}
#: The kinds of look-ups that follow from the records and their texts.
NAME_KINDS = frozenset({"agent", "group", "collection", "purpose", "thread", "native", "title"})


@dataclass(frozen=True, slots=True)
class NameOf:
    """That the text of (owner, field), behind ``prefix``, is a name of ``id``.

    ``since``: from when on; ``since_stated`` False where the records do not tell.
    """

    kind: str
    id: r.Node
    owner: r.Node
    field: str
    prefix: str = ""
    since: datetime | None = None
    since_stated: bool = True


@dataclass(frozen=True, slots=True)
class Indexed:
    """What the journal indexes of one entry; ``kind`` is None where its records do not tell."""

    kind: str | None
    entities: frozenset[tuple[r.Node, str]]
    about: frozenset[str]
    names: tuple[NameOf, ...]


class Indexer:
    """Takes in entries in order; knows of earlier ones what later ones are indexed by."""

    def __init__(self) -> None:
        self._agents: set[r.Node] = set()
        self._source_of: dict[r.Node, r.Node] = {}
        self._connector_of: dict[r.Node, str] = {}

    def take(self, entry: r.Entry) -> Indexed:
        """What the journal has to index of the next entry."""
        kind = kind_of(entry)
        entities: set[r.Node] = set()
        about: set[str] = set()
        names: list[NameOf] = []
        for stated in entry.statements:
            record = stated.record
            entities.update(self._entities(record, kind))
            about.update(self._about(record))
            names += self._names(stated)
            self._remember(record)
        kinds = frozenset((id, id.partition("_")[0]) for id in entities)
        return Indexed(kind, kinds, frozenset(about), tuple(names))

    def _remember(self, record: r.Record) -> None:
        if isinstance(record, r.AgentRecord):
            self._agents.add(record.id)
        elif isinstance(record, r.RevisionRecord):
            self._source_of[record.id] = record.source
        elif isinstance(record, r.SourceRecord):
            self._connector_of[record.id] = record.connector

    def _entities(self, record: r.Record, kind: str | None) -> Iterator[r.Node]:
        match record:
            case r.AgentRecord(id=id) if id not in self._agents:
                yield id
            case r.GrantRecord(id=id) if kind == "grant":
                yield id
            case (
                r.NameRecord(id=id)
                | r.SourceRecord(id=id)
                | r.RevisionRecord(id=id)
                | r.EvidenceRecord(id=id)
                | r.ClaimRecord(id=id)
                | r.ThreadRecord(id=id)
                | r.ReminderRecord(id=id)
                | r.SyncRecord(id=id)
                | r.ErasureRecord(id=id)
                | r.BackupRecord(id=id)
                | r.ExportRecord(id=id)
            ):
                yield id

    def _about(self, record: r.Record) -> Iterator[str]:
        match record:
            case r.AgentRecord(id=id) if id in self._agents:
                yield id
            case r.CollectionRecord(id=id):
                yield id
            case (
                r.NativeRecord(source=source)
                | r.TitleRecord(source=source)
                | r.AuthorityRecord(source=source)
                | r.RetirementRecord(source=source)
                | r.RevisionRecord(source=source)
                | r.CheckRecord(source=source)
                | r.DenialRecord(source=source)
            ):
                yield source
            case r.HoldRecord(on=on) | r.ReleaseRecord(on=on) | r.RetentionRecord(on=on):
                yield on
            case r.ErasureRecord(targets=targets):
                yield from targets
            case r.RedactionRecord(revision=revision):
                yield revision
            case r.RequoteRecord(evidence=evidence):
                yield evidence
            case r.ReceiptRecord(erasure=erasure) | r.PruneRecord(erasure=erasure):
                yield erasure
            case r.ScopeRecord(of=of):
                yield of
                if of in self._source_of:
                    yield self._source_of[of]
            case r.EvidenceRecord(revision=revision):
                yield f"{revision}#evidence"
            case r.ClaimRecord(justifications=justifications, exposure=exposure):
                yield from about_claim(justifications, exposure)
            case r.RestatementRecord(claim=claim, exposure=exposure):
                yield claim
                yield from (f"{id}#exposed" for id in exposure)
            case r.RetractionRecord(claim=claim):
                yield claim
            case r.SupersessionRecord(old=old):
                yield old
            case r.ContradictionRecord(claims=claims):
                yield from claims
            case r.ReminderRecord(claims=claims, thread=thread):
                yield from (f"{claim}#reminders" for claim in claims)
                if thread is not None:
                    yield thread

    def _names(self, stated: r.Stated) -> Iterator[NameOf]:
        match stated.record:
            case r.AgentRecord(id=id) if id not in self._agents:
                yield NameOf("agent", id, id, "name")
            case r.NameRecord(id=id):
                yield NameOf(_NAMED[id.partition("_")[0]], id, id, "name")
            case r.ThreadRecord(id=id):
                yield NameOf("thread", id, id, "name")
            case r.SourceRecord(id=id, connector=connector):
                yield NameOf("native", id, id, "native", f"{connector}\0", since_stated=False)
                yield NameOf("title", id, id, "title")
            case r.NativeRecord(source=source, since=since):
                prefix = f"{self._connector_of.get(source, '')}\0"
                yield NameOf("native", source, stated.node, "native", prefix, since)
            case r.TitleRecord(source=source):
                yield NameOf("title", source, stated.node, "title")


def about_claim(justifications: Iterable[Iterable[r.Node]], exposure: Iterable[r.Node]) -> Iterator[str]:
    """What a claim is found by: each member, and whatever else its writer had before it."""
    members = {member for group in justifications for member in group}
    yield from (f"{member}#claims" for member in sorted(members))
    yield from (f"{id}#exposed" for id in sorted(set(exposure) - members))


def kind_of(entry: r.Entry) -> str | None:
    """The kind under which an entry with these records is written; None where they do not tell."""
    by_type = {type(stated.record): stated.record for stated in entry.statements}
    for type_, kind in _KINDS:
        record = by_type.get(type_)
        if isinstance(record, r.SupersessionRecord):
            return "reaffirm" if record.reaffirmed else kind
        if isinstance(record, r.DenialRecord):
            return "allow" if record.allowed else kind
        if record is not None:
            return kind
    return None
