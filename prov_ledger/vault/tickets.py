"""One random key per payload, wrapped by the key of an epoch: ``keys.sqlite``.

Keys are reserved in batches, durably, before anything is sealed with them: a committed entry never
lacks its keys. A ticket is the number of such a key.
"""

import json
import os
import threading
from collections import deque
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from prov_ledger.errors import Corrupt, MissingKey, WrongKey
from prov_ledger.vault.database import BUSY_TIMEOUT_MS, Database
from prov_ledger.vault.keys import KEY_BYTES, KeyProvider
from prov_ledger.vault.schema import KEYS

KEYS_FILE = "keys.sqlite"
_NONCE_BYTES = 12
_SECRET_BYTES = 64
_FIRST_BATCH = 64
_LARGEST_BATCH = 1024
_LOOKUP_KEY = "lookup_key"
_EPOCH = "epoch"
_TENANT = "tenant"


@dataclass(frozen=True, slots=True, repr=False)
class Ticket:
    """A key's number and its 64 secret bytes: 32 for AES-256, 32 for HMAC."""

    id: int
    secret: bytes


class TicketStore:
    """The keys of a tenant's payloads; for any number of threads and processes."""

    def __init__(self, database: Database, provider: KeyProvider) -> None:
        """Use an open database; raises MissingKey, ExposedKey, or WrongKey when the key fits nothing."""
        self._database = database
        self._provider = provider
        self._lock = threading.Lock()
        self._unused: deque[Ticket] = deque()
        self._batch = _FIRST_BATCH
        self._ciphers: dict[int, AESGCM] = {}
        self._tenant = database.meta(_TENANT) or ""
        self._epoch = int(database.meta(_EPOCH) or "1")
        self.lookup_key = self._open_lookup_key()

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
        lookup_key = _wrap(
            AESGCM(key), os.urandom(_NONCE_BYTES), os.urandom(KEY_BYTES), _lookup_context(tenant, 1)
        )
        meta = {_TENANT: tenant, _EPOCH: "1", _LOOKUP_KEY: lookup_key.hex()}
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

    def data_version(self) -> int:
        """Changes when any key was made, destroyed or wrapped anew since the last call, by any process."""
        return self._database.data_version()

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
        secret_bytes, nonces = os.urandom(_SECRET_BYTES * count), os.urandom(_NONCE_BYTES * count)
        cipher = self._cipher(self._epoch)
        fresh: list[Ticket] = []
        with self._database.writing() as connection:
            row = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'ticket'").fetchone()
            first = 1 + (0 if row is None else row[0])
            rows = []
            for number in range(count):
                secret = secret_bytes[number * _SECRET_BYTES : (number + 1) * _SECRET_BYTES]
                nonce = nonces[number * _NONCE_BYTES : (number + 1) * _NONCE_BYTES]
                ticket = first + number
                fresh.append(Ticket(ticket, secret))
                rows.append((ticket, self._epoch, _wrap(cipher, nonce, secret, _ticket_context(ticket))))
            connection.executemany("INSERT INTO ticket VALUES (?, ?, ?)", rows)
        self._unused.extend(fresh)

    def _unwrap(self, ticket: int, epoch: int, wrapped: bytes) -> bytes:
        """Open one wrapped key."""
        try:
            return self._cipher(epoch).decrypt(
                wrapped[:_NONCE_BYTES], wrapped[_NONCE_BYTES:], _ticket_context(ticket)
            )
        except (InvalidTag, ValueError):
            raise Corrupt(
                f"{self.path.name}: key {ticket} does not open with the key of epoch {epoch}"
            ) from None

    def _cipher(self, epoch: int) -> AESGCM:
        """The cipher of an epoch; its key is asked for once."""
        cipher = self._ciphers.get(epoch)
        if cipher is None:
            cipher = self._ciphers[epoch] = AESGCM(self._provider.get_key(self._tenant, epoch))
        return cipher

    def _open_lookup_key(self) -> bytes:
        """The tenant's key of keyed hashes; opening it proves that the epoch key is the right one."""
        wrapped = bytes.fromhex(self._database.meta(_LOOKUP_KEY) or "")
        context = _lookup_context(self._tenant, self._epoch)
        try:
            return self._cipher(self._epoch).decrypt(wrapped[:_NONCE_BYTES], wrapped[_NONCE_BYTES:], context)
        except (InvalidTag, ValueError):
            raise WrongKey(
                f"the key of epoch {self._epoch} for tenant {self._tenant} does not open {self.path}; "
                "put back the key that the ledger was created with"
            ) from None


def _wrap(cipher: AESGCM, nonce: bytes, secret: bytes, context: bytes) -> bytes:
    """Nonce, ciphertext and tag; the nonce is random, since a number may come again after a restore."""
    return nonce + cipher.encrypt(nonce, secret, context)


def _ticket_context(ticket: int) -> bytes:
    """What binds a wrapped key to its number."""
    return b"prov-ledger/ticket/1\0%d" % ticket


def _lookup_context(tenant: str, epoch: int) -> bytes:
    """What binds the wrapped lookup key to its tenant and epoch."""
    return b"prov-ledger/lookup-key/1\0%s\0%d" % (tenant.encode(), epoch)
