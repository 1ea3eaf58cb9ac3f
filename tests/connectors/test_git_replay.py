"""Histories made at random: the changes alone give the trees of git, commit by commit."""

import random
from collections.abc import Callable

import pytest
from small_repositories import Repo

from prov_ledger.connectors.git import GitConnector
from prov_ledger.connectors.port import SourceChange

PATHS = ["a.md", "b.md", "c", "deep/d.md", "deep/e.md", "deep/er/f.md", "ü.md"]


def change_something(repo: Repo, choose: random.Random) -> None:
    there = [path for path in PATHS if (repo.folder / path).is_file()]
    free = [path for path in PATHS if path not in there]
    action = choose.choice(["write", "write", "delete", "move", "move and write", "copy", "mode"])
    if action == "write" or not there:
        text = "".join(f"{choose.randrange(4)} line {number}\n" for number in range(choose.randrange(12)))
        repo.write(choose.choice(PATHS), text.encode())
    elif action == "delete":
        (repo.folder / choose.choice(there)).unlink()
    elif action == "mode":
        (repo.folder / choose.choice(there)).chmod(choose.choice([0o644, 0o755]))
    elif free:
        old, new = repo.folder / choose.choice(there), choose.choice(free)
        repo.write(new, old.read_bytes() + (b"more\n" if action == "move and write" else b""))
        if action != "copy":
            old.unlink()


def trees_by_changes(repo: Repo) -> dict[str, dict[str, bytes]]:
    """The tree after the last change of each commit; ids of sources are followed through renames."""
    tree: dict[str, bytes] = {}
    gone: set[str] = set()
    found = {}
    with GitConnector(repo.folder) as connector:
        for change in connector.changes().changes:
            assert (change.native in tree) == (change.kind in ("content", "gone"))
            assert change.kind != "new" or change.native not in gone
            assert change.kind != "back" or change.native in gone
            if change.renamed_from is not None:
                moved = tree.pop(change.renamed_from)
                gone.discard(change.renamed_from)
                assert change.load is not None
                assert moved == change.load().data
            if change.load is None:
                del tree[change.native]
            else:
                tree[change.native] = change.load().data
            (gone.add if change.kind == "gone" else gone.discard)(change.native)
            found[change.label] = dict(tree)
    return found


@pytest.mark.parametrize("seed", range(4))
def test_random_histories_replay_to_the_trees_of_git(
    repo: Repo, changes: Callable[..., list[SourceChange]], seed: int
) -> None:
    choose = random.Random(seed)
    commits = []
    for _ in range(25):
        for _ in range(choose.randrange(1, 4)):
            change_something(repo, choose)
        commits.append(repo.commit())
    trees = trees_by_changes(repo)
    tree: dict[str, bytes] = {}
    for commit in commits:
        tree = trees.get(commit, tree)
        listed = repo.git("-c", "core.quotePath=false", "ls-tree", "-r", commit).splitlines()
        blobs = {line.split("\t")[1]: line.split()[2] for line in listed}
        assert sorted(blobs) == sorted(tree)
        for path, blob in blobs.items():
            assert tree[path].decode().strip() == repo.git("cat-file", "blob", blob)
    middle = changes()[len(changes()) // 2]
    assert [x.cursor for x in changes(middle.cursor)] == [x.cursor for x in changes()[middle.done :]]
