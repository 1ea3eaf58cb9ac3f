"""Resolving fifty ids: through SPARQL beside its own queries run bare, and as the ledger grows."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import pyoxigraph as ox

from benchmarks.claims_ledger import LATER, OUTSIDE, STANDING, Stepping, build_or_open
from benchmarks.table import Measured, Setting, side_by_side
from prov_ledger import Ledger
from prov_ledger.ledger.layout import graph_folder
from prov_ledger.store.oxigraph import OxigraphStore
from prov_ledger.store.port import Answer, graph_iri

SMALL = 10_000
IDS = 50
ROUNDS = 15
#: So many claims are asked for, picked anew for every round.
POOL = 1_000


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


def citable(ledger: Ledger, claims: Sequence[str], count: int, rng: random.Random) -> list[str]:
    """So many claims, or all that there are, that can be cited for the standing question."""
    tried = rng.sample(claims, min(len(claims), 2 * count))
    slots = ledger.resolve(tried, facts=STANDING)
    return [slot.id for slot in slots if slot.verdict == "citable"][:count]


class Subject:
    """One ledger under test, opened for each reader."""

    def __init__(self, folder: Path, claims: int) -> None:
        current = build_or_open(folder, claims).current
        clock = Stepping(LATER)
        self.memory = Ledger.open(folder, clock=clock)
        self.store = Recorder(graph_folder(folder, "default"), self.memory.base)
        self.sparql = Ledger.open(folder, clock=clock, reader="sparql", graph=lambda *_: self.store)
        self.random = random.Random(7)
        self.pool = citable(self.memory, current, POOL, self.random)

    def actions(self, name: str, facts: Mapping[str, object]) -> dict[str, Callable[[], object]]:
        """What is timed in one round, on ids of its own that were resolved once before."""
        ids = self.random.sample(self.pool, min(IDS, len(self.pool)))
        self.store.asked.clear()
        self.sparql.resolve(ids, facts=facts)
        asked = list(self.store.asked)
        self.memory.resolve(ids, facts=facts)
        return {
            f"bare {name}": partial(self.store.bare, asked),
            f"sparql {name}": partial(self.sparql.resolve, ids, facts=facts),
            f"memory {name}": partial(self.memory.resolve, ids, facts=facts),
        }

    def close(self) -> None:
        self.memory.close()
        self.sparql.close()


def _rounds(large: Subject, small: Subject) -> Iterator[dict[str, Callable[[], object]]]:
    for number in range(ROUNDS):
        ended = large.actions("ended", OUTSIDE) if number % 5 == 0 else {}
        yield {**large.actions("large", STANDING), **small.actions("small", STANDING), **ended}


def measure(setting: Setting) -> Iterator[Measured]:
    large = Subject(setting.home / str(setting.claims), setting.claims)
    small = Subject(setting.home / str(SMALL), SMALL)
    try:
        ms = side_by_side(_rounds(large, small))
    finally:
        large.close()
        small.close()
    sizes = f"bare: on {SMALL:,} claims"
    yield Measured(
        "resolve 50, sparql", ms["sparql large"], "ms", ms["bare large"], 2.5, note="its own queries"
    )
    yield Measured(
        "  none of them stands", ms["sparql ended"], "ms", ms["bare ended"], note="with candidates"
    )
    yield Measured("  on the large ledger", ms["sparql large"], "ms", ms["sparql small"], 1.5, note=sizes)
    yield Measured("resolve 50, memory", ms["memory large"], "ms", ms["memory small"], 1.5, note=sizes)
    yield Measured("  none of them stands", ms["memory ended"], "ms", note="with candidates")
