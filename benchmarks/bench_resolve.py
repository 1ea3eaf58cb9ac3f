"""How long resolving fifty ids takes: through SPARQL against its own queries run bare, and from memory.

    python benchmarks/bench_resolve.py [CLAIMS] [--folder DIR] [--json]

Builds a ledger of 10,000 claims and, when CLAIMS is another number, one of that size; ``--folder`` keeps
them, and uses them again when they are there. All is measured side by side, medians of interleaved
rounds, each round on other ids that were read once before. Ends with 1 when a limit is missed.
"""

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pyoxigraph as ox
from claims_ledger import Stepping, build_or_open, current_of

from prov_ledger import Ledger
from prov_ledger.ledger.layout import graph_folder
from prov_ledger.store.oxigraph import OxigraphStore
from prov_ledger.store.port import Answer, graph_iri

SMALL = 10_000
IDS = 50
ROUNDS = 15
#: Of these, the rounds that also look for candidates of claims that have ended.
ENDED_ROUNDS = 3
LATER = datetime(2026, 6, 1, tzinfo=UTC)
#: What nearly all current claims stand for, and what makes nearly all of them end.
STANDING = {"purchase_date": "2021-12-01"}
ENDED = {"purchase_date": "2020-01-20"}
#: The least that may be asked of each ratio.
LIMITS = {"sparql resolve / bare queries": 2.5, "sparql resolve, large / small": 1.5}


class Recorder(OxigraphStore):
    """A graph store that keeps the text of each query it answers."""

    def __init__(self, directory: Path, base: str) -> None:
        super().__init__(directory, base)
        self.asked: list[str] = []

    def query(self, text: str, *, graph: str | None = None, timeout: float | None = None) -> Answer:
        self.asked.append(text)
        return super().query(text, graph=graph, timeout=timeout)

    def bare(self, texts: Sequence[str]) -> int:
        """Run queries on the store below, and look at each value of each row."""
        store, graph = self._opened(), ox.NamedNode(graph_iri(self.base))
        found = 0
        for text in texts:
            for row in store.query(text, default_graph=graph, named_graphs=[graph]):
                found += sum(1 for value in row if value is not None)
        return found


class Subject:
    """One ledger under test, opened for each reader."""

    def __init__(self, folder: Path, claims: int) -> None:
        self.claims = build_or_open(folder, claims)
        clock = Stepping(LATER)
        self.memory = Ledger.open(folder, clock=clock)
        self.store = Recorder(graph_folder(folder, "default"), self.memory.base)
        self.sparql = Ledger.open(folder, clock=clock, reader="sparql", graph=lambda *_: self.store)
        self.random = random.Random(7)
        self.current = current_of(self.claims)

    def sample(self) -> list[str]:
        return self.random.sample(self.current, IDS)

    def queries(self, ids: Sequence[str], facts: dict[str, str]) -> list[str]:
        """The queries that a resolve through SPARQL runs."""
        self.store.asked.clear()
        self.sparql.resolve(ids, facts=facts)
        return list(self.store.asked)

    def cold(self, ids: Sequence[str]) -> None:
        """Resolve from a memory reader that holds nothing."""
        self.memory._tenant.state.reader.drop()
        self.memory.resolve(ids, facts=STANDING)

    def close(self) -> None:
        self.memory.close()
        self.sparql.close()


def seconds(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def measure(subjects: dict[str, Subject]) -> dict[str, float]:
    """Medians in milliseconds, by what was done on which ledger; each is done once before it counts."""
    times: dict[str, list[float]] = {}
    kinds = {"": STANDING, ", all ended": ENDED}
    for number in range(ROUNDS):
        for name, subject in subjects.items():
            ids = subject.sample()
            for kind, facts in list(kinds.items())[: 2 if number < ENDED_ROUNDS else 1]:
                queries = subject.queries(ids, facts)
                actions: dict[str, Callable[[], object]] = {
                    f"bare queries{kind}": lambda q=queries, s=subject: s.store.bare(q),
                    f"sparql resolve{kind}": lambda f=facts, i=ids, s=subject: s.sparql.resolve(i, facts=f),
                    f"memory resolve{kind}": lambda f=facts, i=ids, s=subject: s.memory.resolve(i, facts=f),
                }
                subject.memory.resolve(ids, facts=facts)
                for what, action in actions.items():
                    times.setdefault(f"{what}, {name}", []).append(seconds(action) * 1e3)
            times.setdefault(f"memory resolve, cold, {name}", []).append(
                seconds(lambda s=subject, i=ids: s.cold(i)) * 1e3
            )
    return {what: statistics.median(taken) for what, taken in times.items()}


def ratios(found: dict[str, float], large: str, small: str) -> dict[str, float]:
    """What the design promises, and what goes with it."""
    return {
        "sparql resolve / bare queries": found[f"sparql resolve, {large}"] / found[f"bare queries, {large}"],
        "sparql resolve / bare queries, all ended": found[f"sparql resolve, all ended, {large}"]
        / found[f"bare queries, all ended, {large}"],
        "memory resolve, warm / bare queries": found[f"memory resolve, {large}"]
        / found[f"bare queries, {large}"],
        "sparql resolve, large / small": found[f"sparql resolve, {large}"]
        / found[f"sparql resolve, {small}"],
        "memory resolve, large / small": found[f"memory resolve, {large}"]
        / found[f"memory resolve, {small}"],
    }


def report(found: dict[str, float], compared: dict[str, float]) -> None:
    for what, taken in sorted(found.items()):
        print(f"{what:<45} {taken:9.2f} ms")
    for what, ratio in compared.items():
        limit = LIMITS.get(what)
        verdict = "" if limit is None else f"  limit {limit}: {'ok' if ratio <= limit else 'MISSED'}"
        print(f"{what:<45} {ratio:9.2f}{verdict}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("claims", nargs="?", type=int, default=SMALL)
    parser.add_argument("--folder", type=Path, help="keep the ledgers here")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        home = options.folder or Path(temporary)
        sizes = {str(size): size for size in sorted({SMALL, options.claims})}
        subjects = {name: Subject(home / name, size) for name, size in sizes.items()}
        found = measure(subjects)
        for subject in subjects.values():
            subject.close()
    compared = ratios(found, str(options.claims), str(min(sizes.values())))
    if options.json:
        print(json.dumps({"ms": found, "ratios": compared}))
    else:
        report(found, compared)
    return 0 if all(compared[what] <= limit for what, limit in LIMITS.items()) else 1


if __name__ == "__main__":
    sys.exit(main())
