"""What processes do that share a ledger with others."""

import os
from pathlib import Path

from prov_ledger import Ledger
from prov_ledger.vault import crash


def write_pages(folder: Path, name: str, count: int) -> None:
    """Write pages one by one; their text is the last digit of the writer's name."""
    with Ledger.open(folder) as ledger:
        for number in range(count):
            source = ledger.source(native=f"{name}-{number}", title=f"Page {number} of {name}")
            ledger.revision(source, data=name[-1] * 9, label="v1")


def read_until_told(folder: Path, claim: str, stop: Path) -> None:
    """Resolve again and again while others write; the size of the ledger never goes back."""
    with Ledger.open(folder) as ledger:
        size = 0
        while not stop.exists():
            assert ledger.resolve([claim])[0].verdict == "citable"
            now = ledger.tree_head().size
            assert now >= size
            size = now


def hold_graph(folder: Path, held: Path, stop: Path) -> None:
    """Own the graph directory until told."""
    with Ledger.open(folder) as ledger:
        ledger.sparql("ASK { ?s ?p ?o }")
        held.touch()
        while not stop.exists():
            os.sched_yield()


def revoke_and_die(folder: Path, source: str) -> None:
    """Be killed between the commit of a revocation and the list of denials."""
    with Ledger.open(folder) as ledger:
        crash.arm("denials.due")
        ledger.revoke("reader", source)
