"""Each marker yields the first code that fits; the text that is left lacks every sentence with one."""

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from prov_ledger.checks.answer.gate import Citable, Gate, Passage, kept_text, read_draft
from prov_ledger.checks.answer.titles import Titles
from prov_ledger.model.ids import mint_id
from prov_ledger.model.slots import VERDICTS

UK, EU, REMINDER = (
    mint_id(prefix, lambda size, first=first: bytes(range(first, first + size)))
    for first, prefix in enumerate(("cl", "cl", "rem"))
)
TITLES: Titles = {
    "Refund Policy (UK)": frozenset({"uk"}),
    "Refund Policy (EU)": frozenset({"eu"}),
    "Refund Policy": frozenset({"old"}),
    "Hours": frozenset({"hours"}),
}
LABELS = {"c1": UK, "c2": EU}
WORLD = {
    UK: Citable(UK, "citable", "Refunds are paid in two weeks.", (Passage("paid within 14 days", "uk"),)),
    EU: Citable(EU, "citable", None, (Passage("40", "eu", ("Fee", "Amount (EUR)", "tier", "plus 3")),)),
}


def codes(text: str, world: dict[str, Citable] = WORLD) -> list[str]:
    return list(Gate(read_draft(text, LABELS), world, TITLES).faults().values())


@pytest.mark.parametrize(
    "text",
    [
        "Refunds are paid within 14 days [c1].",
        "Refunds are paid within 14 days. [c1]",
        "Es dauert vierzehn Tage [c1].",
        "It takes two weeks [c1].",
        'According to the Refund Policy (UK), it is "paid within 14 days" [c1].',
        "Laut der „Refund Policy (UK)“ sind es 14 Tage [c1].",
        "It takes 14 days (Refund Policy (UK)) [c1].",
        "The Refund Policy (EU) is another document; yours is paid in 14 days [c1].",
        "The “Refund Policy (EU)” is another document; yours is paid in 14 days [c1].",
        "See hours below; it takes 14 days [c1].",
        "The fee is 40 EUR for plus 3 [c2].",
        "Die Gebühr beträgt 40 € [c2].",
        "It takes 14 days [c1], and costs 40 euros [c2].",
        "It takes 14 days and costs 40 EUR [c1; c2].",
        "Note [1] is missing here: sixty.",
    ],
)
def test_an_honest_sentence_passes(text: str) -> None:
    assert codes(text) == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("It takes 14 days [c9].", "malformed_id"),
        ("It takes 14 days [cl_x].", "malformed_id"),
        (f"It takes 14 days [{REMINDER}].", "reminder_cited"),
        (f"It takes 14 days [c1, {REMINDER}].", "reminder_cited"),
        (f"It takes 14 days [{REMINDER}, c9].", "malformed_id"),
        ("According to the Refund Policy (EU), it takes 14 days [c1].", "wrong_title"),
        ("Per the refund policy (eu) it takes 14 days [c1].", "wrong_title"),
        ("Under section 3 of our **Refund Policy (EU)** it takes 14 days [c1].", "wrong_title"),
        ("It takes 14 days, see “Refund Policy (EU)” [c1].", "wrong_title"),
        ("Gemäß der Refund Policy (EU) dauert es 14 Tage [c1].", "wrong_title"),
        ("Nach Refund Policy dauert es 14 Tage [c1].", "wrong_title"),
        ("It takes 14 days (Refund Policy (EU)) [c1].", "wrong_title"),
        ("Refund Policy (EU): [c1] 14 days.", "wrong_title"),
        ("It takes 14 days [c1], see Refund Policy (EU).", "wrong_title"),
        ("According to Hours it takes 14 days [c1].", "wrong_title"),
        ('It is "paid within 15 days" [c1].', "quote_not_in_evidence"),
        ("It is “paid in two weeks” [c1].", "quote_not_in_evidence"),
        ("Es heißt „zahlbar in 14 Tagen“ [c1].", "quote_not_in_evidence"),
        ('It is "" 14 days [c1].', "quote_not_in_evidence"),
        ("It is “paid within 14 days and never later [c1].", "quote_not_in_evidence"),
        ('It takes 15 days and is "paid soon" [c1].', "quote_not_in_evidence"),
        ("It takes 15 days [c1].", "value_not_in_evidence"),
        ("Es dauert fünfzehn Tage [c1].", "value_not_in_evidence"),
        ("It takes 14 weeks [c1].", "value_not_in_evidence"),
        ("It takes [c1] 15 days.", "value_not_in_evidence"),
        ("It takes 14 days from 3 March 2026 [c1].", "value_not_in_evidence"),
        ("The fee is 40 USD [c2].", "value_not_in_evidence"),
        ("It costs 40 EUR [c1], after 14 days [c2].", "value_not_in_evidence"),
    ],
)
def test_the_first_code_that_fits(text: str, code: str) -> None:
    assert codes(text)[:1] == [code]


@pytest.mark.parametrize("verdict", [verdict for verdict in VERDICTS if verdict != "citable"])
def test_whatever_is_not_citable_is_named_with_its_verdict(verdict: str) -> None:
    world = {**WORLD, UK: Citable(UK, verdict)}  # type: ignore[arg-type]
    text = 'According to Refund Policy (EU) it is "free" for 99 days [c1].'
    assert codes(text, world) == [f"not_citable:{verdict}"]


def test_each_marker_answers_for_the_text_since_the_one_before() -> None:
    assert codes("Paid in 14 days [c1], for 40 EUR [c2].") == []
    assert codes("Paid in 15 days [c1], for 41 EUR [c2].") == ["value_not_in_evidence"] * 2
    assert codes("Paid [c1] for 40 EUR [c2] in 14 days.") == ["value_not_in_evidence"]


def test_a_reference_that_the_evidence_itself_makes_is_no_wrong_title() -> None:
    world = {UK: Citable(UK, "citable", None, (Passage("As per the Refund Policy (EU), 14 days", "uk"),))}
    assert codes("As per the Refund Policy (EU), 14 days [c1].", world) == []
    assert codes("It is 14 days under Refund Policy (EU) [c1].", world) == ["wrong_title"]


def test_numbers_in_the_title_that_is_cited_need_no_evidence() -> None:
    titles = {"Fees 2026": frozenset({"uk"})}
    draft = read_draft("According to Fees 2026 it takes 14 days [c1].", LABELS)
    assert Gate(draft, WORLD, titles).faults() == {}


def cut(text: str, *numbers: int) -> str:
    draft = read_draft(text, {})
    return kept_text(draft, frozenset(draft.sentences[n] for n in numbers))


def test_cutting_leaves_the_rest_as_it_was_laid_out() -> None:
    text = "First. Second.\n\n- one\n- two\n- three\n\nLast. End."
    assert cut(text) == text
    assert cut(text, 1) == "First.\n\n- one\n- two\n- three\n\nLast. End."
    assert cut(text, 3) == "First. Second.\n\n- one\n- three\n\nLast. End."
    assert cut(text, 0, 2) == "Second.\n\n- two\n- three\n\nLast. End."
    assert cut(text, *range(7)) == ""


WORDS = st.text("abcdefgäöüß", min_size=1, max_size=7)
TOKENS = st.one_of(
    WORDS, st.integers(0, 99999).map(str), st.sampled_from(["3.50", "1.250,50", "3.", "März", "%", "z. B."])
)
EVIDENCE = st.lists(TOKENS, min_size=2, max_size=12).map(" ".join)
MARKS = st.sampled_from(['""', "“”", "„“", "»«", "«»"])


@given(st.lists(st.tuples(EVIDENCE, MARKS), min_size=1, max_size=4))
def test_an_answer_of_verbatim_quotes_with_right_markers_is_always_allowed(
    said: list[tuple[str, str]],
) -> None:
    assume(all(any(c.isalnum() for c in quote) for quote, _ in said))
    ids = [mint_id("ev") for _ in said]
    world = {
        id: Citable(id, "citable", None, (Passage(quote, "s"),))
        for id, (quote, _) in zip(ids, said, strict=True)
    }
    text = " ".join(f"It says {m[0]}{quote}{m[1]} [{id}]." for id, (quote, m) in zip(ids, said, strict=True))
    draft = read_draft(text, {})
    assert Gate(draft, world, TITLES).faults() == {}
    assert all(sentence.markers for sentence in draft.sentences)


SENTENCES = (
    "Goods may be returned within {} days of 3 March 2026.",
    "Die Gebühr beträgt {} EUR, also 7 % von allem.",
    "From 10:30 on, {} of A4 and v1.2 cost 1,250.50 EUR.",
    "Ab dem 5. Mai 2026 gilt Absatz 9: bis zu {} Stück.",
)


@given(st.sampled_from(SENTENCES), st.integers(100, 999), st.data())
def test_every_single_change_of_a_value_is_caught(form: str, number: int, data: st.DataObject) -> None:
    evidence = form.format(number)
    runs = list(re.finditer(r"\d+", evidence))
    run = data.draw(st.sampled_from(runs))
    other = data.draw(st.integers(0, 10 ** len(run[0]) - 1)).__str__().zfill(len(run[0]))
    assume(all(int(other) != int(each[0]) for each in runs))
    changed = evidence[: run.start()] + other + evidence[run.end() :]
    id = mint_id("cl")
    world = {id: Citable(id, "citable", evidence, (Passage(evidence, "s"),))}

    def code(text: str) -> list[str]:
        return list(Gate(read_draft(text, {}), world, {}).faults().values())

    assert code(f"{evidence[:-1]} [{id}].") == []
    assert code(f"{changed[:-1]} [{id}].") == ["value_not_in_evidence"]
    assert code(f"“{changed}” [{id}].") == ["quote_not_in_evidence"]
