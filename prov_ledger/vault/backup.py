"""Copies of a tenant's files that belong together, written beside a running ledger and checked.

A backup is a folder with the four files and ``manifest.json``: their sizes and SHA-256, the tree, the
epoch. It has no names and no key of an epoch: without that key nothing in it opens. It appears under
its name only once it is whole.
"""

import json
import os
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path

from prov_ledger.errors import Corrupt, Refused, StorageError
from prov_ledger.vault.crash import crash_point
from prov_ledger.vault.database import Database
from prov_ledger.vault.denials import DENIALS_FILE
from prov_ledger.vault.disclosures import DISCLOSURES_FILE
from prov_ledger.vault.journal import LEDGER_FILE, SqliteJournal
from prov_ledger.vault.schema import DENIALS, DISCLOSURES, KEYS, LEDGER, Schema
from prov_ledger.vault.sqlite_errors import translated, translated_files
from prov_ledger.vault.tickets import KEYS_FILE
from prov_ledger.vault.verify import verify_references, verify_tree

MANIFEST = "manifest.json"
FORMAT = "prov-ledger-backup/1"
#: The files of a tenant; the records of what was shown come into being with the first of them.
FILES: Mapping[str, Schema] = {
    LEDGER_FILE: LEDGER,
    KEYS_FILE: KEYS,
    DENIALS_FILE: DENIALS,
    DISCLOSURES_FILE: DISCLOSURES,
}
_NEEDED = (LEDGER_FILE, KEYS_FILE, DENIALS_FILE)
_READ_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup says of itself: the journal's ``size`` and ``root`` (hex), the epoch of its keys.

    ``files``: for each its size in bytes and its SHA-256 in hex.
    """

    made: str
    size: int
    root: str
    epoch: int
    files: Mapping[str, tuple[int, str]]


class Frozen:
    """All files of a tenant as of one moment, whatever is written meanwhile."""

    def __init__(self, connections: Mapping[str, sqlite3.Connection], folder: Path) -> None:
        self._connections, self._folder = connections, folder

    def copy_into(self, folder: Path) -> None:
        """Write a copy of each file into a folder, durably."""
        for name, connection in self._connections.items():
            _copy(connection, folder / name)
            crash_point("backup.copied")
        sync_folder(folder)


@contextmanager
def frozen(folder: Path) -> Iterator[Frozen]:
    """The files of a tenant's folder as of now. Begin while holding the journal's write lock, so that what
    the keys and the denials know is what the journal says; the rest needs no lock.
    """
    with ExitStack() as opened:
        connections = {}
        for name, schema in FILES.items():
            path = folder / name
            if not path.is_file() and name not in _NEEDED:
                continue
            database = opened.enter_context(closing(Database(path, schema)))
            connections[name] = opened.enter_context(database.frozen())
        yield Frozen(connections, folder)


def check_free(destination: Path) -> None:
    """Pass where nothing is, or an empty folder; raises Refused ``already_exists``, StorageError."""
    with translated_files(destination):
        if destination.exists() and (not destination.is_dir() or any(destination.iterdir())):
            raise Refused("already_exists", f"{destination} is there already: name a new folder")


@contextmanager
def new_backup(destination: Path) -> Iterator[Path]:
    """A folder to write a backup into, which gets its name at the end, when all went well.

    Raises Refused ``already_exists``, StorageError. What a killed backup left beside it is removed.
    """
    draft = destination.with_name(f".{destination.name}.unfinished")
    with translated_files(destination):
        check_free(destination)
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(parents=True, mode=0o700)
    try:
        yield draft
        with translated_files(destination):
            crash_point("backup.complete")
            draft.rename(destination)
            sync_folder(destination.parent)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    crash_point("backup.named")


def write_manifest(folder: Path, made: datetime, epoch: int) -> Manifest:
    """Say what the files of a folder are, in a file of its own, durably."""
    with closing(opened_copy(folder)) as journal:
        head = journal.tree_head()
    files = {name: _measured(folder / name) for name in FILES if (folder / name).exists()}
    manifest = Manifest(made.isoformat(), head.size, head.root.hex(), epoch, files)
    path = folder / MANIFEST
    with translated_files(path):
        path.write_text(json.dumps(_encoded(manifest), indent=2) + "\n")
        sync_folder(path)
        sync_folder(folder)
    return manifest


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a backup; raises Refused ``not_found``, Corrupt."""
    path = folder / MANIFEST
    try:
        text = path.read_text()
    except OSError:
        raise Refused("not_found", f"{folder} is no backup: it has no {MANIFEST}") from None
    try:
        raw = json.loads(text)
        digest = raw.pop("digest")
        files = {name: (int(x["bytes"]), str(x["sha256"])) for name, x in raw["files"].items()}
        manifest = Manifest(raw["made"], int(raw["size"]), raw["root"], int(raw["epoch"]), files)
        sound = _encoded(manifest)["digest"] == digest and raw["format"] == FORMAT
    except (ValueError, KeyError, TypeError, AttributeError):
        sound = False
    if not sound or not set(_NEEDED) <= set(files):
        raise Corrupt(f"{path} is damaged, or of another version: use another backup")
    return manifest


def verify_backup(folder: Path) -> Manifest:
    """Pass when a backup is what its manifest says, its tree and references are sound, and every payload
    has its key. Nothing is opened with a key of an epoch.

    Raises Refused ``not_found``; Corrupt, which says what is wrong, and where.
    """
    manifest = read_manifest(folder)
    for name, (size, digest) in manifest.files.items():
        path = folder / name
        if not path.is_file():
            raise Corrupt(f"{path} is missing from the backup")
        found = _measured(path)
        if found[0] != size:
            raise Corrupt(f"{path} has {found[0]} bytes, expected {size}")
        if found[1] != digest:
            raise Corrupt(f"{path} has SHA-256 {found[1]}, expected {digest}")
    with closing(opened_copy(folder)) as journal:
        root = verify_tree(journal)
        if (journal.size(), root.hex()) != (manifest.size, manifest.root):
            raise Corrupt(f"{folder / LEDGER_FILE} has another tree than {MANIFEST} says")
        verify_references(journal)
        _check_keys(folder, journal)
    return manifest


def copy_database(source: Database, path: Path) -> None:
    """Write a copy of a file, its log included, as it is now, durably."""
    with source.frozen() as connection:
        _copy(connection, path)


def opened_copy(folder: Path) -> SqliteJournal:
    """The journal in a backup, to read from: nothing in the folder is changed."""
    return SqliteJournal(Database(folder / LEDGER_FILE, LEDGER, read_only=True))


def _check_keys(folder: Path, journal: SqliteJournal) -> None:
    """Every payload has its key, but where an erasure was under way."""
    erasing = sum(1 for _ in journal.entries(kinds=("erase",))) > sum(
        1 for _ in journal.entries(kinds=("receipt",))
    )
    with closing(Database(folder / KEYS_FILE, KEYS, read_only=True)) as keys, keys.reading() as connection:
        there = {row[0] for row in connection.execute("SELECT id FROM ticket")}
    missing = sum(1 for _, payload in journal.sealed() if payload.ticket not in there)
    if missing and not erasing:
        raise Corrupt(f"{folder / KEYS_FILE} lacks the keys of {missing} payloads")


def _encoded(manifest: Manifest) -> dict[str, object]:
    """The manifest as JSON, with a digest over the rest of it."""
    files = {name: {"bytes": size, "sha256": digest} for name, (size, digest) in manifest.files.items()}
    raw: dict[str, object] = {
        "format": FORMAT,
        "made": manifest.made,
        "size": manifest.size,
        "root": manifest.root,
        "epoch": manifest.epoch,
        "files": files,
    }
    return raw | {"digest": sha256(json.dumps(raw, sort_keys=True).encode()).hexdigest()}


def _measured(path: Path) -> tuple[int, str]:
    """The size of a file in bytes, and its SHA-256."""
    digest, size = sha256(), 0
    with translated_files(path), path.open("rb") as file:
        while part := file.read(_READ_BYTES):
            digest.update(part)
            size += len(part)
    return size, digest.hexdigest()


def _copy(connection: sqlite3.Connection, path: Path) -> None:
    with translated(path), translated_files(path):
        with closing(sqlite3.connect(path)) as copy:
            connection.backup(copy)
        sync_folder(path)


def sync_folder(path: Path) -> None:
    """Make a file, or the names in a folder, durable."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror}") from error
