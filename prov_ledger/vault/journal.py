"""The journal in SQLite: the durable truth of a tenant, from which every index can be rebuilt."""

import sqlite3
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from prov_ledger.errors import Corrupt, ProofError, Refused
from prov_ledger.merkle.proofs import consistency_path, inclusion_path
from prov_ledger.merkle.tree import (
    Frontier,
    NodeHash,
    NodeReader,
    TreeHead,
    peak_positions,
    range_hash,
)
from prov_ledger.vault.append import PAYLOAD, SqliteTransaction, from_microseconds, to_microseconds
from prov_ledger.vault.database import BUSY_TIMEOUT_MS, Database
from prov_ledger.vault.port import Lookup, SealedPayload, StoredEntry
from prov_ledger.vault.schema import LEDGER
from prov_ledger.vault.sealing import split_chunks
from prov_ledger.vault.stored import StoredRow, broken_references, page_of_payloads, page_of_rows

LEDGER_FILE = "ledger.sqlite"
_ENTRY = (
    "SELECT entry.sequence, entry.id, entry.kind, recorded_us, bytes, hashes "
    "FROM entry LEFT JOIN leaf USING (sequence)"
)
_ORIGIN = "SELECT target, kind FROM reference WHERE id = ? AND role = 'origin'"
_PAYLOAD = (
    "SELECT payload.owner, payload.field, ticket, commitment, chunks, size_bytes "
    "FROM reference JOIN payload ON ticket = target WHERE reference.id = ? AND role = ?"
)
_HASH_BYTES = 32
_HASH = f"SELECT substr(hashes, ?, {_HASH_BYTES}) FROM entry WHERE sequence = ?"
_PAGE = 512
_EntryRow = tuple[int, str, str, int, bytes | None, bytes]
_PayloadRow = tuple[str, str, int, bytes, bytes, int]


class SqliteJournal:
    """A journal in ``ledger.sqlite`` of a tenant's folder; for any number of threads and processes."""

    def __init__(self, database: Database) -> None:
        """Use an open database of the journal's schema; ``create`` and ``open`` make one."""
        self._database = database
        self._frontier = Frontier()

    @classmethod
    def create(
        cls, folder: Path, meta: Mapping[str, str] | None = None, *, busy_timeout_ms: int = BUSY_TIMEOUT_MS
    ) -> "SqliteJournal":
        """Create an empty journal with settings that never change.

        Raises Refused ``already_exists`` when the folder has one.
        """
        database = Database.create(
            folder / LEDGER_FILE, LEDGER, meta=dict(meta or {}), busy_timeout_ms=busy_timeout_ms
        )
        return cls(database)

    @classmethod
    def open(cls, folder: Path, *, busy_timeout_ms: int = BUSY_TIMEOUT_MS) -> "SqliteJournal":
        """Open the journal of a folder; raises Refused ``not_found`` when there is none."""
        return cls(Database(folder / LEDGER_FILE, LEDGER, busy_timeout_ms=busy_timeout_ms))

    @property
    def path(self) -> Path:
        """Where the file is."""
        return self._database.path

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        self._database.close()

    @contextmanager
    def writing(self) -> Iterator[SqliteTransaction]:
        """Take the write lock; durable at exit, undone on an exception; not reentrant.

        Raises StorageError ``busy`` after the timeout, ``storage_full`` when the disk is full.
        """
        with self._database.writing() as connection:
            size, last_us = _end(connection)
            frontier = self._frontier
            if frontier.size != size:
                frontier = _frontier_at(connection, size)
            transaction = SqliteTransaction(connection, frontier.copy(), last_us)
            yield transaction
            committed = transaction.frontier
        # Another writer may be between commit and here: only a longer tree replaces a shorter one.
        if committed.size > self._frontier.size:
            self._frontier = committed

    def size(self) -> int:
        """How many entries there are."""
        with self._database.reading() as connection:
            return _end(connection)[0]

    def data_version(self) -> int:
        """Changes when something was committed since the last call; compare with this object's answers."""
        return self._database.data_version()

    def meta(self, key: str) -> str | None:
        """A setting that was given at creation; None where it was not."""
        return self._database.meta(key)

    def entries(
        self, after: int = 0, until: int | None = None, kinds: Collection[str] | None = None
    ) -> Iterator[StoredEntry]:
        """Entries with ``after < sequence <= until`` in order, of these kinds only where given.

        Read in pages; entries appended meanwhile may or may not be among them where ``until`` is None.
        """
        condition, values = "", tuple(kinds or ())
        if kinds is not None:
            condition = f" AND kind IN ({_marks(len(values))})"
        last = 2**63 - 1 if until is None else until
        sql = (
            f"{_ENTRY} WHERE entry.sequence > ? AND entry.sequence <= ?{condition} "
            f"ORDER BY entry.sequence LIMIT {_PAGE}"
        )
        while True:
            with self._database.reading() as connection:
                rows: list[_EntryRow] = connection.execute(sql, (after, last, *values)).fetchall()
            yield from map(_entry, rows)
            if len(rows) < _PAGE:
                return
            after = rows[-1][0]

    def entry(self, sequence: int) -> StoredEntry | None:
        """The entry of that sequence, or None."""
        with self._database.reading() as connection:
            row = connection.execute(f"{_ENTRY} WHERE entry.sequence = ?", (sequence,)).fetchone()
        return None if row is None else _entry(row)

    def entry_of(self, entity_id: str) -> StoredEntry | None:
        """The entry that brought the entity into being, or None."""
        sql = f"{_ENTRY} WHERE entry.sequence = ?"
        with self._database.reading() as connection:
            origin = connection.execute(_ORIGIN, (entity_id,)).fetchone()
            row = None if origin is None else connection.execute(sql, (origin[0],)).fetchone()
        return None if row is None else _entry(row)

    def kind_of(self, entity_id: str) -> str | None:
        """The kind under which the entity was recorded, or None."""
        with self._database.reading() as connection:
            row = connection.execute(_ORIGIN, (entity_id,)).fetchone()
        return None if row is None else str(row[1])

    def about(self, entity_id: str) -> list[StoredEntry]:
        """The entries whose ``about`` names the entity, in order."""
        sql = (
            f"{_ENTRY} WHERE entry.sequence IN (SELECT target FROM reference WHERE id = ? "
            "AND role > 'about:' AND role < 'about;') ORDER BY entry.sequence"
        )
        with self._database.reading() as connection:
            return [_entry(row) for row in connection.execute(sql, (entity_id,))]

    def find(self, kind: str, token: bytes) -> list[Lookup]:
        """What a keyed hash stands for, in the order recorded."""
        sql = "SELECT id, since_us FROM lookup WHERE kind = ? AND token = ? ORDER BY sequence, id"
        with self._database.reading() as connection:
            rows = connection.execute(sql, (kind, token)).fetchall()
        return [
            Lookup(kind, token, id_, None if since_us is None else from_microseconds(since_us))
            for id_, since_us in rows
        ]

    def payload(self, owner: str, field: str) -> SealedPayload | None:
        """The sealed payload of a field, or None."""
        with self._database.reading() as connection:
            row = connection.execute(_PAYLOAD, (owner, PAYLOAD + field)).fetchone()
        return None if row is None else _payload(row)

    def payloads(self, keys: Collection[tuple[str, str]]) -> dict[tuple[str, str], SealedPayload]:
        """Those of the (owner, field) that there are, read as of one moment."""
        found: dict[tuple[str, str], SealedPayload] = {}
        with self._database.reading() as connection:
            for owner, field in keys:
                row = connection.execute(_PAYLOAD, (owner, PAYLOAD + field)).fetchone()
                if row is not None:
                    found[owner, field] = _payload(row)
        return found

    def payload_keys(self) -> Iterator[tuple[str, str]]:
        """Every (owner, field), in the order of their tickets."""
        sql = f"SELECT owner, field, ticket FROM payload WHERE ticket > ? ORDER BY ticket LIMIT {_PAGE}"
        after = 0
        while True:
            with self._database.reading() as connection:
                rows: list[tuple[str, str, int]] = connection.execute(sql, (after,)).fetchall()
            yield from ((owner, field) for owner, field, _ in rows)
            if len(rows) < _PAGE:
                return
            after = rows[-1][2]

    def rows(self, until: int | None = None) -> Iterator[StoredRow]:
        """Every entry's row with its tree hashes, in order, as a check reads it."""
        after, last = 0, 2**63 - 1 if until is None else until
        while True:
            with self._database.reading() as connection:
                page = page_of_rows(connection, after, last)
            if not page:
                return
            yield from page
            after = page[-1].sequence

    def sealed(self) -> Iterator[tuple[int, SealedPayload]]:
        """Every payload with the sequence that recorded it, in the order of tickets."""
        after = 0
        while True:
            with self._database.reading() as connection:
                page = page_of_payloads(connection, after)
            if not page:
                return
            yield from page
            after = page[-1][1].ticket

    def broken_references(self) -> list[tuple[str, str]]:
        """Where the file contradicts itself: (where, what)."""
        with self._database.reading() as connection:
            return list(broken_references(connection))

    def recorded_at(self, sequence: int) -> datetime:
        """When the entry was recorded; raises Refused ``not_found``."""
        with self._database.reading() as connection:
            return from_microseconds(_recorded_us(connection, sequence))

    def sequence_at(self, instant: datetime) -> int:
        """The last sequence recorded at or before ``instant``; 0 for none."""
        wanted = to_microseconds(instant)
        with self._database.reading() as connection:
            low, high = 0, _end(connection)[0]
            while low < high:
                middle = (low + high + 1) // 2
                if _recorded_us(connection, middle) <= wanted:
                    low = middle
                else:
                    high = middle - 1
        return low

    def tree_head(self) -> TreeHead:
        """The size and root of the whole tree."""
        with self._database.reading() as connection:
            size = _end(connection)[0]
            return TreeHead(size, range_hash(0, size, _node_reader(connection)))

    def root_at(self, size: int) -> NodeHash:
        """The root over the first ``size`` leaves; raises ProofError beyond the end."""
        with self._database.reading() as connection:
            _check_size(connection, size)
            return range_hash(0, size, _node_reader(connection))

    def inclusion_path(self, sequence: int, size: int) -> tuple[NodeHash, ...]:
        """The path from the leaf of ``sequence`` to the root over ``size`` leaves; raises ProofError."""
        with self._database.reading() as connection:
            _check_size(connection, size)
            return inclusion_path(sequence - 1, size, _node_reader(connection))

    def consistency_path(self, old: int, new: int) -> tuple[NodeHash, ...]:
        """The hashes that show the first ``old`` leaves to begin the first ``new``; raises ProofError."""
        with self._database.reading() as connection:
            _check_size(connection, new)
            return consistency_path(old, new, _node_reader(connection))


def _marks(count: int) -> str:
    """So many parameter marks."""
    return ", ".join("?" * count)


def _entry(row: _EntryRow) -> StoredEntry:
    """A row as a value; a pruned leaf is empty."""
    sequence, id_, kind, recorded_us, leaf, hashes = row
    return StoredEntry(sequence, id_, kind, from_microseconds(recorded_us), leaf or b"", hashes[:_HASH_BYTES])


def _payload(row: _PayloadRow) -> SealedPayload:
    """A row as a value."""
    owner, field, ticket, commitment, chunks, size_bytes = row
    return SealedPayload(owner, field, ticket, commitment.hex(), split_chunks(chunks), size_bytes)


def _end(connection: sqlite3.Connection) -> tuple[int, int | None]:
    """The sequence and the time of the last entry; (0, None) when there is none."""
    row = connection.execute(
        "SELECT sequence, recorded_us FROM entry ORDER BY sequence DESC LIMIT 1"
    ).fetchone()
    return (0, None) if row is None else (int(row[0]), int(row[1]))


def _recorded_us(connection: sqlite3.Connection, sequence: int) -> int:
    """The time of an entry; raises Refused ``not_found``."""
    row = connection.execute("SELECT recorded_us FROM entry WHERE sequence = ?", (sequence,)).fetchone()
    if row is None:
        raise Refused("not_found", f"there is no entry {sequence} in the journal")
    return int(row[0])


def _node_reader(connection: sqlite3.Connection) -> NodeReader:
    """Reads the stored hashes of full subtrees; raises Corrupt for one that is gone."""

    def read(level: int, index: int) -> NodeHash:
        row = connection.execute(_HASH, (level * _HASH_BYTES + 1, (index + 1) << level)).fetchone()
        if row is None or len(row[0]) != _HASH_BYTES:
            raise Corrupt(f"the tree has no node at level {level}, index {index}; run verify")
        return bytes(row[0])

    return read


def _frontier_at(connection: sqlite3.Connection, size: int) -> Frontier:
    """The right edge of the stored tree."""
    read = _node_reader(connection)
    return Frontier(size, [read(level, index) for level, index in peak_positions(size)])


def _check_size(connection: sqlite3.Connection, size: int) -> None:
    """Raise ProofError for a tree that the journal has not."""
    end = _end(connection)[0]
    if not 0 <= size <= end:
        raise ProofError(f"the journal has {end} entries; there is no tree of {size}")
