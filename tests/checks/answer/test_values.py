"""Values are compared as values, in English and German writing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prov_ledger.checks.answer.values import Stock, missing_values


def borne_out(told: str, known: str) -> bool:
    return not missing_values(told, [Stock.of(known)])


ALIKE = [
    ("1,250.50", "1.250,50"),
    ("1'250.50", "1 250,50"),
    ("1.250", "1,250"),
    ("60", "60.00"),
    ("3 March 2026", "2026-03-03"),
    ("3 March 2026", "3. März 2026"),
    ("March 3rd, 2026", "03.03.2026"),
    ("3 Mar 2026", "3. Mrz. 2026"),
    ("03/04/2026", "3/4/2026"),
    ("25/04/2026", "2026-04-25"),
    ("04/04/2026", "2026-04-04"),
    ("June 2026", "Juni 2026"),
    ("in May", "im Mai"),
    ("sixty days", "60 Tage"),
    ("sechzig Tage", "60 days"),
    ("one hundred and twenty", "hundertzwanzig"),
    ("fünf", "fuenf"),
    ("5 %", "5 percent"),
    ("5 Prozent", "5%"),
    ("€1,250", "1.250 EUR"),
    ("1.5 million euros", "1.500.000 €"),
    ("1,5 Mio.", "1.5m"),
    ("10k", "10,000"),
    ("2½", "2.5"),
    ("10:30", "10.30 Uhr"),
    ("10 pm", "22:00"),
    ("10 Uhr", "ten"),
    ("30-day", "30 Tage"),
    ("２１", "21"),
    ("２．５％", "2.5 %"),
    ("⑥⓪ days", "60 days"),
    ("⁶⁰ days", "60 days"),
    ("⑫ months", "twelve months"),
    ("Ⅻ months", "12 months"),
    ("٦٠ days", "60 days"),
    ("٢٫٥ %", "2.5 %"),
    ("20 m²", "20 m²"),
    ("a dozen", "12"),
    ("two dozen eggs", "24 eggs"),
    ("ein Dutzend", "12"),
    ("half a dozen", "6"),
    ("three score and ten years", "60 and 10 years"),
    ("half a day", "0.5 days"),
    ("half an hour", "½ hour"),
    ("einen halben Tag", "0,5 Tage"),
    ("two and a half days", "2.5 days"),
    ("zweieinhalb Tage", "2,5 Tage"),
    ("anderthalb Jahre", "1.5 years"),
    ("one month", "a month"),
    ("a million", "1,000,000"),
    ("**60** days", "60 days"),
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_two_writings_of_one_value_agree_either_way(one: str, other: str) -> None:
    assert borne_out(one, other)
    assert borne_out(other, one)


APART = [
    ("60", "90"),
    ("60 days", "60 weeks"),
    ("5 %", "5 days"),
    ("5 %", "chapter 5"),
    ("5 EUR", "5 USD"),
    ("EUR 5", "section 5"),
    ("1.250,50", "1.250,05"),
    ("1.25", "1250"),
    ("3 March 2026", "4 March 2026"),
    ("3 March 2026", "3 March 2025"),
    ("03/04/2026", "2026-05-03"),
    ("03/04/2026", "2026-04-03"),
    ("03/04/2026", "2026-03-04"),
    ("3 April 2026", "03/04/2026"),
    ("April 2026", "03/04/2026"),
    ("in May", "in June"),
    ("10 am", "10 pm"),
    ("10:00:30", "10:00:31"),
    ("-5", "5"),
    ("A4", "A5"),
    ("v1.2", "v1.3"),
    ("1.2.3", "1.2.4"),
    ("88-1417", "88-1418"),
    ("sixty", "sixteen"),
    ("one month", "two months"),
    ("einen Monat", "zwei Monate"),
    ("2nd", "3rd"),
    ("⑨⓪ days", "60 days"),
    ("⁹⁰ days", "60 days"),
    ("Ⅻ months", "11 months"),
    ("a dozen days", "10 days"),
    ("half a year", "a year"),
    ("two and a half days", "two days"),
    ("1 day", "an order of one of them"),
    ("60%", "6%"),
    ("2 million", "2 billion"),
    ("123456789012345678901234567890123", "123456789012345678901234567890124"),
    ("1" + "0" * 5000, "1" + "0" * 5001),
]


@pytest.mark.parametrize(("told", "known"), APART)
def test_another_value_is_not_borne_out(told: str, known: str) -> None:
    assert not borne_out(told, known)


def test_the_year_of_a_date_that_may_be_two_days_is_borne_out() -> None:
    assert borne_out("2026", "03/04/2026")
    assert borne_out("3 April 2026", "03/04/2026, that is the 3rd of April 2026")


@pytest.mark.parametrize("told", ["March 2026", "2026", "in March 2026"])
def test_less_of_a_date_is_borne_out(told: str) -> None:
    assert borne_out(told, "from 3 March 2026 on")


@pytest.mark.parametrize("known", ["March 2026", "3 March", "2026"])
def test_more_of_a_date_is_not(known: str) -> None:
    assert not borne_out("3 March 2026", known)


def test_a_unit_may_stand_in_the_header_of_a_cell() -> None:
    assert borne_out("40 EUR", "40; Fee; Amount (EUR)")
    assert borne_out("40 %", "40; Share in percent")
    assert not borne_out("40 USD", "40; Fee; Amount (EUR)")


@pytest.mark.parametrize(
    "told",
    [
        "one of them, once a day",
        "eine der Seiten",
        "you may march",
        "no number",
        "dozens of cases, its score, by half",
        "days¹",
        "null and void",
        "[x](http://a/2026)",
    ],
)
def test_words_that_are_no_values_need_nothing(told: str) -> None:
    assert borne_out(told, "")


def test_values_of_two_passages_are_not_put_together() -> None:
    assert missing_values("3 March 2026", [Stock.of("3 March"), Stock.of("2026")])


def _english(number: int, cents: int) -> str:
    return f"{number:,}.{cents:02d}"


def _german(number: int, cents: int) -> str:
    return _english(number, cents).translate(str.maketrans(",.", ".,"))


@given(st.integers(0, 10**9), st.integers(0, 99))
def test_every_amount_agrees_between_the_languages(number: int, cents: int) -> None:
    assert borne_out(_english(number, cents) + " EUR", "€ " + _german(number, cents))


@given(st.integers(0, 10**9), st.integers(0, 99), st.integers(1, 10**9))
def test_no_amount_agrees_with_another(number: int, cents: int, more: int) -> None:
    assert not borne_out(_english(number, cents), _german(number + more, cents))


ENGLISH = "January February March April May June July August September October November December"
GERMAN = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember"
MONTHS = {"en": ENGLISH.split(), "de": GERMAN.split()}
WRITINGS = [
    lambda d: d.isoformat(),
    lambda d: f"{d.day} {MONTHS['en'][d.month - 1]} {d.year}",
    lambda d: f"{MONTHS['en'][d.month - 1]} {d.day}, {d.year}",
    lambda d: f"{d.day}. {MONTHS['de'][d.month - 1]} {d.year}",
    lambda d: f"{d.day:02d}.{d.month:02d}.{d.year}",
    lambda d: f"{d.day}/{d.month}/{d.year}",
]


@given(st.dates(), st.sampled_from(WRITINGS), st.sampled_from(WRITINGS))
def test_every_date_agrees_in_all_writings(day, one, other) -> None:  # type: ignore[no-untyped-def]
    says_which_is_the_day = day.day > 12 or day.day == day.month or WRITINGS[5] not in (one, other)
    if day.year >= 1000 and (says_which_is_the_day or one is other):
        assert borne_out(one(day), other(day))


@given(st.dates(), st.dates(), st.sampled_from(WRITINGS[:5]), st.sampled_from(WRITINGS[:5]))
def test_no_date_agrees_with_another(day, another, one, other) -> None:  # type: ignore[no-untyped-def]
    if day != another and day.year >= 1000 and another.year >= 1000:
        assert not borne_out(one(day), other(another))
