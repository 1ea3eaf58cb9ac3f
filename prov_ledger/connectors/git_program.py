"""The ``git`` program: repositories and bundles, the tips of branches, the bytes of blobs.

The program itself, not a library: it is the oracle for renames, packs, bundles and hash formats of any
repository that it wrote. dulwich finds renames by rules of its own and has no first-parent walk with
them; pygit2 opens no bundle and brings a compiled libgit2 that lags behind git's repository formats.

Needs git 2.31 or later (``--diff-merges=first-parent``).
"""

import os
import re
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import IO

from prov_ledger.errors import ConnectorError

#: A scheme, or a host before a colon, as in ``git@host:path``; a path has lost one slash of two.
_ADDRESS = re.compile(r"(?:https?|ssh|git):/|[\w.-]+@[\w.-]+:", re.ASCII)


class Repository:
    """A repository on disk and the names of its tips; reads only."""

    def __init__(self, git_dir: Path, refs: Mapping[str, str]) -> None:
        self.git_dir = git_dir
        self.refs = refs

    def tip(self, branch: str | None) -> str:
        """Give the object name of a branch's last commit; None: HEAD, then main, master, the only branch.

        Raises ConnectorError when there is none, naming the branches that are there.
        """
        heads = {
            name.removeprefix("refs/heads/"): name for name in self.refs if name.startswith("refs/heads/")
        }
        if branch is not None:
            wanted = [f"refs/heads/{branch}", f"refs/remotes/origin/{branch}"]
        else:
            wanted = ["HEAD", "refs/heads/main", "refs/heads/master"]
            wanted += heads.values() if len(heads) == 1 else []
        for name in wanted:
            if name in self.refs:
                return self.refs[name]
        raise _no_branch(branch, sorted(heads))


class BlobReader:
    """One ``git cat-file --batch`` process: the bytes of blobs by object name. Threads take turns."""

    def __init__(self, git_dir: Path) -> None:
        self._lock = Lock()
        self._process = _start_git(git_dir, "cat-file", "--batch")

    def read(self, blob: str) -> bytes:
        """Give the exact bytes; raises ConnectorError when the repository lacks them or git ended."""
        stdin, stdout = self._pipes()
        with self._lock:
            try:
                stdin.write(blob.encode("ascii") + b"\n")
                stdin.flush()
                header = stdout.readline().split()
                data = stdout.read(int(header[2]) + 1) if len(header) == 3 else b""
            except (OSError, ValueError) as failure:
                raise ConnectorError("git ended while a file was read; run the sync again.") from failure
        if len(header) != 3 or len(data) != int(header[2]) + 1:
            raise ConnectorError(
                f"The repository lacks the object {blob}; try `git fsck`, or fetch a partial clone fully."
            )
        return data[:-1]

    def close(self) -> None:
        """End the process."""
        stdin, stdout = self._pipes()
        stdin.close()
        stdout.close()
        self._process.wait()

    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise ConnectorError("git was started without pipes.")
        return stdin, stdout


def open_repository(place: Path, scratch: Path) -> Repository:
    """Open a repository folder, or unpack a bundle file into the folder ``scratch``.

    Raises ConnectorError: nothing there, not the top of a repository, a shallow clone, a corrupt bundle or
    one that needs commits it does not hold, git missing.
    """
    if place.is_dir():
        return _open_folder(place)
    if place.is_file():
        return _open_bundle(place.resolve(), scratch)
    if _ADDRESS.match(str(place)):
        raise ConnectorError(
            "An address is not cloned here; run `git clone` first and name its folder.", code="bad_input"
        )
    raise ConnectorError(
        f"There is no repository folder or bundle file at {place}; check the path.", code="not_found"
    )


def run_git(folder: Path, *arguments: str) -> bytes:
    """Give what git prints, run in a folder; raises ConnectorError with git's own last words."""
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, env=_environment(), check=False
        )
    except FileNotFoundError as failure:
        raise _no_git() from failure
    if done.returncode != 0:
        verb = next((word for word in arguments if word in _VERBS), "git")
        raise ConnectorError(
            f"git {verb} failed with status {done.returncode} in {folder}: {_last_line(done.stderr)}"
        )
    return done.stdout


_VERBS = frozenset(("log", "rev-parse", "for-each-ref", "init", "bundle"))
_KEPT_SETTINGS = ("GIT_CONFIG", "GIT_EXEC_PATH")


def _environment() -> dict[str, str]:
    # A sync inside a git hook inherits GIT_DIR and the like, which would point at another repository.
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name.startswith(_KEPT_SETTINGS)
    }
    own = {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
    return {**kept, **own, "GIT_NO_REPLACE_OBJECTS": "1", "GIT_NO_LAZY_FETCH": "1"}


def _start_git(git_dir: Path, *arguments: str) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            ["git", "-C", str(git_dir), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
        )
    except FileNotFoundError as failure:
        raise _no_git() from failure


def _no_branch(branch: str | None, heads: list[str]) -> ConnectorError:
    if not heads:
        return ConnectorError("The repository has no branch with a commit; commit something first.")
    wanted = f"no branch {branch}" if branch else "no branch that HEAD names, and neither main nor master"
    there = ", ".join(heads[:10]) + (", ..." if len(heads) > 10 else "")
    return ConnectorError(
        f"The repository has {wanted}; name one of its branches: {there}.", code="not_found"
    )


def _no_git() -> ConnectorError:
    return ConnectorError("The program git was not found on the PATH; install git 2.31 or later.")


def _last_line(stderr: bytes) -> str:
    lines = stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else "it gave no reason"


def _open_folder(place: Path) -> Repository:
    try:
        found = run_git(
            place, "rev-parse", "--absolute-git-dir", "--is-shallow-repository", "--show-prefix"
        )
    except ConnectorError as failure:
        if "ownership" in failure.message or "not found on the PATH" in failure.message:
            raise
        raise ConnectorError(
            f"{place} is not a git repository; name its top folder or a bundle.", code="bad_input"
        ) from failure
    git_dir, is_shallow, prefix = os.fsdecode(found).split("\n")[:3]
    if prefix:
        raise ConnectorError(
            f"{place} lies inside a repository; name its top folder and choose with --path.",
            code="not_found",
        )
    if is_shallow == "true":
        raise ConnectorError(
            f"{place} is a shallow clone: its first dates would be wrong. Run `git fetch --unshallow` there."
        )
    listed = run_git(Path(git_dir), "for-each-ref", "--format=%(objectname) %(refname)")
    refs = _parse_refs(listed)
    # HEAD may name a branch without a commit yet, while another branch is there.
    with suppress(ConnectorError):
        refs["HEAD"] = os.fsdecode(
            run_git(Path(git_dir), "rev-parse", "--verify", "--quiet", "HEAD")
        ).strip()
    return Repository(Path(git_dir), refs)


def _open_bundle(bundle: Path, scratch: Path) -> Repository:
    with bundle.open("rb") as file:
        is_sha256 = b"\n@object-format=sha256\n" in file.read(512)
    object_format = "sha256" if is_sha256 else "sha1"
    run_git(scratch, "init", "--quiet", "--bare", "--template=", f"--object-format={object_format}")
    try:
        listed = run_git(scratch, "bundle", "unbundle", str(bundle))
    except ConnectorError as failure:
        if "not found on the PATH" in failure.message:
            raise
        raise ConnectorError(
            f"{bundle.name} is not a whole git bundle ({failure.message.rpartition(': ')[2]}); make it anew "
            "with `git bundle create FILE BRANCH`."
        ) from failure
    return Repository(scratch, _parse_refs(listed))


def _parse_refs(listed: bytes) -> dict[str, str]:
    lines = (line.partition(" ") for line in os.fsdecode(listed).splitlines())
    return {name: object_name for object_name, _, name in lines}
