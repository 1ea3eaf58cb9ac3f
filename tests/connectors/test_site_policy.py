"""Nine years of real policies, held against git itself."""

import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from prov_ledger.connectors.git import GitConnector
from prov_ledger.connectors.port import SourceChange

Tree = dict[str, bytes]
History = list[tuple[SourceChange, bytes | None]]


@pytest.fixture(scope="module")
def bundle(shared: Path) -> Path:
    found = shared / "data" / "site-policy.bundle"
    if not found.is_file():
        pytest.skip("the bundle data/site-policy.bundle is not in the folder of published test data")
    return found


@pytest.fixture(scope="module")
def clone(bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("oracle") / "clone.git"
    subprocess.run(["git", "clone", "--quiet", "--bare", str(bundle), str(folder)], check=True)
    return folder


@pytest.fixture(scope="module")
def history(bundle: Path) -> History:
    with GitConnector(bundle) as connector:
        return [(x, x.load().data if x.load else None) for x in connector.changes().changes]


def git(clone: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", "-C", str(clone), *arguments], check=True, capture_output=True).stdout


def first_parents(clone: Path) -> list[str]:
    return git(clone, "rev-list", "--first-parent", "--reverse", "main").decode().split()


def states(history: History, commits: list[str]) -> Iterator[tuple[str, Tree]]:
    """The tree at each commit, from the changes alone."""
    tree: Tree = {}
    waiting = list(reversed(history))
    for commit in commits:
        while waiting and waiting[-1][0].label == commit:
            change, data = waiting.pop()
            if data is None:
                del tree[change.native]
            else:
                tree[change.native] = data
            if change.renamed_from is not None:
                assert tree.pop(change.renamed_from) == data
        yield commit, tree


def tree_in_git(clone: Path, commit: str) -> Tree:
    listed = git(clone, "ls-tree", "-r", "-z", "--name-only", commit).decode().split("\0")
    return {path: git(clone, "show", f"{commit}:{path}") for path in listed if path}


def test_replaying_the_changes_gives_the_trees_of_git(history: History, clone: Path) -> None:
    commits = first_parents(clone)
    sampled = {*commits[:: len(commits) // 9], commits[-1]}
    for commit, tree in states(history, commits):
        if commit in sampled:
            assert tree == tree_in_git(clone, commit)


def test_every_commit_has_the_paths_of_git(history: History, clone: Path) -> None:
    for commit, tree in states(history, first_parents(clone)):
        assert sorted(tree) == sorted(
            git(clone, "ls-tree", "-r", "-z", "--name-only", commit).decode().split("\0")[:-1]
        )


def test_the_history_has_its_known_size(history: History) -> None:
    kinds = Counter(change.kind for change, _ in history)
    assert len({change.native for change, _ in history}) == 155
    assert kinds == {"content": 1027, "new": 151, "gone": 88, "renamed": 4, "back": 1}


def test_the_date_of_each_change_is_the_committer_date(history: History, clone: Path) -> None:
    listed = git(clone, "log", "--first-parent", "--format=%H %ct", "main").decode().splitlines()
    dates = {line.split()[0]: int(line.split()[1]) for line in listed}
    assert all(change.at.timestamp() == dates[change.label] for change, _ in history)


def test_a_second_run_takes_well_under_two_seconds(bundle: Path, history: History) -> None:
    begun = time.perf_counter()
    with GitConnector(bundle) as connector:
        assert list(connector.changes(history[-1][0].cursor).changes) == []
    assert time.perf_counter() - begun < 2


def test_a_run_from_the_middle_gives_the_rest(bundle: Path, history: History) -> None:
    every = [(change.kind, change.native, change.cursor, change.came_from) for change, _ in history]
    with GitConnector(bundle) as connector:
        for taken in (1, 2, 399, 400, 401, 1270):
            rest = connector.changes(history[taken - 1][0].cursor)
            assert [(x.kind, x.native, x.cursor, x.came_from) for x in rest.changes] == every[taken:]
