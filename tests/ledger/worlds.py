"""A small ledger to be tried on: a settable clock, one page with evidence and a claim, other processes."""

import multiprocessing
import signal
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from prov_ledger import Ledger
from prov_ledger.errors import ProvLedgerError

START = datetime(2026, 6, 1, 12, tzinfo=UTC)
PAGE = "# Returns\n\nGoods may be returned within 60 days.\n\nShipping is free above 50 EUR.\n"
QUOTE = "Goods may be returned within 60 days."
OTHER = "Shipping is free above 50 EUR."
FACTS = {"purchase_date": "date", "region": "code", "total": {"number": "EUR"}, "order": {"code": "personal"}}

# Children are forked from a server without threads, so that none inherits another's open files.
_PROCESSES = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload(["prov_ledger", "prov_ledger.connectors.git", "tests.ledger.crash_work"])


class Clock:
    """A clock that stands still until it is set."""

    def __init__(self, now: datetime = START) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def step(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@dataclass
class World:
    """A ledger with one page, a quote of it, and a claim on that."""

    ledger: Ledger
    folder: Path
    clock: Clock
    source: str
    revision: str
    evidence: str
    claim: str

    def state(self) -> tuple[int, bytes]:
        head = self.ledger.tree_head()
        return head.size, head.root

    def conclude(
        self, says: object = "EU customers may return goods within 60 days.", **given: object
    ) -> str:
        return conclude(self.ledger, says, **{"support": [self.evidence], **given})


def conclude(ledger: Ledger, says: object, support: object, **given: object) -> str:
    parts: dict[str, object] = {
        "says": says,
        "support": support,
        "transformation": {"kind": "select"},
        "question": {"text": "How long may goods be returned?"},
    }
    return str(ledger.claim(**{**parts, **given}))  # type: ignore[arg-type]


def make_world(folder: Path, **options: object) -> World:
    clock = Clock()
    ledger = Ledger.init(folder, facts=FACTS, clock=clock, **options)  # type: ignore[arg-type]
    source = ledger.source(native="returns", title="Return policy")
    revision = ledger.revision(source, data=PAGE, media_type="text/markdown", label="v1")
    evidence = ledger.evidence(revision, quote=QUOTE)
    world = World(ledger, folder, clock, source, revision, evidence, "")
    world.claim = world.conclude()
    return world


def refused(call: Callable[[], object]) -> str:
    """The code with which a call is refused."""
    with pytest.raises(ProvLedgerError) as refusal:
        call()
    return refusal.value.code


def start(action: Callable[..., None], *arguments: object) -> multiprocessing.process.BaseProcess:
    """Run a function of a module in a process of its own."""
    process = _PROCESSES.Process(target=action, args=arguments)
    process.start()
    return process


def end(process: multiprocessing.process.BaseProcess) -> int:
    """Wait for a process; its exit status."""
    process.join(60)
    status = process.exitcode
    if status is None:
        process.kill()
        process.join()
    process.close()
    assert status is not None, "the process did not end"
    return status


def was_killed(action: Callable[..., None], *arguments: object) -> bool:
    """Whether a process that does this was killed; it may also end well, and nothing else."""
    status = end(start(action, *arguments))
    assert status in (0, -signal.SIGKILL), f"the process failed with {status}"
    return status != 0
