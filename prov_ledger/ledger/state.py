"""What the verbs know while they run: the memory reader and the roster, both fed by the journal."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from prov_ledger.authz.roster import ROSTER_KINDS, Roster
from prov_ledger.checks.effective import KnownRevisions
from prov_ledger.model import records as r
from prov_ledger.rdf.decode import decode_entry
from prov_ledger.readers.memory import MemoryReader
from prov_ledger.vault.port import Journal


class DecodedEntries:
    """A journal's entries as records."""

    def __init__(self, journal: Journal, base: str) -> None:
        self._journal = journal
        self._base = base

    def size(self) -> int:
        """How many entries there are."""
        return self._journal.size()

    def entries(self, after: int, kinds: Sequence[str] | None = None) -> Iterable[r.Entry]:
        """Entries with a sequence above ``after``, in order, decoded."""
        return (decode_entry(x.leaf, self._base) for x in self._journal.entries(after, kinds=kinds))

    def entry_of(self, id: r.Node) -> r.Entry | None:
        """The entry that recorded an entity first, decoded."""
        found = self._journal.entry_of(id)
        return decode_entry(found.leaf, self._base) if found is not None else None

    def about(self, key: str) -> list[r.Entry]:
        """The entries about a subject, decoded."""
        return [decode_entry(x.leaf, self._base) for x in self._journal.about(key)]


class State:
    """One consistent view of the journal; ``refresh`` brings it to the journal's end."""

    def __init__(self, journal: Journal, base: str) -> None:
        self._entries = DecodedEntries(journal, base)
        self.reader = MemoryReader(self._entries)
        self.roster = Roster()
        self.revisions = KnownRevisions()
        #: What names stand for, by kind and name, once they were looked up: a name keeps its id.
        self.names: dict[tuple[str, str], r.Node] = {}
        self._seen = 0

    def refresh(self) -> None:
        """Take in what was recorded since the last call."""
        if self.reader.pinned:
            return
        size = self._entries.size()
        if size != self._seen:
            for entry in self._entries.entries(self._seen, ROSTER_KINDS):
                self.roster.apply(entry)
            self._seen = size
        self.reader.refresh()

    def catch_up(self) -> int:
        """Take in what was recorded since the last call; how many entries that was."""
        before = self._seen
        self.refresh()
        return self._seen - before

    @contextmanager
    def steady(self) -> Iterator[None]:
        """What is recorded now, throughout one read; what others record meanwhile is for the next."""
        self.refresh()
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
        self.roster.apply(entry)
        self._seen = entry.sequence
        self.reader.take(entry)

    def drop(self) -> None:
        """Forget everything, as after a write that was undone."""
        self.reader.drop()
        self.roster = Roster()
        self.names.clear()
        self._seen = 0

    def restart(self) -> None:
        """Forget everything and look again, also where nothing new is looked for: a part was undone."""
        pinned, self.reader.pinned = self.reader.pinned, False
        self.drop()
        self.refresh()
        self.reader.pinned = pinned
