"""Retention holds to the instant at read time; a legal hold keeps the bytes and shows none of them."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from prov_ledger import Ledger
from prov_ledger.ledger.layout import tenant_folder
from tests.ledger.departures import CASE, QUOTE, Parcel, make_parcel
from tests.ledger.worlds import START, refused

MOMENT = timedelta(microseconds=1)


@pytest.fixture
def parcel(tmp_path: Path) -> Iterator[Parcel]:
    parcel = make_parcel(tmp_path / "ledger")
    yield parcel
    parcel.ledger.close()


def verdict(parcel: Parcel) -> str:
    return parcel.ledger.resolve([parcel.both], principal="bot")[0].verdict


def set_clock(parcel: Parcel, now: datetime) -> None:
    parcel.clock.now = now


#: Each verb as it answers before the text expires, and from that instant on.
READS: dict[str, tuple[Callable[[Parcel], object], object, object]] = {
    "resolve": (verdict, "citable", "withheld"),
    "find": (lambda p: len(p.ledger.find("Quist").evidence), 1, 0),
    "find a passage": (lambda p: len(p.ledger.find("parcel cost").passages), 1, 0),
    "packet": (lambda p: p.both in p.ledger.packet(p.reminder).text, True, False),
    "thread": (lambda p: len(p.ledger.thread("t", principal="bot")), 2, 1),
}


@pytest.mark.parametrize("read", READS)
def test_two_reads_of_one_handle_differ_by_the_instant_of_expiry_alone(parcel: Parcel, read: str):
    ask, before, after = READS[read]
    parcel.ledger.retention(parcel.case, bytes_for="P1M")
    end = START.replace(month=7)
    for now, expected in ((end - MOMENT, before), (end, after), (end + timedelta(days=900), after)):
        set_clock(parcel, now)
        assert ask(parcel) == expected


def test_it_is_shown_until_then_and_refused_from_then_on(parcel: Parcel):
    parcel.ledger.retention(parcel.case, bytes_for="PT1H")
    set_clock(parcel, START + timedelta(hours=1) - MOMENT)
    assert parcel.ledger.show(parcel.case_page).data.decode() == CASE
    set_clock(parcel, START + timedelta(hours=1))
    assert refused(lambda: parcel.ledger.show(parcel.case_page)) == "unknown_id"


@pytest.mark.parametrize(
    ("recorded", "limit", "end"),
    [
        ((2026, 1, 31), "P1M", (2026, 2, 28)),
        ((2024, 1, 31), "P1M", (2024, 2, 29)),
        ((2024, 2, 29), "P1Y", (2025, 2, 28)),
        ((2026, 12, 31), "P2M", (2027, 2, 28)),
        ((2026, 3, 15), "P6M", (2026, 9, 15)),
    ],
)
def test_a_month_is_a_calendar_month(
    tmp_path: Path, recorded: tuple[int, int, int], limit: str, end: tuple[int, int, int]
):
    now = [datetime(*recorded, 10, tzinfo=UTC)]
    with Ledger.init(tmp_path / "ledger", clock=lambda: now[0]) as ledger:
        source = ledger.source(native="a", title="A")
        ledger.retention(source, bytes_for=limit)
        evidence = ledger.evidence(ledger.revision(source, data=QUOTE, label="1"), quote=QUOTE)
        now[0] = datetime(*end, 10, tzinfo=UTC) - MOMENT
        assert ledger.resolve([evidence])[0].verdict == "citable"
        now[0] += MOMENT
        assert ledger.resolve([evidence])[0].verdict == "withheld"


def test_each_revision_is_kept_from_its_own_recording(parcel: Parcel):
    parcel.pass_(10)
    later = parcel.ledger.revision(parcel.case, data="Nothing is known any more.", label="2")
    evidence = parcel.ledger.evidence(later, quote="Nothing is known any more.")
    parcel.ledger.retention(parcel.case, bytes_for="P15D")
    parcel.pass_(5)
    slots = parcel.ledger.resolve([parcel.seen, evidence])
    assert [slot.verdict for slot in slots] == ["withheld", "citable"]
    assert parcel.ledger.show(parcel.case).revision == later


def test_an_earlier_quote_taken_late_expires_with_its_page(parcel: Parcel):
    parcel.ledger.retention(parcel.case, bytes_for="P10D")
    parcel.pass_(9)
    late = parcel.ledger.evidence(parcel.case_page, quote="The parcel had cost 40 EUR.")
    parcel.pass_(1)
    assert parcel.ledger.resolve([late])[0].verdict == "withheld"


def test_of_a_rule_of_the_source_and_one_of_its_collection_the_first_end_counts(parcel: Parcel):
    parcel.ledger.retention("collection:cases", bytes_for="P20D")
    parcel.ledger.retention(parcel.case, bytes_for="P40D")
    parcel.pass_(20)
    assert verdict(parcel) == "withheld"


def test_a_rule_of_another_collection_changes_nothing(parcel: Parcel):
    parcel.ledger.retention("collection:others", bytes_for="P1D")
    parcel.pass_(20)
    assert verdict(parcel) == "citable"


def test_a_shorter_rule_holds_at_once_for_what_is_there(parcel: Parcel):
    parcel.ledger.retention(parcel.case, bytes_for="P40D")
    parcel.pass_(20)
    assert verdict(parcel) == "citable"
    parcel.ledger.retention(parcel.case, bytes_for="P10D")
    assert verdict(parcel) == "withheld"


def test_a_longer_rule_keeps_what_is_there_and_brings_nothing_back(parcel: Parcel):
    parcel.ledger.retention(parcel.case, bytes_for="P10D")
    parcel.pass_(9)
    parcel.ledger.retention(parcel.case, bytes_for="P30D")
    parcel.pass_(9)
    assert verdict(parcel) == "citable"
    parcel.pass_(12)
    assert verdict(parcel) == "withheld"
    parcel.ledger.retention(parcel.case)
    assert verdict(parcel) == "withheld"


def test_without_metadata_no_bytes_are_kept(parcel: Parcel):
    parcel.ledger.retention(parcel.case, metadata_for="P10D")
    parcel.pass_(10)
    assert verdict(parcel) == "withheld"
    assert refused(lambda: parcel.ledger.check(parcel.case, "current")) == "unknown_id"


def test_a_source_is_there_as_long_as_its_latest_revision_is(parcel: Parcel):
    parcel.ledger.retention(parcel.case, metadata_for="P10D")
    parcel.pass_(9)
    parcel.ledger.revision(parcel.case, data="Nothing is known any more.", label="2")
    parcel.pass_(9)
    parcel.ledger.check(parcel.case, "current")
    parcel.pass_(1)
    assert refused(lambda: parcel.ledger.check(parcel.case, "current")) == "unknown_id"


def test_a_source_that_has_expired_is_recorded_anew_and_not_revived(parcel: Parcel):
    parcel.ledger.retention(parcel.case, metadata_for="P10D")
    parcel.pass_(10)
    again = parcel.ledger.source(native="crm:5520", title="Another file")
    assert again != parcel.case
    page = parcel.ledger.revision(again, data="Nothing is known any more.", label="2")
    assert parcel.ledger.show("crm:5520").revision == page
    parcel.ledger.sweep()
    assert parcel.ledger.show("crm:5520").revision == page
    assert refused(lambda: parcel.ledger.show(parcel.case)) == "unknown_id"


def test_an_older_state_does_not_come_into_force_again_when_the_one_that_ended_it_is_pruned(parcel: Parcel):
    parcel.pass_(10)
    older = parcel.ledger.revision(
        parcel.case, data="The parcel is on its way.", label="0", published="2026-01-01T00:00:00Z"
    )
    evidence = parcel.ledger.evidence(older, quote="The parcel is on its way.")
    parcel.ledger.retention(parcel.case, metadata_for="P15D")
    parcel.pass_(5)
    assert parcel.ledger.resolve([parcel.seen, evidence])[1].verdict == "ended"
    parcel.ledger.sweep()
    assert parcel.ledger.resolve([parcel.seen, evidence])[1].verdict == "ended"
    parcel.pass_(10)
    assert parcel.ledger.sweep().pruned > 0
    assert parcel.ledger.resolve([parcel.seen, evidence])[1].verdict == "withheld"


def test_what_is_left_after_pruning_conforms_and_verifies(parcel: Parcel):
    parcel.ledger.retention(parcel.case, metadata_for="P10D")
    parcel.ledger.hold(parcel.guide, "case 4")
    parcel.pass_(10)
    before = parcel.ledger.tree_head()
    assert parcel.ledger.sweep().pruned > 0
    assert parcel.ledger.verify().findings == ()
    assert parcel.ledger.validate().findings == ()
    journal = parcel.ledger._tenant.journal
    assert journal.root_at(before.size) == before.root
    with Ledger.open(parcel.ledger._tenant.ledger, clock=parcel.clock) as other:
        assert other.load() == journal.size()
        assert [s.verdict for s in other.resolve([parcel.both, parcel.rule])] == ["withheld", "citable"]
        assert other.sweep().pruned == 0


def test_a_leaf_that_is_missing_without_an_entry_that_pruned_it_stops_the_reader(parcel: Parcel):
    folder, clock = parcel.ledger._tenant.ledger, parcel.clock
    parcel.ledger.close()
    with closing(sqlite3.connect(tenant_folder(folder, "default") / "ledger.sqlite")) as file, file:
        file.execute(
            "UPDATE entry SET leaf = NULL WHERE sequence IN (SELECT sequence FROM rare WHERE kind = 'grant')"
        )
    assert refused(lambda: Ledger.open(folder, clock=clock).resolve([parcel.both])) == "corrupt"


def test_expiry_goes_by_the_ledgers_clock_whatever_time_is_asked_about(parcel: Parcel):
    parcel.ledger.retention(parcel.case, bytes_for="P10D")
    parcel.pass_(10)
    for demand in ({"now": START}, {"as_of": START}, {"facts": {"question_date": START}}):
        assert parcel.ledger.resolve([parcel.both], **demand)[0].verdict == "withheld"


def test_a_clock_that_was_set_back_brings_nothing_back(parcel: Parcel):
    parcel.ledger.retention(parcel.case, bytes_for="P10D")
    parcel.pass_(10)
    parcel.ledger.check(parcel.guide, "current")
    parcel.pass_(-1)
    assert verdict(parcel) == "withheld"


@pytest.mark.parametrize("limit", ["10 days", "P", "-P1D", "", "P1001Y", "P1.5D"])
def test_a_limit_is_a_duration(parcel: Parcel, limit: str):
    before = parcel.ledger.tree_head()
    assert refused(lambda: parcel.ledger.retention(parcel.case, bytes_for=limit)) == "bad_input"
    assert parcel.ledger.tree_head() == before


def test_the_rules_in_force_are_listed(parcel: Parcel):
    parcel.ledger.retention(parcel.case, bytes_for="P10D")
    parcel.ledger.retention(parcel.case, bytes_for="P20D", metadata_for="P2Y")
    parcel.ledger.retention(parcel.guide, bytes_for="P1D")
    parcel.ledger.retention(parcel.guide)
    (rule,) = parcel.ledger.retention_rules()
    assert (rule.on, rule.bytes_for, rule.metadata_for) == (parcel.case, "P20D", "P2Y")


# holds


def test_a_hold_refuses_every_erasure_of_what_it_covers_and_changes_nothing(parcel: Parcel):
    parcel.ledger.hold(parcel.case, "lawsuit 12")
    before = parcel.ledger.tree_head()
    for ids in ([parcel.case], [parcel.case_page], [parcel.seen], [parcel.guide, parcel.seen]):
        assert refused(lambda ids=ids: parcel.ledger.erase(ids)) == "legal_hold"
    assert parcel.ledger.tree_head() == before
    assert verdict(parcel) == "citable"


def test_a_hold_on_a_collection_covers_its_sources(parcel: Parcel):
    parcel.ledger.hold("collection:cases")
    assert refused(lambda: parcel.ledger.erase([parcel.case])) == "legal_hold"
    parcel.ledger.erase([parcel.guide])


def test_a_source_is_held_until_every_hold_on_it_is_released(parcel: Parcel):
    parcel.ledger.hold("collection:cases")
    parcel.ledger.hold(parcel.case)
    parcel.ledger.release(parcel.case)
    assert refused(lambda: parcel.ledger.erase([parcel.case])) == "legal_hold"
    parcel.ledger.release("collection:cases")
    parcel.ledger.erase([parcel.case])


def test_the_sweeper_leaves_what_is_held_and_takes_it_after_the_release(parcel: Parcel):
    parcel.ledger.hold(parcel.case)
    parcel.ledger.retention(parcel.case, bytes_for="P10D")
    parcel.pass_(10)
    parcel.ledger.sweep()
    payload = parcel.ledger._tenant.journal.payload
    assert payload(parcel.case_page, "content") is not None
    assert verdict(parcel) == "withheld"
    parcel.ledger.release(parcel.case)
    assert verdict(parcel) == "withheld"
    parcel.ledger.sweep()
    assert payload(parcel.case_page, "content") is None


def test_a_hold_may_come_after_the_expiry(parcel: Parcel):
    parcel.ledger.retention(parcel.case, metadata_for="P10D")
    parcel.pass_(10)
    parcel.ledger.hold(parcel.case, "found late")
    parcel.ledger.sweep()
    assert parcel.ledger._tenant.journal.payload(parcel.case_page, "content") is not None


def test_what_is_held_may_be_denied_and_what_is_denied_held(parcel: Parcel):
    parcel.ledger.hold(parcel.case)
    parcel.ledger.deny(parcel.case, "complaint")
    assert verdict(parcel) == "withheld"
    parcel.ledger.release(parcel.case)
    parcel.ledger.hold(parcel.case)
    parcel.ledger.allow(parcel.case)
    assert verdict(parcel) == "citable"


def test_a_hold_says_by_whom_and_why(parcel: Parcel):
    parcel.ledger.agent("pia", ["privacy_officer"])
    parcel.ledger.hold(parcel.case, "lawsuit 12", by="pia")
    parcel.pass_(1)
    parcel.ledger.hold("collection:cases")
    first, second = parcel.ledger.holds(by="pia")
    pia = parcel.ledger._session.find_name("agent", "pia")
    assert (first.on, first.agent, first.since, first.reason) == (parcel.case, pia, START, "lawsuit 12")
    assert second.reason is None


def test_a_hold_outlives_the_handle(parcel: Parcel):
    parcel.ledger.hold(parcel.case)
    with Ledger.open(parcel.ledger._tenant.ledger, clock=parcel.clock) as other:
        assert refused(lambda: other.erase([parcel.case])) == "legal_hold"


def test_nothing_is_held_twice_or_released_without_a_hold(parcel: Parcel):
    parcel.ledger.hold(parcel.case)
    assert refused(lambda: parcel.ledger.hold(parcel.case)) == "bad_input"
    parcel.ledger.release(parcel.case)
    assert refused(lambda: parcel.ledger.release(parcel.case)) == "not_found"


VERBS: dict[str, Callable[[Parcel, str], None]] = {
    "hold": lambda p, id: p.ledger.hold(id, by="eve"),
    "release": lambda p, id: p.ledger.release(id, by="eve"),
    "retention": lambda p, id: p.ledger.retention(id, bytes_for="P1D", by="eve"),
}


@pytest.mark.parametrize("verb", VERBS)
def test_who_may_not_is_told_the_same_of_any_id(parcel: Parcel, verb: str):
    before = parcel.ledger.tree_head().size
    absent = parcel.case[:-1] + ("0" if parcel.case[-1] != "0" else "1")
    never = "src_0000000000000000" + "00"
    codes = [refused(lambda id=id: VERBS[verb](parcel, id)) for id in (parcel.case, never, absent)]
    assert codes == ["denied", "denied", "malformed_id"]
    assert parcel.ledger.tree_head().size == before


@pytest.mark.parametrize("verb", VERBS)
def test_a_privacy_officer_names_any_source_but_one_that_is_erased(parcel: Parcel, verb: str):
    parcel.ledger.agent("eve", ["privacy_officer"])
    if verb == "release":
        parcel.ledger.hold(parcel.case)
        parcel.ledger.hold(parcel.guide)
        parcel.ledger.release(parcel.guide)
    VERBS[verb](parcel, parcel.case)
    parcel.ledger.erase([parcel.guide])
    assert refused(lambda: VERBS[verb](parcel, parcel.guide)) == "unknown_id"
