"""A position is only believed where the words quoted stand, whichever way its numbers were counted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prov_ledger.checks.citations.cited import End, Passage, Position, Unit
from prov_ledger.checks.citations.fit import fit_answer, fit_quote, to_code_points
from prov_ledger.model.records import TextPosition

_CODECS = {"utf8_bytes": ("utf-8", 1), "utf16_units": ("utf-16-le", 2), "code_points": ("utf-32-le", 4)}


def _counted(text: str, start: int, end: int, unit: Unit, base: int, end_is: End) -> Position:
    """The position that a system would write which counts so."""
    codec, width = _CODECS[unit]

    def count(at: int) -> int:
        return len(text[:at].encode(codec)) // width

    last = count(end) - (end_is == "inclusive")
    return Position(count(start) + base, last + base, unit, base, end_is)  # type: ignore[arg-type]


@given(
    text=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30),
    data=st.data(),
    unit=st.sampled_from(["code_points", "utf8_bytes", "utf16_units"]),
    base=st.sampled_from([0, 1]),
    end_is=st.sampled_from(["exclusive", "inclusive"]),
)
def test_a_span_is_found_whatever_it_was_counted_in(
    text: str, data: st.DataObject, unit: Unit, base: int, end_is: End
) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    fit = fit_quote(text, _counted(text, start, end, unit, base, end_is), text[start:end])
    assert fit is not None
    assert (fit.span, fit.unit, fit.end_is) == (TextPosition(start, end), unit, end_is)


@given(
    text=st.text(max_size=20),
    start=st.integers(-3, 30),
    end=st.integers(-3, 30),
    quote=st.text(min_size=1, max_size=6),
)
def test_whatever_is_found_is_the_quote(text: str, start: int, end: int, quote: str) -> None:
    fit = fit_quote(text, Position(start, end, end_is=None), quote)
    assert fit is None or text[fit.span.start : fit.span.end] == quote


def test_utf16_offsets_that_are_called_characters_are_recognised() -> None:
    text = "📦 parcels: 60 days"
    fit = fit_quote(text, Position(12, 19, "code_points"), "60 days")
    assert fit is not None
    assert (fit.span, fit.unit) == (TextPosition(11, 18), "utf16_units")


def test_an_end_that_is_inclusive_by_one_is_recognised() -> None:
    fit = fit_quote("within 60 days.", Position(7, 13), "60 days")
    assert fit is not None
    assert (fit.span, fit.end_is) == (TextPosition(7, 14), "inclusive")


def test_the_same_words_elsewhere_do_not_make_a_position_right() -> None:
    assert fit_quote("60 days. 30 days.", Position(9, 16), "60 days") is None


def test_the_position_decides_between_two_places_of_the_same_words() -> None:
    fit = fit_quote("a fee, no fee", Position(10, 13), "fee")
    assert fit is not None
    assert fit.span == TextPosition(10, 13)


def test_bytes_that_cut_a_character_are_no_span() -> None:
    assert to_code_points("für", (0, 2), "utf8_bytes") is None


@pytest.mark.parametrize(
    ("end_is", "beyond"), [("exclusive", 0), ("inclusive", -1)], ids=["one after", "the last character"]
)
def test_both_ends_are_tried_against_a_marker_in_the_answer(end_is: str, beyond: int) -> None:
    answer = "Goods: 60 days ([shop](https://x.y/)). More."
    start, end = answer.index("(["), answer.index(". More")
    fit = fit_answer(Passage("answer", None, Position(start, end + beyond, end_is=None), answer))
    assert fit is not None
    assert (answer[fit.span.start : fit.span.end], fit.end_is) == ("([shop](https://x.y/))", end_is)


def test_words_of_an_answer_are_not_cut() -> None:
    answer = "Returns take 60 days in the EU."
    fit = fit_answer(Passage("answer", None, Position(13, 19, end_is=None), answer))
    assert fit is not None
    assert (answer[fit.span.start : fit.span.end], fit.end_is) == ("60 days", "inclusive")


def test_where_both_ends_fit_the_convention_stays_unknown() -> None:
    answer = "It is 60 days."
    fit = fit_answer(Passage("answer", None, Position(6, 13, end_is=None), answer))
    assert fit is not None
    assert (fit.span, fit.end_is) == (TextPosition(6, 13), None)


def test_a_position_outside_the_answer_is_none() -> None:
    assert fit_answer(Passage("answer", None, Position(6, 99, end_is=None), "It is 60 days.")) is None
