"""The real command, in processes of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Ran:
    """What a command did; ``out`` without the final line end."""

    status: int
    out: str
    err: str
    data: bytes

    @property
    def json(self) -> object:
        return json.loads(self.out)


class Command:
    """``prov-ledger`` on one ledger; a call gives what the command did."""

    def __init__(self, ledger: Path) -> None:
        self.ledger = ledger

    def __call__(
        self, *arguments: str, stdin: str = "", environment: Mapping[str, str] | None = None
    ) -> Ran:
        clean = {key: value for key, value in os.environ.items() if not key.startswith("PROV_LEDGER")}
        own = {"PROV_LEDGER_PATH": str(self.ledger), "COLUMNS": "80"}
        done = subprocess.run(
            [sys.executable, "-m", "prov_ledger", *arguments],
            input=stdin.encode(),
            capture_output=True,
            env=clean | own | dict(environment or {}),
            timeout=120,
            check=False,
        )
        out = done.stdout.decode("utf-8", "replace").removesuffix("\n")
        return Ran(done.returncode, out, done.stderr.decode().strip(), done.stdout)

    def made(self, *arguments: str, stdin: str = "") -> str:
        """The id that a command printed; it must have succeeded."""
        ran = self(*arguments, stdin=stdin)
        assert ran.status == 0, ran.err
        return ran.out


@dataclass(frozen=True)
class Shop:
    """A ledger that was filled by commands alone; tests read it and leave it as it is."""

    run: Command
    source: str
    old: str
    new: str
    evidence: str
    claim: str
    reminder: str
