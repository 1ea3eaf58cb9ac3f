"""Resolving fifty ids from memory, beside the bare recursive query of a plain PostgreSQL schema.

Ours includes permission, verdicts and the opening of every text, and in one line of its own also the
durable record of what was shown; theirs is the closure with its texts, as one prepared query.
"""

import importlib.util
import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median

from benchmarks.bench_resolve import IDS, POOL, citable
from benchmarks.claims_ledger import LATER, STANDING, Stepping, build_or_open
from benchmarks.table import Measured, Setting, seconds, side_by_side
from prov_ledger import Ledger

ROUNDS = 40
PROCESSES = (1, 2, 4)
#: So often each process asks, after it asked everything once.
ASKED = 100


def measure(setting: Setting) -> Iterator[Measured]:
    from benchmarks.plain_postgres import find_programs, server

    programs = find_programs()
    if programs is None or importlib.util.find_spec("psycopg") is None:
        print("beside PostgreSQL: skipped, there is no initdb, or no psycopg (extra 'bench')")
        return
    folder = setting.home / str(setting.claims)
    current = build_or_open(folder, setting.claims).current
    with server(programs) as where:
        with Ledger.open(folder, clock=Stepping(LATER), disclosures=False) as ledger:
            pool = citable(ledger, current, POOL, random.Random(7))
            yield from alone(ledger, where, pool)
        asked = setting.scratch / "asked.json"
        asked.write_text(json.dumps(pool))
        for count in PROCESSES:
            ours, theirs = (together(count, kind, str(folder), where, asked) for kind in ("ledger", "plain"))
            name = f"  {count} process{'es' if count > 1 else ''} at once"
            yield Measured(name, ours, "ms", theirs, 1.0, note="per resolve and process")


def alone(ledger: Ledger, where: str, pool: list[str]) -> Iterator[Measured]:
    """One process: warm after ``load``, and cold, interleaved with the query."""
    import psycopg

    from benchmarks.plain_postgres import CLOSURE, fill

    rng, reader = random.Random(7), ledger._tenant.reading.reader
    with psycopg.connect(where) as connection:
        ledger.load()
        fill(connection, ledger, reader._fold)

        def bare(ids: list[str]) -> int:
            return len(connection.execute(CLOSURE, (ids,), prepare=True).fetchall())

        ids = rng.sample(pool, min(IDS, len(pool)))
        world = reader.read(ids)
        if bare(ids) != len(world.claims) + len(world.evidence):
            raise RuntimeError("the two closures differ: they measure different things")
        ms = side_by_side(_rounds(rng, pool, bare, ledger))
        with Ledger.open(ledger._tenant.ledger, clock=Stepping(LATER)) as recording:
            shown = side_by_side(_rounds(rng, pool, bare, recording))
        others = side_by_side(_rounds(rng, pool, bare, ledger, other_facts=True))
        sealed = side_by_side(_rounds(rng, pool, bare, ledger, sealed=True))
        cold = side_by_side(_cold(rng, pool, bare, ledger))
    note = "PostgreSQL, closure alone"
    yield Measured("resolve 50, memory, warm", ms["ours"], "ms", ms["bare"], 1.0, note=note)
    yield Measured("  and recorded what it showed", shown["ours"], "ms", shown["bare"], note="durably")
    yield Measured(
        "  facts not asked about last", others["ours"], "ms", others["bare"], note="scopes judged anew"
    )
    yield Measured("  texts not opened before", sealed["ours"], "ms", sealed["bare"], note="each decrypted")
    yield Measured("  cold: nothing held", cold["ours"], "ms", cold["bare"], note="PostgreSQL is warm")


def _rounds(
    rng: random.Random,
    pool: list[str],
    bare: Callable[[list[str]], int],
    ledger: Ledger,
    other_facts: bool = False,
    sealed: bool = False,
) -> Iterator[dict[str, Callable[[], object]]]:
    for number in range(ROUNDS):
        ids = rng.sample(pool, min(IDS, len(pool)))
        bare(ids)
        ledger.resolve(ids, facts=STANDING)
        if sealed:
            ledger._tenant.drop_opened_texts()
        facts = {"purchase_date": f"2022-02-{2 + number % 9:02}"} if other_facts else STANDING
        yield {"ours": partial(ledger.resolve, ids, facts=facts), "bare": partial(bare, ids)}


def _cold(
    rng: random.Random, pool: list[str], bare: Callable[[list[str]], int], ledger: Ledger
) -> Iterator[dict[str, Callable[[], object]]]:
    for _ in range(ROUNDS // 4):
        ids = rng.sample(pool, min(IDS, len(pool)))
        ledger._tenant.reading.reader.drop()
        yield {"ours": partial(ledger.resolve, ids, facts=STANDING), "bare": partial(bare, ids)}


def together(count: int, kind: str, folder: str, where: str, asked: Path) -> float:
    """Milliseconds per resolve in each of so many processes that ask at the same time."""
    command = [sys.executable, "-m", __name__, kind, folder, where, str(asked)]
    running = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(count)
    ]
    for process in running:
        assert process.stdout is not None
        process.stdout.readline()
    for process in running:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    return median(float(process.communicate()[0]) for process in running)


def ask_often(kind: str, folder: str, where: str, pool: list[str]) -> None:
    """Warm up, say so, wait for the word, then measure."""
    rng = random.Random()
    samples = [rng.sample(pool, min(IDS, len(pool))) for _ in range(ASKED)]
    if kind == "ledger":
        with Ledger.open(folder, clock=Stepping(LATER), disclosures=False) as ledger:
            _ask(partial(ledger.resolve, facts=STANDING), samples)
        return
    import psycopg

    from benchmarks.plain_postgres import CLOSURE

    with psycopg.connect(where, autocommit=True) as connection:
        _ask(lambda ids: connection.execute(CLOSURE, (ids,), prepare=True).fetchall(), samples)


def _ask(ask: Callable[[list[str]], object], samples: list[list[str]]) -> None:
    for ids in samples:
        ask(ids)
    print("ready", flush=True)
    sys.stdin.readline()
    print(seconds(lambda: [ask(ids) for ids in samples]) * 1e3 / len(samples))


if __name__ == "__main__":
    ask_often(*sys.argv[1:4], json.loads(Path(sys.argv[4]).read_text()))
