"""Writing entries: rows, payloads and the Merkle tree inside one held write lock."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from prov_ledger.errors import ClockWentBack, StorageError
from prov_ledger.merkle.tree import Frontier, leaf_hash
from prov_ledger.vault.crash import crash_point
from prov_ledger.vault.packing import LeafPacker
from prov_ledger.vault.port import NewEntry, SealedPayload
from prov_ledger.vault.schema import FREQUENT_KINDS
from prov_ledger.vault.sqlite_errors import translated

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_INSERT_ENTRY = "INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?)"
_INSERT_RARE = "INSERT INTO rare VALUES (?, ?)"
_INSERT_REFERENCE = "INSERT INTO reference VALUES (?, ?, ?, ?)"
_INSERT_PAYLOAD = "INSERT INTO payload VALUES (?, ?, ?, ?, ?, ?, ?)"
_INSERT_LOOKUP = "INSERT INTO lookup VALUES (?, ?, ?, ?, ?)"
#: Roles of a reference; a sequence is written in so many hex digits, so that its text sorts as it does.
ORIGIN = "origin"
ABOUT = "about:"
PAYLOAD = "payload:"
SPAN = "span:"
_Reference = tuple[str, str, int, str | None]


def to_microseconds(instant: datetime) -> int:
    """Microseconds since 1970 in UTC; exact, unlike a float timestamp."""
    return (instant - _EPOCH) // _MICROSECOND


def from_microseconds(count: int) -> datetime:
    """The instant, in UTC, of ``to_microseconds``."""
    return _EPOCH + timedelta(microseconds=count)


def _optional_microseconds(instant: datetime | None) -> int | None:
    """None stays None."""
    return None if instant is None else to_microseconds(instant)


class SqliteTransaction:
    """The write lock of a journal, held by one thread until its block ends."""

    __slots__ = ("_connection", "_frontier", "_last_us", "_packer", "_path", "_usable")

    def __init__(
        self,
        connection: sqlite3.Connection,
        frontier: Frontier,
        last_us: int | None,
        packer: LeafPacker,
        path: Path,
    ) -> None:
        """Continue a journal that ends with ``frontier`` and the time of its last entry."""
        self._path = path
        self._packer = packer
        self._connection = connection
        self._frontier = frontier
        self._last_us = last_us
        self._usable = True

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection that holds the lock, for what takes something out."""
        return self._connection

    @property
    def path(self) -> Path:
        """Where the file is."""
        return self._path

    @property
    def size(self) -> int:
        """How many entries there are, those of this transaction included."""
        return self._frontier.size

    @property
    def last_recorded(self) -> datetime | None:
        """When the last entry was recorded; None in an empty journal."""
        return None if self._last_us is None else from_microseconds(self._last_us)

    @contextmanager
    def part(self) -> Iterator[None]:
        """A part of the write that is undone alone when it raises; what came before it stays."""
        frontier, last_us = self._frontier.copy(), self._last_us
        with translated(self._path):
            self._connection.execute("SAVEPOINT part")
        try:
            yield
        except BaseException:
            self._undo_part()
            self._frontier, self._last_us = frontier, last_us
            raise
        with translated(self._path):
            self._connection.execute("RELEASE part")

    def _undo_part(self) -> None:
        """Back to where the part began; some errors, a full disk among them, have undone the whole."""
        self._usable = False
        if self._connection.in_transaction:
            with translated(self._path):
                self._connection.execute("ROLLBACK TO part")
                self._connection.execute("RELEASE part")
            self._usable = True

    def append(self, entry: NewEntry) -> int:
        """Add an entry; its sequence. Raises Refused ``already_exists`` for an id or field that is taken.

        Raises ClockWentBack when it is recorded before the entry that it follows. After ``already_exists``
        the block can only be undone, since a part of the entry was written.
        """
        if not self._usable:
            raise StorageError("this transaction has ended or failed; begin another")
        recorded_us = to_microseconds(entry.recorded)
        if self._last_us is not None and recorded_us < self._last_us:
            raise ClockWentBack(
                f"entry {self.size + 1} would be recorded at {entry.recorded.isoformat()}, before the last "
                f"one ({from_microseconds(self._last_us).isoformat()}); set the clock"
            )
        self._usable = False
        with translated(self._path):
            sequence = self._write_entry(entry, recorded_us)
            self._write_references(entry, sequence)
            self._write_payloads(entry, sequence)
        self._last_us = recorded_us
        self._usable = True
        crash_point("journal.appended")
        return sequence

    def end(self) -> Frontier:
        """No more appends; the frontier to go on from. Raises StorageError when an append failed half way."""
        if not self._usable:
            raise StorageError("an entry was written in part only; nothing of this write is kept")
        self._usable = False
        return self._frontier

    def _write_entry(self, entry: NewEntry, recorded_us: int) -> int:
        """The entry, its leaf, and the hashes of the subtrees that the leaf completes."""
        leaf = leaf_hash(entry.leaf)
        sequence = self._frontier.size + 1
        hashes = leaf + b"".join([node.hash for node in self._frontier.append(leaf)])
        execute = self._connection.execute
        packed = self._packer.pack(entry.leaf)
        execute(_INSERT_ENTRY, (sequence, entry.id, entry.kind, recorded_us, hashes, packed))
        if entry.kind not in FREQUENT_KINDS:
            execute(_INSERT_RARE, (entry.kind, sequence))
        return sequence

    def _write_references(self, entry: NewEntry, sequence: int) -> None:
        """What the entry brings into being, is about, holds texts of, and is found by."""
        rows: list[_Reference] = [(id_, ORIGIN, sequence, kind) for id_, kind in entry.entities]
        if entry.about:
            role = about_role(sequence)
            rows += [(id_, role, sequence, None) for id_ in dict.fromkeys(entry.about)]
        rows += [(x.owner, PAYLOAD + x.field, x.ticket, None) for x in entry.payloads]
        rows += [(whole, f"{SPAN}{span};{sequence:012x}", sequence, id_) for whole, span, id_ in entry.spans]
        self._connection.executemany(_INSERT_REFERENCE, rows)
        if entry.lookups:
            self._connection.executemany(
                _INSERT_LOOKUP,
                [(x.kind, x.token, sequence, x.id, _optional_microseconds(x.since)) for x in entry.lookups],
            )

    def _write_payloads(self, entry: NewEntry, sequence: int) -> None:
        """The sealed texts; chunks lie end to end in one value, so that one row is all of a payload."""
        self._connection.executemany(
            _INSERT_PAYLOAD, [_payload_row(payload, sequence) for payload in entry.payloads]
        )


def about_role(sequence: int) -> str:
    """The role of a reference from an entry that says something on an id.

    >>> about_role(255)
    'about:0000000000ff'
    """
    return f"{ABOUT}{sequence:012x}"


def _payload_row(payload: SealedPayload, sequence: int) -> tuple[int, str, str, int, bytes, int, bytes]:
    """A payload as its row."""
    return (
        payload.ticket,
        payload.owner,
        payload.field,
        sequence,
        bytes.fromhex(payload.commitment_hex),
        payload.size_bytes,
        payload.chunks[0] if len(payload.chunks) == 1 else b"".join(payload.chunks),
    )
