"""Snapshots of a graph on disk: what analysts' queries read, so that no query touches the graph itself.

A snapshot is made of hard links, in milliseconds. It appears whole or not at all, is never changed, and
says how far in the journal it is and when it was taken. Whoever reads one holds its marker locked.
Removing all of them is known to every process: a marker that is gone ends whoever reads.
"""

import fcntl
import json
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from prov_ledger.errors import StorageError
from prov_ledger.store.port import Position

MARKER = "snapshot.json"
GRAPH = "graph"
_LOCK = ".lock"
_UNFINISHED = "new-"
#: Markers of what was removed while somebody read it.
_GONE = ".gone-"
_POLL_S = 0.02
#: Longer than it takes from choosing a snapshot to reading it.
JUST_BEFORE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A graph as it was: its folder, how far in the journal it is, and when that was, in UTC."""

    folder: Path
    position: Position
    taken: datetime

    @property
    def graph(self) -> Path:
        """The directory that a store opens, to read only."""
        return self.folder / GRAPH

    @property
    def marker(self) -> Path:
        """The file that is there as long as the snapshot may be read."""
        return self.folder / MARKER

    def is_there(self) -> bool:
        """Whether it may still be read; answers from it count only if this holds after them too."""
        return self.marker.exists()


class Snapshots:
    """The snapshots of one tenant, in a folder that any number of processes share."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()

    def newest(self) -> Snapshot | None:
        """The snapshot taken last; None when there is none."""
        return max(self._all(), key=lambda found: found.taken, default=None)

    @contextmanager
    def locked(self, wait_s: float) -> Iterator[None]:
        """The right to make and to remove snapshots; one at a time on this machine.

        Raises StorageError ``busy`` when another has it for longer than ``wait_s``.
        """
        with _guarded():
            self.folder.mkdir(parents=True, exist_ok=True)
            lock = os.open(self.folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            if not _lock(lock, wait_s):
                raise StorageError(
                    f"another process has been making or removing a snapshot for {wait_s:g} s: try again",
                    code="busy",
                )
            yield
        finally:
            os.close(lock)

    def add(self, fill: Callable[[Path], Position], taken: datetime) -> Snapshot:
        """Publish what ``fill`` puts into the directory that it gets; within ``locked`` only.

        ``taken`` is a time, in UTC, before the journal was looked at.
        """
        self._remove_unfinished()
        unfinished = self.folder / f"{_UNFINISHED}{secrets.token_hex(6)}"
        with _guarded():
            unfinished.mkdir(mode=0o700)
        position = fill(unfinished / GRAPH)
        said = {"sequence": position.sequence, "root": position.root_hex, "taken": taken.isoformat()}
        folder = self.folder / f"{position.sequence:09d}-{secrets.token_hex(6)}"
        with _guarded():
            (unfinished / MARKER).write_text(json.dumps(said), encoding="utf-8")
            unfinished.rename(folder)
        return Snapshot(folder, position, taken)

    def remove_old(self, keep: Snapshot) -> None:
        """Remove what is older than one snapshot and read by nobody; within ``locked`` only.

        One that was taken just before it stays: somebody may be about to open it.
        """
        for snapshot in self._all():
            if keep.taken - snapshot.taken < JUST_BEFORE:
                continue
            with suppress(OSError), snapshot.marker.open("rb") as marker:
                if _lock(marker.fileno(), 0):
                    # The marker first: whoever sees none reads no further.
                    snapshot.marker.unlink()
                    shutil.rmtree(snapshot.folder)

    def remove_all(self, wait_s: float = 10.0) -> int:
        """Remove every snapshot, and return when nobody reads one any more; returns how many there were.

        Workers of every process end within a moment, in the middle of a query too. One that is being
        made is waited for and removed. Raises StorageError ``busy`` when this is not so after ``wait_s``;
        it may be called again. What is made afterwards is made from the graph as it then is.
        """
        until = time.monotonic() + wait_s
        if not self.folder.is_dir():
            return 0
        with self.locked(wait_s):
            found = list(self._all())
            for snapshot in found:
                with _guarded():
                    snapshot.marker.rename(self.folder / f"{_GONE}{snapshot.folder.name}")
            self._remove_unfinished()
            with _guarded():
                for gone in self.folder.glob(f"{_GONE}*"):
                    self._await_readers(gone, until)
        return len(found)

    def _await_readers(self, gone: Path, until: float) -> None:
        """Remove the marker of a snapshot that is gone when nobody holds it; it stays until then."""
        with gone.open("rb") as marker:
            if not _lock(marker.fileno(), until - time.monotonic()):
                raise StorageError(
                    "a query still reads a snapshot that was removed: try again, or end its process",
                    code="busy",
                )
        gone.unlink()

    def _all(self) -> Iterator[Snapshot]:
        try:
            folders = list(self.folder.iterdir())
        except OSError:
            return
        for folder in folders:
            if folder.name.startswith((_UNFINISHED, ".")):
                continue
            # One that is being removed by another process is none.
            with suppress(OSError, ValueError, KeyError, TypeError):
                said = json.loads((folder / MARKER).read_text(encoding="utf-8"))
                position = Position(int(said["sequence"]), str(said["root"]))
                yield Snapshot(folder, position, datetime.fromisoformat(said["taken"]))

    def _remove_unfinished(self) -> None:
        """Whatever has no marker: left by a process that was killed while it made or removed one."""
        with _guarded():
            for entry in self.folder.iterdir():
                if entry.is_dir() and not (entry / MARKER).exists():
                    shutil.rmtree(entry)


@contextmanager
def reading(marker: Path) -> Iterator[int]:
    """Hold a marker, so that whoever removes the snapshot knows of this reader; yields its descriptor.

    Raises FileNotFoundError when the snapshot is gone.
    """
    descriptor = os.open(marker, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        if not marker.exists():
            raise FileNotFoundError(str(marker))
        yield descriptor
    finally:
        os.close(descriptor)


def _lock(descriptor: int, wait_s: float) -> bool:
    """Lock for this one alone; False when that takes longer."""
    until = time.monotonic() + wait_s
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() >= until:
                return False
            time.sleep(_POLL_S)


@contextmanager
def _guarded() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StorageError(f"a snapshot of the graph cannot be made or removed: {error.strerror}") from None
