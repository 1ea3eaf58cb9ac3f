"""What a process does until it is killed, with a line per thing acknowledged."""

import os
from collections.abc import Callable
from pathlib import Path

from prov_ledger import Ledger
from prov_ledger.connectors.git import GitConnector
from prov_ledger.vault import crash
from tests.ledger.worlds import OTHER, PAGE, QUOTE, conclude

BATCH = 3
ROUNDS = 2


def _teller(path: Path) -> Callable[..., None]:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    return lambda *words: os.write(file, (" ".join(words) + "\n").encode())


def write_until_killed(folder: Path, told: Path, run: str, point: str, passes: int) -> None:
    """Every kind of write, one after another, each acknowledged once it returned."""
    tell = _teller(told)
    with Ledger.open(folder) as ledger:
        crash.arm(point, passes)
        for number in range(ROUNDS):
            _one_round(ledger, f"{run}-{number}", tell)


def _one_round(ledger: Ledger, name: str, tell: Callable[..., None]) -> None:
    with ledger.batch():
        for part in range(BATCH):
            made = ledger.source(native=f"{name}-{part}", title=f"Page {name} {part}")
            ledger.revision(made, data=f"Batch {name}, page {part}.", label="v1")
    tell("batch", name)
    source = ledger.source(native=name, title=f"Returns {name}")
    revision = ledger.revision(source, data=PAGE, media_type="text/markdown", label="v1")
    tell("shown", revision)
    evidence = ledger.evidence(revision, quote=QUOTE)
    claim = conclude(ledger, f"Claim {name}.", [evidence])
    tell("citable", evidence)
    ledger.grant(f"reader {name}", source)
    tell("granted", f"reader_{name}", evidence)
    ledger.revoke(f"reader {name}", source)
    tell("revoked", f"reader_{name}", evidence)
    other = ledger.evidence(revision, quote=OTHER)
    newer = ledger.supersede(
        claim,
        says=f"Corrected {name}.",
        support=[other],
        transformation={"kind": "select"},
        question={"text": "Is shipping free?"},
        reason="the other line",
    )
    tell("superseded", claim)
    ledger.sparql("ASK { ?claim a pl:Claim }")
    ledger.retract(newer)
    tell("retracted", newer)


def init_until_killed(folder: Path, point: str) -> None:
    """Create a ledger."""
    crash.arm(point)
    Ledger.init(folder, facts={"region": "code"}).close()


def sync_until_killed(folder: Path, repository: Path, point: str, passes: int) -> None:
    """Take in a repository in small batches."""
    from prov_ledger.ledger import syncing

    syncing.BATCH_CHANGES = 4
    with Ledger.open(folder) as ledger, GitConnector(repository) as connector:
        crash.arm(point, passes)
        ledger.sync(connector)


def rebuild_until_killed(folder: Path, point: str) -> None:
    """Bring the graph up to date, and make it anew."""
    with Ledger.open(folder) as ledger:
        crash.arm(point)
        ledger.sparql("ASK { ?claim a pl:Claim }")
        ledger.rebuild()
