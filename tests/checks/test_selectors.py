import pytest
from hypothesis import given
from hypothesis import strategies as st

from prov_ledger.checks.selectors import context_around, find_quote, text_at
from prov_ledger.errors import Refused
from prov_ledger.model.records import TextPosition


def refused(text: str, exact: str, prefix: str | None = None, suffix: str | None = None) -> Refused:
    with pytest.raises(Refused) as caught:
        find_quote(text, exact, prefix, suffix)
    return caught.value


def test_a_quote_is_found_with_its_end_outside() -> None:
    assert find_quote("60 days, no more", "60 days") == TextPosition(0, 7)


def test_positions_count_code_points_not_bytes_nor_utf16_units() -> None:
    text = "😀é\u0301 fee"
    position = find_quote(text, "fee")
    assert (position, text[position.start : position.end]) == (TextPosition(4, 7), "fee")


@pytest.mark.parametrize("exact", ["", " ", "\n\t\u00a0"])
def test_a_quote_without_words_is_empty(exact: str) -> None:
    assert refused("a \n\t\u00a0 b", exact).code == "empty_quote"


@pytest.mark.parametrize(
    ("text", "exact"),
    [
        ("caf\u00e9", "cafe\u0301"),
        ("60\u00a0days", "60 days"),
        ("Returns are free", "returns are free"),
        ("a\r\nb", "a\nb"),
        ("ﬁne", "fine"),
    ],
)
def test_nothing_is_normalised(text: str, exact: str) -> None:
    assert refused(text, exact).code == "quote_not_found"


def test_a_quote_that_occurs_twice_is_ambiguous_and_the_message_counts() -> None:
    error = refused("pay the fee, no fee, a fee", "fee")
    assert error.code == "ambiguous_quote"
    assert "3 times" in error.message
    assert "prefix" in error.message


def test_places_that_overlap_count_each() -> None:
    assert "2 times" in refused("aaa", "aa").message


def test_a_prefix_chooses_among_several() -> None:
    assert find_quote("EU: 60 days. US: 60 days.", "60 days", prefix="US: ").start == 17


def test_a_suffix_chooses_among_several() -> None:
    assert find_quote("60 days. 60 days!", "60 days", suffix="!").start == 9


def test_a_prefix_must_stand_immediately_before() -> None:
    assert refused("EU: 60 days", "60 days", prefix="EU").code == "quote_not_found"


def test_a_prefix_longer_than_what_stands_before_does_not_fit() -> None:
    assert refused("U: 60 days", "60 days", prefix="EU: ").code == "quote_not_found"


def test_a_wrong_context_is_told_apart_from_a_missing_quote() -> None:
    assert "occurs 1 times" in refused("EU: 60 days", "60 days", prefix="US: ").message


def test_a_context_that_fits_twice_is_ambiguous_still() -> None:
    assert refused("a fee. a fee.", "fee", prefix="a ", suffix=".").code == "ambiguous_quote"


@pytest.mark.parametrize("exact", ["secret phrase", "twice"])
def test_no_message_repeats_the_text(exact: str) -> None:
    assert exact not in refused("twice twice", exact).message


def test_context_is_cut_at_the_ends_of_the_text() -> None:
    assert context_around("ab fee cd", TextPosition(3, 6)) == ("ab ", " cd")


def test_context_is_32_code_points() -> None:
    text = "😀" * 40 + "fee" + "é" * 40
    assert context_around(text, TextPosition(40, 43)) == ("😀" * 32, "é" * 32)


@pytest.mark.parametrize("position", [TextPosition(0, 0), TextPosition(2, 9), TextPosition(-1, 2)])
def test_a_span_outside_the_text_is_refused(position: TextPosition) -> None:
    with pytest.raises(Refused, match="not inside the text of 4 code points"):
        text_at("text", position)


WORDS = st.text(alphabet="ab \u00e9😀", min_size=1, max_size=30)


@given(WORDS, st.data())
def test_a_quote_with_all_that_surrounds_it_is_always_found_where_it_was_taken(
    text: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    exact = text[start:end]
    if exact.strip():
        found = find_quote(text, exact, prefix=text[:start], suffix=text[end:])
        assert (found.start, text_at(text, found)) == (start, exact)
