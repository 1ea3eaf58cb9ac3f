"""A call that its caller stops waiting for."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from typing import TypeVar

from prov_ledger.errors import QueryError

T = TypeVar("T")


def start(call: Callable[[], T]) -> "Future[T]":
    """Run a call in a thread that does not keep the process alive."""
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(call())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True, name="graph").start()
    return future


def within(call: Callable[[], T], timeout: float) -> T:
    """Wait for a call for ``timeout`` seconds; raises QueryError ``query_timeout``, and the call goes on."""
    try:
        return start(call).result(timeout)
    except FutureTimeout:
        raise QueryError(
            f"the query took longer than {timeout:g} s; narrow it or allow more time", code="query_timeout"
        ) from None
