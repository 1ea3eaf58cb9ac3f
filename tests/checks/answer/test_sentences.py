"""Where the sentences of an answer end; where it is not sure they do not."""

import time

import pytest

from prov_ledger import Refused
from prov_ledger.checks.answer.gate import parse_answer
from prov_ledger.checks.answer.markers import find_markers
from prov_ledger.checks.answer.sentences import find_sentences


def split(text: str) -> list[str]:
    return [text[s.start : s.end] for s in find_sentences(text, find_markers(text))]


@pytest.mark.parametrize(
    "sentences",
    [
        ("You have 60 days.", "Then it ends."),
        ("It costs 60.", "It ends!", "Does it?", "Yes."),
        ("Es endet am 3. März 2026.", "Danach gilt nichts."),
        ("Ab dem 1. Quartal z. B. in bar, d. h. ohne Karte.", "Sonst nicht."),
        ("Die 2. Mahnung kostet 3,50 EUR.", "Die 3. auch."),
        ("See e.g. No. 4 or sec. 5 by Dr. Wu.", "It is short."),
        ("Version 1.2.3 costs 1.250,50 EUR.", "Others are free."),
        ("He wrote: “Stop. Go on.”", "Fine."),
        ("Sie schrieb: „Halt. Weiter.“", "Gut."),
        ("Danke… sehr gern.", "Bitte."),
        ("Erst dies [c1].", "Dann das [c2]."),
    ],
)
def test_each_sentence_is_one(sentences: tuple[str, ...]) -> None:
    assert split(" ".join(sentences)) == list(sentences)


@pytest.mark.parametrize(
    "text",
    ["It is 60. days of it.", "Bis zum 15. Danach nicht.", "It is “open. And never closed.", "U. S. Law."],
)
def test_what_may_not_be_an_end_is_none(text: str) -> None:
    assert split(text) == [text]


def test_items_rows_and_paragraphs_are_apart_and_their_marks_are_no_text() -> None:
    text = "Intro\n\n- one [c1]\n* two\n  goes on\n1. three\n2. four\n> five\n| six | 7 |\n|---|---|\n"
    assert split(text) == ["Intro", "one [c1]", "two\n  goes on", "three", "four\n> five", " six | 7 |"]


def test_a_number_that_counts_no_list_is_text() -> None:
    assert split("90. days\n3. März ist spät") == ["90. days\n3. März ist spät"]


def test_a_heading_is_no_sentence_unless_it_says_a_number_or_cites() -> None:
    assert split("# Returns\n## 90 days\n### Sure [c1]\nText.") == ["90 days", "Sure [c1]", "Text."]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A day. [c1] B day.", ["A day. [c1]", "B day."]),
        ("A day [c1]. [c2] says B.", ["A day [c1].", "[c2] says B."]),
        ("A day. [c1] says B.", ["A day.", "[c1] says B."]),
        ("A day. [c1][c2]", ["A day. [c1][c2]"]),
        ("A day\n\n[c1]", ["A day\n\n[c1]"]),
        ("A day.[c1]", ["A day.[c1]"]),
    ],
)
def test_a_marker_after_the_full_stop_belongs_to_the_sentence_before(text: str, expected: list[str]) -> None:
    assert split(text) == expected


def test_every_marker_is_in_one_sentence() -> None:
    text = "[c1]\n# [c2]\n```\n[c3]\n```\n|[c4]|\n- [c5]. [c6]"
    held = [m.parts[0] for s in find_sentences(text, find_markers(text)) for m in s.markers]
    assert held == ["c1", "c2", "c3", "c4", "c5", "c6"]


@pytest.mark.parametrize(
    "unit", ["60 days [c1] for “goods”. ", "'a ", "“a ", "[c1]. ", "a.[c1] ", "a.\n", "[c1] "]
)
def test_an_answer_is_read_in_time_that_grows_as_its_length(unit: str) -> None:
    def seconds(size: int) -> float:
        began = time.process_time()
        parse_answer((unit * size)[:size])
        return time.process_time() - began

    short, long = (min(seconds(size) for _ in range(3)) for size in (10_000, 80_000))
    # Eight times the text; sixty-four times the time would be the square.
    assert long < 30 * max(short, 0.015)


def test_a_longer_answer_than_may_be_is_refused() -> None:
    with pytest.raises(Refused, match="200000 may be checked"):
        parse_answer("x" * 200_001)
