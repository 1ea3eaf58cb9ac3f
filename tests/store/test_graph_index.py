"""The graph follows the journal, whatever happened to either; on every graph store."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from backends import MakeStore

from prov_ledger.merkle.tree import leaf_hash, root_hash
from prov_ledger.store import index as index_module
from prov_ledger.store.index import GraphIndex
from prov_ledger.store.port import GraphStore, Position


@dataclass
class Leaf:
    sequence: int
    leaf: bytes


@dataclass
class LeafJournal:
    """The part of a journal that an index reads, over a list."""

    base: str
    leaves: list[bytes] = field(default_factory=list)
    reads: int = 0

    def append(self, *names: str) -> None:
        self.leaves += [f"<urn:{name}> <urn:p> <urn:o> <{self.base}graph> .\n".encode() for name in names]

    def size(self) -> int:
        return len(self.leaves)

    def entries(self, after: int = 0, until: int | None = None) -> Iterator[Leaf]:
        self.reads += 1
        for number, leaf in enumerate(self.leaves[after:until], start=after + 1):
            yield Leaf(number, leaf)

    def root_at(self, size: int) -> bytes:
        return root_hash([leaf_hash(leaf) for leaf in self.leaves[:size]])


def held(store: GraphStore) -> list[bytes]:
    return sorted(b"".join(store.dump()).splitlines(keepends=True))


def is_in_step(store: GraphStore, journal: LeafJournal) -> bool:
    there = Position(journal.size(), journal.root_at(journal.size()).hex())
    return held(store) == sorted(journal.leaves) and store.position() == there


@pytest.fixture
def journal(graph_store: GraphStore) -> LeafJournal:
    return LeafJournal(graph_store.base)


def test_catching_up_loads_what_is_new_and_only_that(graph_store: GraphStore, journal: LeafJournal) -> None:
    index = GraphIndex(journal, graph_store)
    journal.append("a", "b")
    assert index.lag() == 2
    assert index.catch_up() == 2
    journal.append("c")
    assert index.catch_up() == 1
    assert is_in_step(graph_store, journal)
    assert (index.catch_up(), index.lag(), journal.reads) == (0, 0, 2)


@pytest.mark.parametrize("bulk_entries", [1, 100])
def test_a_gap_is_closed_in_batches_or_in_bulk(
    graph_store: GraphStore, journal: LeafJournal, bulk_entries: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_module, "BULK_ENTRIES", bulk_entries)
    monkeypatch.setattr(index_module, "BATCH_ENTRIES", 3)
    monkeypatch.setattr(index_module, "_CHUNK_BYTES", 100)
    journal.append(*(f"n{number}" for number in range(10)))
    assert GraphIndex(journal, graph_store).catch_up() == 10
    assert is_in_step(graph_store, journal)


def test_another_index_goes_on_from_where_the_store_is(graph_store: GraphStore, journal: LeafJournal) -> None:
    journal.append("a", "b")
    GraphIndex(journal, graph_store).catch_up()
    journal.append("c")
    assert GraphIndex(journal, graph_store).catch_up() == 1
    assert is_in_step(graph_store, journal)


def test_lines_without_their_position_are_completed(graph_store: GraphStore, journal: LeafJournal) -> None:
    journal.append("a")
    GraphIndex(journal, graph_store).catch_up()
    journal.append("b", "c")
    graph_store.load(journal.leaves[1])
    assert GraphIndex(journal, graph_store).catch_up() == 2
    assert is_in_step(graph_store, journal)


def test_a_first_load_that_was_cut_short_is_made_anew(graph_store: GraphStore, journal: LeafJournal) -> None:
    journal.append("a", "b")
    graph_store.load(journal.leaves[0])
    GraphIndex(journal, graph_store).catch_up()
    assert is_in_step(graph_store, journal)


def test_a_graph_of_another_history_is_made_anew(new_store: MakeStore) -> None:
    store = new_store()
    old, new = LeafJournal(store.base), LeafJournal(store.base)
    old.append("a", "b", "lost")
    new.append("a", "b", "kept", "more")
    GraphIndex(old, store).catch_up()
    assert GraphIndex(new, store).lag() == 4
    assert GraphIndex(new, store).catch_up() == 4
    assert is_in_step(store, new)


def test_a_graph_ahead_of_its_journal_is_made_anew(graph_store: GraphStore, journal: LeafJournal) -> None:
    journal.append("a", "b")
    GraphIndex(journal, graph_store).catch_up()
    del journal.leaves[1:]
    GraphIndex(journal, graph_store).catch_up()
    assert is_in_step(graph_store, journal)


def test_a_rebuild_drops_what_is_not_in_the_journal(graph_store: GraphStore, journal: LeafJournal) -> None:
    journal.append("a")
    stray = LeafJournal(journal.base)
    stray.append("stray")
    graph_store.load(stray.leaves[0])
    assert GraphIndex(journal, graph_store).rebuild() == 1
    assert is_in_step(graph_store, journal)
    journal.append("b")
    GraphIndex(journal, graph_store).catch_up()
    assert is_in_step(graph_store, journal)


def test_an_empty_journal_needs_nothing(graph_store: GraphStore, journal: LeafJournal) -> None:
    assert GraphIndex(journal, graph_store).catch_up() == 0
    assert graph_store.size() == 0
