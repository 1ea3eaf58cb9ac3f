import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from prov_ledger.connectors.files import FilesConnector
from prov_ledger.connectors.port import Feed, Held, Skipped, SourceChange
from prov_ledger.errors import ConnectorError

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
EARLIER = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass
class Taken:
    """A ledger in small: what it took of each native id, kept as the port says."""

    latest: dict[str, tuple[datetime, bytes]] = field(default_factory=dict)
    retired: set[str] = field(default_factory=set)

    def natives(self) -> Iterable[str]:
        return [native for native in self.latest if native not in self.retired]

    def find(self, native: str) -> Held | None:
        if native not in self.latest:
            return None
        at, data = self.latest[native]
        return Held(at, native in self.retired, len(data), lambda other: other == data)

    def take(self, change: SourceChange) -> None:
        if change.renamed_from is not None:
            del self.latest[change.renamed_from]
        data = self.latest[change.native][1] if change.load is None else change.load().data
        self.latest[change.native] = (change.at, data)
        (self.retired.add if change.kind == "gone" else self.retired.discard)(change.native)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "folder"
    made.mkdir()
    return made


def write(path: Path, data: bytes, at: datetime = EARLIER) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    modified_ns = (at - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1) * 1000
    os.utime(path, ns=(modified_ns, modified_ns))


def feed_of(folder: Path, taken: Taken, glob: str | None = None, now: datetime = NOW) -> Feed:
    return FilesConnector(folder, glob, clock=lambda: now).changes(known=taken)


def sync(
    folder: Path, taken: Taken, glob: str | None = None, now: datetime = NOW
) -> list[tuple[str, str, datetime]]:
    found = []
    for change in feed_of(folder, taken, glob, now).changes:
        taken.take(change)
        found.append((change.kind, change.native, change.at))
    return found


def skipped(folder: Path, taken: Taken) -> list[Skipped]:
    feed = feed_of(folder, taken)
    for change in feed.changes:
        taken.take(change)
    return feed.skipped


def test_a_first_run_takes_every_file_by_its_relative_path_and_time(folder: Path) -> None:
    write(folder / "b.md", b"1")
    write(folder / "deep" / "ü 文.md", b"2", EARLIER + timedelta(microseconds=7))
    assert sync(folder, Taken()) == [
        ("new", "b.md", EARLIER),
        ("new", "deep/ü 文.md", EARLIER + timedelta(microseconds=7)),
    ]


def test_bytes_and_media_type_come_with_a_change(folder: Path) -> None:
    write(folder / "a.csv", b"\xef\xbb\xbfa,b\r\n\xff")
    (change,) = FilesConnector(folder).changes().changes
    assert change.load is not None
    assert (change.load().data, change.load().media_type) == (b"\xef\xbb\xbfa,b\r\n\xff", "text/csv")


def test_a_second_run_finds_nothing(folder: Path) -> None:
    write(folder / "a.md", b"1")
    taken = Taken()
    sync(folder, taken)
    assert sync(folder, taken) == []


def test_a_touched_file_with_the_same_bytes_is_no_change(folder: Path) -> None:
    taken = Taken()
    for at in (EARLIER, NOW):
        write(folder / "a.md", b"1", at)
        found = sync(folder, taken)
    assert found == []


def test_other_bytes_are_a_change_even_of_the_same_size(folder: Path) -> None:
    taken = Taken()
    write(folder / "a.md", b"1")
    sync(folder, taken)
    later = EARLIER + timedelta(days=1)
    write(folder / "a.md", b"2", later)
    assert sync(folder, taken) == [("content", "a.md", later)]


def test_an_older_copy_put_back_changed_when_it_was_seen(folder: Path) -> None:
    taken = Taken()
    write(folder / "a.md", b"1")
    sync(folder, taken)
    write(folder / "a.md", b"0", EARLIER - timedelta(days=9))
    assert sync(folder, taken) == [("content", "a.md", NOW)]


def test_a_time_in_the_future_is_the_time_of_the_run(folder: Path) -> None:
    write(folder / "a.md", b"1", NOW + timedelta(days=1))
    assert sync(folder, Taken()) == [("new", "a.md", NOW)]


def test_a_missing_file_is_gone_at_the_time_of_the_run_and_only_once(folder: Path) -> None:
    taken = Taken()
    write(folder / "a.md", b"1")
    sync(folder, taken)
    (folder / "a.md").unlink()
    assert sync(folder, taken) == [("gone", "a.md", NOW)]
    assert sync(folder, taken) == []


def test_a_file_that_returns_is_back_after_it_was_gone(folder: Path) -> None:
    taken = Taken()
    write(folder / "a.md", b"1")
    sync(folder, taken)
    (folder / "a.md").unlink()
    sync(folder, taken)
    write(folder / "a.md", b"1")
    later = NOW + timedelta(days=1)
    assert sync(folder, taken, now=later) == [("back", "a.md", later)]


def test_a_file_moved_with_its_bytes_is_renamed(folder: Path) -> None:
    taken = Taken()
    write(folder / "a.md", b"some text")
    sync(folder, taken)
    (folder / "new").mkdir()
    (folder / "a.md").rename(folder / "new" / "b.md")
    (change,) = feed_of(folder, taken).changes
    assert (change.kind, change.native, change.renamed_from, change.at) == (
        "renamed",
        "new/b.md",
        "a.md",
        NOW,
    )


def test_one_missing_file_is_renamed_to_one_path_only(folder: Path) -> None:
    taken = Taken()
    write(folder / "a.md", b"some text")
    sync(folder, taken)
    (folder / "a.md").unlink()
    write(folder / "b.md", b"some text")
    write(folder / "c.md", b"some text")
    assert [kind for kind, _, _ in sync(folder, taken)] == ["renamed", "new"]


def test_a_copy_of_a_file_that_stays_is_new(folder: Path) -> None:
    taken = Taken()
    write(folder / "a.md", b"some text")
    sync(folder, taken)
    write(folder / "b.md", b"some text")
    assert [kind for kind, _, _ in sync(folder, taken)] == ["new"]


def test_empty_files_are_not_taken_for_renames(folder: Path) -> None:
    taken = Taken()
    write(folder / "a.md", b"")
    sync(folder, taken)
    (folder / "a.md").rename(folder / "b.md")
    assert [kind for kind, _, _ in sync(folder, taken)] == ["new", "gone"]


def test_a_glob_neither_takes_nor_ends_what_lies_outside(folder: Path) -> None:
    taken = Taken()
    write(folder / "docs" / "a.md", b"1")
    write(folder / "b.md", b"2")
    sync(folder, taken)
    (folder / "docs" / "a.md").unlink()
    (folder / "b.md").unlink()
    assert sync(folder, taken, "docs") == [("gone", "docs/a.md", NOW)]


def test_a_link_out_of_the_folder_is_skipped(folder: Path, tmp_path: Path) -> None:
    write(tmp_path / "secret.md", b"secret")
    (folder / "a.md").symlink_to(tmp_path / "secret.md")
    assert skipped(folder, Taken()) == [Skipped("a.md", "outside")]


def test_a_link_inside_the_folder_is_read_as_its_file(folder: Path) -> None:
    write(folder / "a.md", b"1")
    (folder / "b.md").symlink_to("a.md")
    assert [native for _, native, _ in sync(folder, Taken())] == ["a.md", "b.md"]


def test_a_link_to_a_folder_is_not_entered(folder: Path, tmp_path: Path) -> None:
    write(tmp_path / "other" / "a.md", b"1")
    (folder / "out").symlink_to(tmp_path / "other")
    (folder / "loop").symlink_to(folder)
    assert sync(folder, Taken()) == []


def test_a_broken_link_is_skipped_and_the_rest_goes_on(folder: Path) -> None:
    (folder / "a.md").symlink_to("nowhere")
    write(folder / "b.md", b"1")
    taken = Taken()
    assert skipped(folder, taken) == [Skipped("a.md", "unreadable")]
    assert list(taken.latest) == ["b.md"]


def test_a_pipe_is_no_file(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    assert skipped(folder, Taken()) == [Skipped("pipe", "not_a_file")]


def test_a_file_that_cannot_be_read_is_skipped_and_not_gone(folder: Path) -> None:
    taken = Taken()
    write(folder / "a.md", b"1")
    sync(folder, taken)
    (folder / "a.md").unlink()
    (folder / "a.md").symlink_to("a.md")
    assert skipped(folder, taken) == [Skipped("a.md", "unreadable")]
    assert taken.retired == set()


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may list every folder")
def test_what_lies_in_a_folder_that_cannot_be_listed_is_not_gone(folder: Path) -> None:
    taken = Taken()
    write(folder / "closed" / "a.md", b"1")
    sync(folder, taken)
    (folder / "closed").chmod(0)
    try:
        assert skipped(folder, taken) == [Skipped("closed", "unreadable")]
    finally:
        (folder / "closed").chmod(0o700)
    assert taken.retired == set()


def test_a_folder_that_is_not_there_ends_nothing(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ConnectorError, match="no folder"):
        feed_of(tmp_path / "absent", Taken())


def test_folders_of_version_control_are_left_out(folder: Path) -> None:
    write(folder / ".git" / "config", b"1")
    write(folder / ".hidden.md", b"2")
    assert [native for _, native, _ in sync(folder, Taken())] == [".hidden.md"]


def test_progress_reaches_the_total(folder: Path) -> None:
    taken = Taken()
    write(folder / "a.md", b"1")
    write(folder / "b.md", b"2")
    sync(folder, taken)
    write(folder / "a.md", b"3", NOW)
    (folder / "b.md").unlink()
    feed = feed_of(folder, taken)
    assert ([change.done for change in feed.changes], feed.total) == ([1, 2], 2)
