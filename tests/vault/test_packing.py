"""Leaves as they lie in the file."""

import struct
import threading

import pytest

from prov_ledger.errors import Corrupt
from prov_ledger.rdf.typical import typical_lines
from prov_ledger.vault.packing import LeafPacker

BASE = "https://example.org/"


def _leaf(number: int) -> bytes:
    return typical_lines(BASE).replace("0123456789abcdefgh", f"{number:018d}").encode()


def test_a_leaf_like_the_dictionary_packs_to_a_tenth() -> None:
    leaf = _leaf(7)
    assert len(LeafPacker(typical_lines(BASE)).pack(leaf)) * 10 < len(leaf)


def test_what_was_packed_with_a_dictionary_is_not_unpacked_without_it() -> None:
    packed = LeafPacker(typical_lines(BASE)).pack(_leaf(7))
    with pytest.raises(Corrupt, match="does not unpack"):
        LeafPacker("").unpack(packed)


@pytest.mark.parametrize("spoiled", [b"", b"\0", b"no frame at all", "cut", "more"])
def test_what_is_no_leaf_is_corrupt(spoiled: bytes | str) -> None:
    packer = LeafPacker(typical_lines(BASE))
    packed = packer.pack(_leaf(7))
    if isinstance(spoiled, str):
        spoiled = packed[:-3] if spoiled == "cut" else packed + b"more"
    with pytest.raises(Corrupt, match="does not unpack"):
        packer.unpack(spoiled)


def test_a_leaf_that_says_it_is_huge_is_not_begun() -> None:
    # Source: RFC 8878 section 3.1.1.1: a frame of one segment whose size has eight bytes.
    frame = b"\x28\xb5\x2f\xfd" + bytes([0b1110_0000]) + struct.pack("<Q", 2**50) + b"\x01\0\0"
    with pytest.raises(Corrupt, match="too large"):
        LeafPacker("").unpack(frame)


def test_many_threads_unpack_at_once() -> None:
    packer = LeafPacker(typical_lines(BASE))
    leaves = {n: _leaf(n) for n in range(50)}
    packed = {n: packer.pack(leaf) for n, leaf in leaves.items()}
    wrong: list[int] = []

    def read() -> None:
        wrong.extend(n for _ in range(20) for n in packed if packer.unpack(packed[n]) != leaves[n])

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
