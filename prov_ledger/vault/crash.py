"""Named places of the write path where a test may kill the process, to prove what survives.

A place does nothing unless the environment says ``PROV_LEDGER_CRASH_AT=NAME`` or ``NAME:N``: then the
process kills itself, without any clean-up, when it passes there for the N-th time (default: the first).
"""

import os
import signal

VARIABLE = "PROV_LEDGER_CRASH_AT"


def _armed() -> tuple[str, int]:
    """The name and the pass that kill, as the environment of this process says; ("", 0) for none."""
    name, _, count = os.environ.get(VARIABLE, "").partition(":")
    return name, int(count or "1") if name else 0


_name, _passes_left = _armed()


def arm(name: str, passes: int = 1) -> None:
    """Arm a place in this process, as the environment would have; for a process forked by a test."""
    global _name, _passes_left
    _name, _passes_left = name, passes


def crash_point(name: str) -> None:
    """Kill this process if the environment armed ``name`` and this is the pass it asked for."""
    if _name and name == _name:
        _pass()


def _pass() -> None:
    """Count one pass; at the last, leave as a power cut would."""
    global _passes_left
    _passes_left -= 1
    if _passes_left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
