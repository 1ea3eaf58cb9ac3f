"""The graph follows the journal: which entries it lacks, and whether it is this journal's at all.

Lines are loaded first and the position after them, so that a kill between the two only means that
some lines are loaded again. A position that the journal does not know means another history, a
restored backup perhaps: then the graph is made anew.
"""

from collections.abc import Iterable, Iterator
from typing import Protocol

from prov_ledger.store.port import GraphStore, Position

#: From here on loading in bulk is quicker than in transactions.
BULK_ENTRIES = 2_000
#: Entries that one transaction takes in.
BATCH_ENTRIES = 500
_CHUNK_BYTES = 4 << 20


class IndexedEntry(Protocol):
    """What the index reads of an entry."""

    @property
    def sequence(self) -> int:
        """Its number, from 1 on without gaps."""

    @property
    def leaf(self) -> bytes:
        """Its canonical N-Quads; empty when they were pruned."""


class IndexedJournal(Protocol):
    """What the index reads of a journal."""

    def size(self) -> int:
        """Count the entries."""

    def entries(self, after: int = 0, until: int | None = None) -> Iterator[IndexedEntry]:
        """Yield the entries behind number ``after``, up to and with number ``until``, in order."""

    def root_at(self, size: int) -> bytes:
        """The root hash of the tree over the first ``size`` entries."""


class GraphIndex:
    """Keeps one graph store at the end of one journal."""

    def __init__(self, journal: IndexedJournal, store: GraphStore) -> None:
        self._journal = journal
        self._store = store
        self._reached: int | None = None

    def catch_up(self) -> int:
        """Bring the graph to the journal's end; returns how many entries were loaded.

        Cheap when nothing is new. Killed at any point, the next call completes it.
        """
        size = self._journal.size()
        if self._reached == size:
            return 0
        start = self._reached if self._reached is not None else self._find_start(size)
        if start is None:
            return self.rebuild()
        if size - start >= BULK_ENTRIES:
            self._store.bulk_load(self._leaves(start, size))
            self._set_reached(size)
        else:
            self._load_batches(start, size)
        return size - start

    def rebuild(self) -> int:
        """Make the graph anew from the journal, with nothing left of the old; returns the entries loaded."""
        size = self._journal.size()
        self._reached = None
        self._store.replace(self._leaves(0, size), self._position_at(size))
        self._reached = size
        return size

    def lag(self) -> int:
        """Count the entries that the graph lacks; all of them when it is not this journal's."""
        size = self._journal.size()
        return size - (self._find_start(size) or 0)

    def _find_start(self, size: int) -> int | None:
        """Find the last entry that the graph has; None when the graph is not this journal's."""
        position = self._store.position()
        if position is None:
            return None if self._store.size() else 0
        if position.sequence > size or self._position_at(position.sequence) != position:
            return None
        return position.sequence

    def _load_batches(self, start: int, size: int) -> None:
        for first in range(start, size, BATCH_ENTRIES):
            last = min(first + BATCH_ENTRIES, size)
            self._store.load(b"".join(entry.leaf for entry in self._journal.entries(first, last)))
            self._set_reached(last)

    def _set_reached(self, sequence: int) -> None:
        self._store.set_position(self._position_at(sequence))
        self._reached = sequence

    def _position_at(self, sequence: int) -> Position:
        return Position(sequence, self._journal.root_at(sequence).hex())

    def _leaves(self, start: int, size: int) -> Iterator[bytes]:
        return _joined((entry.leaf for entry in self._journal.entries(start, size)), _CHUNK_BYTES)


def _joined(leaves: Iterable[bytes], size: int) -> Iterator[bytes]:
    """Join leaves to chunks of about ``size`` bytes."""
    waiting: list[bytes] = []
    length = 0
    for leaf in leaves:
        waiting.append(leaf)
        length += len(leaf)
        if length >= size:
            yield b"".join(waiting)
            waiting, length = [], 0
    if waiting:
        yield b"".join(waiting)
