"""The service's own files beside the tenants: ids, hashes and times, nothing that could be erased."""

from pathlib import Path

from prov_ledger.errors import Refused
from prov_ledger.vault.database import Database
from prov_ledger.vault.schema import Schema

REQUESTS = Schema(
    "service.requests",
    0x504C5231,
    (
        """CREATE TABLE request (
            token BLOB PRIMARY KEY, body BLOB NOT NULL, at INTEGER NOT NULL,
            sequence INTEGER, entry TEXT, answer TEXT NOT NULL
        ) WITHOUT ROWID, STRICT""",
        "CREATE INDEX request_at ON request (at)",
    ),
)


def open_or_create(path: Path, schema: Schema) -> Database:
    """The file, made where it is not there yet; two processes may do this at once."""
    try:
        return Database(path, schema)
    except Refused as missing:
        if missing.code != "not_found":
            raise
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        return Database.create(path, schema)
    except Refused as there:
        if there.code != "already_exists":
            raise
        return Database(path, schema)
