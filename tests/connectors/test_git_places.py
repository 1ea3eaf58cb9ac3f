from collections.abc import Callable
from pathlib import Path

import pytest
from small_repositories import Repo

from prov_ledger.connectors.git import GitConnector
from prov_ledger.connectors.port import SourceChange
from prov_ledger.errors import ConnectorError


def refusal(place: Path, since: str | None = None, branch: str | None = None) -> str:
    with GitConnector(place, branch) as connector, pytest.raises(ConnectorError) as caught:
        connector.changes(since)
    return caught.value.message


@pytest.fixture
def filled(repo: Repo) -> Repo:
    repo.write("a.md", b"1")
    repo.commit()
    repo.write("sub/b.md", b"2")
    repo.commit()
    return repo


def natives(place: Path, branch: str | None = None) -> list[str]:
    with GitConnector(place, branch) as connector:
        return [change.native for change in connector.changes().changes if change.load and change.load()]


def test_a_bundle_gives_what_its_repository_gives(filled: Repo, tmp_path: Path) -> None:
    filled.git("bundle", "create", "--quiet", str(tmp_path / "x.bundle"), "main")
    assert natives(tmp_path / "x.bundle") == natives(filled.folder) == ["a.md", "sub/b.md"]


def test_a_bundle_of_head_alone_is_read(filled: Repo, tmp_path: Path) -> None:
    filled.git("bundle", "create", "--quiet", str(tmp_path / "x.bundle"), "HEAD")
    assert natives(tmp_path / "x.bundle") == ["a.md", "sub/b.md"]


def test_a_bundle_with_sha256_names_is_read(filled: Repo, tmp_path: Path) -> None:
    other = Repo(tmp_path / "sha256")
    other.folder.mkdir()
    other.git("init", "--quiet", "--initial-branch=main", "--object-format=sha256")
    other.write("a.md", b"1")
    commit = other.commit()
    other.git("bundle", "create", "--quiet", str(tmp_path / "x.bundle"), "main")
    with GitConnector(tmp_path / "x.bundle") as connector:
        (change,) = connector.changes().changes
        assert (change.label, len(commit)) == (commit, 64)


def test_the_temporary_folder_of_a_bundle_goes_when_it_is_closed(
    filled: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled.git("bundle", "create", "--quiet", str(tmp_path / "x.bundle"), "main")
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    natives(tmp_path / "x.bundle")
    assert list((tmp_path / "tmp").iterdir()) == []


def test_a_bare_repository_is_read(filled: Repo, tmp_path: Path) -> None:
    filled.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))
    assert natives(tmp_path / "bare.git") == ["a.md", "sub/b.md"]


def test_a_head_without_commits_falls_back_to_main(filled: Repo) -> None:
    filled.git("symbolic-ref", "HEAD", "refs/heads/unborn")
    assert natives(filled.folder) == ["a.md", "sub/b.md"]


def test_a_branch_is_read_by_name(filled: Repo) -> None:
    filled.git("branch", "first", "HEAD~1")
    assert natives(filled.folder, "first") == ["a.md"]


def test_a_branch_of_origin_is_read_by_its_short_name(filled: Repo) -> None:
    filled.git("update-ref", "refs/remotes/origin/theirs", "HEAD~1")
    assert natives(filled.folder, "theirs") == ["a.md"]


def test_a_missing_branch_is_told_with_those_that_are_there(filled: Repo) -> None:
    message = refusal(filled.folder, branch="nope")
    assert "no branch nope" in message
    assert "main" in message


def test_a_repository_without_commits_is_told(repo: Repo) -> None:
    assert "no branch with a commit" in refusal(repo.folder)


def test_a_place_that_is_not_there_is_told(tmp_path: Path) -> None:
    assert "no repository folder or bundle" in refusal(tmp_path / "nothing")


def test_a_folder_that_is_no_repository_is_told(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    assert "not a git repository" in refusal(tmp_path / "plain")


def test_a_folder_that_is_no_repository_is_no_case_for_another_try(tmp_path: Path) -> None:
    with GitConnector(tmp_path) as connector, pytest.raises(ConnectorError) as caught:
        connector.changes()
    assert (caught.value.code, caught.value.status.exit_code) == ("bad_input", 2)


@pytest.mark.parametrize("address", ["https://h/x", "ssh://git@h/x.git", "git@h:x.git"])
def test_an_address_is_told_to_be_cloned_first(address: str) -> None:
    assert "git clone" in refusal(Path(address))


def test_a_glob_that_matches_nothing_is_told(filled: Repo) -> None:
    with GitConnector(filled.folder, path_glob="zzz*") as connector, pytest.raises(ConnectorError) as caught:
        connector.changes()
    assert caught.value.code == "not_found"


def test_a_folder_inside_a_repository_is_told(filled: Repo) -> None:
    assert "lies inside a repository" in refusal(filled.folder / "sub")


def test_a_file_that_is_no_bundle_is_told(tmp_path: Path) -> None:
    (tmp_path / "x.bundle").write_bytes(b"not a bundle\n")
    assert "not a whole git bundle" in refusal(tmp_path / "x.bundle")


def test_a_bundle_cut_short_is_told(filled: Repo, tmp_path: Path) -> None:
    bundle = tmp_path / "x.bundle"
    filled.git("bundle", "create", "--quiet", str(bundle), "main")
    bundle.write_bytes(bundle.read_bytes()[:-40])
    assert "not a whole git bundle" in refusal(bundle)


def test_a_bundle_that_needs_commits_it_does_not_hold_is_told(filled: Repo, tmp_path: Path) -> None:
    filled.git("bundle", "create", "--quiet", str(tmp_path / "x.bundle"), "main~1..main")
    assert "not a whole git bundle" in refusal(tmp_path / "x.bundle")


def test_a_shallow_clone_is_told(filled: Repo, tmp_path: Path) -> None:
    filled.git("clone", "--quiet", "--depth=1", filled.folder.as_uri(), str(tmp_path / "shallow"))
    assert "shallow clone" in refusal(tmp_path / "shallow")


def test_a_rewritten_history_is_told(filled: Repo, changes: Callable[..., list[SourceChange]]) -> None:
    cursor = changes()[-1].cursor
    filled.git("commit", "--quiet", "--amend", "-m", "another")
    assert "not in the first-parent history" in refusal(filled.folder, since=cursor)


@pytest.mark.parametrize("cursor", ["", "nonsense", "/", "1" * 40 + "/1"])
def test_a_cursor_that_is_none_is_told(filled: Repo, cursor: str) -> None:
    assert "not in the first-parent history" in refusal(filled.folder, since=cursor)


def test_a_commit_of_a_side_branch_is_no_cursor(filled: Repo) -> None:
    filled.git("switch", "--quiet", "--create", "side")
    filled.write("c.md", b"3")
    side = filled.commit()
    filled.git("switch", "--quiet", "main")
    filled.git("merge", "--quiet", "--no-ff", "-m", "m", "side")
    assert "not in the first-parent history" in refusal(filled.folder, since=f"{side}/1")


def test_a_missing_git_is_told(filled: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "git was not found" in refusal(filled.folder)


def test_a_missing_git_is_told_for_a_bundle(
    filled: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    filled.git("bundle", "create", "--quiet", str(tmp_path / "x.bundle"), "main")
    monkeypatch.setenv("PATH", str(tmp_path / "no-programs"))
    assert "git was not found" in refusal(tmp_path / "x.bundle")


def test_a_lost_object_is_told(filled: Repo) -> None:
    blob = filled.git("rev-parse", "main:a.md")
    lost = filled.folder / ".git" / "objects" / blob[:2] / blob[2:]
    with GitConnector(filled.folder) as connector:
        first = next(connector.changes().changes)
        lost.chmod(0o600)
        lost.unlink()
        assert first.load is not None
        with pytest.raises(ConnectorError, match="lacks the object"):
            first.load()


def test_loading_after_closing_is_told(filled: Repo) -> None:
    with GitConnector(filled.folder) as connector:
        first = next(connector.changes().changes)
    assert first.load is not None
    with pytest.raises(ConnectorError, match="closed"):
        first.load()


def test_runs_cut_differently_have_different_feeds() -> None:
    feeds = {GitConnector("x", branch, glob).feed for branch in (None, "main") for glob in (None, "docs")}
    assert len(feeds) == 4
