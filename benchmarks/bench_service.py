"""The ledger over HTTP: its rate beside the same in process, under many clients, and killed often."""

import json
import random
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from benchmarks.bench_resolve import citable
from benchmarks.claims_ledger import STANDING, build_or_open
from benchmarks.load import Plan
from benchmarks.served import Serving, begin, finish, new_token, resolves
from benchmarks.table import Measured, Setting
from prov_ledger import Ledger

SERVED = 10_000
IDS = 10
BATCHES = 50
SECONDS = 10.0
CONNECTIONS = 8
MANY = 200
MINUTE = 60.0
KILLS = 10
#: Statuses that are stated limits, and no errors.
STATED = ("200", "204", "429", "503")


def rate_in_process(folder: Path, batches: Sequence[Sequence[str]], seconds: float) -> float:
    """Resolves a second, one after another."""
    with Ledger.open(folder) as ledger:
        ledger.load()
        for ids in batches:
            ledger.resolve(ids, facts=STANDING)
        began, done = time.perf_counter(), 0
        while time.perf_counter() - began < seconds:
            ledger.resolve(batches[done % len(batches)], facts=STANDING)
            done += 1
        return done / (time.perf_counter() - began)


def _pick(folder: Path, current: list[str]) -> list[list[str]]:
    rng = random.Random(11)
    with Ledger.open(folder) as ledger:
        pool = citable(ledger, current, 500, rng)
    return [rng.sample(pool, IDS) for _ in range(BATCHES)]


def lost(ledger: Ledger, ids: Sequence[str]) -> int:
    """How many of these claims the ledger does not have."""
    parts = [ids[n : n + 500] for n in range(0, len(ids), 500)]
    return sum(slot.verdict in ("withheld", "malformed") for part in parts for slot in ledger.resolve(part))


def _claim(ids: Sequence[str]) -> str:
    return json.dumps(
        {
            "says": "Measured under load.",
            "support": list(ids[:1]),
            "transformation": {"kind": "summarise"},
            "question": {"text": "What?", "facts": STANDING},
        }
    )


def measure(setting: Setting) -> Iterator[Measured]:
    folder = setting.home / f"service-{SERVED}"
    batches = _pick(folder, build_or_open(folder, SERVED).current)
    token = new_token(folder)
    plan = partial(Plan, token=token, requests=resolves(batches, STANDING))
    yield from _rate(folder, plan, batches)
    written = [("/v1/default/claim", _claim(ids)) for ids in batches]
    yield from _many(folder, partial(plan, written=written, writes=20))
    yield from _killed(folder, partial(plan, written=written, writes=4))


Plans = partial[Plan]


def _rate(folder: Path, plan: Plans, batches: Sequence[Sequence[str]]) -> Iterator[Measured]:
    """Two workers beside one process; before and after, since others may use the machine meanwhile."""
    before = rate_in_process(folder, batches, SECONDS / 2)
    with Serving(folder, 2) as serving:
        finish(begin(plan(port=serving.port, seconds=3.0, connections=CONNECTIONS)))
        came = finish(begin(plan(port=serving.port, seconds=SECONDS, connections=CONNECTIONS)))
    bare = (before + rate_in_process(folder, batches, SECONDS / 2)) / 2
    assert set(came.statuses) == {"200"}, came.statuses
    rate = len(came.ms) / SECONDS
    # Rates: ours beside the bare one is how much is left of it.
    yield Measured("resolve 10 over HTTP", 1e3 / rate, "ms", 1e3 / bare, 0.5, True, "2 workers; time a call")


def _many(folder: Path, plan: Plans) -> Iterator[Measured]:
    """Two hundred clients for a minute, every twentieth request a write: nothing unstated, nothing lost."""
    with Serving(folder, 2) as serving:
        came = finish(begin(plan(port=serving.port, seconds=MINUTE, connections=MANY)))
    others = sum(count for status, count in came.statuses.items() if status not in STATED) + came.lost
    with Ledger.open(folder) as ledger:
        missing = lost(ledger, came.ids)
        valid = ledger.verify().valid
    ordered = sorted(came.ms)
    yield Measured(
        f"{MANY} clients for a minute", ordered[len(ordered) // 2], "ms", note=f"{len(came.ms)} answers"
    )
    yield Measured("  99 of 100 within", ordered[len(ordered) * 99 // 100], "ms")
    yield Measured("  errors that are no limit", float(others), "", limit=0.0, note=str(came.statuses))
    yield Measured("  of acknowledged writes lost", float(missing), "", limit=0.0, note=f"of {len(came.ids)}")
    yield Measured("  not valid afterwards", float(not valid), "", limit=0.0)


def _killed(folder: Path, plan: Plans) -> Iterator[Measured]:
    """Killed under load, again and again: every write that was acknowledged is there."""
    acknowledged: list[str] = []
    for _ in range(KILLS):
        with Serving(folder, 2) as serving:
            clients = begin(plan(port=serving.port, seconds=30.0, connections=40))
            time.sleep(random.uniform(1.5, 3.5))
            serving.kill()
            acknowledged += finish(clients).ids
    with Ledger.open(folder) as ledger:
        missing = lost(ledger, acknowledged)
        valid = ledger.verify().valid
    yield Measured(
        f"killed {KILLS} times, writes lost", float(missing), "", limit=0.0, note=f"of {len(acknowledged)}"
    )
    yield Measured("  not valid afterwards", float(not valid), "", limit=0.0)
