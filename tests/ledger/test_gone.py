"""What is erased or expired is given out by no verb, from the first step on, its texts still there."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from prov_ledger import Ledger
from prov_ledger.model.slots import Slot
from tests.ledger.departures import (
    NOBODY,
    QUOTE,
    RULE,
    WAYS,
    WITH_SOURCE,
    Parcel,
    conclude,
    deny_for_good,
    make_parcel,
)
from tests.ledger.worlds import refused

TRACES = ("Quist", "crushed parcel.", "40 EUR", "Complaint")


@pytest.fixture
def parcel(tmp_path: Path) -> Iterator[Parcel]:
    parcel = make_parcel(tmp_path / "ledger")
    yield parcel
    parcel.ledger.close()


@pytest.fixture(params=WAYS)
def gone(request: pytest.FixtureRequest, parcel: Parcel) -> Parcel:
    parcel.ledger.find("Quist", principal="bot")  # the search index knows it
    WAYS[request.param](parcel)
    return parcel


def without_id(slot: Slot) -> Slot:
    return replace(slot, id="")


@pytest.mark.parametrize("who", ["bot", None])
def test_ids_of_what_is_gone_answer_as_one_that_never_was(gone: Parcel, who: str | None):
    slots = gone.ledger.resolve([gone.both, gone.seen, NOBODY], principal=who)
    assert {without_id(slot) for slot in slots} == {Slot("", "withheld", "search")}


def test_a_claim_that_stands_on_something_else_keeps_its_quotes_and_loses_its_words(gone: Parcel):
    (slot,) = gone.ledger.resolve([gone.rule], principal="bot")
    assert (slot.verdict, slot.words, slot.statement) == ("citable", "withheld", None)
    assert [q.quote for q in slot.quotes] == [RULE]


def test_a_claim_that_lost_its_words_is_restated_from_what_stands(gone: Parcel):
    gone.ledger.restate(gone.rule, says="Crushed ones are replaced.", exposure=[gone.ruled])
    (slot,) = gone.ledger.resolve([gone.rule], principal="bot")
    assert (slot.words, slot.statement) == ("shown", "Crushed ones are replaced.")


def test_a_read_of_the_past_does_not_bring_it_back(gone: Parcel):
    before = gone.clock.now
    slots = gone.ledger.resolve([gone.both, gone.seen, gone.rule], principal="bot", as_of=before)
    assert [slot.verdict for slot in slots] == ["withheld", "withheld", "citable"]
    assert slots[2].words == "withheld"


def test_both_readers_say_the_same(gone: Parcel, tmp_path: Path):
    ids = [gone.both, gone.seen, gone.rule]
    said = gone.ledger.resolve(ids, principal="bot")
    gone.ledger._reader = "sparql"
    assert gone.ledger.resolve(ids, principal="bot") == said


def test_packets_and_threads_leave_it_out(gone: Parcel):
    packet = gone.ledger.packet(gone.reminder, principal="bot")
    assert gone.both not in packet.text
    assert gone.rule in packet.text
    assert [trace for trace in TRACES if trace in packet.text] == []
    assert [slot.id for slot in gone.ledger.thread("t", principal="bot")] == [gone.rule]


@pytest.mark.parametrize("text", ["Quist", "crushed", "parcel cost"])
def test_it_is_not_found(gone: Parcel, text: str):
    found = gone.ledger.find(text, principal="bot")
    assert gone.seen not in [x.id for x in found.evidence]
    assert gone.case_page not in [x.revision for x in found.passages]


def test_it_is_not_shown(gone: Parcel):
    assert refused(lambda: gone.ledger.show(gone.case_page, by="bot")) == "unknown_id"
    assert refused(lambda: gone.ledger.show(gone.case, by="bot")) in ("unknown_id", "not_found")
    assert refused(lambda: gone.ledger.show("crm:5520", by="bot")) in ("unknown_id", "not_found")


def test_nothing_new_rests_on_it(gone: Parcel):
    ledger = gone.ledger
    attempts = [
        lambda: ledger.evidence(gone.case_page, quote="The parcel had cost 40 EUR."),
        lambda: conclude(ledger, "Again.", [[gone.seen]]),
        lambda: conclude(ledger, "Again.", [[gone.both]]),
        lambda: conclude(ledger, "Again.", [[gone.ruled]], exposure=[gone.seen]),
        lambda: ledger.restate(gone.rule, says="Again.", exposure=[gone.seen]),
        lambda: ledger.retract(gone.both),
        lambda: ledger.contradict([gone.both, gone.rule]),
        lambda: ledger.remind([gone.both], budget=100),
        lambda: ledger.scope(gone.case_page, []),
        lambda: ledger.explain(gone.both),
        lambda: ledger.reaffirm([gone.both]),
    ]
    assert [refused(attempt) for attempt in attempts] == ["unknown_id"] * len(attempts)


@pytest.mark.parametrize("way", WITH_SOURCE)
def test_a_source_that_is_gone_is_named_by_no_verb(way: str, parcel: Parcel):
    WAYS[way](parcel)
    ledger, case = parcel.ledger, parcel.case
    attempts = [
        lambda: ledger.revision(case, data="A new state.", label="2"),
        lambda: ledger.check(case, "current"),
        lambda: ledger.retire(case, from_="2026-01-01"),
        lambda: ledger.authority(case, "informal"),
        lambda: ledger.grant("eve", case),
        lambda: ledger.rename(case, "crm:1", since="2026-06-02T00:00:00Z"),
    ]
    assert [refused(attempt) for attempt in attempts] == ["unknown_id"] * len(attempts)


def test_what_stands_on_something_else_is_built_upon_and_corrected(gone: Parcel):
    above = conclude(gone.ledger, "They are replaced at once.", [[gone.rule]])
    parts = {"transformation": {"kind": "select"}, "question": {"text": "What is the rule?"}}
    newer = gone.ledger.supersede(gone.rule, says="Replaced.", support=[gone.ruled], **parts)  # type: ignore[arg-type]
    slots = gone.ledger.resolve([above, gone.rule, newer])
    assert [slot.verdict for slot in slots] == ["undercut", "superseded", "citable"]
    assert (slots[0].words, slots[2].words) == ("withheld", "shown")


def test_an_account_of_what_stands_names_nothing_that_is_gone(gone: Parcel):
    told = "\n".join(gone.ledger.explain(gone.rule, principal="bot").lines())
    assert [x for x in (gone.both, gone.seen, gone.case, gone.case_page) if x in told] == []
    assert [trace for trace in TRACES if trace in told] == []


def test_changes_of_a_thread_tell_of_nothing_that_is_gone(gone: Parcel):
    gone.pass_(1)
    gone.ledger.retract(gone.rule)
    fallen = gone.ledger.changes("t", "2026-05-01T00:00:00Z", principal="bot")
    assert [x.id for x in fallen] == [gone.rule]


@pytest.mark.parametrize("kind", ["Evidence", "Revision", "Claim"])
def test_no_text_of_it_is_joined_to_a_query(gone: Parcel, kind: str):
    gone.ledger.agent("bot", ["agent", "analyst"])
    query = f"SELECT ?x WHERE {{ ?x a pl:{kind} }}"
    rows = gone.ledger.sparql(query, text_columns=["x"], by="bot").rows  # type: ignore[union-attr]
    texts = [str(term) for row in rows for term in row[1:]]
    assert rows
    assert [text for text in texts if "Quist" in text or "'1'" in text] == []


def test_an_answer_that_cites_it_is_blocked_and_cut(gone: Parcel):
    text = f"Oda Quist gets another one [{gone.both}]. Crushed parcels are replaced [{gone.rule}]."
    answer = gone.ledger.check_answer(text, principal="bot")
    assert "not_citable:withheld" in answer.codes
    assert "Quist" not in answer.text


def test_a_gone_revision_is_no_candidate_and_offers_none(tmp_path: Path):
    parcel = make_parcel(tmp_path / "ledger")
    parcel.pass_(1)
    later = parcel.ledger.revision(parcel.case, data=QUOTE + " It was replaced.", label="2")
    claim = conclude(parcel.ledger, "It was crushed.", [[parcel.seen]])
    (slot,) = parcel.ledger.resolve([claim])
    assert (slot.verdict, [c.id for c in slot.candidates]) == ("ended", [later])
    newer = parcel.ledger.evidence(later, quote=QUOTE)
    (slot,) = parcel.ledger.resolve([claim])
    assert [c.id for c in slot.candidates] == [newer]
    deny_for_good(parcel.ledger, later)
    (slot,) = parcel.ledger.resolve([claim])
    assert (slot.verdict, slot.candidates) == ("ended", ())


ALWAYS = [{"fact": "question_date", "from": "2026-01-01", "until": "open"}]
OF_RIVALS: dict[str, Callable[[Parcel, str], object]] = {
    "denied for good": lambda p, rival: deny_for_good(p.ledger, rival),
    "erased": lambda p, rival: p.ledger.erase([rival]),
    "expired": lambda p, _: p.pass_(1),
}


def verdict_at(parcel: Parcel, id: str, day: str) -> str:
    """The verdict for the same question on both readers, whatever was decided for it before."""
    said = set()
    for reader in ("memory", "sparql", "memory"):
        parcel.ledger._reader = reader
        said.add(parcel.ledger.resolve([id], facts={"question_date": day})[0].verdict)
    assert len(said) == 1
    return said.pop()


@pytest.mark.parametrize("way", OF_RIVALS)
def test_a_revision_that_is_gone_is_in_conflict_with_no_other(way: str, parcel: Parcel):
    ledger = parcel.ledger
    ledger.retention(parcel.guide, bytes_for="P30D")
    rival = ledger.revision(parcel.guide, data="Nothing is replaced.", label="8", scope=ALWAYS)
    parcel.pass_(29)
    later = ledger.revision(parcel.guide, data="All is replaced.", label="9", scope=ALWAYS)
    evidence = ledger.evidence(later, quote="All is replaced.")
    assert verdict_at(parcel, evidence, "2026-06-15") == "conflict"
    OF_RIVALS[way](parcel, rival)
    assert verdict_at(parcel, evidence, "2026-06-15") == "citable"


@pytest.mark.parametrize("way", OF_RIVALS)
def test_a_revision_that_is_gone_is_no_reason_to_ask(way: str, parcel: Parcel):
    ledger = parcel.ledger
    ledger.retention(parcel.guide, bytes_for="P30D")
    ledger.declare_fact("region", "code")
    there = [{"fact": "region", "in": ["DE"]}]
    rival = ledger.revision(parcel.guide, data="Nothing is replaced.", label="8", scope=there)
    parcel.pass_(29)
    later = ledger.revision(parcel.guide, data="All is replaced.", label="9", scope=ALWAYS)
    evidence = ledger.evidence(later, quote="All is replaced.")
    assert verdict_at(parcel, evidence, "2026-06-15") == "unknown"
    OF_RIVALS[way](parcel, rival)
    assert verdict_at(parcel, evidence, "2026-06-15") == "citable"


def test_what_a_revision_corrected_stays_so_when_it_is_gone(parcel: Parcel):
    ledger = parcel.ledger
    newer = ledger.revision(
        parcel.guide, data="Nothing is replaced.", label="8", relation={"corrects": parcel.guide_page}
    )
    assert verdict_at(parcel, parcel.ruled, "2026-06-15") == "outdated"
    ledger.erase([newer])
    assert verdict_at(parcel, parcel.ruled, "2026-06-15") == "outdated"


def test_what_a_publication_ended_stays_so_when_it_is_gone(parcel: Parcel):
    parcel.pass_(1)
    newer = parcel.ledger.revision(parcel.guide, data="Nothing is replaced.", label="8")
    assert verdict_at(parcel, parcel.ruled, "2026-06-15") == "ended"
    parcel.ledger.erase([newer])
    assert verdict_at(parcel, parcel.ruled, "2026-06-15") == "ended"


def test_a_claim_is_not_carried_over_into_a_revision_that_is_gone(tmp_path: Path):
    parcel = make_parcel(tmp_path / "ledger")
    parcel.pass_(1)
    later = parcel.ledger.revision(parcel.guide, data=RULE + " Really.", label="8")
    alone = conclude(parcel.ledger, "Parcels are replaced.", [[parcel.ruled]])
    deny_for_good(parcel.ledger, later)
    assert parcel.ledger.reaffirm([alone]).carried == {}


def test_words_that_were_lost_are_not_carried_over(gone: Parcel):
    gone.pass_(1)
    gone.ledger.revision(gone.guide, data=RULE + " Really.", label="8")
    assert gone.ledger.resolve([gone.rule])[0].verdict == "ended"
    done = gone.ledger.reaffirm([gone.rule])
    assert (done.carried, done.left) == ({}, (gone.rule,))


def test_a_claim_that_was_erased_as_a_subjects_is_withheld_with_all_words_that_saw_it(parcel: Parcel):
    deny_for_good(parcel.ledger, parcel.both)
    both, rule, seen = parcel.ledger.resolve([parcel.both, parcel.rule, parcel.seen])
    assert (both.verdict, rule.verdict, rule.words) == ("withheld", "citable", "withheld")
    assert seen.verdict == "citable"


def test_beside_a_gap_everything_stays_as_it_was(parcel: Parcel):
    other = parcel.ledger.evidence(parcel.case_page, quote="The parcel had cost 40 EUR.")
    parcel.ledger.erase([parcel.seen])
    slots = parcel.ledger.resolve([other, parcel.seen, parcel.both], principal="bot")
    assert [slot.verdict for slot in slots] == ["citable", "withheld", "withheld"]
    assert "Quist" not in parcel.ledger.show(parcel.case_page).data.decode()
    assert not parcel.ledger.find("Quist").evidence
    assert [x.id for x in parcel.ledger.find("cost").evidence] == [other]


def test_another_open_handle_withholds_it_at_its_next_read(parcel: Parcel):
    with Ledger.open(parcel.ledger._tenant.ledger, clock=parcel.clock) as other:
        assert other.resolve([parcel.both])[0].verdict == "citable"
        assert other.find("Quist").evidence
        deny_for_good(parcel.ledger, parcel.case)
        assert other.resolve([parcel.both])[0].verdict == "withheld"
        assert not other.find("Quist").evidence
