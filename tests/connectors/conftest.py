"""A small repository to be filled by a test, and what a connector reads from it."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from small_repositories import Repo

from prov_ledger.connectors.git import GitConnector
from prov_ledger.connectors.port import SourceChange


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    if shutil.which("git") is None:
        pytest.skip("the program git is not on the PATH")
    made = Repo(tmp_path / "repo")
    made.folder.mkdir()
    made.git("init", "--quiet", "--initial-branch=main")
    return made


@pytest.fixture
def changes(repo: Repo) -> Callable[..., list[SourceChange]]:
    """All changes of the repository, read through a connector with the given options."""

    def read(since: str | None = None, **options: str) -> list[SourceChange]:
        with GitConnector(repo.folder, **options) as connector:
            return list(connector.changes(since).changes)

    return read


@pytest.fixture
def told(changes: Callable[..., list[SourceChange]]) -> Callable[..., list[tuple[str, str]]]:
    """The same as (kind, native id) pairs."""

    def read(since: str | None = None, **options: str) -> list[tuple[str, str]]:
        return [(change.kind, change.native) for change in changes(since, **options)]

    return read
