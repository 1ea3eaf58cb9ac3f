"""Proofs that a leaf is in a tree, and that one tree is the beginning of another.

Source: RFC 6962 sections 2.1.1 and 2.1.2; verification as in RFC 9162 sections 2.1.3.2 and 2.1.4.2.
"""

from collections.abc import Sequence
from hmac import compare_digest

from prov_ledger.errors import ProofError
from prov_ledger.merkle.tree import NodeHash, NodeReader, node_hash, range_hash

_HASH_BYTES = 32


def _split(width: int) -> int:
    """The largest power of two below ``width`` (at least 2)."""
    return 1 << ((width - 1).bit_length() - 1)


def inclusion_path(index: int, size: int, read: NodeReader) -> tuple[NodeHash, ...]:
    """The hashes beside the way from leaf ``index`` (from 0) up to the root of ``size`` leaves, lowest first.

    Raises ProofError when the tree has no such leaf. Source: RFC 6962 section 2.1.1.
    """
    if not 0 <= index < size:
        raise ProofError(f"no inclusion path: leaf index {index} is not below the tree size {size}")
    path: list[NodeHash] = []
    start, end = 0, size
    while end - start > 1:
        middle = start + _split(end - start)
        if index < middle:
            path.append(range_hash(middle, end, read))
            end = middle
        else:
            path.append(range_hash(start, middle, read))
            start = middle
    return tuple(reversed(path))


def consistency_path(old: int, new: int, read: NodeReader) -> tuple[NodeHash, ...]:
    """The hashes that show the tree of ``old`` leaves to be the beginning of that of ``new``.

    Empty where ``old`` equals ``new``. Raises ProofError when ``old`` is below 1, since every tree begins
    with nothing, or beyond ``new``. Source: RFC 6962 section 2.1.2.
    """
    if not 1 <= old <= new:
        raise ProofError(f"no consistency path: the old size {old} is not between 1 and the new size {new}")
    path: list[NodeHash] = []
    start, end = 0, new
    while end != old:
        middle = start + _split(end - start)
        if old <= middle:
            path.append(range_hash(middle, end, read))
            end = middle
        else:
            path.append(range_hash(start, middle, read))
            start = middle
    if start > 0:
        path.append(range_hash(start, end, read))
    return tuple(reversed(path))


def verify_inclusion(leaf: NodeHash, index: int, size: int, path: Sequence[NodeHash], root: NodeHash) -> None:
    """Pass when the leaf hash ``leaf`` is at ``index`` (from 0) of the tree ``(size, root)``.

    Raises ProofError otherwise, with the roots expected and got. Source: RFC 9162 section 2.1.3.2.
    """
    if not 0 <= index < size:
        raise ProofError(f"inclusion: leaf index {index} is not below the tree size {size}")
    _check_hashes("inclusion", (leaf, root, *path))
    position, last, current = index, size - 1, leaf
    for sibling in path:
        if last == 0:
            raise ProofError(f"inclusion: the path of {len(path)} hashes is too long for a tree of {size}")
        if position & 1 or position == last:
            current = node_hash(sibling, current)
            while not position & 1 and position:
                position, last = position >> 1, last >> 1
        else:
            current = node_hash(current, sibling)
        position, last = position >> 1, last >> 1
    if last != 0:
        raise ProofError(f"inclusion: the path of {len(path)} hashes is too short for a tree of {size}")
    _check_root("inclusion", root, current)


def verify_consistency(
    old: int, new: int, old_root: NodeHash, new_root: NodeHash, path: Sequence[NodeHash]
) -> None:
    """Pass when the tree ``(old, old_root)`` is the beginning of ``(new, new_root)``.

    Raises ProofError otherwise, and for ``old`` below 1: from an empty tree nothing can be shown.
    Source: RFC 9162 section 2.1.4.2.
    """
    if not 1 <= old <= new:
        raise ProofError(f"consistency: the old size {old} is not between 1 and the new size {new}")
    if old == new:
        if path:
            raise ProofError(f"consistency: from {old} to {new} takes no hashes, got {len(path)}")
        _check_root("consistency", old_root, new_root)
        return
    _check_hashes("consistency", (old_root, new_root, *path))
    _check_growth(old, new, old_root, new_root, path)


def _check_growth(
    old: int, new: int, old_root: NodeHash, new_root: NodeHash, path: Sequence[NodeHash]
) -> None:
    """Walk up from the last leaf of the old tree; both roots must come out."""
    # A full old tree is itself a node of the new one, so its root is left out of the path.
    hashes = list(path) if old & (old - 1) else [old_root, *path]
    if not path:
        raise ProofError(f"consistency: from {old} to {new} takes hashes, got none")
    position, last = old - 1, new - 1
    while position & 1:
        position, last = position >> 1, last >> 1
    before = after = hashes[0]
    for sibling in hashes[1:]:
        if last == 0:
            raise ProofError(f"consistency: the path of {len(path)} hashes is too long for {old} to {new}")
        if position & 1 or position == last:
            before, after = node_hash(sibling, before), node_hash(sibling, after)
            while not position & 1 and position:
                position, last = position >> 1, last >> 1
        else:
            after = node_hash(after, sibling)
        position, last = position >> 1, last >> 1
    if last != 0:
        raise ProofError(f"consistency: the path of {len(path)} hashes is too short for {old} to {new}")
    _check_root("consistency, old tree", old_root, before)
    _check_root("consistency, new tree", new_root, after)


def _check_hashes(proof: str, hashes: Sequence[NodeHash]) -> None:
    """Every hash must be of the length of SHA-256."""
    for value in hashes:
        if len(value) != _HASH_BYTES:
            raise ProofError(f"{proof}: a hash has {len(value)} bytes, expected {_HASH_BYTES}")


def _check_root(proof: str, expected: NodeHash, got: NodeHash) -> None:
    """The root that was reached must be the one that was given."""
    if not compare_digest(expected, got):
        raise ProofError(f"{proof}: the path leads to root {got.hex()}, expected {expected.hex()}")
