"""A sealed text opens as it was, for its owner and field alone, and any change is noticed."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prov_ledger.errors import Corrupt, Refused
from prov_ledger.vault.sealing import CHUNK_BYTES, Sealer, split_chunks
from tests.vault.conftest import Tenant

SECRET = b"the customer's name is Ada"


@pytest.fixture(scope="module")
def sealer(tmp_path_factory: pytest.TempPathFactory):  # type: ignore[no-untyped-def]
    tenant = Tenant.create(tmp_path_factory.mktemp("sealing"))
    yield tenant.sealer
    tenant.close()


SIZES = [0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 3 * CHUNK_BYTES, 100_000]


@pytest.mark.parametrize("size", SIZES)
def test_every_size_opens_as_it_was(sealer: Sealer, size: int) -> None:
    data = bytes(number % 251 for number in range(size))
    sealed = sealer.seal("ev_1", "quote", data)
    assert sealer.open(sealed) == data
    assert sealed.size_bytes == size
    assert split_chunks(b"".join(sealed.chunks)) == sealed.chunks


@given(data=st.binary(max_size=3 * CHUNK_BYTES), place=st.data())
@settings(max_examples=60, deadline=None)
def test_any_flipped_bit_is_noticed(sealer: Sealer, data: bytes, place: st.DataObject) -> None:
    sealed = sealer.seal("ev_1", "quote", data)
    number = place.draw(st.integers(0, len(sealed.chunks) - 1))
    chunk = bytearray(sealed.chunks[number])
    chunk[place.draw(st.integers(0, len(chunk) - 1))] ^= 1 << place.draw(st.integers(0, 7))
    chunks = (*sealed.chunks[:number], bytes(chunk), *sealed.chunks[number + 1 :])
    with pytest.raises(Corrupt, match=r"payload quote of ev_1 does not decrypt"):
        sealer.open(replace(sealed, chunks=chunks))


@pytest.mark.parametrize("how", ["swapped", "cut", "doubled", "none"])
def test_chunks_in_another_order_or_number_are_noticed(sealer: Sealer, how: str) -> None:
    sealed = sealer.seal("ev_1", "quote", bytes(3 * CHUNK_BYTES))
    one, two, three = sealed.chunks
    chunks = {"swapped": (two, one, three), "cut": (one, two), "doubled": (one, one, two, three), "none": ()}
    with pytest.raises(Corrupt):
        sealer.open(replace(sealed, chunks=chunks[how]))


@pytest.mark.parametrize("change", [{"owner": "ev_2"}, {"field": "label"}, {"commitment_hex": "0" * 64}])
def test_a_payload_moved_elsewhere_does_not_open(sealer: Sealer, change: dict[str, str]) -> None:
    sealed = sealer.seal("ev_1", "quote", SECRET)
    with pytest.raises(Corrupt) as refused:
        sealer.open(replace(sealed, **change))
    assert "Ada" not in refused.value.message


def test_a_commitment_that_is_no_hex_is_corrupt(sealer: Sealer) -> None:
    with pytest.raises(Corrupt):
        sealer.open(replace(sealer.seal("ev_1", "quote", SECRET), commitment_hex="zz"))


def test_the_key_of_another_payload_does_not_open_it(sealer: Sealer) -> None:
    first, second = sealer.seal("ev_1", "quote", SECRET), sealer.seal("ev_1", "quote", SECRET)
    with pytest.raises(Corrupt):
        sealer.open(replace(first, ticket=second.ticket))


def test_the_same_text_has_another_commitment_each_time(sealer: Sealer) -> None:
    first, second = sealer.seal("ev_1", "quote", SECRET), sealer.seal("ev_1", "quote", SECRET)
    assert first.commitment_hex != second.commitment_hex
    assert first.chunks != second.chunks


def test_a_text_is_compared_without_decrypting(sealer: Sealer) -> None:
    sealed = replace(sealer.seal("ev_1", "fact.order", b"88-1417"), chunks=())
    assert sealer.equals(sealed, b"88-1417")
    assert not sealer.equals(sealed, b"88-1418")


def test_a_payload_whose_key_is_gone_neither_opens_nor_equals(sealer: Sealer) -> None:
    sealed = replace(sealer.seal("ev_1", "quote", SECRET), ticket=10**9)
    with pytest.raises(Corrupt, match="its key 1000000000 is gone"):
        sealer.open(sealed)
    assert not sealer.equals(sealed, SECRET)


def test_many_open_as_one_by_one(sealer: Sealer) -> None:
    texts = [b"%d" % number for number in range(50)]
    sealed = [sealer.seal(f"ev_{number}", "quote", text) for number, text in enumerate(texts)]
    assert sealer.open_many(sealed) == texts


def test_tokens_are_stable_within_a_tenant_and_differ_by_kind_and_text(sealer: Sealer) -> None:
    tokens = [sealer.token(kind, text) for kind in ("native", "title") for text in ("a", "b")]
    assert len(set(tokens)) == 4
    assert {len(token) for token in tokens} == {16}
    assert sealer.token("native", "a") == tokens[0]


def test_tokens_of_another_tenant_tell_nothing(
    sealer: Sealer, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = Tenant.create(tmp_path_factory.mktemp("other"))
    assert other.sealer.token("native", "a") != sealer.token("native", "a")
    other.close()


def test_an_owner_with_a_nul_is_refused(sealer: Sealer) -> None:
    with pytest.raises(Refused) as refused:
        sealer.seal("ev_1\0quote", "x", b"")
    assert refused.value.code == "bad_input"
