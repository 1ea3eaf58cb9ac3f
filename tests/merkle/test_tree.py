"""The hashes of the tree, and the frontier that grows with it."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prov_ledger.merkle.tree import (
    EMPTY_ROOT,
    Frontier,
    NodeHash,
    leaf_hash,
    node_hash,
    node_reader,
    peak_positions,
    range_hash,
    root_hash,
)

#: Inputs and roots of the reference test of RFC 6962 trees, for 0 to 8 leaves.
LEAVES = [bytes.fromhex(x) for x in (
    "", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f",
)]  # fmt: skip
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


def by_definition(leaves: list[bytes]) -> NodeHash:
    """The recursion of RFC 6962 section 2.1, word for word."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return leaf_hash(leaves[0])
    k = 1
    while 2 * k < len(leaves):
        k *= 2
    return node_hash(by_definition(leaves[:k]), by_definition(leaves[k:]))


@pytest.mark.parametrize("size", range(9))
def test_roots_are_those_of_the_reference_vectors(size: int) -> None:
    assert root_hash(map(leaf_hash, LEAVES[:size])).hex() == ROOTS[size]


@given(st.lists(st.binary(max_size=4), max_size=40))
def test_the_frontier_has_the_root_of_the_definition_after_every_leaf(leaves: list[bytes]) -> None:
    frontier = Frontier()
    for count, leaf in enumerate(leaves, 1):
        frontier.append(leaf_hash(leaf))
        assert frontier.root() == by_definition(leaves[:count])


@given(st.lists(st.binary(max_size=4), min_size=1, max_size=40))
def test_a_frontier_completes_each_inner_node_once_and_as_defined(leaves: list[bytes]) -> None:
    frontier = Frontier()
    nodes = [node for leaf in leaves for node in frontier.append(leaf_hash(leaf))]
    assert {(x.level, x.index) for x in nodes} == {
        (level, index)
        for level in range(1, len(leaves).bit_length())
        for index in range(len(leaves) >> level)
    }
    for node in nodes:
        start = node.index << node.level
        assert node.hash == by_definition(leaves[start : start + (1 << node.level)])


@given(st.lists(st.binary(max_size=4), max_size=40), st.data())
def test_a_frontier_taken_up_from_its_peaks_goes_on_alike(leaves: list[bytes], data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(leaves)))
    hashes = [leaf_hash(x) for x in leaves]
    read = node_reader(hashes)
    frontier = Frontier(cut, [read(level, index) for level, index in peak_positions(cut)])
    for value in hashes[cut:]:
        frontier.append(value)
    assert frontier.root() == root_hash(hashes) == range_hash(0, len(hashes), read)


def test_a_copy_of_a_frontier_grows_apart_from_it() -> None:
    frontier = Frontier()
    frontier.append(leaf_hash(b"a"))
    frontier.copy().append(leaf_hash(b"b"))
    assert frontier.size == 1
    assert frontier.root() == leaf_hash(b"a")


def test_a_frontier_without_leaves_has_the_root_of_nothing() -> None:
    assert Frontier().root() == EMPTY_ROOT


def test_peaks_of_the_wrong_number_are_refused() -> None:
    with pytest.raises(ValueError, match="5 leaves has 2 peaks, got 1"):
        Frontier(5, [b"x" * 32])
