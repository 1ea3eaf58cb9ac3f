from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from small_repositories import START, Repo

from prov_ledger.connectors.git import GitConnector
from prov_ledger.connectors.port import Skipped, SourceChange

Changes = Callable[..., list[SourceChange]]
Told = Callable[..., list[tuple[str, str]]]

LONG = b"".join(b"line %d\n" % number for number in range(60))


def loaded(repo: Repo) -> list[bytes]:
    with GitConnector(repo.folder) as connector:
        return [change.load().data for change in connector.changes().changes if change.load is not None]


def test_a_path_is_new_then_changed_then_gone_then_back(repo: Repo, told: Told) -> None:
    for data in (b"1", b"2", None, b"3"):
        if data is None:
            (repo.folder / "a.md").unlink()
        else:
            repo.write("a.md", data)
        repo.commit()
    assert told() == [("new", "a.md"), ("content", "a.md"), ("gone", "a.md"), ("back", "a.md")]
    assert loaded(repo) == [b"1", b"2", b"3"]


def test_a_change_has_its_commit_as_label_and_the_committer_date_in_utc(repo: Repo, changes: Changes) -> None:
    repo.write("a.md", b"1")
    commit = repo.commit(dated=START)
    (change,) = changes()
    assert (change.label, change.at) == (commit, datetime.fromtimestamp(START, UTC))
    assert change.at.tzinfo is UTC


def test_dates_that_go_backwards_do_not_change_the_order(repo: Repo, changes: Changes) -> None:
    for data, dated in ((b"1", START + 500), (b"2", START + 100), (b"3", START + 300)):
        repo.write("a.md", data)
        repo.commit(dated=dated)
    assert [int(change.at.timestamp()) - START for change in changes()] == [500, 100, 300]


def test_a_rename_of_the_same_bytes_keeps_the_source(repo: Repo, changes: Changes) -> None:
    repo.write("a.md", LONG)
    repo.commit()
    repo.git("mv", "a.md", "b.md")
    repo.commit()
    change = changes()[-1]
    assert (change.kind, change.native, change.renamed_from, change.came_from) == (
        "renamed",
        "b.md",
        "a.md",
        None,
    )


def test_a_rename_with_other_bytes_is_a_new_source_that_says_where_it_came_from(
    repo: Repo, changes: Changes
) -> None:
    repo.write("a.md", LONG)
    repo.commit()
    repo.git("mv", "a.md", "b.md")
    repo.write("b.md", LONG + b"more\n")
    repo.commit()
    gone, new = changes()[1:]
    assert (gone.kind, gone.native) == ("gone", "a.md")
    assert (new.kind, new.native, new.came_from, new.renamed_from) == ("new", "b.md", "a.md", None)


def test_the_same_lines_in_another_order_are_no_rename_of_the_same_bytes(repo: Repo, told: Told) -> None:
    repo.write("a.md", LONG)
    repo.commit()
    (repo.folder / "a.md").unlink()
    repo.write("b.md", b"".join(reversed(LONG.splitlines(keepends=True))))
    repo.commit()
    assert told()[1:] == [("gone", "a.md"), ("new", "b.md")]


def test_where_two_paths_have_the_bytes_of_a_deleted_one_git_decides(repo: Repo, changes: Changes) -> None:
    repo.write("a.md", LONG)
    repo.commit()
    (repo.folder / "a.md").unlink()
    repo.write("b.md", LONG)
    repo.write("c.md", LONG)
    commit = repo.commit()
    lines = repo.git("show", "--raw", "--no-abbrev", "-M100%", "--format=", commit).splitlines()
    said = {line.split("\t")[-1]: line.split("\t")[0].split()[-1] for line in lines}
    kinds = {change.native: change.kind for change in changes()[1:]}
    assert sorted(said.values()) == ["A", "R100"]
    assert kinds == {path: "renamed" if status == "R100" else "new" for path, status in said.items()}
    assert [change.came_from for change in changes()[1:] if change.kind == "new"] == ["a.md"]


def test_a_copy_with_a_change_of_the_original_says_where_it_came_from(repo: Repo, changes: Changes) -> None:
    repo.write("a.md", LONG)
    repo.commit()
    repo.write("a.md", LONG + b"changed\n")
    repo.write("b.md", LONG + b"copied\n")
    repo.commit()
    assert [(change.kind, change.came_from) for change in changes()[1:]] == [
        ("content", None),
        ("new", "a.md"),
    ]


def test_a_path_left_through_a_rename_is_free_for_a_new_source(repo: Repo, told: Told) -> None:
    repo.write("a.md", LONG)
    repo.commit()
    repo.git("mv", "a.md", "b.md")
    repo.commit()
    repo.write("a.md", b"another page\n")
    repo.commit()
    assert told()[1:] == [("renamed", "b.md"), ("new", "a.md")]


def test_a_rename_onto_a_path_that_was_deleted_before_is_a_rename(repo: Repo, told: Told) -> None:
    repo.write("a.md", LONG)
    repo.write("b.md", b"old page\n")
    repo.commit()
    (repo.folder / "b.md").unlink()
    repo.commit()
    repo.git("mv", "a.md", "b.md")
    repo.commit()
    assert told()[2:] == [("gone", "b.md"), ("renamed", "b.md")]


def test_a_merge_counts_once_against_its_first_parent(repo: Repo, changes: Changes) -> None:
    repo.write("a.md", b"1")
    repo.commit()
    repo.git("switch", "--quiet", "--create", "side")
    for data in (b"s1", b"s2"):
        repo.write("side.md", data)
        repo.commit()
    repo.git("switch", "--quiet", "main")
    repo.write("a.md", b"2")
    repo.commit()
    repo.git("merge", "--quiet", "--no-ff", "-m", "m", "side")
    merge = repo.git("rev-parse", "HEAD")
    last = changes()[-1]
    assert (last.native, last.kind, last.label, len(changes())) == ("side.md", "new", merge, 3)


def test_a_change_of_mode_alone_is_none(repo: Repo, told: Told) -> None:
    repo.write("run.sh", b"#!/bin/sh\n")
    repo.commit()
    (repo.folder / "run.sh").chmod(0o755)
    repo.commit()
    assert told() == [("new", "run.sh")]


def test_bytes_are_exact_for_binary_and_empty_files_and_windows_line_ends(repo: Repo) -> None:
    files = {"a.bin": bytes(range(256)) * 9, "b.md": b"", "c.md": b"\xef\xbb\xbfa\r\nb\r\n", "d": b"\0\n\n"}
    for path, data in files.items():
        repo.write(path, data)
    repo.commit()
    assert loaded(repo) == list(files.values())


def test_paths_may_hold_line_ends_quotes_and_letters_of_any_script(repo: Repo, told: Told) -> None:
    paths = ["a\nb.md", 'q"u\\o\tte.md', "ünï/文書.md", " lead.md", ":100644 x.md", "\x01cafe 1.md"]
    for path in paths:
        repo.write(path, path.encode())
    repo.commit()
    assert sorted(native for _, native in told()) == sorted(paths)


def test_a_path_that_is_no_utf8_has_a_readable_native_id(repo: Repo, told: Told) -> None:
    try:
        Path(repo.folder, "caf\udce9.md").write_bytes(b"x")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    repo.commit()
    assert told() == [("new", "caf\\xe9.md")]


def test_a_symbolic_link_is_its_target_text(repo: Repo, changes: Changes) -> None:
    (repo.folder / "link.md").symlink_to("../target.md")
    repo.commit()
    with GitConnector(repo.folder) as connector:
        (content,) = [change.load() for change in connector.changes().changes if change.load]
    assert (content.data, content.media_type) == (b"../target.md", "text/plain")


def add_submodule(repo: Repo, path: str) -> None:
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},{path}")
    repo.git("commit", "--quiet", "-m", "submodule")


def test_a_submodule_is_skipped_and_reported_once(repo: Repo) -> None:
    repo.write("a.md", b"1")
    repo.commit()
    add_submodule(repo, "lib")
    with GitConnector(repo.folder) as connector:
        feed = connector.changes()
        assert (feed.total, [change.native for change in feed.changes]) == (1, ["a.md"])
        assert feed.skipped == [Skipped("lib", "submodule")]


def test_a_file_that_becomes_a_submodule_is_gone(repo: Repo, told: Told) -> None:
    repo.write("lib", b"1")
    repo.commit()
    repo.git("rm", "--quiet", "lib")
    add_submodule(repo, "lib")
    assert told() == [("new", "lib"), ("gone", "lib")]


def test_a_file_replaced_by_a_folder_is_gone(repo: Repo, told: Told) -> None:
    repo.write("a", b"1")
    repo.commit()
    (repo.folder / "a").unlink()
    repo.write("a/b.md", b"2")
    repo.commit()
    assert set(told()[1:]) == {("gone", "a"), ("new", "a/b.md")}


def test_a_glob_chooses_paths(repo: Repo, told: Told) -> None:
    for path in ("docs/a.md", "docs/deep/b.md", "src/c.py", "d.md"):
        repo.write(path, path.encode())
    repo.commit()
    assert [native for _, native in told(path_glob="docs")] == ["docs/a.md", "docs/deep/b.md"]


def test_a_rename_across_the_border_of_the_glob_is_an_end_or_a_beginning(
    repo: Repo, changes: Changes
) -> None:
    repo.write("in/a.md", LONG)
    repo.write("out/b.md", LONG[::-1])
    repo.commit()
    repo.git("mv", "in/a.md", "out/a.md")
    repo.git("mv", "out/b.md", "in/b.md")
    repo.commit()
    found = [(change.kind, change.native, change.came_from) for change in changes(path_glob="in")[1:]]
    assert sorted(found) == [("gone", "in/a.md", None), ("new", "in/b.md", None)]


def test_a_run_resumes_after_any_single_change(repo: Repo, changes: Changes) -> None:
    for path in ("a.md", "b.md", "c.md"):
        repo.write(path, path.encode() + LONG)
    repo.commit()
    repo.git("mv", "a.md", "d.md")
    repo.git("mv", "b.md", "e.md")
    repo.write("e.md", LONG + b"more\n")
    repo.commit()
    every = changes()

    def seen(found: list[SourceChange]) -> list[tuple[str, ...]]:
        return [(x.kind, x.native, x.cursor, str(x.came_from), str(x.renamed_from)) for x in found]

    assert len(every) == 6
    for taken, change in enumerate(every, 1):
        assert seen(changes(change.cursor)) == seen(every[taken:])


def test_a_run_with_nothing_new_is_empty(repo: Repo, changes: Changes) -> None:
    repo.write("a.md", b"1")
    repo.commit()
    assert changes(changes()[-1].cursor) == []


def test_what_came_before_decides_what_a_later_run_sees(repo: Repo, changes: Changes, told: Told) -> None:
    repo.write("a.md", b"1")
    repo.commit()
    (repo.folder / "a.md").unlink()
    repo.commit()
    cursor = changes()[-1].cursor
    repo.write("a.md", b"2")
    repo.commit()
    assert told(cursor) == [("back", "a.md")]


def test_settings_of_the_user_do_not_change_what_is_seen(repo: Repo, changes: Changes) -> None:
    repo.write("z.md", LONG)
    repo.commit()
    (repo.folder / "z.md").unlink()
    repo.write("a.md", LONG)
    repo.write("b.md", LONG)
    repo.commit()
    plain = changes()
    repo.write("order", b"b.md\na.md\n")
    settings = {
        "diff.renames": "false",
        "diff.orderFile": str(repo.folder / "order"),
        "log.showRoot": "false",
        "log.showSignature": "true",
        "log.diffMerges": "off",
        "core.abbrev": "5",
        "diff.noprefix": "true",
        "color.ui": "always",
    }
    for name, value in settings.items():
        repo.git("config", name, value)
    assert changes() == plain


def test_a_repository_named_by_the_environment_is_not_the_one_read(
    repo: Repo, told: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.write("a.md", b"1")
    repo.commit()
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    assert told() == [("new", "a.md")]


def test_progress_reaches_the_total(repo: Repo) -> None:
    for path in ("a.md", "b.md"):
        repo.write(path, b"1")
    repo.commit()
    with GitConnector(repo.folder) as connector:
        feed = connector.changes()
        assert [change.done for change in feed.changes] == [1, feed.total]
