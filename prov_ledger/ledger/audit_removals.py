"""Telling what was erased or pruned, and by which entry, from what is missing."""

from collections.abc import Iterator, Mapping

from prov_ledger.ledger.erasing.subjects import statement_of, subjects_of
from prov_ledger.model import records as r
from prov_ledger.model.records import Node
from prov_ledger.vault.journal import SqliteJournal
from prov_ledger.vault.verify import Finding


class RemovalsSeen:
    """Takes in every entry in order, then says what is missing that no entry took away."""

    def __init__(self, journal: SqliteJournal) -> None:
        self._journal = journal
        #: What the entry of a sequence takes the texts of.
        self._taken: dict[int, set[Node]] = {}
        #: The pruned entries, by the sequence of the entry that says so.
        self._pruned: dict[Node, int] = {}
        #: What a statement without an id of its own is about.
        self._subjects: dict[Node, tuple[Node, ...]] = {}
        self._without_leaf: list[tuple[int, Node]] = []
        self._finished: set[Node] = set()
        #: Where a restored ledger begins, which lacks the keys that were destroyed since its backup.
        self._revived: set[int] = set()
        self._erased: dict[Node, Node] = {}

    def take(self, entry: r.Entry) -> None:
        """Take in an entry."""
        for stated in entry.statements:
            about = subjects_of(stated.record)
            if about:
                self._subjects[stated.node] = about
            self._take(entry.sequence, stated.record)

    def _take(self, sequence: int, record: r.Record) -> None:
        taken = self._taken.setdefault(sequence, set()) if _takes(record) else set[Node]()
        match record:
            case r.ErasureRecord(id=id, erased=erased, outcomes=outcomes):
                taken |= {*erased, *(claim for claim, _ in outcomes)}
                self._erased |= dict.fromkeys(erased, id)
            case r.RedactionRecord(revision=node) | r.RequoteRecord(evidence=node):
                taken.add(node)
            case r.PruneRecord(entries=entries, nodes=nodes):
                taken |= {*entries, *nodes}
                self._pruned |= dict.fromkeys(entries, sequence)
            case r.ReceiptRecord(erasure=erasure):
                self._finished.add(erasure)
            case r.IncarnationRecord():
                self._revived.add(sequence)

    def miss(self, sequence: int, id: Node) -> None:
        """Take in an entry whose leaf is not there."""
        self._without_leaf.append((sequence, id))

    def pruned(self) -> frozenset[int]:
        """The sequences of the entries whose leaves were pruned."""
        return frozenset(sequence for sequence, id in self._without_leaf if id in self._pruned)

    def check_leaves(self) -> Iterator[Finding]:
        """The entries whose leaves are missing and were not pruned."""
        for sequence, id in self._without_leaf:
            if id not in self._pruned:
                yield Finding(f"entry {sequence}", "its leaf is missing")

    def check_texts(self, missing: Mapping[bytes, int]) -> Iterator[Finding]:
        """``missing``: commitments without a text, with the entry that first committed to each."""
        removed = {x.commitment_hex.encode(): x for x in self._journal.removed()}
        unexplained = set()
        for commitment, sequence in missing.items():
            found = removed.get(commitment)
            if found is None or not self._covers(found.sequence, found.owner):
                unexplained.add(sequence)
        for sequence in sorted(unexplained):
            yield Finding(f"entry {sequence}", "a text that it committed to is missing")

    def check_gone(self) -> Iterator[Finding]:
        """What is there although an erasure that is complete took it."""
        for owner, field in self._journal.payload_keys():
            erasure = self._erased.get(owner.partition("#")[0])
            if erasure in self._finished:
                yield Finding(f"payload {field} of {owner}", f"it is there, but {erasure} erased it")

    def _covers(self, sequence: int, owner: Node) -> bool:
        """Whether the entry of a sequence takes the texts of a node, itself or what it is about."""
        if sequence in self._revived:
            return True
        taken = self._taken.get(sequence, frozenset[Node]())
        about = self._subjects.get(owner, self._subjects.get(statement_of(owner), ()))
        return not taken.isdisjoint((owner.partition("#")[0], *about))


def _takes(record: r.Record) -> bool:
    return isinstance(record, r.ErasureRecord | r.RedactionRecord | r.RequoteRecord | r.PruneRecord)
