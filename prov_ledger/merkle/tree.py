"""The Merkle tree over the leaves of a journal: hashes, and a frontier that grows by one leaf at a time.

Source: RFC 6962 section 2.1.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256

NodeHash = bytes
#: Reads the hash of a full subtree: ``(level, index)``; level 0 are leaf hashes.
NodeReader = Callable[[int, int], NodeHash]

#: The root of the tree without leaves. Source: RFC 6962 section 2.1.
EMPTY_ROOT: NodeHash = sha256(b"").digest()


@dataclass(frozen=True, slots=True)
class TreeHead:
    """How many leaves a tree has, and its root hash (32 bytes)."""

    size: int
    root: NodeHash


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A full subtree of ``2 ** level`` leaves, the ``index``-th of its level, from 0."""

    level: int
    index: int
    hash: NodeHash


def leaf_hash(leaf: bytes) -> NodeHash:
    """Hash one leaf: 32 bytes, SHA-256 over 0x00 then ``leaf`` (canonical N-Quads, UTF-8).

    Source: RFC 6962 section 2.1.

    >>> leaf_hash(b"").hex()[:16]
    '6e340b9cffb37a98'
    """
    return sha256(b"\x00" + leaf).digest()


def node_hash(left: NodeHash, right: NodeHash) -> NodeHash:
    """Hash an inner node: 32 bytes, SHA-256 over 0x01, ``left``, ``right``.

    Source: RFC 6962 section 2.1.
    """
    return sha256(b"\x01" + left + right).digest()


def peak_positions(size: int) -> list[tuple[int, int]]:
    """The (level, index) of the full subtrees that make up a tree of ``size`` leaves, largest first.

    >>> peak_positions(6)
    [(2, 0), (1, 2)]
    """
    return [
        (level, (size >> level) - 1) for level in range(size.bit_length() - 1, -1, -1) if size >> level & 1
    ]


class Frontier:
    """The full subtrees along the right edge of a growing tree: enough to append and to know the root."""

    __slots__ = ("_peaks", "_size")

    def __init__(self, size: int = 0, peaks: Sequence[NodeHash] = ()) -> None:
        """Take ``peaks`` in the order of ``peak_positions(size)``; raises ValueError if not as many."""
        if len(peaks) != size.bit_count():
            raise ValueError(f"a tree of {size} leaves has {size.bit_count()} peaks, got {len(peaks)}")
        self._size = size
        self._peaks = list(peaks)

    @property
    def size(self) -> int:
        """How many leaves the tree has."""
        return self._size

    def copy(self) -> "Frontier":
        """A frontier of its own with the same leaves."""
        return Frontier(self._size, self._peaks)

    def append(self, leaf: NodeHash) -> list[TreeNode]:
        """Add a leaf hash; the inner full subtrees that it completed, lowest first (often none)."""
        completed: list[TreeNode] = []
        peaks, current, index, level = self._peaks, leaf, self._size, 0
        while index & 1:
            index >>= 1
            level += 1
            current = node_hash(peaks.pop(), current)
            completed.append(TreeNode(level, index, current))
        peaks.append(current)
        self._size += 1
        return completed

    def root(self) -> NodeHash:
        """The root hash over all leaves so far; ``EMPTY_ROOT`` for none."""
        if not self._peaks:
            return EMPTY_ROOT
        root = self._peaks[-1]
        for peak in reversed(self._peaks[:-1]):
            root = node_hash(peak, root)
        return root


def root_hash(leaf_hashes: Iterable[NodeHash]) -> NodeHash:
    """The root over leaf hashes in order; ``EMPTY_ROOT`` for none. Source: RFC 6962 section 2.1."""
    frontier = Frontier()
    for leaf in leaf_hashes:
        frontier.append(leaf)
    return frontier.root()


def range_hash(start: int, end: int, read: NodeReader) -> NodeHash:
    """The hash over leaves ``start`` to ``end`` (outside), from full subtrees that ``read`` gives.

    ``start`` must be a multiple of the smallest power of two that is not below ``end - start``, as
    every range of the standard's recursion is.
    """
    width = end - start
    if width == 0:
        return EMPTY_ROOT
    level = width.bit_length() - 1
    if width == 1 << level:
        return read(level, start >> level)
    middle = start + (1 << level)
    return node_hash(read(level, start >> level), range_hash(middle, end, read))


def node_reader(leaf_hashes: Sequence[NodeHash]) -> NodeReader:
    """Reads full subtrees of a tree held in memory; every level is computed once, here."""
    levels: list[list[NodeHash]] = [list(leaf_hashes)]
    while len(levels[-1]) > 1:
        below = levels[-1]
        levels.append([node_hash(below[i], below[i + 1]) for i in range(0, len(below) - 1, 2)])

    def read(level: int, index: int) -> NodeHash:
        return levels[level][index]

    return read
