"""What several threads want on the disk at once goes there in one commit: each waits for one, not for all."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from prov_ledger.errors import StorageError

T = TypeVar("T")


class _Waiting(Generic[T]):
    """What one thread wants committed; ``woken`` is released when it is, or when it is to lead."""

    __slots__ = ("committed", "error", "item", "leads", "woken")

    def __init__(self, item: T) -> None:
        self.item = item
        self.committed = self.leads = False
        self.error: BaseException | None = None
        self.woken = threading.Lock()
        self.woken.acquire()


class Together(Generic[T]):
    """Commits items of any number of threads, in the order in which they came.

    Whoever comes while nobody commits does so at once. Whoever comes meanwhile waits; the first of them
    then commits what all of them brought.
    """

    def __init__(self, commit: Callable[[list[T]], None]) -> None:
        """``commit`` makes all items durable, or raises and keeps none."""
        self._commit = commit
        self._lock = threading.Lock()
        self._queue: list[_Waiting[T]] = []
        self._led = False

    def add(self, item: T) -> None:
        """Return when the item is durable. Raises what the commit raised, a StorageError for another thread.

        A failure that is not the disk's or a lock's is that of one item: then each is tried by itself.
        """
        mine = _Waiting(item)
        with self._lock:
            self._queue.append(mine)
            mine.leads, self._led = not self._led, True
        if not mine.leads:
            mine.woken.acquire()
        if mine.leads:
            self._lead()
        if mine.error is not None:
            raise mine.error
        if not mine.committed:
            raise StorageError("nothing was recorded: the thread that was to do it was stopped")

    def _lead(self) -> None:
        with self._lock:
            group, self._queue = self._queue, []
        try:
            self._commit_all(group)
        finally:
            with self._lock:
                following = self._queue[0] if self._queue else None
                if following is None:
                    self._led = False
                else:
                    following.leads = True
            for waiting in (*group[1:], following):
                if waiting is not None:
                    waiting.woken.release()

    def _commit_all(self, group: list[_Waiting[T]]) -> None:
        try:
            self._commit([waiting.item for waiting in group])
        except StorageError as error:
            group[0].error = error
            for waiting in group[1:]:
                waiting.error = StorageError(error.message, code=error.code)
        except Exception as error:
            if len(group) == 1:
                group[0].error = error
            else:
                for waiting in group:
                    self._commit_all([waiting])
        else:
            for waiting in group:
                waiting.committed = True
