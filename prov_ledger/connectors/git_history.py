"""The first-parent history of a branch, as ``git log`` tells it.

Source: git-log(1), "Raw output format" and ``--diff-merges=first-parent``.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from prov_ledger.connectors.git_program import run_git
from prov_ledger.connectors.paths import native_of

_LOG_OPTIONS = """
    --first-parent --diff-merges=first-parent --reverse --raw -z --no-abbrev -r --format=%x01%H%x20%ct
    --no-color --no-show-signature --no-notes --no-mailmap --no-ext-diff --no-textconv --no-relative
    --ignore-submodules=none -O/dev/null
"""
# What a user's settings would change is set here, so that two machines see one history.
_LOG = ("-c", "log.showRoot=true", "-c", "core.quotePath=false", "log", *_LOG_OPTIONS.split())


@dataclass(frozen=True, slots=True)
class RawChange:
    """One line of a raw diff: modes (``100644``…), object names, ``old_path`` for renames and copies."""

    status: str
    old_mode: str
    new_mode: str
    old_blob: str
    new_blob: str
    path: str
    old_path: str | None


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit of the first-parent history: name, committer date in seconds, changes to its first parent."""

    name: str
    committed: int
    changes: tuple[RawChange, ...]


def read_history(git_dir: Path, revisions: str, *detection: str) -> list[Commit]:
    """Give the first-parent history, oldest first; ``detection`` is git's rename and copy options.

    ``revisions`` is an object name or a range of two. Raises ConnectorError when git cannot read it.
    """
    return list(_parse_log(run_git(git_dir, *_LOG, *detection, "--end-of-options", revisions, "--")))


def _parse_log(raw: bytes) -> Iterator[Commit]:
    fields = iter(raw.split(b"\0"))
    header: list[bytes] = []
    changes: list[RawChange] = []
    for field in fields:
        # Paths are taken by count below, so nothing in a path can look like a header or a change.
        text = field.removeprefix(b"\n")
        if text.startswith(b"\x01"):
            if header:
                yield Commit(header[0].decode(), int(header[1]), tuple(changes))
            header, changes = text[1:].split(), []
        elif text.startswith(b":"):
            changes.append(_parse_change(text[1:].decode("ascii").split(), fields))
    if header:
        yield Commit(header[0].decode(), int(header[1]), tuple(changes))


def _parse_change(parts: list[str], fields: Iterator[bytes]) -> RawChange:
    old_mode, new_mode, old_blob, new_blob, status = parts
    first = native_of(next(fields))
    moved = status[0] in "RC"
    path = native_of(next(fields)) if moved else first
    return RawChange(status, old_mode, new_mode, old_blob, new_blob, path, first if moved else None)
