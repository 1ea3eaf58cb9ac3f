"""Taking out the bodies of entries whose metadata has expired; leaf hashes stay, so every proof holds."""

from collections.abc import Collection, Iterator
from datetime import datetime

from prov_ledger.ledger.erasing.order import GRAPH_DUE
from prov_ledger.ledger.tenant import Tenant, Work
from prov_ledger.model import records as r
from prov_ledger.model.records import Node
from prov_ledger.model.world import SourceHistory
from prov_ledger.rdf.kinds import class_of

#: Records that may stand in an entry about a thing beside what is said of the thing.
_BESIDE = (r.ContextRecord, r.EndingRecord)

#: Look-ups that stand with the first entry of a kind, and are about all of them.
_OF_MANY = ("connector",)


class Pruning:
    """Finds and prunes the entries about what expired; only what an erasure took already."""

    def __init__(self, tenant: Tenant) -> None:
        self.tenant = tenant

    def prune(self, agent: Node) -> int:
        """Prune all that is due in one write; how many entries."""
        with self.tenant.writing(batched=True) as work:
            due = self._due(self.tenant.now())
            count, tickets = 0, list[int]()
            for erasure, things in due.items():
                entries = list(self._entries(things))
                if entries:
                    tickets += self._prune(work, agent, erasure, entries)
                    count += len(entries)
            if count:
                work.removing.set_meta(GRAPH_DUE, "yes")
        self.tenant.tickets.destroy(tickets)
        return count

    def _due(self, now: datetime) -> dict[Node, set[Node]]:
        """The sources and revisions whose metadata expired and whose texts are erased, by their erasure."""
        state, due = self.tenant.state, dict[Node, set[Node]]()
        taken_by = {id: x.record.id for x in state.removals.erasures.values() for id in x.record.erased}
        records = (x.record for entry in state.entries_of("source") for x in entry.statements)
        for record in records:
            if not isinstance(record, r.SourceRecord):
                continue
            covered = state.removals.retention.covers(record.id, record.collection)
            history = state.reader.history(record.id) if covered else None
            if history is not None and not state.removals.held(record.id, record.collection):
                for id in self._expired(history, now):
                    if id in taken_by:
                        due.setdefault(taken_by[id], set()).add(id)
        return due

    def _expired(self, history: SourceHistory, now: datetime) -> Iterator[Node]:
        """What of a source expired; a later state not before the earlier ones, whose period it ended."""
        removals, record = self.tenant.state.removals, history.source.record
        if removals.is_source_gone(history, now):
            yield from (record.id, *(x.record.id for x in history.revisions))
            return
        for x in sorted(history.revisions, key=lambda x: (x.record.published, x.sequence)):
            end = removals.expiry(x.at, record.id, record.collection).metadata
            if end is None or now < end:
                return
            yield x.record.id

    def _entries(self, things: Collection[Node]) -> Iterator[r.Entry]:
        """The entries that record these things, or evidence on them, or say something of one alone."""
        state, ids = self.tenant.state, set(things)
        revisions = {id for id in things if id.startswith("rev_")}
        sources = {state.reader.source_of(id) or "" for id in revisions}
        on = state.reader.evidence_on(sorted(sources))
        ids |= {id for id, x in on.items() if x.record.revision in revisions}
        seen: set[int] = set()
        for id in sorted(ids):
            origin = state.entry_of(id)
            for entry in [*([origin] if origin is not None else []), *state.entries_about(id)]:
                if entry.sequence not in seen and _is_only_about(entry, ids):
                    seen.add(entry.sequence)
                    yield entry

    def _prune(self, work: Work, agent: Node, erasure: Node, entries: list[r.Entry]) -> list[int]:
        sequences = [entry.sequence for entry in entries]
        tickets = work.removing.prune(sequences, work.next_sequence, _OF_MANY)
        stated = {x.node for entry in entries for x in entry.statements}
        draft = work.draft("prune")
        draft.records.append(
            r.PruneRecord(
                erasure,
                tuple(sorted(entry.id for entry in entries)),
                frozenset(node for node in stated if class_of(node) is not None),
            )
        )
        draft.about.append(erasure)
        work.append(draft, agent)
        return tickets


def _is_only_about(entry: r.Entry, ids: Collection[Node]) -> bool:
    """Whether an entry says nothing but of these things; what officers stated about them stays."""
    said = [x.record for x in entry.statements if not isinstance(x.record, _BESIDE)]
    return bool(said) and all(_subject(record) in ids for record in said)


def _subject(record: r.Record) -> Node | None:
    match record:
        case r.SourceRecord(id=id) | r.RevisionRecord(id=id) | r.EvidenceRecord(id=id) | r.ScopeRecord(of=id):
            return id
        case (
            r.TitleRecord(source=id)
            | r.NativeRecord(source=id)
            | r.AuthorityRecord(source=id)
            | r.RetirementRecord(source=id)
            | r.CheckRecord(source=id)
            | r.DenialRecord(source=id)
        ):
            return id
    return None
