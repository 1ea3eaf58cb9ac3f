"""Proofs of inclusion and consistency: made ones verify, changed ones never do."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prov_ledger.errors import ProofError
from prov_ledger.merkle.proofs import consistency_path, inclusion_path, verify_consistency, verify_inclusion
from prov_ledger.merkle.tree import leaf_hash, node_reader, root_hash

LARGEST = 40
HASHES = [leaf_hash(b"%d" % number) for number in range(LARGEST)]
READ = node_reader(HASHES)
ROOTS = [root_hash(HASHES[:size]) for size in range(LARGEST + 1)]


def test_every_leaf_of_every_tree_has_an_inclusion_path_that_verifies() -> None:
    for size in range(1, LARGEST + 1):
        for index in range(size):
            verify_inclusion(HASHES[index], index, size, inclusion_path(index, size, READ), ROOTS[size])


def test_every_pair_of_sizes_has_a_consistency_path_that_verifies() -> None:
    for new in range(LARGEST + 1):
        for old in range(1, new + 1):
            verify_consistency(old, new, ROOTS[old], ROOTS[new], consistency_path(old, new, READ))


def changed(data: st.DataObject, path: tuple[bytes, ...]) -> tuple[bytes, ...]:
    """The path with one bit flipped, one hash fewer, or one more."""
    how = data.draw(st.sampled_from(["flip", "drop", "add"] if path else ["add"]))
    place = data.draw(st.integers(0, max(0, len(path) - 1)))
    if how == "add":
        return (*path[:place], data.draw(st.binary(min_size=32, max_size=32)), *path[place:])
    if how == "drop":
        return path[:place] + path[place + 1 :]
    bit = data.draw(st.integers(0, 255))
    flipped = (int.from_bytes(path[place], "big") ^ 1 << bit).to_bytes(32, "big")
    return (*path[:place], flipped, *path[place + 1 :])


@given(st.data())
def test_a_changed_inclusion_path_is_refused(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, LARGEST))
    index = data.draw(st.integers(0, size - 1))
    path = changed(data, inclusion_path(index, size, READ))
    with pytest.raises(ProofError):
        verify_inclusion(HASHES[index], index, size, path, ROOTS[size])


@given(st.data())
def test_a_changed_consistency_path_is_refused(data: st.DataObject) -> None:
    new = data.draw(st.integers(1, LARGEST))
    old = data.draw(st.integers(1, new))
    path = changed(data, consistency_path(old, new, READ))
    with pytest.raises(ProofError):
        verify_consistency(old, new, ROOTS[old], ROOTS[new], path)


@given(st.data())
def test_another_place_of_the_same_leaf_is_refused(data: st.DataObject) -> None:
    size = data.draw(st.integers(2, LARGEST))
    index = data.draw(st.integers(0, size - 1))
    other = data.draw(st.integers(-1, size + 1).filter(lambda x: x != index))
    with pytest.raises(ProofError):
        verify_inclusion(HASHES[index], other, size, inclusion_path(index, size, READ), ROOTS[size])


@given(st.data())
def test_a_history_that_was_rewritten_is_refused(data: st.DataObject) -> None:
    new = data.draw(st.integers(2, LARGEST))
    old = data.draw(st.integers(1, new - 1))
    place = data.draw(st.integers(0, old - 1))
    rewritten = [*HASHES[:place], leaf_hash(b"other"), *HASHES[place + 1 : new]]
    path = consistency_path(old, new, node_reader(rewritten))
    with pytest.raises(ProofError):
        verify_consistency(old, new, ROOTS[old], root_hash(rewritten), path)


@pytest.mark.parametrize(("index", "size"), [(0, 0), (3, 3), (-1, 3)])
def test_no_path_is_made_for_a_leaf_that_is_not_there(index: int, size: int) -> None:
    with pytest.raises(ProofError, match="not below the tree size"):
        inclusion_path(index, size, READ)


@pytest.mark.parametrize(("old", "new"), [(4, 3), (0, 3), (0, 0), (-1, 3)])
def test_no_consistency_path_is_made_backwards_or_from_nothing(old: int, new: int) -> None:
    with pytest.raises(ProofError, match="not between 1 and"):
        consistency_path(old, new, READ)


def test_a_hash_of_another_length_is_refused_as_such() -> None:
    with pytest.raises(ProofError, match="a hash has 31 bytes, expected 32"):
        verify_inclusion(HASHES[0][:31], 0, 1, (), ROOTS[1])
