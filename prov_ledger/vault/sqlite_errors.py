"""What SQLite and the file system say, as errors of ours."""

import resource
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from prov_ledger.errors import Corrupt, ProvLedgerError, Refused, StorageError

_LITTLE_BYTES = 1 << 20


class Translated:
    """Raises errors of SQLite as ours, naming the file and never a value; entered several times a write."""

    __slots__ = ("_path",)

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, sqlite3.Error):
            raise _translate(error, self._path) from error


translated = Translated


@contextmanager
def translated_files(path: Path) -> Iterator[None]:
    """Raise errors of the file system as ours; only around calls of our own."""
    try:
        yield
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror or type(error).__name__}") from error


def _no_room(path: Path) -> bool:
    """Whether the disk is full or this process may not make files larger: SQLite calls both an I/O error."""
    limit, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
    return limit != resource.RLIM_INFINITY or shutil.disk_usage(path.parent).free < _LITTLE_BYTES


def _translate(error: sqlite3.Error, path: Path) -> ProvLedgerError:
    """The error of ours that says what SQLite met."""
    code = getattr(error, "sqlite_errorcode", 0)
    name = getattr(error, "sqlite_errorname", type(error).__name__)
    primary = code & 0xFF
    if primary == sqlite3.SQLITE_FULL or (primary == sqlite3.SQLITE_IOERR and _no_room(path)):
        return StorageError(
            f"{path}: the disk is full or a file may not grow; nothing of this write was kept",
            code="storage_full",
        )
    if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StorageError(f"{path}: another process is writing; try again ({name})", code="busy")
    if primary in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return Corrupt(f"{path}: the file is damaged ({name}); restore it from a backup")
    if code in (sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY):
        return Refused("already_exists", f"{path}: this was recorded before ({name}); nothing was changed")
    return StorageError(f"{path}: {name}; nothing of this write was kept")
