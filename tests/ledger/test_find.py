"""Finding evidence and passages: exactly what may be shown, and nothing of what may not."""

import asyncio
import random
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import snowballstemmer

from prov_ledger import Ledger
from prov_ledger.checks.search.words import languages_of, words_of
from prov_ledger.ledger.async_ledger import AsyncLedger
from prov_ledger.ledger.finding import Found
from tests.ledger.worlds import Clock, refused

STEMMERS = {"en": snowballstemmer.stemmer("english"), "de": snowballstemmer.stemmer("german")}
_WORDS = """
return returns returned goods order orders fee fees policy policies days 30 60 within the of customer
customers Rückgabe Rückgaben Ware Waren Tage Tagen innerhalb der die von Buch Bücher
"""
VOCABULARY = _WORDS.split()


def told(found: Found) -> list[tuple[object, ...]]:
    """What a finding says, apart from ids, which differ from ledger to ledger."""
    evidence = [(x.quote, x.score, x.title, x.label) for x in found.evidence]
    return [*evidence, *((x.text, x.score, x.title, x.start) for x in found.passages)]


def same(word: str, other: str, languages: tuple[str, ...]) -> bool:
    """Whether two words are the same number, or have the same stem in one of the languages."""
    if word.isdigit() or other.isdigit():
        return word == other
    return any(STEMMERS[x].stemWord(word) == STEMMERS[x].stemWord(other) for x in languages)


def holds(quote: str, question: str) -> bool:
    words = words_of(quote)
    return all(any(same(w, x, languages_of(words)) for x in words) for w in words_of(question))


class Pages:
    """A ledger of random pages, a reader of some of them, and what a slow search would find."""

    def __init__(self, folder: Path, seed: int, unreadable: int) -> None:
        self.choose = random.Random(seed)
        self.clock = Clock()
        self.ledger = Ledger.init(folder, clock=self.clock, facts={"bought": "date"})
        self.quotes: dict[str, str] = {}
        for number in range(6):
            self.page(f"page {number}", readable=True)
        others, self.choose = self.choose, random.Random(seed + 1)
        for number in range(unreadable):
            self.page(f"hidden {number}", readable=False)
        self.choose = others

    def page(self, title: str, readable: bool) -> None:
        source = self.ledger.source(native=title, title=title)
        if readable:
            self.ledger.grant("ida", source)
        for label in range(self.choose.randint(1, 3)):
            sentences = [self.sentence() for _ in range(4)]
            revision = self.ledger.revision(source, data="\n\n".join(sentences), label=str(label))
            for quote in self.choose.sample(sentences, 2):
                if sentences.count(quote) == 1 and "\n\n".join(sentences).count(quote) == 1:
                    scope = self.choose.choice([None, None, [{"fact": "bought", "from": "2026-03-01"}]])
                    id = self.ledger.evidence(revision, quote=quote, scope=scope)
                    self.quotes[id] = quote
            self.clock.step(3600)

    def sentence(self) -> str:
        return " ".join(self.choose.choices(VOCABULARY, k=self.choose.randint(3, 7))) + "."

    def question(self) -> str:
        return " ".join(self.choose.choices(VOCABULARY, k=self.choose.randint(1, 2)))

    def twin(self, question: str, facts: dict[str, object]) -> set[str]:
        slots = self.ledger.resolve(list(self.quotes), principal="ida", facts=facts)
        citable = [slot.id for slot in slots if slot.verdict == "citable"]
        return {id for id in citable if holds(self.quotes[id], question)}


@pytest.mark.parametrize("seed", range(8))
def test_exactly_the_evidence_of_a_slow_search_is_found(tmp_path: Path, seed: int) -> None:
    pages, some = Pages(tmp_path / "ledger", seed, unreadable=3), 0
    with pages.ledger as ledger:
        for round in range(25):
            question = pages.question()
            facts: dict[str, object] = {"bought": "2026-06-01"} if round % 2 else {}
            found = ledger.find(question, facts, "ida", limit=None)
            assert {x.id for x in found.evidence} == pages.twin(question, facts), question
            some += len(found.evidence)
            if round % 8 == 7:
                pages.page(f"later {round}", readable=True)
    assert some


@pytest.mark.parametrize("seed", range(4))
def test_pages_that_may_not_be_read_change_no_result_no_score_and_no_order(tmp_path: Path, seed: int) -> None:
    with (
        Pages(tmp_path / "with", seed, unreadable=9).ledger as much,
        Pages(tmp_path / "without", seed, unreadable=0).ledger as little,
    ):
        choose = random.Random(seed)
        questions = [" ".join(choose.choices([*VOCABULARY, "retruned", "polcies"], k=2)) for _ in range(40)]
        for question in questions:
            shown = [told(x.find(question, {}, "ida", limit=None)) for x in (much, little)]
            assert shown[0] == shown[1], question
        assert any(told(little.find(question, {}, "ida")) for question in questions)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def shop(tmp_path: Path, clock: Clock) -> Iterator[Ledger]:
    with Ledger.init(tmp_path / "ledger", clock=clock) as ledger:
        yield ledger


def page(ledger: Ledger, text: str, native: str = "returns", **given: str) -> tuple[str, str]:
    source = ledger.source(native=native, title=native.capitalize())
    return source, ledger.revision(source, data=text, label=given.pop("label", "1"), **given)  # type: ignore[arg-type]


def passages(ledger: Ledger, text: str, principal: str | None = None) -> list[str]:
    return [x.text for x in ledger.find(text, principal=principal, limit=None).passages]


def test_a_passage_is_listed_until_it_is_evidence(shop: Ledger) -> None:
    _, revision = page(shop, "Goods may be returned.\n\nShipping is free.")
    (found,) = shop.find("returned goods").passages
    assert (found.text, found.revision, found.title) == ("Goods may be returned.", revision, "Returns")
    evidence = shop.evidence(revision, quote=found.text)
    after = shop.find("returned goods")
    assert ([x.id for x in after.evidence], after.passages) == ([evidence], ())


def test_a_quote_of_other_words_leaves_the_rest_of_its_passage_to_be_found(shop: Ledger) -> None:
    _, revision = page(shop, "Shipping is free, and goods may be returned.")
    shop.evidence(revision, quote="Shipping is free")
    assert passages(shop, "returned goods") == ["Shipping is free, and goods may be returned."]


def test_a_passage_of_which_a_part_does_not_apply_is_not_listed(shop: Ledger) -> None:
    shop.declare_fact("region", "code")
    _, revision = page(shop, "Goods may be returned. In France books too.")
    shop.evidence(revision, quote="In France books too", scope=[{"fact": "region", "in": ["FR"]}])
    assert shop.find("returned goods", {"region": "DE"}).passages == ()


def test_only_pages_that_govern_are_listed(shop: Ledger, clock: Clock) -> None:
    source, _ = page(shop, "Returned goods: 30 days.")
    clock.step(86400)
    shop.revision(source, data="Returned goods: 60 days.", label="2")
    clock.step(86400)
    assert passages(shop, "returned goods") == ["Returned goods: 60 days."]
    on = shop.find("returned goods", {"question_date": clock.now - timedelta(days=1, hours=1)})
    assert [x.text for x in on.passages] == ["Returned goods: 30 days."]
    shop.check(source, "changed")
    assert passages(shop, "returned goods") == []
    shop.check(source, "current")
    shop.retire(source, clock.now)
    assert passages(shop, "returned goods") == []


def test_two_pages_of_a_source_that_govern_at_once_are_not_listed(shop: Ledger) -> None:
    scope = [{"fact": "question_date", "from": "2026-01-01", "until": "open"}]
    source, _ = page(shop, "Returned goods: 30 days.")
    for label, days in (("2", 60), ("3", 90)):
        shop.revision(source, data=f"Returned goods: {days} days.", label=label, scope=scope)
    assert passages(shop, "returned goods") == []


def test_a_passage_can_be_captured_as_it_is_given(shop: Ledger) -> None:
    text = "# Returns\n\n- Goods may be returned.\n- Books may not be returned.\n"
    _, revision = page(shop, text, media_type="text/markdown")
    first, second = shop.find("returned").passages
    for passage in (first, second):
        assert text[passage.start : passage.end] == passage.text
        assert passage.header_path == ("Returns",)
        shop.evidence(revision, quote=passage.text)
    assert len(shop.find("returned").evidence) == 2


def test_a_table_row_is_a_passage_with_its_columns(shop: Ledger) -> None:
    _, revision = page(shop, "tier,window\nplus,60 days\nbasic,30 days\n", media_type="text/csv")
    (found,) = shop.find("plus window").passages
    assert (found.text, found.row) == ("tier: plus; window: 60 days", 1)
    evidence = shop.evidence(revision, cell={"row": found.row, "column": "window"})
    assert [x.id for x in shop.find("plus window").evidence] == [evidence]


def test_a_source_denied_or_a_grant_revoked_takes_everything_of_it_away(shop: Ledger) -> None:
    source, revision = page(shop, "Goods may be returned.\n\nReturned books are goods.")
    shop.evidence(revision, quote="Goods may be returned.")
    shop.grant("ida", source)
    assert told(shop.find("returned goods", principal="ida"))
    shop.deny(source, "under review")
    assert shop.find("returned goods", principal="ida") == shop.find("returned goods") == Found()
    shop.allow(source, "reviewed")
    shop.revoke("ida", source)
    assert shop.find("returned goods", principal="ida") == Found()
    assert shop.find("returned goods", principal="nobody") == Found()


def test_facts_for_want_of_which_evidence_is_left_out_are_told(shop: Ledger) -> None:
    shop.declare_fact("region", "code")
    source, revision = page(shop, "Goods may be returned within 60 days.")
    shop.evidence(revision, quote="within 60 days", scope=[{"fact": "region", "in": ["DE"]}])
    assert shop.find("days").missing == ("region",)
    assert shop.find("days", {"region": "DE"}).missing == ()
    assert shop.find("weeks").missing == ()
    shop.grant("ida", source)
    assert shop.find("days", principal="ida").missing == ("region",)
    assert shop.find("days", principal="eve") == Found()


def test_facts_that_nobody_looked_at_are_told_also_of_passages(shop: Ledger) -> None:
    shop.declare_fact("bought", "date")
    page(shop, "Goods may be returned within 60 days.")
    found = shop.find("days", {"bought": "2026-07-02"})
    assert (found.passages, found.missing, found.unconsidered) == ((), (), ("bought",))


def test_the_limit_counts_evidence_and_passages_each_best_first(shop: Ledger) -> None:
    _, revision = page(
        shop, "Fee one.\n\nFee two fee.\n\nFee three.\n\nFee fee fee.\n\nFee five of many more."
    )
    shop.evidence(revision, quote="Fee one.")
    shop.evidence(revision, quote="Fee two fee.")
    everything, few = shop.find("fee", limit=None), shop.find("fee", limit=1)
    assert (len(everything.evidence), len(everything.passages)) == (2, 3)
    assert few == Found(everything.evidence[:1], everything.passages[:1])
    assert refused(lambda: shop.find("fee", limit=0)) == "bad_input"


def write_and_stop(shop: Ledger) -> None:
    with shop.batch():
        page(shop, "Secret goods.", native="secret")
        assert passages(shop, "secret goods") == ["Secret goods."]
        raise KeyboardInterrupt


def test_a_write_that_is_undone_leaves_nothing_to_be_found(shop: Ledger) -> None:
    page(shop, "Goods may be returned.")
    with pytest.raises(KeyboardInterrupt):
        write_and_stop(shop)
    page(shop, "Other goods.", native="other")
    assert passages(shop, "secret") == []
    assert sorted(passages(shop, "goods")) == ["Goods may be returned.", "Other goods."]


def test_what_is_found_is_recorded_as_shown(shop: Ledger) -> None:
    _, revision = page(shop, "Goods may be returned.\n\nReturned books are goods.")
    evidence = shop.evidence(revision, quote="Goods may be returned.")
    shop.find("returned goods", principal="ida")
    assert [x.disclosed.id for x in shop._tenant.disclosures.read()] == []
    shop.find("returned goods")
    assert [x.disclosed.id for x in shop._tenant.disclosures.read()] == [evidence, revision]


# the index


def test_the_index_is_refused_a_place_inside_the_ledger(shop: Ledger, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "ledger", target_is_directory=True)
    for place in ("ledger", "ledger/index", "ledger/tenants/../x", "link/index"):
        assert refused(lambda place=place: shop.keep_search_index(tmp_path / place)) == "bad_input"


def test_by_default_nothing_is_written_anywhere(shop: Ledger, tmp_path: Path) -> None:
    page(shop, "Goods may be returned.")
    shop.find("goods")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not [path for path in files if b"returned" in path.read_bytes() or path.suffix == ".search"]


def test_an_index_kept_in_a_folder_answers_as_one_made_anew(tmp_path: Path, clock: Clock) -> None:
    place = tmp_path / "index"
    with Ledger.init(tmp_path / "ledger", clock=clock) as first:
        _, revision = page(first, "Goods may be returned.\n\nReturned books are goods.")
        first.evidence(revision, quote="Goods may be returned.")
        first.keep_search_index(place)
        expected = first.find("returned goods")
    (file,) = place.iterdir()
    assert file.stat().st_mode & 0o077 == 0
    with Ledger.open(tmp_path / "ledger", clock=clock) as second:
        second.keep_search_index(place)
        assert second.find("returned goods") == expected
        page(second, "More goods.", native="more")
        assert "More goods." in passages(second, "goods")
        file.write_bytes(b"torn")
    with Ledger.open(tmp_path / "ledger", clock=clock) as third:
        third.keep_search_index(place)
        assert third.find("returned goods").evidence[0].id == expected.evidence[0].id
        third.drop_search_index()
        assert list(place.iterdir()) == []
        assert third.find("returned goods").evidence


def test_an_index_of_another_ledger_in_the_same_folder_is_not_taken(tmp_path: Path, clock: Clock) -> None:
    for number in range(2):
        with Ledger.init(tmp_path / f"ledger{number}", clock=clock) as ledger:
            page(ledger, f"Goods number{number}.")
            ledger.keep_search_index(tmp_path / "index")
            assert passages(ledger, "goods") == [f"Goods number{number}."]
    assert len(list((tmp_path / "index").iterdir())) == 2


async def _find_awaited(ledger: Ledger) -> Found:
    async with AsyncLedger(ledger) as awaited:
        return await awaited.find("goods")


def test_it_can_be_awaited(tmp_path: Path) -> None:
    ledger = Ledger.init(tmp_path / "ledger")
    page(ledger, "Goods may be returned.")
    assert len(asyncio.run(_find_awaited(ledger)).passages) == 1
