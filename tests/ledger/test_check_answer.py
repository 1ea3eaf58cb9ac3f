"""The gate on a ledger: what a reader may be shown now, whatever was allowed before."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from prov_ledger import Ledger
from prov_ledger.errors import Refused
from prov_ledger.ledger.answering import CheckedAnswer

TABLE = "tier,fee EUR\nbasic,40\nplus 2,55\n"


@dataclass
class Shop:
    ledger: Ledger
    uk: str
    eu: str
    cuk: str
    ceu: str
    reminder: str

    def check(self, text: str, **given: object) -> CheckedAnswer:
        asked: dict[str, object] = {"principal": "bot", "facts": {"region": "GB"}, "thread": "t", **given}
        filled = text.format(cuk=self.cuk, ceu=self.ceu, reminder=self.reminder)
        return self.ledger.check_answer(filled, **asked)  # type: ignore[arg-type]


def quoted(ledger: Ledger, source: str, text: str, says: str, **scope: object) -> tuple[str, str]:
    revision = ledger.revision(source, data=text, label="1", **scope)  # type: ignore[arg-type]
    evidence = ledger.evidence(revision, quote=text)
    return evidence, claimed(ledger, evidence, says)


def claimed(ledger: Ledger, evidence: str, says: str) -> str:
    question = {"text": "When?", "facts": {}}
    return ledger.claim(says=says, support=[evidence], transformation={"kind": "select"}, question=question)


@pytest.fixture(params=["memory", "sparql"])
def shop(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Shop]:
    with Ledger.init(tmp_path / "ledger", facts={"region": "code"}, reader=request.param) as ledger:
        uk = ledger.source(native="uk", title="Refund Policy (UK)")
        eu = ledger.source(native="eu", title="Refund Policy (EU)")
        only_gb = [{"fact": "region", "in": ["GB"]}]
        _, cuk = quoted(ledger, uk, "Paid within 14 days.", "Refunds take two weeks.", scope=only_gb)
        _, ceu = quoted(ledger, eu, "Paid within 30 days.", "Refunds take 30 days.", scope=only_gb)
        for source in (uk, eu):
            ledger.grant("bot", source)
        reminder = ledger.remind([cuk, ceu], 300, thread="t", readers=["bot"]).id
        yield Shop(ledger, uk, eu, cuk, ceu, reminder)


def test_a_sound_answer_comes_back_whole(shop: Shop) -> None:
    text = 'According to the Refund Policy (UK), it is "Paid within 14 days" [{cuk}].'
    checked = shop.check(text)
    assert (checked.allowed, checked.codes, checked.partial) == (True, (), False)
    assert checked.text == text.format(cuk=shop.cuk)
    assert checked.cited == (shop.cuk,)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("It takes 14 days [cl_000].", "malformed_id"),
        ("It takes 14 days [c3].", "malformed_id"),
        ("It takes 14 days [{reminder}].", "reminder_cited"),
        ("According to the Refund Policy (EU), it takes 14 days [c1].", "wrong_title"),
        ("It is “paid after 14 days” [c1].", "quote_not_in_evidence"),
        ("It takes 21 days [c1].", "value_not_in_evidence"),
        ("It takes 14 days.", "no_citation"),
    ],
)
def test_each_code_blocks_and_leaves_nothing(shop: Shop, text: str, code: str) -> None:
    checked = shop.check(text)
    assert (checked.allowed, checked.codes, checked.text, checked.partial) == (False, (code,), "", True)


def test_the_verdict_of_what_is_not_citable_is_named(shop: Shop) -> None:
    assert shop.check("14 days [c1].", facts={"region": "DE"}).codes == ("not_citable:not_applicable",)
    assert shop.check("14 days [c1].", facts={}).codes == ("not_citable:unknown",)
    assert shop.check("14 days [{cuk}].", principal="nobody").codes == ("not_citable:withheld",)


def test_only_the_sentence_with_the_faulty_marker_is_cut(shop: Shop) -> None:
    checked = shop.check("Hello. It takes 14 days [c1]. Or 99 days [c2].\n\nBye.")
    assert checked.text == "Hello. It takes 14 days [c1].\n\nBye."
    assert checked.partial
    assert checked.uncited == ("Hello.", "Bye.")
    assert [(f.marker, f.code, f.sentence) for f in checked.faults] == [
        ("[c2]", "value_not_in_evidence", "Or 99 days [c2].")
    ]


def test_strict_blocks_on_sentences_without_a_citation_and_cuts_them(shop: Shop) -> None:
    text = "Hello. It takes 14 days [c1]."
    assert shop.check(text).allowed
    checked = shop.check(text, strict=True)
    assert (checked.allowed, checked.codes, checked.text) == (False, ("uncited",), "It takes 14 days [c1].")
    assert shop.check(checked.text, strict=True).allowed


def test_a_stored_answer_replayed_after_access_was_revoked_fails(shop: Shop) -> None:
    text = "It takes 14 days [{cuk}]."
    assert shop.check(text).allowed
    shop.ledger.revoke("bot", shop.uk)
    checked = shop.check(text)
    assert (checked.codes, checked.text) == (("not_citable:withheld",), "")


def test_a_title_that_the_reader_may_not_see_is_nothing_to_go_by(shop: Shop) -> None:
    text = "According to the Refund Policy (EU), it takes 14 days [c1]."
    shop.ledger.revoke("bot", shop.eu)
    assert shop.check(text).codes == ()


def test_a_new_title_counts_from_then_on(shop: Shop) -> None:
    text = "According to the Great Book, it takes 14 days [c1]."
    assert shop.check(text).allowed
    shop.ledger.source(native="eu", title="Great Book")
    assert shop.check(text).codes == ("wrong_title",)


def test_labels_are_those_of_the_reader_own_thread(shop: Shop) -> None:
    assert shop.check("It takes 30 days [c2].").allowed
    assert shop.check("It takes 30 days [c2].", thread=None).codes == ("malformed_id",)
    assert shop.check("It takes 30 days [c2].", thread="other").codes == ("malformed_id",)
    shop.ledger.grant("eve", shop.eu)
    assert shop.check("It takes 30 days [c2].", principal="eve").codes == ("malformed_id",)


def test_a_label_means_the_claim_that_its_reader_was_shown_under_it_last(shop: Shop) -> None:
    third = shop.ledger.source(native="third", title="Notes", indifferent_to=["region"])
    shop.ledger.grant("bot", third)
    _, claim = quoted(shop.ledger, third, "Never paid.", "Refunds are never paid.")
    packet = shop.ledger.remind([shop.cuk, shop.ceu, claim], 300, thread="t")
    assert shop.check("Never [c3].").cited == (claim,)
    shop.ledger.revoke("bot", shop.uk)
    assert shop.check("Never [c1].").codes == ("not_citable:withheld",)
    assert shop.check("Never [c3].").cited == (claim,)
    assert "[c2] " + claim in shop.ledger.packet(packet.id, principal="bot").text
    assert shop.check("Never [c2].").cited == (claim,)
    assert shop.check("Never [c3].").codes == ("malformed_id",)


def test_a_contradiction_that_the_thread_knows_must_be_cited_too(shop: Shop) -> None:
    shop.ledger.contradict([shop.cuk, shop.ceu])
    one, both = "It takes 14 days [c1].", "It takes 14 days [c1], or 30 [c2]."
    checked = shop.check(one)
    assert (checked.allowed, checked.codes, checked.text) == (False, ("omitted_conflict",), one)
    assert shop.check(both).codes == ()
    assert shop.check(one.replace("c1", shop.cuk), thread=None).codes == ()


def test_a_contradiction_that_the_reader_may_not_see_is_no_omission(shop: Shop) -> None:
    shop.ledger.contradict([shop.cuk, shop.ceu])
    shop.ledger.revoke("bot", shop.eu)
    assert shop.check("It takes 14 days [c1].").codes == ()


def test_what_the_thread_has_resolved_is_known_to_it(shop: Shop) -> None:
    third = shop.ledger.source(native="third", title="Notes", indifferent_to=["region"])
    shop.ledger.grant("bot", third)
    _, claim = quoted(shop.ledger, third, "Never paid.", "Refunds are never paid.")
    shop.ledger.contradict([shop.cuk, claim])
    assert shop.check("It takes 14 days [c1].").codes == ()
    [slot] = shop.ledger.resolve([claim], principal="bot", facts={"region": "GB"}, thread="t")
    assert slot.verdict == "citable"
    assert shop.check("It takes 14 days [c1].").codes == ("omitted_conflict",)
    assert shop.check(f"It takes 14 days [c1], or never [{claim}].").codes == ()


def test_evidence_may_be_cited_with_the_headers_and_key_of_its_cell(shop: Shop) -> None:
    source = shop.ledger.source(native="fees", title="Fees", indifferent_to=["region"])
    revision = shop.ledger.revision(source, data=TABLE, media_type="text/csv", label="1")
    cell = shop.ledger.evidence(revision, cell={"row": {"tier": "plus 2"}, "column": "fee EUR"})
    shop.ledger.grant("bot", source)
    assert shop.check(f"Tier plus 2 costs 55 EUR [{cell}].").codes == ()
    assert shop.check(f"Tier plus 2 costs 55 USD [{cell}].").codes == ("value_not_in_evidence",)
    assert shop.check(f"Tier plus 3 costs 55 EUR [{cell}].").codes == ("value_not_in_evidence",)


def test_the_statement_of_a_claim_counts_for_values(shop: Shop) -> None:
    assert shop.check("Refunds take two weeks [c1].").codes == ()
    assert shop.check("Refunds take three weeks [c1].").codes == ("value_not_in_evidence",)


def test_what_is_shown_by_an_answer_is_recorded_for_its_thread(shop: Shop) -> None:
    read = shop.ledger._tenant.disclosures.read
    packet = len(read())
    shop.check("It takes 15 days [c1].")
    assert len(read()) == packet
    shop.check("It takes 14 days [c1]. It takes 31 days [c2].")
    assert [shown.disclosed.id for shown in read()[packet:]] == [shop.cuk]


def test_an_answer_without_text_has_no_citation(shop: Shop) -> None:
    checked = shop.check("")
    assert (checked.codes, checked.text, checked.partial) == (("no_citation",), "", False)


def test_facts_are_parsed_as_everywhere(shop: Shop) -> None:
    with pytest.raises(Refused) as caught:
        shop.check("It takes 14 days [c1].", facts={"regoin": "GB"})
    assert caught.value.code == "undeclared_fact"
