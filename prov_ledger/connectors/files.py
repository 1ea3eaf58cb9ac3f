"""Folders of files: each path is a native id, a file that differs from what the ledger has is a change.

A folder keeps no history, so it is compared with what the ledger has (``Known``); there is no cursor, and
``since`` is not looked at. A file's time of modification is its publication, unless it lies in the future or
not after what the ledger has of that file (a copy put back with its old time): then the run's time counts.

A file that is missing is gone at the time of the run. Where a path that the ledger has not seen holds the
bytes of one that is missing, the file was renamed. A file that cannot be read is skipped, never gone.
"""

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Self

from prov_ledger.connectors.paths import PathGlob, media_type_of, native_of
from prov_ledger.connectors.port import (
    ChangeKind,
    Content,
    Feed,
    Held,
    Known,
    NothingKnown,
    Skipped,
    SkipReason,
    SourceChange,
)
from prov_ledger.errors import ConnectorError

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NOT_SOURCES = frozenset((".git", ".hg", ".svn"))
_READ_ONCE = (
    os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
)


class FilesConnector:
    """The files beneath a folder, by relative path with ``/``; folders of version control are left out.

    A link to a file inside the folder is read as that file; a link out of it is skipped, and a link to a
    folder is not entered. ``path_glob`` as in ``PathGlob``; ``clock`` gives the time of the run.
    """

    def __init__(
        self,
        folder: Path | str,
        path_glob: str | None = None,
        name: str = "files",
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._folder = Path(folder)
        self._glob = PathGlob(path_glob)
        self._name = name
        self._clock = clock

    @property
    def name(self) -> str:
        """The connector part of the identity of its sources."""
        return self._name

    @property
    def feed(self) -> str:
        """The glob."""
        return self._glob.text

    def changes(self, since: str | None = None, known: Known | None = None) -> Feed:
        """Give what differs from ``known``; raises ConnectorError when the folder cannot be listed."""
        listing = _list_files(self._folder, self._glob)
        known = known or NothingKnown()
        missing = [
            native
            for native in sorted(known.natives())
            if self._glob.matches(native) and not listing.covers(native)
        ]
        feed = Feed(len(listing.files) + len(missing), iter(()), list(listing.skipped))
        feed.changes = self._compare(listing, known, missing, feed)
        return feed

    def close(self) -> None:
        """Nothing is held open."""

    def __enter__(self) -> Self:
        """Give the connector itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()

    def _compare(
        self, listing: "_Listing", known: Known, missing: list[str], feed: Feed
    ) -> Iterator[SourceChange]:
        now = self._clock().astimezone(UTC)
        left = {native: held for native in missing if (held := known.find(native)) is not None}
        for done, (native, path) in enumerate(listing.files.items(), 1):
            read = _read_file(path, listing.root)
            if not isinstance(read, _Read):
                feed.skipped.append(Skipped(native, read))
                continue
            held = known.find(native)
            renamed_from = _same_bytes(left, read.data) if held is None else None
            kind = _kind(held, renamed_from, read.data)
            if renamed_from is not None:
                del left[renamed_from]
            if kind is not None:
                at = now if kind == "renamed" else _published(read.modified, held, now)
                yield _change(native, kind, at, done, read.data, renamed_from)
        for done, native in enumerate(left, feed.total - len(left) + 1):
            yield _change(native, "gone", now, done, None)


@dataclass(slots=True)
class _Listing:
    """The files that are there by native id, and what could not be looked into."""

    root: Path
    files: dict[str, Path] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)
    closed_folders: list[str] = field(default_factory=list)

    def covers(self, native: str) -> bool:
        """Whether a file is there, or may be, in a folder that could not be listed."""
        return native in self.files or native.startswith(tuple(self.closed_folders))


@dataclass(frozen=True, slots=True)
class _Read:
    data: bytes
    modified: datetime


def _list_files(folder: Path, glob: PathGlob) -> _Listing:
    if not folder.is_dir():
        raise ConnectorError(
            f"There is no folder at {folder}; check the path. Nothing was taken to be deleted.",
            code="not_found",
        )
    listing = _Listing(folder.resolve())

    def note_closed(failure: OSError) -> None:
        closed = Path(failure.filename)
        if closed == listing.root:
            raise ConnectorError(f"The folder {folder} cannot be listed: {failure.strerror}.") from failure
        native = _native(closed, listing.root)
        listing.skipped.append(Skipped(native, "unreadable"))
        listing.closed_folders.append(native + "/")

    for place, folders, names in os.walk(listing.root, onerror=note_closed):
        folders[:] = sorted(name for name in folders if name not in _NOT_SOURCES)
        for name in names:
            path = Path(place, name)
            native = _native(path, listing.root)
            if name not in _NOT_SOURCES and glob.matches(native):
                listing.files[native] = path
    listing.files = dict(sorted(listing.files.items()))
    return listing


def _native(path: Path, root: Path) -> str:
    return native_of(os.fsencode(path.relative_to(root).as_posix()))


def _read_file(path: Path, root: Path) -> "_Read | SkipReason":
    """Give the bytes with the time that they had, or why they cannot be had."""
    try:
        real = path.resolve(strict=True)
        if not real.is_relative_to(root):
            return "outside"
        # Three looks: a file may be written while it is read.
        for _ in range(3):
            with os.fdopen(os.open(real, _READ_ONCE), "rb") as file:
                before = os.fstat(file.fileno())
                if not stat.S_ISREG(before.st_mode):
                    return "not_a_file"
                data = file.read()
                after = os.fstat(file.fileno())
            if (before.st_mtime_ns, before.st_size) == (after.st_mtime_ns, len(data)):
                return _Read(data, _EPOCH + timedelta(microseconds=after.st_mtime_ns // 1000))
    except (OSError, RuntimeError, OverflowError, ValueError):
        return "unreadable"
    return "changing"


def _same_bytes(missing: dict[str, Held], data: bytes) -> str | None:
    # Empty files are all alike and say nothing about where one came from.
    alike = (native for native, held in missing.items() if held.size_bytes == len(data) and held.same(data))
    return next(alike, None) if data else None


def _kind(held: Held | None, renamed_from: str | None, data: bytes) -> ChangeKind | None:
    if held is None:
        return "new" if renamed_from is None else "renamed"
    if held.retired:
        return "back"
    return None if held.size_bytes == len(data) and held.same(data) else "content"


def _published(modified: datetime, held: Held | None, now: datetime) -> datetime:
    is_later = held is None or modified > held.latest
    return modified if is_later and modified <= now else now


def _change(
    native: str,
    kind: ChangeKind,
    at: datetime,
    done: int,
    data: bytes | None,
    renamed_from: str | None = None,
) -> SourceChange:
    content = None if data is None else Content(data, media_type_of(native, data))
    return SourceChange(
        native=native,
        kind=kind,
        at=at,
        label=at.isoformat().replace("+00:00", "Z"),
        cursor="",
        done=done,
        load=None if content is None else lambda: content,
        renamed_from=renamed_from,
    )
