"""Who owns a graph directory: a note beside it, for the message to whom comes second.

The lock of the directory is the truth; the note only puts a name to it. A process that was killed
leaves its note behind, and the next owner writes over it.
"""

import json
import os
import socket
import sys
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Owner:
    """A process: its id, its machine, and the name of its program without arguments."""

    pid: int
    host: str
    command: str

    def __str__(self) -> str:
        return f"process {self.pid} ({self.command}) on {self.host}"


def this_process() -> Owner:
    """Describe this process; arguments are left out, as they may hold a statement or a name."""
    return Owner(os.getpid(), socket.gethostname(), Path(sys.argv[0]).name or "python")


def owner_file(directory: Path) -> Path:
    """Name the note beside ``directory``."""
    return directory.with_name(directory.name + ".owner")


def write_owner(directory: Path) -> None:
    """Leave this process's note; raises OSError."""
    note = owner_file(directory)
    fresh = note.with_name(f"{note.name}.{os.getpid()}")
    fresh.write_text(json.dumps(asdict(this_process())), encoding="utf-8")
    fresh.replace(note)


def remove_owner(directory: Path) -> None:
    """Take this process's note away; another's stays."""
    if find_owner(directory) == this_process():
        owner_file(directory).unlink(missing_ok=True)


def find_owner(directory: Path) -> Owner | None:
    """Read the note; None when there is none, it cannot be read, or its process is gone."""
    try:
        raw = json.loads(owner_file(directory).read_text(encoding="utf-8"))
        owner = Owner(int(raw["pid"]), str(raw["host"]), str(raw["command"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return owner if owner.host != socket.gethostname() or _is_alive(owner.pid) else None


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
