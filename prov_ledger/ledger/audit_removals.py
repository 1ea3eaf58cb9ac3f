"""Telling what was erased or pruned, and by which entry, from what is missing."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from prov_ledger.ledger.erasing.subjects import statement_of, subjects_of
from prov_ledger.model import records as r
from prov_ledger.model.records import Node
from prov_ledger.vault.journal import SqliteJournal
from prov_ledger.vault.verify import Finding

_NONE: frozenset[Node] = frozenset()
#: The field of a text where the property that commits to it has another name.
_FIELDS = {"text": "question", "": "value"}


@dataclass(frozen=True, slots=True)
class Committed:
    """A commitment as a leaf states it: in which entry, about which node, by which property."""

    sequence: int
    node: Node
    name: str

    @property
    def field(self) -> str:
        """The field of the text."""
        return _FIELDS.get(self.name, self.name)


class RemovalsSeen:
    """Takes in every entry in order, then says what is missing that no entry took away."""

    def __init__(self, journal: SqliteJournal) -> None:
        self._journal = journal
        #: What the entry of a sequence takes the texts of.
        self._taken: dict[int, set[Node]] = {}
        #: What single fields it takes of what stays.
        self._fields: dict[int, set[tuple[Node, str]]] = {}
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
            about = _about(stated.record)
            if about:
                self._subjects[stated.node] = about
            self._take(entry.sequence, stated.record)

    def _take(self, sequence: int, record: r.Record) -> None:
        taken = self._taken.setdefault(sequence, set()) if _takes(record) else set[Node]()
        match record:
            case r.ErasureRecord(id=id, erased=erased, outcomes=outcomes):
                taken |= {*erased, *(claim for claim, _ in outcomes)}
                self._erased |= dict.fromkeys(erased, id)
            case r.RedactionRecord(revision=node):
                self._fields.setdefault(sequence, set()).add((node, "content"))
            case r.RequoteRecord(evidence=node):
                self._fields.setdefault(sequence, set()).add((node, "quote"))
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
        seen = set[Node]()
        for sequence, id in self._without_leaf:
            if id not in self._pruned:
                yield Finding(f"entry {sequence}", "its leaf is missing")
            elif id in seen:
                yield Finding(f"entry {sequence}", "its leaf is missing; its row has a pruned entry's id")
            seen.add(id)

    def check_texts(self, missing: Mapping[bytes, Committed]) -> Iterator[Finding]:
        """``missing``: commitments without a text, as the leaf has it that first committed to each.

        Of the row that says what was removed, only the entry that it names counts: whose text it was, and
        which, is what the leaf says.
        """
        removed = {x.commitment_hex.encode(): x for x in self._journal.removed()}
        unexplained = set()
        for commitment, stated in missing.items():
            found = removed.get(commitment)
            if found is None or found.field != stated.field or not self._covers(found.sequence, stated):
                unexplained.add(stated.sequence)
        for sequence in sorted(unexplained):
            yield Finding(f"entry {sequence}", "a text that it committed to is missing")

    def check_gone(self) -> Iterator[Finding]:
        """What is there although an erasure that is complete took it."""
        for owner, field in self._journal.payload_keys():
            erasure = self._erased.get(owner, self._erased.get(owner.partition("#")[0], ""))
            if erasure in self._finished:
                yield Finding(f"payload {field} of {owner}", f"it is there, but {erasure} erased it")

    def _covers(self, sequence: int, text: Committed) -> bool:
        """Whether the entry of a sequence takes a text: of a node, or of what the node is about.

        That it was the first of a restored ledger takes what came before it; that no key of then is left
        without its text is checked with the keys.
        """
        if sequence in self._revived:
            return text.sequence < sequence
        about = self._subjects.get(text.node, self._subjects.get(statement_of(text.node), ()))
        whole = (text.node, text.node.partition("#")[0], *about)
        parts = {(node, text.field) for node in whole}
        taken, taken_of = self._taken.get(sequence, _NONE), self._fields.get(sequence, set())
        return not taken.isdisjoint(whole) or not taken_of.isdisjoint(parts)


def _takes(record: r.Record) -> bool:
    return isinstance(record, r.ErasureRecord | r.PruneRecord)


def _about(record: r.Record) -> tuple[Node, ...]:
    """Whose texts the texts of a statement are: of a redaction, those of what it was made of."""
    match record:
        case r.RedactionRecord(revision=id) | r.RequoteRecord(evidence=id):
            return (id,)
    return subjects_of(record)
