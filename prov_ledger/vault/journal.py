"""The journal in SQLite: the durable truth of a tenant, from which every index can be rebuilt."""

import json
import sqlite3
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from prov_ledger.errors import Corrupt, ProofError
from prov_ledger.merkle.proofs import consistency_path, inclusion_path
from prov_ledger.merkle.tree import (
    Frontier,
    NodeHash,
    NodeReader,
    TreeHead,
    peak_positions,
    range_hash,
)
from prov_ledger.vault.append import PAYLOAD, SqliteTransaction
from prov_ledger.vault.database import BUSY_TIMEOUT_MS, SCRUB_WAIT_MS, Database, Scrubbed
from prov_ledger.vault.entry_reads import EntryReads, end_of
from prov_ledger.vault.port import SealedPayload
from prov_ledger.vault.removing import COVER, Removed, removed_payloads
from prov_ledger.vault.schema import LEDGER
from prov_ledger.vault.sealing import split_chunks
from prov_ledger.vault.stored import (
    LookupRow,
    ReferenceRow,
    StoredRow,
    broken_references,
    page_of_lookups,
    page_of_payloads,
    page_of_references,
    page_of_rows,
)

LEDGER_FILE = "ledger.sqlite"
_PAYLOAD = (
    "SELECT payload.owner, payload.field, ticket, commitment, chunks, size_bytes "
    "FROM reference JOIN payload ON ticket = target WHERE reference.id = ? AND role = ?"
)
#: As ``_PAYLOAD``, for a JSON list of pairs.
_PAYLOADS = (
    "SELECT payload.owner, payload.field, ticket, commitment, chunks, size_bytes "
    "FROM json_each(?) AS wanted "
    "CROSS JOIN reference ON reference.id = json_extract(wanted.value, '$[0]') "
    "AND role = json_extract(wanted.value, '$[1]') CROSS JOIN payload ON ticket = target"
)
_HASH_BYTES = 32
_HASH = f"SELECT substr(hashes, ?, {_HASH_BYTES}) FROM entry WHERE sequence = ?"
_PAGE = 512
_PayloadRow = tuple[str, str, int, bytes, bytes, int]


class SqliteJournal(EntryReads):
    """A journal in ``ledger.sqlite`` of a tenant's folder; for any number of threads and processes."""

    def __init__(self, database: Database) -> None:
        """Use an open database of the journal's schema; ``create`` and ``open`` make one."""
        super().__init__(database)
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
            size, last_us = end_of(connection)
            frontier = self._frontier
            if frontier.size != size:
                frontier = _frontier_at(connection, size)
            transaction = SqliteTransaction(connection, frontier.copy(), last_us, self._packer, self.path)
            yield transaction
            committed = transaction.end()
        # Another writer may be between commit and here: only a longer tree replaces a shorter one.
        if committed.size > self._frontier.size:
            self._frontier = committed

    def data_version(self) -> int:
        """Changes when something was committed since the last call; compare with this object's answers."""
        return self._database.data_version()

    def meta(self, key: str) -> str | None:
        """A setting that was given at creation; None where it was not."""
        return self._database.meta(key)

    def meta_below(self, prefix: str) -> dict[str, str]:
        """The settings whose names begin with a prefix."""
        return self._database.meta_below(prefix)

    def payload(self, owner: str, field: str) -> SealedPayload | None:
        """The sealed payload of a field, or None."""
        with self._database.reading() as connection:
            row = connection.execute(_PAYLOAD, (owner, PAYLOAD + field)).fetchone()
        return None if row is None else _payload(row)

    def payloads(self, keys: Collection[tuple[str, str]]) -> dict[tuple[str, str], SealedPayload]:
        """Those of the (owner, field) that there are, read as of one moment."""
        wanted = json.dumps([(owner, PAYLOAD + field) for owner, field in keys])
        with self._database.reading() as connection:
            rows: list[_PayloadRow] = connection.execute(_PAYLOADS, (wanted,)).fetchall()
        return {(row[0], row[1]): _payload(row) for row in rows}

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
                page = page_of_rows(connection, self._packer, after, last)
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

    def references(self) -> Iterator[ReferenceRow]:
        """Every (id, role, target, kind) that leads to an entry, in the order of ids and roles."""
        after = ("", "")
        while True:
            with self._database.reading() as connection:
                page = page_of_references(connection, after)
            if not page:
                return
            yield from page
            after = page[-1][:2]

    def lookups(self) -> Iterator[LookupRow]:
        """Every (kind, token, sequence, id, since_us) by which an id is found, in that order."""
        after = ("", b"", 0, "")
        while True:
            with self._database.reading() as connection:
                page = page_of_lookups(connection, after)
            if not page:
                return
            yield from page
            after = page[-1][:4]

    def removed(self) -> list[Removed]:
        """Every payload that was taken out, and because of which entry."""
        with self._database.reading() as connection:
            return removed_payloads(connection)

    def cover_generation(self) -> int:
        """Which key covers the keyed hashes of names now; they count from 1."""
        return int(self.meta(COVER) or "1")

    def scrub(self, *, compact: bool = False, wait_ms: int = SCRUB_WAIT_MS) -> Scrubbed:
        """Take what was deleted out of the file and its log; see ``Database.scrub``."""
        return self._database.scrub(compact=compact, wait_ms=wait_ms)

    def scrub_if_due(self) -> None:
        """Finish a scrub that a reader was in the way of; see ``Database.scrub_if_due``."""
        self._database.scrub_if_due()

    def broken_references(self) -> list[tuple[str, str]]:
        """Where the file contradicts itself: (where, what)."""
        with self._database.reading() as connection:
            return list(broken_references(connection))

    def tree_head(self) -> TreeHead:
        """The size and root of the whole tree."""
        with self._database.reading() as connection:
            size = end_of(connection)[0]
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


def _payload(row: _PayloadRow) -> SealedPayload:
    """A row as a value."""
    owner, field, ticket, commitment, chunks, size_bytes = row
    return SealedPayload(owner, field, ticket, commitment.hex(), split_chunks(chunks), size_bytes)


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
    end = end_of(connection)[0]
    if not 0 <= size <= end:
        raise ProofError(f"the journal has {end} entries; there is no tree of {size}")
