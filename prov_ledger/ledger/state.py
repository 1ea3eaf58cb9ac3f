"""What the verbs know while they run: the memory reader and the roster, both fed by the journal."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime

from prov_ledger.authz.removals import REMOVAL_KINDS, Removals
from prov_ledger.authz.roster import FOREVER, NEVER_HELD, ROSTER_KINDS, Roster
from prov_ledger.checks.effective import KnownRevisions
from prov_ledger.model import records as r
from prov_ledger.rdf.decode import decode_entry
from prov_ledger.readers.memory import MemoryReader
from prov_ledger.vault.port import Journal, StoredEntry

#: What is taken in at once, whoever asks for what: who may read, and what there no longer is.
_KINDS = (*ROSTER_KINDS, *REMOVAL_KINDS)
#: Of so many sources at most it is kept when they expire.
_MOST_ENDS = 65_536


_Pair = tuple[r.Node, r.Node | None]


class DecodedEntries:
    """A journal's entries as records, without those whose bodies were pruned."""

    def __init__(self, journal: Journal, base: str) -> None:
        self._journal = journal
        self._base = base
        self._pruned: frozenset[r.Node] = frozenset()

    def size(self) -> int:
        """How many entries there are."""
        return self._journal.size()

    def recorded_at(self, sequence: int) -> datetime:
        """When an entry was recorded, whether its body was pruned or not."""
        return self._journal.recorded_at(sequence)

    def entries(self, after: int, kinds: Sequence[str] | None = None) -> Iterable[r.Entry]:
        """Entries with a sequence above ``after``, in order, decoded."""
        return self._decoded(self._journal.entries(after, kinds=kinds))

    def entry_of(self, id: r.Node) -> r.Entry | None:
        """The entry that recorded an entity first, decoded."""
        found = self._journal.entry_of(id)
        return next(iter(self._decoded([found])), None) if found is not None else None

    def about(self, key: str) -> list[r.Entry]:
        """The entries about a subject, decoded."""
        return list(self._decoded(self._journal.about(key)))

    def _decoded(self, stored: Iterable[StoredEntry]) -> Iterator[r.Entry]:
        """Decode what has a body; raises Corrupt for a leaf that is missing and was not pruned."""
        for x in stored:
            if x.leaf or not self._is_pruned(x.id):
                yield decode_entry(x.leaf, self._base)

    def _is_pruned(self, id: r.Node) -> bool:
        """Whether some other entry says that this one was pruned; looked up where a leaf is missing."""
        if id not in self._pruned:
            entries = (decode_entry(x.leaf, self._base) for x in self._journal.entries(kinds=("prune",)))
            records = (stated.record for entry in entries for stated in entry.statements)
            prunings = (record for record in records if isinstance(record, r.PruneRecord))
            self._pruned = frozenset(id for pruning in prunings for id in pruning.entries)
        return id in self._pruned


@dataclass(frozen=True, slots=True)
class _Ends:
    """When sources expire, by (source, collection), while no more is removed or captured than was then."""

    as_of: tuple[int, int]
    ends: dict[_Pair, datetime] = field(default_factory=dict)


class State:
    """One consistent view of the journal; ``refresh`` brings it to the journal's end."""

    def __init__(self, journal: Journal, base: str) -> None:
        self._entries = DecodedEntries(journal, base)
        self.reader = MemoryReader(self._entries, lambda: self.removals)
        self.roster = Roster()
        self.removals = Removals()
        self.revisions = KnownRevisions()
        #: What names stand for, by kind and name, once they were looked up: a name keeps its id.
        self.names: dict[tuple[str, str], r.Node] = {}
        self._ends = _Ends((0, 0))
        #: When the last entry that was taken in was recorded; None where there is none.
        self.last_recorded: datetime | None = None
        self._seen = 0

    def refresh(self, size: int | None = None) -> None:
        """Take in what was recorded since the last call; ``size``: how many entries there are now."""
        if self.reader.pinned:
            return
        size = self._entries.size() if size is None else size
        if size != self._seen:
            for entry in self._entries.entries(self._seen, _KINDS):
                self._apply(entry)
            self.last_recorded = self._entries.recorded_at(size)
            self._seen = size
        self.reader.refresh(size)

    def _apply(self, entry: r.Entry) -> None:
        """Take in what an entry says of access and removals; nothing of what it takes away is kept."""
        self.roster.apply(entry)
        before = self.removals.sequence
        self.removals.apply(entry)
        if self.removals.sequence != before:
            self.names.clear()
            if any(isinstance(stated.record, r.PruneRecord) for stated in entry.statements):
                self.reader.drop()

    def gone_sources(self, pairs: Iterable[tuple[r.Node, r.Node | None]], now: datetime) -> frozenset[r.Node]:
        """Of (source, collection) pairs, the sources that are erased, or expired at ``now``."""
        if self.removals.took_nothing:
            return frozenset()
        known, as_of_now = self._ends, (self.removals.losses, self.reader.states)
        if known.as_of != as_of_now or len(known.ends) >= _MOST_ENDS:
            known = self._ends = _Ends(as_of_now)
        ends = known.ends
        return frozenset(pair[0] for pair in pairs if (ends.get(pair) or self._end(pair, ends)) <= now)

    def _end(self, pair: _Pair, ends: dict[_Pair, datetime]) -> datetime:
        """When a source expires, or did; kept, so that it is found by the same steps for all of them."""
        source, end = pair[0], None
        if self.removals.is_erased(source):
            end = NEVER_HELD
        elif self.removals.retention.covers(*pair):
            history = self.reader.history(source)
            end = self.removals.source_expiry(history) if history is not None else None
        found = ends[pair] = FOREVER if end is None else end
        return found

    def catch_up(self) -> int:
        """Take in what was recorded since the last call; how many entries that was."""
        before = self._seen
        self.refresh()
        return self._seen - before

    @contextmanager
    def steady(self) -> Iterator[None]:
        """What was taken in by now, throughout one read; what others record meanwhile is for the next."""
        pinned, self.reader.pinned = self.reader.pinned, True
        try:
            yield
        finally:
            self.reader.pinned = pinned

    def load(self) -> int:
        """Take in the whole journal."""
        self.refresh()
        return self.reader.load()

    def entry_of(self, id: r.Node) -> r.Entry | None:
        """The entry that recorded an entity first, or None."""
        return self._entries.entry_of(id)

    def entries_about(self, key: str) -> Iterable[r.Entry]:
        """The entries that the journal indexes under a subject."""
        return self._entries.about(key)

    def entries_of(self, kind: str) -> Iterable[r.Entry]:
        """All entries of a kind, in order."""
        return self._entries.entries(0, (kind,))

    def take(self, entry: r.Entry) -> None:
        """Take in an entry that was just recorded here, without reading it back."""
        self._apply(entry)
        self.last_recorded, self._seen = entry.recorded, entry.sequence
        if any(isinstance(stated.record, r.PruneRecord) for stated in entry.statements):
            self.restart()
        else:
            self.reader.take(entry)

    def drop(self) -> None:
        """Forget everything, as after a write that was undone."""
        self.reader.drop()
        self.roster, self.removals = Roster(), Removals()
        self.names.clear()
        self._seen = 0

    def restart(self) -> None:
        """Forget everything and look again, also where nothing new is looked for: a part was undone."""
        pinned, self.reader.pinned = self.reader.pinned, False
        self.drop()
        self.refresh()
        self.reader.pinned = pinned
