"""One SQLite file for many threads and processes: durable writes one at a time, reads never blocked.

Connections are borrowed for one short read and given back, so that no reader holds a snapshot open
and all of them can be closed. This is the only file of the package that calls ``sqlite3`` to connect.
"""

import os
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from prov_ledger.errors import Refused, StorageError
from prov_ledger.vault.crash import crash_point
from prov_ledger.vault.schema import Schema
from prov_ledger.vault.sqlite_errors import translated, translated_files

#: How long a writer waits for another one, in milliseconds.
BUSY_TIMEOUT_MS = 30_000
#: How long scrubbing waits for readers, and how long one attempt keeps writers waiting.
SCRUB_WAIT_MS = 5_000
_SCRUB_ATTEMPT_MS = 40
_SCRUB_DUE = "scrub_due"
#: How long a writer sleeps before it looks again whether another process is done, at first and at last.
_SHORTEST_PAUSE_S, _LONGEST_PAUSE_S = 0.000_05, 0.002
_READER_CACHE_KIB = 4_096
_WRITER_CACHE_KIB = 65_536


@dataclass(frozen=True, slots=True)
class Scrubbed:
    """What is left of deleted things: ``truncated`` False where a reader kept the log from being emptied.

    Then the log still holds pages from before, and is to be scrubbed again once that reader has ended.
    """

    truncated: bool
    free_pages: int
    size_bytes: int


class Database:
    """An open SQLite file of a known schema; closed with ``close``."""

    def __init__(
        self,
        path: Path,
        schema: Schema,
        *,
        busy_timeout_ms: int = BUSY_TIMEOUT_MS,
        read_only: bool = False,
    ) -> None:
        """Open an existing file; raises Refused ``not_found``, StorageError or Corrupt if it is not one.

        ``read_only``: a file that nobody writes to, as in a backup; nothing is made or changed beside it.
        """
        self._path = path
        self._schema = schema
        self._mode = "ro&immutable=1" if read_only else "rw"
        self._busy_timeout_ms = busy_timeout_ms
        self._idle: deque[sqlite3.Connection] = deque()
        self._lock = threading.Lock()
        self._writer: sqlite3.Connection | None = None
        self._writing_thread: int | None = None
        self._watch_lock = threading.Lock()
        self._closed = False
        self._pid = os.getpid()
        if not path.is_file():
            raise Refused("not_found", f"there is no {path.name} in {path.parent}; create the ledger first")
        with translated(path):
            self._watcher = self._connect()
            try:
                schema.check(self._watcher, path)
            except BaseException:
                self._watcher.close()
                raise

    @classmethod
    def create(
        cls,
        path: Path,
        schema: Schema,
        *,
        meta: Mapping[str, str] | None = None,
        busy_timeout_ms: int = BUSY_TIMEOUT_MS,
    ) -> "Database":
        """Create the file with its first settings and open it; one that a killed creation left is completed.

        Raises Refused ``already_exists`` when the file already holds something.
        """
        with translated(path), translated_files(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            connection = _open(path, "rwc", busy_timeout_ms)
            try:
                crash_point(f"{schema.label}.created_file")
                schema.create(connection, path, meta or {})
            finally:
                connection.close()
            _sync_folder(path.parent)
        crash_point(f"{schema.label}.created")
        return cls(path, schema, busy_timeout_ms=busy_timeout_ms)

    @property
    def path(self) -> Path:
        """Where the file is."""
        return self._path

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection for one short read; inside this thread's own ``writing`` it sees what was written."""
        if self._writing_thread == threading.get_ident() and self._writer is not None:
            with translated(self._path):
                yield self._writer
            return
        self._check_process()
        with translated(self._path):
            try:
                connection = self._idle.pop()
            except IndexError:
                connection = self._connect()
            try:
                yield connection
            finally:
                self._give_back(connection)

    @contextmanager
    def frozen(self) -> Iterator[sqlite3.Connection]:
        """A connection that sees the file as it is now, for as long as the block lasts."""
        self._check_process()
        with translated(self._path):
            connection = self._connect()
            try:
                connection.execute("BEGIN")
                connection.execute("SELECT count(*) FROM meta").fetchone()
                yield connection
            finally:
                connection.close()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """The write lock; durable when the block ends, undone when it raises.

        Raises StorageError ``busy`` when another writer holds the lock for longer than the timeout, or
        when this thread holds it already; ``storage_full`` when the disk is full.
        """
        if self._writing_thread == threading.get_ident():
            raise StorageError(f"this thread is already writing to {self._path.name}", code="busy")
        self._check_process()
        if not self._lock.acquire(timeout=self._busy_timeout_ms / 1000):
            raise self._busy()
        try:
            with translated(self._path):
                connection = self._begin()
                self._writing_thread = threading.get_ident()
                try:
                    yield connection
                    self._commit(connection)
                except BaseException:
                    self._roll_back(connection)
                    raise
                finally:
                    self._writing_thread = None
        finally:
            self._lock.release()
        crash_point(f"{self._schema.label}.after_commit")

    def scrub(self, *, compact: bool = False, wait_ms: int = SCRUB_WAIT_MS) -> Scrubbed:
        """Write the log into the file and empty it, so that only what lives is in either.

        Deleted rows and freed pages are overwritten with zeros when they are deleted. ``compact`` writes the
        whole file anew, without its gaps: that takes as much room again, and writers wait. Readers are
        waited for up to ``wait_ms``; meanwhile writers get their turn. Where one does not end, that is kept
        in mind for ``scrub_if_due``.
        """
        scrubbed = self._scrub(compact, wait_ms)
        if scrubbed.truncated == (self.meta(_SCRUB_DUE) is not None):
            with self.writing() as connection:
                connection.execute("DELETE FROM meta WHERE key = ?", (_SCRUB_DUE,))
                if not scrubbed.truncated:
                    connection.execute("INSERT INTO meta VALUES (?, 1)", (_SCRUB_DUE,))
        return scrubbed

    def scrub_if_due(self) -> None:
        """Empty the log where a reader kept an earlier scrub from it, and none does now."""
        if self.meta(_SCRUB_DUE) is not None:
            self.scrub(wait_ms=0)

    def _scrub(self, compact: bool, wait_ms: int) -> Scrubbed:
        with self._lock, translated(self._path):
            connection = self._connect()
            try:
                if compact:
                    connection.execute("VACUUM")
                crash_point(f"{self._schema.label}.compacted")
                connection.execute(f"PRAGMA busy_timeout={_SCRUB_ATTEMPT_MS}")
                truncated = _truncate_log(connection, time.monotonic() + wait_ms / 1000)
                free = int(connection.execute("PRAGMA freelist_count").fetchone()[0])
            finally:
                connection.close()
        crash_point(f"{self._schema.label}.scrubbed")
        return Scrubbed(truncated, free, self._path.stat().st_size)

    def log_size(self) -> int:
        """The bytes in the write-ahead log, which may hold pages from before something was deleted."""
        log = self._path.with_name(f"{self._path.name}-wal")
        return log.stat().st_size if log.exists() else 0

    def meta(self, key: str) -> str | None:
        """A setting; None where there is none."""
        with self.reading() as connection:
            row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def meta_below(self, prefix: str) -> dict[str, str]:
        """The settings whose names begin with a prefix."""
        sql = "SELECT key, value FROM meta WHERE key >= ?1 AND key < ?1 || char(0x10FFFF) ORDER BY key"
        with self.reading() as connection:
            return {str(key): str(value) for key, value in connection.execute(sql, (prefix,))}

    def data_version(self) -> int:
        """A number that changes when anything was committed since it was last asked for, by any process.

        Comparable only with earlier answers of this object.
        """
        with self._watch_lock, translated(self._path):
            return int(self._watcher.execute("PRAGMA data_version").fetchone()[0])

    def close(self) -> None:
        """Close every connection; a second call does nothing. No thread may be reading or writing."""
        self._closed = True
        while self._idle:
            self._idle.pop().close()
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        self._watcher.close()

    def _begin(self) -> sqlite3.Connection:
        """Take the lock that only one process may hold."""
        if self._writer is None:
            self._writer = self._connect()
            self._writer.execute(f"PRAGMA cache_size=-{_WRITER_CACHE_KIB}")
            self._writer.execute("PRAGMA busy_timeout=0")
        self._begin_immediately(self._writer)
        crash_point(f"{self._schema.label}.begun")
        return self._writer

    def _begin_immediately(self, connection: sqlite3.Connection) -> None:
        """Begin to write as soon as no other process does.

        SQLite's own waiting sleeps for milliseconds, where most commits take a fraction of one.
        """
        until, pause_s = time.monotonic() + self._busy_timeout_ms / 1000, _SHORTEST_PAUSE_S
        while True:
            try:
                connection.execute("BEGIN IMMEDIATE")
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() >= until:
                    raise
            time.sleep(pause_s)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)

    def _commit(self, connection: sqlite3.Connection) -> None:
        """Commit; returns when the bytes are on the disk."""
        crash_point(f"{self._schema.label}.before_commit")
        connection.execute("COMMIT")

    def _roll_back(self, connection: sqlite3.Connection) -> None:
        """Undo an open transaction; SQLite has already undone it after some errors."""
        if connection.in_transaction:
            try:
                connection.execute("ROLLBACK")
            except sqlite3.Error:
                # What cannot be undone here is undone by closing, and the next writer connects anew.
                self._writer = None
                connection.close()

    def _connect(self) -> sqlite3.Connection:
        """One more connection; refused after ``close``."""
        if self._closed:
            raise StorageError(f"{self._path.name} was closed; open the ledger again")
        return _open(self._path, self._mode, self._busy_timeout_ms)

    def _check_process(self) -> None:
        """Raise in a forked process: SQLite does not let a connection be carried across a fork."""
        if os.getpid() != self._pid:
            raise StorageError(f"{self._path.name} was opened before a fork; open the ledger in this process")

    def _give_back(self, connection: sqlite3.Connection) -> None:
        """Keep a connection for the next reader, unless the file was closed in between."""
        if self._closed:
            connection.close()
        else:
            self._idle.append(connection)

    def _busy(self) -> StorageError:
        """Another thread holds the lock."""
        return StorageError(
            f"{self._path.name}: another thread is writing for longer than {self._busy_timeout_ms} ms",
            code="busy",
        )


def _open(path: Path, mode: str, busy_timeout_ms: int) -> sqlite3.Connection:
    """A connection with every setting that durability and erasure rest on."""
    connection = sqlite3.connect(
        f"file:{quote(str(path))}?mode={mode}",
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=256,
    )
    try:
        connection.execute(f"PRAGMA busy_timeout={busy_timeout_ms}")
        if mode.startswith("rw"):
            connection.execute("PRAGMA journal_mode=WAL").fetchone()
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA secure_delete=ON").fetchone()
        connection.execute("PRAGMA foreign_keys=ON")
        connection.execute(f"PRAGMA cache_size=-{_READER_CACHE_KIB}")
    except BaseException:
        connection.close()
        raise
    return connection


def _truncate_log(connection: sqlite3.Connection, until: float) -> bool:
    """Try until a time of ``time.monotonic``; whether the log is empty now."""
    while True:
        try:
            blocked = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise
            blocked = 1
        if not blocked or time.monotonic() >= until:
            return not blocked
        time.sleep(_SCRUB_ATTEMPT_MS / 1000)


def _sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
