"""Running something in a process of its own that a crash point may kill."""

import os
import signal
from collections.abc import Callable

from prov_ledger.vault import crash


def was_killed(action: Callable[[], object], point: str, passes: int = 1) -> bool:
    """Run ``action`` in a forked process with ``point`` armed; whether it was killed there."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            crash.arm(point, passes)
            action()
            status = 0
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    assert killed or os.WEXITSTATUS(status) == 0, "the process failed instead of being killed"
    return killed
