"""What must outlive a restored backup: who and what is no longer to be shown, in a file of its own."""

import hmac
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal, cast

from prov_ledger.errors import Corrupt
from prov_ledger.vault.append import from_microseconds, to_microseconds
from prov_ledger.vault.database import BUSY_TIMEOUT_MS, SCRUB_WAIT_MS, Database, Scrubbed
from prov_ledger.vault.fingerprints import ANYWHERE, Fingerprint
from prov_ledger.vault.schema import DENIALS

DENIALS_FILE = "denials.sqlite"
# fmt: off
DenialKind = Literal[
    "revocation", "left", "retraction", "supersession", "denial", "allowance", "erasure",
    "hold", "release", "retention", "roles",
]
# fmt: on
_THROUGH, _ERASURES, _SEAL = "through", "erasures", "fingerprints_seal"
_REMEDY = "put the newest denials.sqlite back, or restore a backup into a new folder"
_Rows = Sequence[tuple[object, ...]]


@dataclass(frozen=True, slots=True)
class Denial:
    """That the journal's entry ``sequence`` ended something for ``subject`` (an id)."""

    sequence: int
    kind: DenialKind
    subject: str


class Denials:
    """The list of denials of a tenant, ``denials.sqlite``; it only grows."""

    def __init__(self, database: Database) -> None:
        """Use an open database of the schema of denials; ``create`` and ``open`` make one."""
        self._database = database

    @classmethod
    def create(cls, folder: Path, *, busy_timeout_ms: int = BUSY_TIMEOUT_MS) -> "Denials":
        """Create an empty list; raises Refused ``already_exists``."""
        return cls(Database.create(folder / DENIALS_FILE, DENIALS, busy_timeout_ms=busy_timeout_ms))

    @classmethod
    def open(cls, folder: Path, *, busy_timeout_ms: int = BUSY_TIMEOUT_MS) -> "Denials":
        """Open the list of a folder; raises Refused ``not_found``."""
        return cls(Database(folder / DENIALS_FILE, DENIALS, busy_timeout_ms=busy_timeout_ms))

    @property
    def path(self) -> Path:
        """Where the file is."""
        return self._database.path

    def append(self, rows: Sequence[Denial], *, through: int | None = None) -> None:
        """Add rows durably; one that is there already is left as it is.

        ``through``: the list now covers the journal up to that sequence, whether or not it ends there.
        """
        with self._database.writing() as connection:
            connection.executemany(
                "INSERT OR IGNORE INTO denial VALUES (?, ?, ?)",
                [(row.sequence, row.kind, row.subject) for row in rows],
            )
            if through is not None:
                connection.execute(
                    "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE "
                    "SET value = max(value, excluded.value)",
                    (_THROUGH, through),
                )

    def last_sequence(self) -> int:
        """Up to which sequence of the journal the list is known to be complete; 0 at first."""
        sql = "SELECT max(coalesce((SELECT max(sequence) FROM denial), 0), " \
              "coalesce((SELECT value FROM meta WHERE key = ?), 0))"  # fmt: skip
        with self._database.reading() as connection:
            return int(connection.execute(sql, (_THROUGH,)).fetchone()[0])

    def all(self) -> tuple[Denial, ...]:
        """Every row, in the order of the journal."""
        sql = "SELECT sequence, kind, subject FROM denial ORDER BY sequence, kind, subject"
        with self._database.reading() as connection:
            rows = connection.execute(sql).fetchall()
        return tuple(Denial(sequence, cast(DenialKind, kind), subject) for sequence, kind, subject in rows)

    def carry(self, rows: Sequence[tuple[DenialKind, str]]) -> None:
        """Keep denials of an earlier life of the ledger about what this one does not hold, durably."""
        with self._database.writing() as connection:
            connection.executemany("INSERT OR IGNORE INTO carried VALUES (?, ?)", rows)

    def carried(self) -> tuple[tuple[DenialKind, str], ...]:
        """What ``carry`` kept."""
        with self._database.reading() as connection:
            rows = connection.execute("SELECT kind, subject FROM carried ORDER BY kind, subject").fetchall()
        return tuple((cast(DenialKind, kind), subject) for kind, subject in rows)

    def add_fingerprints(self, fingerprints: Sequence[Fingerprint], erasures: int, key: bytes) -> None:
        """Keep what is to be recognised when it comes back, durably; the later expiry of the same counts.

        ``erasures``: of so many all are here then; the count never goes back. What is kept is sealed with
        ``key``, that of fingerprints. Raises Corrupt where what was kept before is not what was sealed.
        """
        with self._database.writing() as connection:
            self._check_sealed(connection, key)
            connection.executemany(
                "INSERT INTO fingerprint VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (kind, source, digest) "
                "DO UPDATE SET expires_us = max(expires_us, excluded.expires_us)",
                [
                    (x.kind, x.source, x.digest, x.length, x.sieve, to_microseconds(x.expires))
                    for x in fingerprints
                ],
            )
            connection.execute(
                "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE "
                "SET value = max(value, excluded.value)",
                (_ERASURES, erasures),
            )
            self._seal(connection, key)

    def is_sealed(self, key: bytes) -> bool:
        """Whether the fingerprints and the count of erasures are those that were sealed last."""
        with self._database.reading() as connection:
            return _is_sealed(connection, key)

    def _check_sealed(self, connection: sqlite3.Connection, key: bytes) -> None:
        if not _is_sealed(connection, key):
            raise Corrupt(f"{self.path}: fingerprints of erasures were changed by something else: {_REMEDY}")

    def _seal(self, connection: sqlite3.Connection, key: bytes) -> None:
        count, _, rows = _sealed_parts(connection)
        connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_SEAL, _seal_of(key, count, rows)))

    def known_erasures(self) -> int:
        """Of how many erasures the fingerprints were added."""
        with self._database.reading() as connection:
            row = connection.execute("SELECT value FROM meta WHERE key = ?", (_ERASURES,)).fetchone()
        return 0 if row is None else int(row[0])

    def fingerprints(self, kind: Literal["bytes", "span"], source: str = ANYWHERE) -> tuple[Fingerprint, ...]:
        """What was erased anywhere in the tenant (``bytes``), or within a source (``span``)."""
        sql = "SELECT digest, length, sieve, expires_us FROM fingerprint WHERE kind = ? AND source = ?"
        with self._database.reading() as connection:
            rows = connection.execute(sql, (kind, source)).fetchall()
        return tuple(
            Fingerprint(kind, source, digest, length, sieve, from_microseconds(expires_us))
            for digest, length, sieve, expires_us in rows
        )

    def every_fingerprint(self) -> tuple[Fingerprint, ...]:
        """All of them, of every source."""
        with self._database.reading() as connection:
            places = connection.execute("SELECT DISTINCT kind, source FROM fingerprint").fetchall()
        return tuple(x for kind, source in places for x in self.fingerprints(kind, source))

    def expire_fingerprints(self, now: datetime, key: bytes) -> int:
        """Forget the fingerprints that have expired by ``now``, durably; how many there were.

        ``key`` as for ``add_fingerprints``, and raises as that does.
        """
        sql = "DELETE FROM fingerprint WHERE expires_us <= ?"
        with self._database.writing() as connection:
            self._check_sealed(connection, key)
            expired = connection.execute(sql, (to_microseconds(now),)).rowcount
            if expired:
                self._seal(connection, key)
            return expired

    def scrub(self, *, compact: bool = False, wait_ms: int = SCRUB_WAIT_MS) -> Scrubbed:
        """Take what was deleted out of the file and its log; see ``Database.scrub``."""
        return self._database.scrub(compact=compact, wait_ms=wait_ms)

    def scrub_if_due(self) -> None:
        """Finish a scrub that a reader was in the way of; see ``Database.scrub_if_due``."""
        self._database.scrub_if_due()

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        self._database.close()


def _sealed_parts(connection: sqlite3.Connection) -> tuple[int, bytes | None, _Rows]:
    """The count of erasures, the seal, and the fingerprints in order; of one moment, by one statement."""
    sql = (
        "SELECT m.count, m.seal, f.kind, f.source, f.digest, f.length, f.sieve, f.expires_us FROM "
        "(SELECT (SELECT value FROM meta WHERE key = ?) AS count, "
        "(SELECT value FROM meta WHERE key = ?) AS seal) AS m LEFT JOIN fingerprint AS f "
        "ORDER BY f.kind, f.source, f.digest"
    )
    found = connection.execute(sql, (_ERASURES, _SEAL)).fetchall()
    rows = [row[2:] for row in found if row[2] is not None]
    return found[0][0] or 0, found[0][1], rows


def _seal_of(key: bytes, count: int, rows: _Rows) -> bytes:
    told = repr((count, [tuple(row) for row in rows])).encode()
    return hmac.digest(key, b"prov-ledger/fingerprints/1\0" + told, "sha256")


def _is_sealed(connection: sqlite3.Connection, key: bytes) -> bool:
    count, seal, rows = _sealed_parts(connection)
    if seal is None:
        return count == 0 and not rows
    return hmac.compare_digest(seal, _seal_of(key, count, rows))
