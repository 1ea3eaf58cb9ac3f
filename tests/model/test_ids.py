"""What an id catches: every slip that the check characters are there for, tried over all of them."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prov_ledger.errors import Refused
from prov_ledger.model.ids import ALPHABET, PREFIXES, looks_like_id, mint_id, parse_id, prefix_of

BODIES = [bytes(10), bytes([255] * 10), bytes(range(10)), bytes.fromhex("9e3779b97f4a7c15f39c")]
IDS = [mint_id(prefix, lambda _, body=body: body) for prefix in PREFIXES for body in BODIES]
ids = st.builds(
    lambda prefix, body: mint_id(prefix, lambda _: body),
    st.sampled_from(PREFIXES),
    st.binary(min_size=10, max_size=10),
)


def is_refused(text: str) -> bool:
    try:
        parse_id(text)
    except Refused as refusal:
        return refusal.code == "malformed_id"
    return False


def respelled(text: str) -> str:
    """A text with Crockford's confusable letters read as digits, in the body only."""
    prefix, _, body = text.partition("_")
    return prefix + "_" + body.replace("o", "0").replace("i", "1").replace("l", "1")


@pytest.mark.parametrize("id_", IDS)
def test_every_single_wrong_character_is_caught(id_):
    characters = ALPHABET + "ilou_-~ \u212a\u0130é"
    wrong = {id_[:at] + c + id_[at + 1 :] for at in range(len(id_)) for c in characters}
    wrong = {text for text in wrong if respelled(text) != id_}
    assert len(wrong) > 600
    assert [text for text in wrong if not is_refused(text)] == []


@pytest.mark.parametrize("id_", IDS)
def test_every_swap_of_neighbours_is_caught(id_):
    swapped = {id_[:at] + id_[at + 1] + id_[at] + id_[at + 2 :] for at in range(len(id_) - 1)} - {id_}
    assert [text for text in swapped if not is_refused(text)] == []


@pytest.mark.parametrize("id_", IDS)
def test_every_exchanged_prefix_is_caught(id_):
    prefix, _, body = id_.partition("_")
    exchanged = [f"{other}_{body}" for other in PREFIXES if other != prefix]
    assert [text for text in exchanged if not is_refused(text)] == []


@pytest.mark.parametrize("id_", IDS[:8])
def test_any_two_wrong_body_characters_are_caught(id_):
    start = id_.index("_") + 1
    for first in range(start, len(id_)):
        for second in range(first + 1, len(id_)):
            for shift_1, shift_2 in ((1, 1), (1, 30), (7, 19), (16, 16)):
                spelled = list(id_)
                for at, shift in ((first, shift_1), (second, shift_2)):
                    spelled[at] = ALPHABET[(ALPHABET.index(id_[at]) + shift) % 32]
                assert is_refused("".join(spelled))


@given(ids)
def test_a_minted_id_parses_to_itself(id_):
    assert parse_id(id_) == id_


@given(ids)
def test_confusable_letters_and_case_are_read_as_crockford_says(id_):
    prefix, _, body = id_.partition("_")
    for zero, one in (("o", "i"), ("O", "L"), ("0", "l"), ("o", "I")):
        assert parse_id(f"{prefix.upper()}_{body.upper().replace('0', zero).replace('1', one)}") == id_


@pytest.mark.parametrize("change", [" {}", "{} ", "{}\n", "{}#scope", "[{}]", "{}0"])
def test_nothing_around_an_id_is_forgiven(change):
    assert is_refused(change.format(IDS[0]))


@pytest.mark.parametrize(
    "text", ["", "_", "cl", "cl_", "c1_0000000000000000", "xyz_000000000000000000", "cl_" + "u" * 18]
)
def test_a_text_of_another_form_is_refused(text):
    assert is_refused(text)


def test_letters_beyond_ascii_that_lower_to_ascii_are_refused():
    id_ = mint_id("cl", lambda _: bytes([0x9C, 0xE7] * 5))
    assert "k" in id_
    assert is_refused(id_.replace("k", "\u212a"))


def test_a_refusal_does_not_repeat_what_was_given():
    with pytest.raises(Refused) as refused:
        parse_id("cl_anna schmidt")
    assert "schmidt" not in refused.value.message


def test_the_prefix_of_an_id_and_of_its_nodes():
    assert [prefix_of(IDS[0]), prefix_of(IDS[0] + "#scope.1")] == ["src", "src"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("cl_1", True), ("EV_", True), ("c1", False), ("clause_1", False), ("cl", False), ("cl1_", False)],
)
def test_what_begins_like_an_id(text, expected):
    assert looks_like_id(text) is expected


def test_an_unknown_prefix_cannot_be_minted():
    with pytest.raises(KeyError):
        mint_id("doc")


def test_a_forked_process_mints_ids_of_its_own() -> None:
    mint_id("ev")
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, "\n".join(mint_id("ev") for _ in range(40)).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as told:
        theirs = told.read().split()
    os.waitpid(child, 0)
    assert len(theirs) == 40
    assert set(theirs).isdisjoint(mint_id("ev") for _ in range(200))
