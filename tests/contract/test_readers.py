"""Every reader brings the same world: the memory reader and SPARQL, over every graph store."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import fields
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from backends import MakeStore
from random_worlds import Question, RandomLedger

from prov_ledger import Ledger
from prov_ledger.ledger.state import DecodedEntries
from prov_ledger.model.ids import mint_id
from prov_ledger.model.slots import Slot
from prov_ledger.model.world import World
from prov_ledger.readers.memory import MemoryReader
from prov_ledger.readers.port import Reader
from prov_ledger.readers.sparql import SparqlReader
from prov_ledger.store.port import GraphStore

#: How many random ledgers, from which seed on; more of them where there is time.
WORLDS = int(os.environ.get("READER_WORLDS", "60"))
FIRST_SEED = int(os.environ.get("READER_FIRST_SEED", "0"))
STEPS = 60
QUESTIONS = 6


def cold_reader(made: RandomLedger) -> MemoryReader:
    """A memory reader that has seen nothing yet."""
    tenant = made.ledger._tenant
    return MemoryReader(DecodedEntries(tenant.journal, tenant.base))


def graph_of(made: RandomLedger) -> GraphStore:
    return made.ledger._tenant.graph.current()


def differing(one: World, other: World) -> list[str]:
    """The parts in which two worlds differ."""
    compared = [f.name for f in fields(World) if f.compare]
    return [name for name in compared if getattr(one, name) != getattr(other, name)]


def assert_same(expected: Reader, reader: Reader, made: RandomLedger, q: Question) -> None:
    ids = [id for id in q.ids if not id.endswith("zz")]
    assert differing(expected.read(ids, q.as_of), reader.read(ids, q.as_of)) == [], q
    sources = made.draws.random.sample(made.sources, 2)
    on = expected.evidence_on(sources, q.as_of)
    assert list(reader.evidence_on(sources, q.as_of).items()) == list(on.items()), q


def resolve(ledger: Ledger, q: Question) -> list[Slot]:
    return ledger.resolve(
        q.ids,
        principal=q.principal,
        facts=q.facts,
        purpose=q.purpose,
        as_of=q.as_of,
        min_authority=q.min_authority,
        max_age=q.max_age,
    )


@pytest.mark.parametrize("seed", range(FIRST_SEED, FIRST_SEED + WORLDS))
def test_readers_bring_equal_worlds_and_slots(seed: int, tmp_path: Path) -> None:
    made = RandomLedger(tmp_path / "ledger", seed)
    made.grow(STEPS)
    expected, warm = cold_reader(made), made.ledger._tenant.state.reader
    graph = graph_of(made)
    with Ledger.open(
        tmp_path / "ledger", clock=made.clock, reader="sparql", graph=lambda folder, base: graph
    ) as twin:
        for _ in range(QUESTIONS):
            q = made.question()
            assert_same(expected, SparqlReader(graph), made, q)
            assert_same(expected, warm, made, q)
            assert resolve(twin, q) == resolve(made.ledger, q), q
    made.ledger.close()


@pytest.fixture
def grown(new_store: MakeStore, tmp_path: Path) -> Iterator[RandomLedger]:
    """A random ledger whose graph lies in each backend."""
    store = new_store()
    made = RandomLedger(tmp_path / "ledger", 4711, base=store.base, graph=lambda folder, base: store)
    made.grow(2 * STEPS)
    yield made
    made.ledger.close()


def test_every_graph_store_brings_the_world_of_the_journal(grown: RandomLedger) -> None:
    expected, reader = cold_reader(grown), SparqlReader(graph_of(grown))
    for _ in range(2 * QUESTIONS):
        assert_same(expected, reader, grown, grown.question())


@pytest.fixture
def small(tmp_path: Path) -> Iterator[RandomLedger]:
    made = RandomLedger(tmp_path / "ledger", 1)
    yield made
    made.ledger.close()


def readers_of(made: RandomLedger) -> Sequence[Reader]:
    return cold_reader(made), SparqlReader(graph_of(made))


def test_an_id_that_nobody_recorded_is_in_no_world(small: RandomLedger) -> None:
    unknown = [mint_id("cl"), mint_id("ev")]
    for reader in readers_of(small):
        world = reader.read([*unknown, *small.evidence])
        assert set(world.evidence) == set(small.evidence)
        assert not world.claims


def test_a_read_of_nothing_brings_the_tenant_and_its_facts(small: RandomLedger) -> None:
    memory, sparql = (reader.read([]) for reader in readers_of(small))
    assert memory == sparql
    assert "purchase_date" in memory.table


def test_evidence_is_in_the_world_from_the_instant_that_it_was_recorded_on(small: RandomLedger) -> None:
    id = small.evidence[0]
    at = cold_reader(small).read([id]).evidence[id].at

    def known(reader: Reader, as_of: datetime) -> bool:
        return id in reader.read([id], as_of).evidence

    for reader in readers_of(small):
        assert known(reader, at)
        assert not known(reader, at - timedelta(microseconds=1))
