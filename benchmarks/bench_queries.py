"""Every analyst query on a large ledger, against the time limit in its header.

    python benchmarks/bench_queries.py [--claims 200000] [--folder DIR]

``--folder`` keeps the graph, and uses it again when it is there.
Ends with 1 when a limit is missed, or a query finds nothing.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

from claims_graph import END, START, Built, Tenant, chunks

from prov_ledger.queries import analyst
from prov_ledger.queries.binding import load_query
from prov_ledger.store.oxigraph import OxigraphStore
from prov_ledger.store.port import Position, Rows

BASE = "https://ledger.example/bench/"
REPEATS = 3
MIDDLE = START + (END - START) / 2


def questions(store: OxigraphStore, built: Built) -> dict[str, Callable[[], Rows]]:
    """One typical call of each query; fifty ids where a query takes ids."""
    claims = built.claims[:: max(1, len(built.claims) // 50)][:50]
    facts = {"purchase_date": MIDDLE.date(), "total": Decimal(5)}
    return {
        "applicability": lambda: analyst.applicability(store, claims, facts),
        "contradictions": lambda: analyst.contradictions(store),
        "derivation_chain": lambda: analyst.derivation_chain(store, claims),
        "ending_soon": lambda: analyst.ending_soon(store, now=MIDDLE, days=14, zone="UTC"),
        "how_concluded": lambda: analyst.how_concluded(store, claims),
        "rests_on": lambda: analyst.rests_on(store, built.revisions[: 10 * 8 : 8]),
        "single_source": lambda: analyst.single_source(store, built.sources[:1]),
        "stale_in_threads": lambda: analyst.stale_in_threads(store),
        "state_as_of": lambda: analyst.state_as_of(store, MIDDLE),
        "statements_as_of": lambda: analyst.statements_as_of(store, built.revisions[:50], END),
        "successors": lambda: analyst.successors(store, claims),
        "unchecked_sources": lambda: analyst.unchecked_sources(store, MIDDLE),
        "unused_evidence": lambda: analyst.unused_evidence(store),
        "who_concluded": lambda: analyst.who_concluded(store, MIDDLE, MIDDLE + timedelta(days=7)),
        "words_exposed_to": lambda: analyst.words_exposed_to(store, built.revisions[:1]),
    }


@contextmanager
def opened(folder: Path, claims: int) -> Iterator[tuple[OxigraphStore, Built]]:
    """Open a graph of that many claims, made where there is none yet."""
    tenant, store = Tenant(claims), OxigraphStore(folder / f"claims-{claims}", BASE)
    started = time.perf_counter()
    if store.position() is None:
        store.replace(chunks(tenant.leaves(BASE)), Position(claims, ""))
        print(f"loaded {store.size():,} triples in {time.perf_counter() - started:.0f} s")
    else:
        for _ in tenant.records():
            pass
    try:
        yield store, tenant.built
    finally:
        store.close()


def measure(ask: Callable[[], Rows]) -> tuple[float, float, int]:
    """The best wall time and its processor time in milliseconds, and the number of rows.

    The best of some runs, as neighbours on the machine only ever add to it.
    """
    best, rows = (float("inf"), 0.0), 0
    for _ in range(REPEATS):
        wall, processor = time.perf_counter(), time.process_time()
        rows = len(ask().rows)
        taken = (time.perf_counter() - wall) * 1000, (time.process_time() - processor) * 1000
        best = min(best, taken)
    return *best, rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--claims", type=int, default=200_000)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        late = 0
        with opened(options.folder or Path(temporary), options.claims) as (store, built):
            print(f"{'query':<20}{'ms':>10}{'cpu ms':>10}{'limit':>8}{'rows':>9}")
            for name, ask in questions(store, built).items():
                taken, processor, rows = measure(ask)
                limit = load_query(name).limit_ms
                fault = "LATE" if taken > limit else "" if rows else "EMPTY"
                late += bool(fault)
                print(f"{name:<20}{taken:>10.1f}{processor:>10.1f}{limit:>8}{rows:>9}  {fault}")
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
