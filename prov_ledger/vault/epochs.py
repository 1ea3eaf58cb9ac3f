"""The keys of a tenant's epochs, and what else they wrap than the keys of payloads.

An erasure ends with a new epoch: what lives is wrapped anew, and the old key is destroyed. A copy of
``keys.sqlite`` from before, in a backup or in freed blocks of a disk, then opens nothing.
"""

import os
import sqlite3
import threading
import time
from collections.abc import Callable

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from prov_ledger.errors import Corrupt, MissingKey, Refused, WrongKey
from prov_ledger.vault.crash import crash_point
from prov_ledger.vault.database import Database
from prov_ledger.vault.keys import KEY_BYTES, KeyProvider

NONCE_BYTES = 12
#: Keys written together at first and at most; in between as many as take the write lock for so long, of the
#: 50 ms that a writer may wait.
_FIRST_BATCH, REWRAP_BATCH = 256, 1024
_LOCKED_S = 0.01
_EPOCH, _TENANT, _DESTROYED = "epoch", "tenant", "destroyed"
#: Names in ``meta`` of the keys that belong to the tenant as a whole.
LOOKUP_KEY, FINGERPRINT_KEY, COVER_KEY = "lookup_key", "fingerprint_key", "cover_key."
_WHOLE = f"key IN ('{LOOKUP_KEY}', '{FINGERPRINT_KEY}') OR key LIKE '{COVER_KEY}%'"


class EpochStore:
    """The wrapped keys in ``keys.sqlite``; for any number of threads and processes."""

    def __init__(self, database: Database, provider: KeyProvider) -> None:
        """Use an open database; raises MissingKey, ExposedKey, or WrongKey when the key fits nothing."""
        self._database = database
        self._provider = provider
        self._lock = threading.Lock()
        self._ciphers: dict[int, AESGCM] = {}
        self._tenant = database.meta(_TENANT) or ""
        self.lookup_key = self._open_whole(LOOKUP_KEY)

    @property
    def epoch(self) -> int:
        """The epoch whose key wraps what is made now."""
        with self._database.reading() as connection:
            return current_epoch(connection)

    @property
    def fingerprint_key(self) -> bytes:
        """The key of fingerprints, by which what was erased is recognised when it comes back."""
        return self._open_whole(FINGERPRINT_KEY)

    def cover_key(self, generation: int) -> bytes:
        """The key that covers the keyed hashes of names in the journal; raises Corrupt when it is gone."""
        return self._open_whole(f"{COVER_KEY}{generation}")

    def make_cover_key(self, generation: int) -> None:
        """Make and keep a key that covers names; one that is there already stays."""
        with self._database.writing() as connection:
            epoch = current_epoch(connection)
            made = self._wrapped_whole(f"{COVER_KEY}{generation}", os.urandom(KEY_BYTES), epoch)
            connection.execute("INSERT OR IGNORE INTO meta VALUES (?, ?)", made)

    def cover_generations(self) -> tuple[int, ...]:
        """The generations of keys that cover names, in order."""
        with self._database.reading() as connection:
            return _cover_generations(connection)

    def destroy_cover_keys(self, before: int) -> None:
        """Destroy the keys that covered names in earlier generations than ``before``."""
        with self._database.writing() as connection:
            old = [x for x in _cover_generations(connection) if x < before]
            connection.executemany("DELETE FROM meta WHERE key = ?", [(f"{COVER_KEY}{x}",) for x in old])

    def rotate(self) -> int:
        """Begin a new epoch, whose number this returns; every process wraps with its key from then on.

        What was wrapped before stays so until ``rewrap``. A key that a killed rotation left is used.
        """
        with self._database.writing() as connection:
            old = current_epoch(connection)
            new = old + 1
            try:
                self._provider.create_key(self._tenant, new)
            except Refused as refused:
                if refused.code != "already_exists":
                    raise
            crash_point("epoch.key_created")
            wholes = connection.execute(f"SELECT key, value FROM meta WHERE {_WHOLE}").fetchall()
            for name, value in wholes:
                key = self._unwrap_whole(name, str(value), old)
                connection.execute(
                    "UPDATE meta SET value = ?2 WHERE key = ?1", self._wrapped_whole(name, key, new)
                )
            connection.execute("UPDATE meta SET value = ? WHERE key = ?", (str(new), _EPOCH))
        crash_point("epoch.rotated")
        return new

    def rewrap(self, batch: int = REWRAP_BATCH, on_batch: Callable[[int], None] | None = None) -> int:
        """Wrap every key of an earlier epoch with that of the current one; how many there were.

        At most ``batch`` keys are written while the write lock is held, fewer where that takes long. A key
        that is destroyed in between stays so. What a killed run had done by then stays done; ``on_batch`` is
        told how many.
        """
        epoch, after, count, size = self.epoch, 0, 0, min(_FIRST_BATCH, batch)
        sql = "SELECT id, epoch, wrapped FROM ticket WHERE id > ? ORDER BY id LIMIT ?"
        while True:
            with self._database.reading() as connection:
                rows: list[tuple[int, int, bytes]] = connection.execute(sql, (after, size)).fetchall()
            if not rows:
                return count
            after = rows[-1][0]
            wrapped = self._wrapped_anew([row for row in rows if row[1] < epoch], epoch)
            if wrapped:
                begun = time.monotonic()
                self._replace(wrapped, epoch)
                size = min(batch, _next_size(size, time.monotonic() - begun))
                count += len(wrapped)
                crash_point("epoch.batch")
                if on_batch is not None:
                    on_batch(len(wrapped))

    def old_epochs(self) -> tuple[int, ...]:
        """The epochs before the current one whose keys are not known to be destroyed."""
        with self._database.reading() as connection:
            row = connection.execute("SELECT value FROM meta WHERE key = ?", (_DESTROYED,)).fetchone()
            return tuple(range(1 + (0 if row is None else int(row[0])), current_epoch(connection)))

    def destroy_epoch(self, epoch: int) -> None:
        """Destroy the keys of an epoch and of those before it where they are kept; may be repeated.

        Raises Refused ``bad_input`` while anything is wrapped with one of them, KeyNotDestroyable where
        what keeps them cannot destroy a single one.
        """
        with self._database.reading() as connection:
            current = current_epoch(connection)
            used = connection.execute("SELECT 1 FROM ticket WHERE epoch <= ? LIMIT 1", (epoch,)).fetchone()
        if used is not None or epoch >= current:
            raise Refused("bad_input", f"epoch {epoch} still wraps keys: begin a new one and rewrap first")
        for old in self.old_epochs():
            if old <= epoch:
                self._provider.destroy_key(self._tenant, old)
                self._ciphers.pop(old, None)
                crash_point("epoch.destroyed")
                self._set_destroyed(old)

    def _set_destroyed(self, epoch: int) -> None:
        with self._database.writing() as connection:
            connection.execute(
                "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value "
                "WHERE CAST(excluded.value AS INTEGER) > CAST(value AS INTEGER)",
                (_DESTROYED, str(epoch)),
            )

    def _replace(self, wrapped: list[tuple[bytes, int, int]], epoch: int) -> None:
        """Write one batch: the only part of rewrapping during which others wait."""
        with self._database.writing() as connection:
            connection.executemany(
                f"UPDATE ticket SET epoch = {int(epoch)}, wrapped = ? WHERE id = ? AND epoch = ?", wrapped
            )

    def _wrapped_anew(self, rows: list[tuple[int, int, bytes]], epoch: int) -> list[tuple[bytes, int, int]]:
        """The rows of a batch with their keys wrapped by that of an epoch: (wrapped, ticket, old epoch).

        In one loop without calls of our own: a key takes 4 us so, and 10 otherwise.
        """
        nonces, found = os.urandom(NONCE_BYTES * len(rows)), []
        encrypt, cut = self._cipher(epoch).encrypt, NONCE_BYTES
        ciphers: dict[int, AESGCM | None] = {old: self._known_cipher(old) for old in {row[1] for row in rows}}
        for number, (ticket, old, wrapped) in enumerate(rows):
            context, cipher = ticket_context(ticket), ciphers[old]
            try:
                secret = cipher.decrypt(wrapped[:cut], wrapped[cut:], context) if cipher is not None else b""
            except (InvalidTag, ValueError):
                secret = b""
            nonce = nonces[number * cut : (number + 1) * cut]
            found.append(
                (nonce + encrypt(nonce, secret or self._unwrap(ticket, old, wrapped), context), ticket, old)
            )
        return found

    def _known_cipher(self, epoch: int) -> AESGCM | None:
        """The cipher of an epoch; None where its key is gone, as of a row that was wrapped anew meanwhile."""
        try:
            return self._cipher(epoch)
        except MissingKey:
            return None

    def _unwrap(self, ticket: int, epoch: int, wrapped: bytes) -> bytes:
        """Open one wrapped key; one that was wrapped anew since it was read is read again."""
        try:
            return unwrap(self._cipher(epoch), wrapped, ticket_context(ticket))
        except MissingKey:
            moved = self._moved(ticket, epoch)
            if moved is None:
                raise
            return self._unwrap(ticket, *moved)
        except (InvalidTag, ValueError):
            raise Corrupt(
                f"{self._database.path.name}: key {ticket} does not open with the key of epoch {epoch}"
            ) from None

    def _moved(self, ticket: int, epoch: int) -> tuple[int, bytes] | None:
        """The row of a key where it is of another epoch by now; None where it is as it was, or gone."""
        sql = "SELECT epoch, wrapped FROM ticket WHERE id = ? AND epoch > ?"
        with self._database.reading() as connection:
            row = connection.execute(sql, (ticket, epoch)).fetchone()
        return None if row is None else (int(row[0]), bytes(row[1]))

    def _cipher(self, epoch: int) -> AESGCM:
        """The cipher of an epoch; its key is asked for once."""
        cipher = self._ciphers.get(epoch)
        if cipher is None:
            cipher = self._ciphers[epoch] = AESGCM(self._provider.get_key(self._tenant, epoch))
        return cipher

    def _open_whole(self, name: str) -> bytes:
        """A key of the tenant as a whole; opening it proves that the epoch key is the right one."""
        with self._database.reading() as connection:
            row = connection.execute(
                "SELECT value, (SELECT value FROM meta WHERE key = ?) FROM meta WHERE key = ?", (_EPOCH, name)
            ).fetchone()
        if row is None:
            raise Corrupt(f"{self._database.path.name}: the key '{name}' is gone")
        return self._unwrap_whole(name, str(row[0]), int(row[1]))

    def _unwrap_whole(self, name: str, value: str, epoch: int) -> bytes:
        try:
            context = whole_context(name, self._tenant, epoch)
            return unwrap(self._cipher(epoch), bytes.fromhex(value), context)
        except (InvalidTag, ValueError):
            raise WrongKey(
                f"the key of epoch {epoch} for tenant {self._tenant} does not open {self._database.path}; "
                "put back the key that the ledger was created with"
            ) from None

    def _wrapped_whole(self, name: str, key: bytes, epoch: int) -> tuple[str, str]:
        """The row of ``meta`` that keeps a key of the tenant as a whole."""
        return wrapped_whole(self._cipher(epoch), name, key, self._tenant, epoch)


def _next_size(size: int, taken_s: float) -> int:
    """How many keys the next batch has, after one that took so long: twice, half, or as many."""
    if taken_s < _LOCKED_S:
        return 2 * size
    return size if taken_s < 2 * _LOCKED_S else max(_FIRST_BATCH // 4, size // 2)


def first_meta(cipher: AESGCM, tenant: str) -> dict[str, str]:
    """The settings of a new store in its first epoch."""
    names = (LOOKUP_KEY, FINGERPRINT_KEY, f"{COVER_KEY}1")
    keys = dict(wrapped_whole(cipher, name, os.urandom(KEY_BYTES), tenant, 1) for name in names)
    return {_TENANT: tenant, _EPOCH: "1", **keys}


def current_epoch(connection: sqlite3.Connection) -> int:
    """The epoch that counts for whoever holds this connection's view."""
    return int(connection.execute("SELECT value FROM meta WHERE key = ?", (_EPOCH,)).fetchone()[0])


def _cover_generations(connection: sqlite3.Connection) -> tuple[int, ...]:
    found = connection.execute("SELECT key FROM meta WHERE key LIKE ?", (f"{COVER_KEY}%",))
    return tuple(sorted(int(name.removeprefix(COVER_KEY)) for (name,) in found))


def wrapped_whole(cipher: AESGCM, name: str, key: bytes, tenant: str, epoch: int) -> tuple[str, str]:
    """The name and the stored form of a key of the tenant as a whole."""
    return name, wrap(cipher, os.urandom(NONCE_BYTES), key, whole_context(name, tenant, epoch)).hex()


def wrap(cipher: AESGCM, nonce: bytes, secret: bytes, context: bytes) -> bytes:
    """Nonce, ciphertext and tag; the nonce is random, since a number may come again after a restore."""
    return nonce + cipher.encrypt(nonce, secret, context)


def unwrap(cipher: AESGCM, wrapped: bytes, context: bytes) -> bytes:
    """The inverse of ``wrap``; raises InvalidTag or ValueError."""
    return cipher.decrypt(wrapped[:NONCE_BYTES], wrapped[NONCE_BYTES:], context)


def ticket_context(ticket: int) -> bytes:
    """What binds a wrapped key to its number."""
    return b"prov-ledger/ticket/1\0%d" % ticket


def whole_context(name: str, tenant: str, epoch: int) -> bytes:
    """What binds a wrapped key of the tenant as a whole to its name, tenant and epoch."""
    return b"prov-ledger/%s/1\0%s\0%d" % (name.encode(), tenant.encode(), epoch)
