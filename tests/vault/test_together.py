"""What threads want on the disk at once shares a commit; what fails is told to whom it belongs."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from prov_ledger.errors import StorageError
from prov_ledger.vault.together import Together


class _Disk:
    """Keeps the groups that were committed; the first commit lasts until it is let go."""

    def __init__(self, fails: Callable[[list[int]], Exception | None] = lambda group: None) -> None:
        self.groups: list[list[int]] = []
        self.begun, self.let_go = threading.Event(), threading.Event()
        self._fails = fails

    def commit(self, group: list[int]) -> None:
        self.groups.append(list(group))
        if not self.begun.is_set():
            self.begun.set()
            assert self.let_go.wait(10)
        error = self._fails(group)
        if error is not None:
            raise error


class _Counted(Together[int]):
    """Says when so many wait."""

    def waiting(self) -> int:
        with self._lock:
            return len(self._queue)


def _add(disk: _Disk, items: range) -> list["Future[None]"]:
    """Add the first; the others while it is being committed."""
    together = _Counted(disk.commit)
    with ThreadPoolExecutor(len(items)) as threads:
        futures = [threads.submit(together.add, items[0])]
        assert disk.begun.wait(10)
        for number, item in enumerate(items[1:], 1):
            futures.append(threads.submit(together.add, item))
            while together.waiting() < number:
                threading.Event().wait(0.001)
        disk.let_go.set()
    return futures


def test_what_comes_during_a_commit_shares_the_next_in_the_order_in_which_it_came() -> None:
    disk = _Disk()
    futures = _add(disk, range(6))
    assert [future.exception() for future in futures] == [None] * 6
    assert disk.groups == [[0], [1, 2, 3, 4, 5]]


def test_nobody_returns_before_their_own_is_committed() -> None:
    committed: set[int] = set()
    seen: list[bool] = []
    together: Together[int] = Together(committed.update)

    def work(first: int) -> None:
        for item in range(first, first + 200):
            together.add(item)
            seen.append(item in committed)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(work, range(0, 1600, 200)))
    assert len(committed) == len(seen) == 1600
    assert all(seen)


def test_a_disk_that_is_full_is_so_for_all_who_share_the_commit() -> None:
    disk = _Disk(lambda group: StorageError("full", code="storage_full") if 2 in group else None)
    futures = _add(disk, range(4))
    assert futures[0].exception() is None
    errors = [future.exception() for future in futures[1:]]
    assert all(isinstance(error, StorageError) and error.code == "storage_full" for error in errors)
    assert len({id(error) for error in errors}) == 3
    assert disk.groups == [[0], [1, 2, 3]]


def test_what_is_wrong_with_one_is_told_to_none_but_its_own_thread() -> None:
    disk = _Disk(lambda group: ValueError("two") if 2 in group else None)
    futures = _add(disk, range(4))
    assert [type(future.exception()) for future in futures] == [
        type(None),
        type(None),
        ValueError,
        type(None),
    ]
    assert disk.groups == [[0], [1, 2, 3], [1], [2], [3]]


def test_a_thread_that_is_stopped_leaves_no_other_waiting() -> None:
    class Stopped(BaseException):
        pass

    def commit(group: list[int]) -> None:
        if group == [0]:
            raise Stopped

    together: Together[int] = Together(commit)
    with pytest.raises(Stopped):
        together.add(0)
    together.add(1)
