"""From a first-parent history to what happened to each path: found anew, changed, moved, gone, back.

The whole history is walked each time, since what a path was before decides what a change of it is; that
costs a few microseconds per change, and no state need be kept between runs.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from prov_ledger.connectors.git_history import Commit, RawChange
from prov_ledger.connectors.paths import PathGlob
from prov_ledger.connectors.port import ChangeKind, Skipped

_NOTHING = "000000"
_SUBMODULE = "160000"


@dataclass(frozen=True, slots=True)
class Step:
    """What happened to one path in commit number ``commit`` (from 0), as its ``number``-th (from 1)."""

    commit: int
    number: int
    kind: ChangeKind
    path: str
    blob: str
    mode: str
    renamed_from: str | None = None
    came_from: str | None = None


def walk_history(
    commits: Sequence[Commit],
    glob: PathGlob,
    origins: Mapping[tuple[str, str], str],
    after: tuple[int, int],
) -> tuple[list[Step], list[Skipped]]:
    """Give the steps after (commit, number), and the submodules met from that commit on, each once.

    ``origins`` says for (commit name, new path) which path it was copied or renamed from.
    """
    walk = _Walk(glob, origins)
    steps: list[Step] = []
    skipped: dict[str, None] = {}
    for index, commit in enumerate(commits):
        found = walk.steps(index, commit)
        steps.extend(step for step in found if (step.commit, step.number) > after)
        if index >= after[0]:
            skipped.update(dict.fromkeys(walk.submodules(commit)))
    return steps, [Skipped(path, "submodule") for path in skipped]


@dataclass(slots=True)
class _Walk:
    """What each path is so far: held by a source, gone with it, or left by it through a rename."""

    glob: PathGlob
    origins: Mapping[tuple[str, str], str]
    states: dict[str, Literal["held", "gone", "left"]] = field(default_factory=dict)

    def steps(self, index: int, commit: Commit) -> list[Step]:
        """Give the steps of one commit, and remember what they leave."""
        found: list[Step] = []
        for change in commit.changes:
            kind, path, renamed_from = self._kind(change)
            if kind is None:
                continue
            origin = self.origins.get((commit.name, path)) if kind == "new" else None
            came_from = origin if origin is not None and self.glob.matches(origin) else None
            number = len(found) + 1
            found.append(
                Step(index, number, kind, path, change.new_blob, change.new_mode, renamed_from, came_from)
            )
            self._remember(kind, path, renamed_from)
        return found

    def submodules(self, commit: Commit) -> Iterator[str]:
        """Give the paths at which the commit sets a submodule."""
        for change in commit.changes:
            if change.new_mode == _SUBMODULE and self.glob.matches(change.path):
                yield change.path

    def _kind(self, change: RawChange) -> tuple[ChangeKind | None, str, str | None]:
        old_path = change.old_path or change.path
        had = self._is_file(change.old_mode, old_path)
        has = self._is_file(change.new_mode, change.path)
        if had and not has:
            return "gone", old_path, None
        if not has:
            return None, change.path, None
        if had and change.old_path is not None:
            return "renamed", change.path, old_path
        if had:
            return (None if change.old_blob == change.new_blob else "content"), change.path, None
        # Gone with its source, it is back; left through a rename, the name is free for another source.
        return ("back" if self.states.get(change.path) == "gone" else "new"), change.path, None

    def _is_file(self, mode: str, path: str) -> bool:
        return mode not in (_NOTHING, _SUBMODULE) and self.glob.matches(path)

    def _remember(self, kind: ChangeKind, path: str, renamed_from: str | None) -> None:
        self.states[path] = "gone" if kind == "gone" else "held"
        if renamed_from is not None:
            self.states[renamed_from] = "left"
