"""Leaves as they lie in the file: packed to about a twentieth, since each is much like the one before it.

What is hashed, signed for and handed out is always the leaf itself. Each journal has a dictionary of its
own, written at its creation and never changed: lines as its leaves will have them. Source: RFC 8878.
"""

import threading

import zstandard

from prov_ledger.errors import Corrupt

_LEVEL = 1
#: No leaf is as large; a row that says more was not written by us, and is not even begun.
_LARGEST_BYTES = 64 * 2**20


class LeafPacker:
    """Packs for one thread at a time, and unpacks for any number of them.

    >>> packer = LeafPacker("<a> <b> <c> .")
    >>> packer.unpack(packer.pack(b"a leaf"))
    b'a leaf'
    """

    def __init__(self, dictionary: str) -> None:
        """``dictionary``: what leaves of this journal are like; empty for nothing."""
        kind = zstandard.DICT_TYPE_RAWCONTENT
        self._alike = zstandard.ZstdCompressionDict(dictionary.encode(), dict_type=kind)
        self._alike.precompute_compress(level=_LEVEL)
        self._packer = zstandard.ZstdCompressor(_LEVEL, dict_data=self._alike)
        self._own = threading.local()

    def pack(self, leaf: bytes) -> bytes:
        """The stored form of a leaf."""
        return self._packer.compress(leaf)

    def unpack(self, packed: bytes) -> bytes:
        """The leaf behind its stored form; raises Corrupt where there is none."""
        try:
            if not 0 <= zstandard.frame_content_size(packed) <= _LARGEST_BYTES:
                raise Corrupt("a stored leaf says that it is too large: verify the ledger to see which")
            return self._unpacker().decompress(packed, allow_extra_data=False)
        except zstandard.ZstdError:
            raise Corrupt("a stored leaf does not unpack: verify the ledger to see which") from None

    def _unpacker(self) -> zstandard.ZstdDecompressor:
        """The one of this thread: one at a time may use it."""
        found: zstandard.ZstdDecompressor | None = getattr(self._own, "unpacker", None)
        if found is None:
            found = self._own.unpacker = zstandard.ZstdDecompressor(dict_data=self._alike)
        return found
