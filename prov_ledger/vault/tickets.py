"""One random key per payload, wrapped by the key of an epoch: ``keys.sqlite``.

Keys are reserved in batches, durably, before anything is sealed with them: a committed entry never
lacks its keys. A ticket is the number of such a key.
"""

import json
import os
import sqlite3
from collections import deque
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from prov_ledger.errors import MissingKey
from prov_ledger.vault.crash import crash_point
from prov_ledger.vault.database import BUSY_TIMEOUT_MS, SCRUB_WAIT_MS, Database, Scrubbed
from prov_ledger.vault.epochs import (
    NONCE_BYTES,
    EpochStore,
    current_epoch,
    first_meta,
    ticket_context,
    wrap,
)
from prov_ledger.vault.keys import KeyProvider
from prov_ledger.vault.schema import KEYS

KEYS_FILE = "keys.sqlite"
_SECRET_BYTES = 64
_FIRST_BATCH = 64
_LARGEST_BATCH = 1024
#: Keys destroyed together while the write lock is held.
_DESTROY_BATCH = 4096


class Ticket(NamedTuple):
    """A key's number and its 64 secret bytes: 32 for AES-256, 32 for HMAC."""

    id: int
    secret: bytes

    def __repr__(self) -> str:
        """Its number alone, so that no log holds a key."""
        return f"Ticket({self.id})"


class TicketStore(EpochStore):
    """The keys of a tenant's payloads; for any number of threads and processes."""

    def __init__(self, database: Database, provider: KeyProvider) -> None:
        """Use an open database; raises MissingKey, ExposedKey, or WrongKey when the key fits nothing."""
        super().__init__(database, provider)
        self._unused: deque[Ticket] = deque()
        self._batch = _FIRST_BATCH

    @classmethod
    def create(
        cls, folder: Path, tenant: str, provider: KeyProvider, *, busy_timeout_ms: int = BUSY_TIMEOUT_MS
    ) -> "TicketStore":
        """Create an empty store and, where there is none yet, the key of the first epoch.

        Raises Refused ``already_exists`` when the folder has a store.
        """
        try:
            key = provider.get_key(tenant, 1)
        except MissingKey:
            key = provider.create_key(tenant, 1)
        meta = first_meta(AESGCM(key), tenant)
        database = Database.create(folder / KEYS_FILE, KEYS, meta=meta, busy_timeout_ms=busy_timeout_ms)
        return cls._guarded(database, provider)

    @classmethod
    def open(
        cls, folder: Path, provider: KeyProvider, *, busy_timeout_ms: int = BUSY_TIMEOUT_MS
    ) -> "TicketStore":
        """Open the store of a folder; raises Refused ``not_found``, MissingKey, ExposedKey or WrongKey."""
        return cls._guarded(Database(folder / KEYS_FILE, KEYS, busy_timeout_ms=busy_timeout_ms), provider)

    @classmethod
    def _guarded(cls, database: Database, provider: KeyProvider) -> "TicketStore":
        """Close the file again when the key does not fit."""
        try:
            return cls(database, provider)
        except BaseException:
            database.close()
            raise

    @property
    def path(self) -> Path:
        """Where the file is."""
        return self._database.path

    def take(self) -> Ticket:
        """A key that nothing was sealed with; when none is left, a durable batch is reserved."""
        with self._lock:
            if not self._unused:
                self._reserve(self._batch)
                self._batch = min(2 * self._batch, _LARGEST_BATCH)
            return self._unused.popleft()

    def reserve(self, count: int) -> None:
        """See to it that ``count`` keys are at hand, with one durable commit at most."""
        with self._lock:
            if count > len(self._unused):
                self._reserve(count - len(self._unused))

    def secret(self, ticket: int) -> bytes | None:
        """The 64 secret bytes of a key; None when it was destroyed. Raises Corrupt."""
        with self._database.reading() as connection:
            row = connection.execute("SELECT epoch, wrapped FROM ticket WHERE id = ?", (ticket,)).fetchone()
        return None if row is None else self._unwrap(ticket, row[0], row[1])

    def secrets(self, tickets: Collection[int]) -> dict[int, bytes]:
        """The secret bytes of those keys that there are."""
        sql = (
            "SELECT ticket.id, epoch, wrapped FROM json_each(?) AS wanted "
            "CROSS JOIN ticket ON ticket.id = wanted.value"
        )
        with self._database.reading() as connection:
            rows: list[tuple[int, int, bytes]] = connection.execute(
                sql, (json.dumps(list(tickets)),)
            ).fetchall()
        return {ticket: self._unwrap(ticket, epoch, wrapped) for ticket, epoch, wrapped in rows}

    def all(self) -> set[int]:
        """The numbers of all keys that there are."""
        with self._database.reading() as connection:
            return {int(row[0]) for row in connection.execute("SELECT id FROM ticket")}

    def data_version(self) -> int:
        """Changes when any key was made, destroyed or wrapped anew since the last call, by any process."""
        return self._database.data_version()

    def destroy(self, tickets: Collection[int]) -> None:
        """Destroy keys durably, some thousands at a time; one that is gone already stays so."""
        wanted = list(tickets)
        for start in range(0, len(wanted), _DESTROY_BATCH):
            part = wanted[start : start + _DESTROY_BATCH]
            with self._database.writing() as connection:
                connection.executemany("DELETE FROM ticket WHERE id = ?", [(ticket,) for ticket in part])
            crash_point("keys.destroyed")

    def last(self) -> int:
        """The highest number that any key ever had; later ones are higher."""
        with self._database.reading() as connection:
            return _last_number(connection)

    def destroy_all_but(self, kept: Collection[int]) -> int:
        """Destroy every key but those, durably; how many there were.

        Only where no other process uses the store: what one has reserved is destroyed as well.
        """
        with self._lock:
            self._unused.clear()
            orphans = self.all() - set(kept)
            self.destroy(orphans)
        return len(orphans)

    def scrub(self, *, compact: bool = False, wait_ms: int = SCRUB_WAIT_MS) -> Scrubbed:
        """Take what was deleted out of the file and its log; see ``Database.scrub``."""
        return self._database.scrub(compact=compact, wait_ms=wait_ms)

    def scrub_if_due(self) -> None:
        """Finish a scrub that a reader was in the way of; see ``Database.scrub_if_due``."""
        self._database.scrub_if_due()

    def close(self) -> None:
        """Destroy the keys that this store reserved and never gave out, and close the file."""
        with self._lock:
            unused, self._unused = self._unused, deque()
        try:
            if unused:
                with self._database.writing() as connection:
                    connection.executemany("DELETE FROM ticket WHERE id = ?", [(x.id,) for x in unused])
        finally:
            self._database.close()

    def _reserve(self, count: int) -> None:
        """Make and keep so many keys; they are at hand only once they are durable."""
        secret_bytes, nonces = os.urandom(_SECRET_BYTES * count), os.urandom(NONCE_BYTES * count)
        fresh: list[Ticket] = []
        with self._database.writing() as connection:
            first = 1 + _last_number(connection)
            epoch = current_epoch(connection)
            cipher = self._cipher(epoch)
            rows = []
            for number in range(count):
                secret = secret_bytes[number * _SECRET_BYTES : (number + 1) * _SECRET_BYTES]
                nonce = nonces[number * NONCE_BYTES : (number + 1) * NONCE_BYTES]
                ticket = first + number
                fresh.append(Ticket(ticket, secret))
                rows.append((ticket, epoch, wrap(cipher, nonce, secret, ticket_context(ticket))))
            connection.executemany("INSERT INTO ticket VALUES (?, ?, ?)", rows)
        self._unused.extend(fresh)


def _last_number(connection: sqlite3.Connection) -> int:
    row = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'ticket'").fetchone()
    return 0 if row is None else int(row[0])
