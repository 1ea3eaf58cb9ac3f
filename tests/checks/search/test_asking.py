"""Words, stems, typing errors and order, on texts alone."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prov_ledger.checks.search.asking import keys_wanted, nearest, search
from prov_ledger.checks.search.partition import Partition
from prov_ledger.checks.search.words import keys_of, languages_of, words_of

ENGLISH = [
    "Goods may be returned within 60 days.",
    "The policies of the shop apply to every customer's order.",
]
GERMAN = [
    "Die Rückgabe der Ware ist innerhalb von 30 Tagen möglich.",
    "Bücher sind von der Lieferung befreit.",
]


def partition(*texts: str) -> Partition:
    made = Partition()
    for text in texts:
        made.add(text)
    return made


def holding_all(question: str, *texts: str) -> list[str]:
    hits = search(question, {"page": partition(*texts)})
    return [texts[hit.number] for hit in sorted(hits, key=lambda x: x.number) if hit.holds_all]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("returning goods", ENGLISH[:1]),
        ("policy orders", ENGLISH[1:]),
        ("60 day", ENGLISH[:1]),
        ("customers", ENGLISH[1:]),
        ("Rückgaben Tag", GERMAN[:1]),
        ("RUECKGABE", GERMAN[:1]),
        ("Buch Lieferungen", GERMAN[1:]),
        ("goods bicycle", []),
    ],
)
def test_a_text_is_found_by_the_stems_of_its_words(question: str, found: list[str]) -> None:
    assert holding_all(question, *ENGLISH, *GERMAN) == found


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("retruned goods", ENGLISH[:1]),
        ("polcies", ENGLISH[1:]),
        ("Rükgabe", GERMAN[:1]),
        ("Lieferugn", GERMAN[1:]),
        ("61 days", []),
        ("goodness gracious", []),
    ],
)
def test_a_typing_error_is_forgiven_and_another_number_is_not(question: str, found: list[str]) -> None:
    assert holding_all(question, *ENGLISH, *GERMAN) == found


def test_a_word_that_some_text_holds_is_never_taken_for_its_neighbour() -> None:
    assert holding_all("price", "The price is fixed.", "The prize is a book.") == ["The price is fixed."]


def test_stems_of_one_language_do_not_join_words_of_the_other() -> None:
    # The German stemmer would cut both to "lat".
    assert holding_all("late", "You may not return it later than that.") == []


def test_a_text_without_function_words_is_filed_under_both_languages() -> None:
    assert languages_of(words_of("Rückgabe 30 Tage")) == ("en", "de")
    assert holding_all("Tag", "Rückgabe 30 Tage") == ["Rückgabe 30 Tage"]


def test_the_shorter_text_and_the_rarer_word_come_first() -> None:
    texts = ["fees apply", "fees apply to every order that is sent abroad by sea", "order order order"]
    hits = search("fees", {"page": partition(*texts)})
    assert [hit.number for hit in hits] == [0, 1]
    hits = search("order abroad", {"page": partition(*texts)})
    assert hits[0].number == 1


WORDS = [
    "return",
    "returns",
    "goods",
    "fee",
    "fees",
    "60",
    "30",
    "days",
    "refund",
    "policy",
    "policies",
    "order",
]


@given(st.data())
def test_what_is_not_handed_in_changes_no_score_no_order_and_no_match(data: st.DataObject) -> None:
    choose = random.Random(data.draw(st.integers(0, 10**6)))

    def texts() -> list[str]:
        return [" ".join(choose.choices(WORDS, k=choose.randint(1, 8))) for _ in range(choose.randint(0, 5))]

    mine = {name: texts() for name in ("a", "b", "c")}
    question = " ".join(choose.choices([*WORDS, "retrun", "polcy"], k=3))
    alone = search(question, {name: partition(*found) for name, found in mine.items()})
    everything = {name: partition(*found) for name, found in (mine | {"hidden": texts() + WORDS}).items()}
    shown = search(question, {name: everything[name] for name in mine})
    assert shown == alone


@given(st.lists(st.text(alphabet="abcde", min_size=3, max_size=9), max_size=8), st.text("abcde", min_size=1))
def test_the_nearest_word_is_one_that_few_letters_part(forms: list[str], word: str) -> None:
    most = 0 if len(word) < 5 else 1 if len(word) < 8 else 2
    near = {keys_of(form) for form in forms if distance(word, form) <= most}
    found = nearest(word, set(forms))
    if near and most:
        closest = min(distance(word, form) for form in forms)
        assert found in {keys_of(form) for form in forms if distance(word, form) == closest}
    elif not most:
        assert found == ()


def distance(one: str, other: str) -> int:
    """Letters changed, missing, added or swapped with their neighbour, counted the slow way."""
    rows = [[i + j if not i * j else 0 for j in range(len(other) + 1)] for i in range(len(one) + 1)]
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            cost = one[i - 1] != other[j - 1]
            rows[i][j] = min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + cost)
            if i > 1 and j > 1 and one[i - 1] == other[j - 2] and one[i - 2] == other[j - 1]:
                rows[i][j] = min(rows[i][j], rows[i - 2][j - 2] + 1)
    return rows[-1][-1]


def test_a_word_without_any_neighbour_keeps_its_own_keys() -> None:
    assert keys_wanted("zebra", {"page": partition(*ENGLISH)}) == [keys_of("zebra")]
