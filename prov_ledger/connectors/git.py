"""Git repositories and bundles: each path is a native id, each change of the first-parent history a change.

Renames are git's own finding. With ``-M100%`` git pairs a deleted path with an added one of the same
bytes; where several added paths match one deleted path, git decides, and the others are new. Such a rename
keeps the source. A rename or copy of lower similarity is a new source that says what it came from.

Symbolic links are captured as their target text. Submodules are skipped. A change of mode alone is none.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self

from prov_ledger.connectors.git_history import Commit, read_history
from prov_ledger.connectors.git_program import BlobReader, Repository, open_repository
from prov_ledger.connectors.git_walk import Step, walk_history
from prov_ledger.connectors.paths import PathGlob, media_type_of
from prov_ledger.connectors.port import Content, Feed, Known, SourceChange
from prov_ledger.errors import ConnectorError

_LINK = "120000"


class GitConnector:
    """The first-parent history of one branch of a repository folder or a bundle file.

    ``branch`` None: the branch of HEAD, else ``main``, ``master`` or the only one. ``path_glob`` as in
    ``PathGlob``; a rename across its border is a new source, or the end of one. ``name`` keeps two
    repositories in one ledger apart. The label of a change is its commit's full name, ``at`` the committer
    date in UTC. Bundles are unpacked into a temporary folder that ``close`` removes.
    """

    def __init__(
        self,
        repo_or_bundle: Path | str,
        branch: str | None = None,
        path_glob: str | None = None,
        name: str = "git",
    ) -> None:
        self._place = Path(repo_or_bundle)
        self._branch = branch
        self._glob = PathGlob(path_glob)
        self._name = name
        self._scratch: TemporaryDirectory[str] | None = None
        self._repository: Repository | None = None
        self._blobs: BlobReader | None = None

    @property
    def name(self) -> str:
        """The connector part of the identity of its sources."""
        return self._name

    @property
    def feed(self) -> str:
        """Branch and glob: cursors of equal ones may be exchanged."""
        return f"{self._branch or 'HEAD'}\n{self._glob.text}"

    def changes(self, since: str | None = None, known: Known | None = None) -> Feed:
        """Give the changes after the cursor; ``known`` is not needed, the history tells all.

        Raises ConnectorError: no such repository, bundle or branch, git missing, a glob that nothing of the
        history matches, or a cursor that is not in the first-parent history of the branch (rewritten, or
        another repository).
        """
        repository = self._open()
        tip = repository.tip(self._branch)
        commits = read_history(repository.git_dir, tip, "-M100%")
        index, taken = _place(since, commits)
        # Where a new path came from is asked only of what is new; it is the costly question.
        revisions = f"{commits[index - 1].name}..{tip}" if index else tip
        origins = _origins(read_history(repository.git_dir, revisions, "-M50%", "-C50%", "-l1000"))
        steps, skipped = walk_history(commits, self._glob, origins, (index, taken))
        if since is None and self._glob.text and not steps and not skipped:
            raise ConnectorError("No path of the branch's history matches the glob.", code="not_found")
        return Feed(len(steps), self._changes(commits, steps), skipped)

    def close(self) -> None:
        """End git and remove the temporary folder."""
        if self._blobs is not None:
            self._blobs.close()
        if self._scratch is not None:
            self._scratch.cleanup()
        self._blobs, self._scratch, self._repository = None, None, None

    def __enter__(self) -> Self:
        """Give the connector itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()

    def _open(self) -> Repository:
        if self._repository is None:
            self._scratch = TemporaryDirectory(prefix="prov-ledger-git-")
            self._repository = open_repository(self._place, Path(self._scratch.name))
            self._blobs = BlobReader(self._repository.git_dir)
        return self._repository

    def _changes(self, commits: Sequence[Commit], steps: Sequence[Step]) -> Iterator[SourceChange]:
        for done, step in enumerate(steps, 1):
            commit = commits[step.commit]
            yield SourceChange(
                native=step.path,
                kind=step.kind,
                at=_committed(commit),
                label=commit.name,
                cursor=f"{commit.name}/{step.number}",
                done=done,
                load=None if step.kind == "gone" else partial(self._load, step),
                renamed_from=step.renamed_from,
                came_from=step.came_from,
            )

    def _load(self, step: Step) -> Content:
        if self._blobs is None:
            raise ConnectorError("The git connector is closed; load the bytes before closing it.")
        data = self._blobs.read(step.blob)
        return Content(data, "text/plain" if step.mode == _LINK else media_type_of(step.path, data))


def _place(since: str | None, commits: Sequence[Commit]) -> tuple[int, int]:
    """Give the index of the cursor's commit and how many of its changes were taken."""
    if since is None:
        return 0, 0
    name, _, taken = since.partition("/")
    index = next((i for i, commit in enumerate(commits) if commit.name == name), None)
    if index is None or not taken.isdigit():
        raise ConnectorError(
            f"The last commit taken, {name[:40]}, is not in the first-parent history of the branch: it was "
            "rewritten, or this is another repository or branch. Restore that history, or sync into another "
            "ledger or under another connector name."
        )
    return index, int(taken)


def _origins(commits: Sequence[Commit]) -> dict[tuple[str, str], str]:
    """Give for (commit, new path) the path that git finds it was renamed or copied from."""
    return {
        (commit.name, change.path): change.old_path
        for commit in commits
        for change in commit.changes
        if change.old_path is not None
    }


def _committed(commit: Commit) -> datetime:
    try:
        return datetime.fromtimestamp(commit.committed, UTC)
    except (OverflowError, ValueError, OSError) as failure:
        raise ConnectorError(
            f"The committer date of {commit.name} is no date: {commit.committed} seconds after 1970."
        ) from failure
