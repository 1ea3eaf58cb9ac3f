"""Every analyst query on the large ledger, against the time limit in its header."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from time import perf_counter

from benchmarks.claims_ledger import END, START, Built, build_or_open
from benchmarks.table import Measured, Setting
from prov_ledger import Ledger
from prov_ledger.queries import analyst
from prov_ledger.queries.binding import load_query
from prov_ledger.store.port import GraphStore, Rows

REPEATS = 3
MIDDLE = START + (END - START) / 2
#: When the periods of some policies end.
ENDING = datetime(2020, 12, 20, tzinfo=UTC)


def questions(store: GraphStore, built: Built) -> dict[str, Callable[[], Rows]]:
    """One typical call of each query; fifty ids where a query takes ids."""
    spread = built.claims[:: max(1, len(built.claims) // 48)]
    claims = [*built.superseded[:2], *spread][:50]
    facts = {"purchase_date": MIDDLE.date(), "total": Decimal(5)}
    return {
        "applicability": lambda: analyst.applicability(store, claims, facts),
        "contradictions": lambda: analyst.contradictions(store),
        "derivation_chain": lambda: analyst.derivation_chain(store, claims),
        "ending_soon": lambda: analyst.ending_soon(store, now=ENDING, days=14, zone="UTC"),
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


def timed(ask: Callable[[], Rows]) -> tuple[float, int]:
    """Milliseconds and the number of rows; the best of some runs, as neighbours only ever add to it."""
    best, rows = float("inf"), 0
    for _ in range(REPEATS):
        start = perf_counter()
        rows = len(ask().rows)
        best = min(best, (perf_counter() - start) * 1e3)
    return best, rows


def measure(setting: Setting) -> Iterator[Measured]:
    folder = setting.home / str(setting.claims)
    built = build_or_open(folder, setting.claims)
    with Ledger.open(folder) as ledger:
        for name, ask in questions(ledger._tenant.graph.current(), built).items():
            taken, rows = timed(ask)
            if not rows:
                raise RuntimeError(f"query {name} found nothing: it measured nothing")
            limit = load_query(name).limit_ms
            yield Measured(f"query {name}", taken, "ms", limit=limit, note=f"{rows:,} rows")
