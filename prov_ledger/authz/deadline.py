"""A call into foreign code that its caller stops waiting for."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from typing import TypeVar

T = TypeVar("T")

#: How many such calls run at once; those that never return keep their place, so they cannot pile up.
MOST_CALLS = 32
_places = threading.BoundedSemaphore(MOST_CALLS)


class NoAnswer(Exception):
    """There is no answer that counts; the text says why, and names nobody."""


def call_within(seconds: float, call: Callable[[], T]) -> T:
    """What ``call`` returns within ``seconds``; later, its answer is dropped.

    Raises NoAnswer when it is late, or ends its thread; else whatever Exception the call raises.
    """
    give_up = time.monotonic() + seconds
    if not _places.acquire(timeout=seconds):
        raise NoAnswer(f"{MOST_CALLS} earlier calls have not come back")
    try:
        future = _start(call)
    except BaseException:
        _places.release()
        raise
    try:
        return future.result(max(0.0, give_up - time.monotonic()))
    except FutureTimeout:
        if future.done():
            raise
        raise NoAnswer(f"late: not within {seconds:g} s") from None


def _start(call: Callable[[], T]) -> "Future[T]":
    """Run a call in a thread that does not keep the process alive."""
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(call())
        except Exception as error:
            future.set_exception(error)
        except BaseException as error:
            # SystemExit and the like end this thread, never the one that waits.
            future.set_exception(NoAnswer(f"raised {type(error).__name__}"))
        finally:
            _places.release()

    threading.Thread(target=run, daemon=True, name="authoriser").start()
    return future
