"""The tables of the files of a tenant, and the marks by which a file is recognised.

``PRAGMA application_id`` says that a file is ours and which of them; ``PRAGMA user_version`` is the
format version. Both are written in the same transaction as the tables.
"""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from prov_ledger.errors import Refused, StorageError

_META = "CREATE TABLE meta (key TEXT PRIMARY KEY, value ANY NOT NULL) WITHOUT ROWID, STRICT"


@dataclass(frozen=True, slots=True)
class Schema:
    """What a file holds; ``label`` is the first part of the names of its crash points.

    ``version`` is that of the format, and grows with every change of a table.
    """

    label: str
    application_id: int
    statements: tuple[str, ...]
    version: int = 1

    def create(self, connection: sqlite3.Connection, path: Path, meta: Mapping[str, str]) -> None:
        """Create the tables in an empty file; raises Refused ``already_exists`` when it is not empty."""
        connection.execute("BEGIN IMMEDIATE")
        try:
            if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                raise Refused("already_exists", f"{path} exists and is not empty; open it instead")
            for statement in (_META, *self.statements):
                connection.execute(statement)
            connection.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
            connection.execute(f"PRAGMA application_id={self.application_id}")
            connection.execute(f"PRAGMA user_version={self.version}")
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")

    def check(self, connection: sqlite3.Connection, path: Path) -> None:
        """Raise unless the file is one of ours in a format that this version reads."""
        application_id = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if application_id == 0 and version == 0:
            raise Refused("not_found", f"{path} is empty; create the ledger first")
        if application_id != self.application_id:
            raise StorageError(
                f"{path} is not a {self.label} file: application id {application_id:#x}, "
                f"expected {self.application_id:#x}"
            )
        if version != self.version:
            raise StorageError(
                f"{path} has format version {version}, expected {self.version}; "
                "use the version of prov-ledger that wrote it"
            )


#: ``hashes`` is the leaf hash, then those of the full subtrees that the leaf completes, lowest first: the
#: node at (level, index) stands at ``level`` in the row of sequence ``(index + 1) << level``. ``leaf`` is
#: packed, and NULL where it was pruned.
#: ``reference`` keeps all that is known of an id on one page, since each page touched costs a durable
#: commit 20 us: role ``origin`` (target: sequence), ``about:SEQUENCE``, ``payload:FIELD`` (target: ticket),
#: and ``span:SPAN;SEQUENCE`` for each part of it that was captured (kind: the id of the part).
#: ``rare`` finds entries by their kind, but for the kinds that make up most of a journal.
#: A payload hangs on its ticket, so that an erasure deletes one row here and one row of the keys.
#: ``removed`` holds what leaves commit to and was taken out, with the entry that says why.
FREQUENT_KINDS = frozenset({"evidence", "claim", "context"})
LEDGER = Schema(
    label="journal",
    application_id=0x504C4A31,
    version=2,
    statements=(
        """CREATE TABLE entry (
            sequence INTEGER PRIMARY KEY, id TEXT NOT NULL, kind TEXT NOT NULL,
            recorded_us INTEGER NOT NULL, hashes BLOB NOT NULL, leaf BLOB) STRICT""",
        "CREATE TABLE rare (kind TEXT NOT NULL, sequence INTEGER NOT NULL REFERENCES entry, "
        "PRIMARY KEY (kind, sequence)) WITHOUT ROWID, STRICT",
        """CREATE TABLE reference (
            id TEXT NOT NULL, role TEXT NOT NULL, target INTEGER NOT NULL, kind TEXT,
            PRIMARY KEY (id, role)) WITHOUT ROWID, STRICT""",
        """CREATE TABLE payload (
            ticket INTEGER PRIMARY KEY, owner TEXT NOT NULL, field TEXT NOT NULL,
            sequence INTEGER NOT NULL REFERENCES entry, commitment BLOB NOT NULL,
            size_bytes INTEGER NOT NULL, chunks BLOB NOT NULL) STRICT""",
        """CREATE TABLE lookup (
            kind TEXT NOT NULL, token BLOB NOT NULL, sequence INTEGER NOT NULL REFERENCES entry,
            id TEXT NOT NULL, since_us INTEGER,
            PRIMARY KEY (kind, token, sequence, id)) WITHOUT ROWID, STRICT""",
        """CREATE TABLE removed (
            commitment BLOB PRIMARY KEY, owner TEXT NOT NULL, field TEXT NOT NULL,
            sequence INTEGER NOT NULL REFERENCES entry DEFERRABLE INITIALLY DEFERRED
            ) WITHOUT ROWID, STRICT""",
    ),
)

#: AUTOINCREMENT: the number of a destroyed key is never given out again.
KEYS = Schema(
    label="keys",
    application_id=0x504C4B31,
    statements=(
        """CREATE TABLE ticket (
            id INTEGER PRIMARY KEY AUTOINCREMENT, epoch INTEGER NOT NULL, wrapped BLOB NOT NULL) STRICT""",
    ),
)

#: ``carried``: denials of an earlier life of the ledger about what this one does not hold.
DENIALS = Schema(
    label="denials",
    application_id=0x504C4431,
    statements=(
        """CREATE TABLE denial (
            sequence INTEGER NOT NULL, kind TEXT NOT NULL, subject TEXT NOT NULL,
            PRIMARY KEY (sequence, kind, subject)) WITHOUT ROWID, STRICT""",
        """CREATE TABLE carried (
            kind TEXT NOT NULL, subject TEXT NOT NULL, PRIMARY KEY (kind, subject)) WITHOUT ROWID, STRICT""",
        """CREATE TABLE fingerprint (
            kind TEXT NOT NULL, source TEXT NOT NULL, digest BLOB NOT NULL, length INTEGER NOT NULL,
            sieve INTEGER NOT NULL, expires_us INTEGER NOT NULL,
            PRIMARY KEY (kind, source, digest)) WITHOUT ROWID, STRICT""",
    ),
)

#: ``evidence`` holds ids with a space between. An index over ids would cost each answer a page per id; who
#: was shown a given id is asked when something is erased, and is found by reading all.
DISCLOSURES = Schema(
    label="disclosures",
    application_id=0x504C5331,
    statements=(
        """CREATE TABLE occasion (
            number INTEGER PRIMARY KEY, at_us INTEGER NOT NULL, reader TEXT, purpose TEXT, thread TEXT,
            policy TEXT NOT NULL, sequence INTEGER NOT NULL, hash BLOB NOT NULL) STRICT""",
        """CREATE TABLE item (
            occasion INTEGER NOT NULL REFERENCES occasion, position INTEGER NOT NULL, id TEXT NOT NULL,
            words INTEGER NOT NULL, evidence TEXT NOT NULL,
            PRIMARY KEY (occasion, position)) WITHOUT ROWID, STRICT""",
        "CREATE INDEX occasion_reader ON occasion (reader)",
        "CREATE INDEX occasion_thread ON occasion (thread) WHERE thread IS NOT NULL",
        "CREATE INDEX occasion_at ON occasion (at_us)",
    ),
)

#: A file of a ledger, not of a tenant; it lives here because to remove a tenant takes its rows out.
API_KEYS = Schema(
    "service.keys",
    0x504C4131,
    (
        """CREATE TABLE api_key (
            id TEXT PRIMARY KEY, hash BLOB NOT NULL, tenant TEXT NOT NULL, agent TEXT NOT NULL,
            roles TEXT, created TEXT NOT NULL, until TEXT, revoked TEXT
        ) WITHOUT ROWID, STRICT""",
    ),
)
