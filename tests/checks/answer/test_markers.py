"""What a bracket of an answer is: a marker, a malformed one, or text."""

import pytest

from prov_ledger.checks.answer.markers import cited_ids, find_markers
from prov_ledger.model.ids import mint_id

CLAIM = mint_id("cl", lambda size: bytes(range(size)))
OTHER = mint_id("ev", lambda size: bytes(range(1, size + 1)))
LABELS = {"c1": CLAIM}


def ids(text: str) -> list[tuple[str, ...] | None]:
    return [cited_ids(marker, LABELS) for marker in find_markers(text)]


@pytest.mark.parametrize("text", [f"[{CLAIM}]", f"[ {CLAIM.upper()} ]", "[c1]", "[C1]", f"[{CLAIM}; c1]"])
def test_an_id_or_a_label_of_the_packet_cites(text: str) -> None:
    assert ids(text) == [(CLAIM,)]


@pytest.mark.parametrize("sign", [",", ";", " , "])
def test_several_are_parted_by_commas_or_semicolons(sign: str) -> None:
    assert ids(f"[c1{sign}{OTHER}]") == [(CLAIM, OTHER)]


@pytest.mark.parametrize(
    "text", ["[sic]", "[1]", "[c]", "[c1a]", "[see below]", "[x](cl)", "[]", "c1", "[cl-1]"]
)
def test_any_other_bracket_is_text(text: str) -> None:
    assert ids(text) == []


@pytest.mark.parametrize(
    "text",
    ["[c2]", "[cl_x]", "[rev_2]", f"[see {CLAIM}]", f"[{CLAIM} c1]", f"[{CLAIM}, below]", f"[{CLAIM[:-1]}0]"],
)
def test_what_only_looks_like_an_id_or_a_label_is_malformed(text: str) -> None:
    assert ids(text) == [None]


@pytest.mark.parametrize("position", range(len(CLAIM)))
def test_an_id_with_one_wrong_character_is_malformed_or_text_and_never_another(position: int) -> None:
    wrong = "7" if CLAIM[position] != "7" else "8"
    garbled = CLAIM[:position] + wrong + CLAIM[position + 1 :]
    assert ids(f"[{garbled}]") in ([None], [])


def test_a_bracket_within_brackets_cites() -> None:
    assert ids("[[c1]]") == [(CLAIM,)]
