"""What stands in quotation marks, and whether evidence holds it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prov_ledger.checks.answer.quotations import find_quotations, holds


@pytest.mark.parametrize("marks", ['""', "“”", "„“", "„”", "«»", "»«", "‘’", "‚‘", "''", "‹›", "””"])
def test_marks_of_english_and_german_pair(marks: str) -> None:
    text = f"It says {marks[0]}within 60 days{marks[1]}, no more."
    assert [q.exact for q in find_quotations(text)] == ["within 60 days"]


@pytest.mark.parametrize(
    "text", ["don't and won't", "the users' and the buyers' side", 'a 15" screen', "it's '90"]
)
def test_apostrophes_and_inches_quote_nothing(text: str) -> None:
    assert find_quotations(text) == ()


def test_an_apostrophe_within_single_marks_does_not_close_them() -> None:
    assert [q.exact for q in find_quotations("so ‘don’t wait’ it says")] == ["don’t wait"]


def test_pairs_of_the_same_marks_may_stand_within() -> None:
    assert [q.exact for q in find_quotations("“the “grace” period” ends")] == ["the “grace” period"]


def test_a_mark_that_nothing_closes_quotes_up_to_the_end() -> None:
    assert [q.exact for q in find_quotations("It says “within 90 days")] == ["within 90 days"]


@pytest.mark.parametrize(
    "quotation",
    [
        "within 60 days",
        "Within 60 days",
        "60 days.",
        "…60 days",
        "within\n60  days",
        "returned within 60 days …",
    ],
)
def test_a_quotation_word_for_word_is_held(quotation: str) -> None:
    assert holds(["Goods are returned within 60 days of purchase"], quotation)


@pytest.mark.parametrize(
    "quotation",
    [
        "",
        " ",
        "…",
        "0 days",
        "in 60 days",
        "within 60 day",
        "within 90 days",
        "within ... days",
        "WITHIN 60 DAYS",
    ],
)
def test_what_is_empty_cut_within_a_word_or_reworded_is_not_held(quotation: str) -> None:
    assert not holds(["Goods are returned within 60 days of purchase"], quotation)


@pytest.mark.parametrize(("evidence", "cut"), [("1.5 EUR", "5 EUR"), ("1,250 EUR", "250 EUR"), ("0.5", "0")])
def test_a_number_is_not_cut(evidence: str, cut: str) -> None:
    assert not holds([evidence], cut)


def test_marks_within_and_composed_letters_count_as_what_they_stand_for() -> None:
    assert holds(["the “grace” period’s end: Ma\u0308rz"], "the 'grace' period's end: März") is False
    assert holds(["the “grace” period’s end: Ma\u0308rz"], "the „grace“ period's end: März")


WORDS = st.lists(st.text("abcäß019.,-%", min_size=1, max_size=8), min_size=1, max_size=12)


@given(WORDS, st.data())
def test_whole_words_of_a_passage_are_always_held(words: list[str], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(words) - 1))
    end = data.draw(st.integers(start + 1, len(words)))
    quotation = " ".join(words[start:end])
    assert holds([" ".join(words)], quotation) or not any(c.isalnum() for c in quotation)
