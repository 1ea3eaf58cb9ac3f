"""The name of a thread is erased like other names: found in no file any more, and the rest stays."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from prov_ledger import Ledger
from tests.ledger.departures import deny_for_good
from tests.ledger.erasing.office import Office, make_office, places_of
from tests.ledger.keeping.work import restored
from tests.ledger.worlds import refused

NAME = "Call with Fenna Voss"


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    made = make_office(tmp_path / "ledger")
    made.ids["packet"] = made.ledger.remind([made["general"]], budget=300, thread=NAME).id
    (mention,) = made.ledger.mentions(NAME)
    made.ids["thread"] = mention.owner
    made.ids["entry"] = mention.id
    yield made
    made.ledger.close()


def names(ledger: Ledger) -> list[str]:
    return [x.name for x in ledger.list_threads()]


@pytest.mark.parametrize("called", ["thread", "entry"])
def test_the_name_of_a_thread_goes_from_every_file(office: Office, called: str) -> None:
    assert names(office.ledger) == ["t1", NAME]
    plan = office.ledger.plan_erasure([office[called]])
    assert (plan.goes, plan.derived) == ((office["thread"],), ())
    assert "1 thread's name, 1 sealed text" in "\n".join(plan.lines())
    erased = office.ledger.run_erasure(plan.hash)
    assert erased.texts == 1
    assert names(office.ledger) == ["t1"]
    assert refused(lambda: office.ledger.thread(NAME)) == "unknown_id"
    assert list(places_of(office.folder, NAME)) == []
    assert office.ledger.verify().findings == ()
    assert office.ledger.validate().conforms
    assert "'names': 1" in repr(office.ledger.certificate(erased.id).body)
    assert refused(lambda: office.ledger.erase([office[called]])) == "unknown_id"


def test_what_was_in_the_thread_stays_and_its_name_begins_another(office: Office) -> None:
    office.ledger.erase([office["thread"]])
    assert office["general"] in office.ledger.packet(office["packet"]).text
    office.ledger.remind([office["wrong"]], budget=300, thread=NAME)
    assert [slot.id for slot in office.ledger.thread(NAME)] == [office["wrong"]]


def test_from_its_first_step_on_the_thread_is_known_to_nobody(office: Office) -> None:
    deny_for_good(office.ledger, office["thread"])
    assert names(office.ledger) == ["t1"]
    assert refused(lambda: office.ledger.thread(NAME)) == "unknown_id"


def test_an_account_of_a_thread_gives_its_name(office: Office) -> None:
    account = office.ledger.access([office["entry"]])
    assert [(x.id, x.kind) for x in account.things] == [(office["thread"], "thread")]
    assert [(x.owner, x.text) for x in account.texts] == [(office["thread"], NAME)]
    assert [line.strip() for line in account.lines()][2] == f"name: {NAME}"


def test_only_an_entry_that_began_a_thread_can_be_named(office: Office) -> None:
    entry = office.ledger._tenant.state.entry_of(office["general"])
    assert entry is not None
    assert refused(lambda: office.ledger.erase([f"{entry.id}#thread"])) == "unknown_id"
    assert refused(lambda: office.ledger.erase([entry.id])) in ("bad_input", "unknown_id")
    assert refused(lambda: office.ledger.erase([f"{office['general']}#thread"])) == "unknown_id"


def test_a_restored_ledger_does_not_know_its_name_either(office: Office, tmp_path: Path) -> None:
    office.ledger.backup(str(tmp_path / "backup"))
    office.ledger.erase([office["thread"]])
    office.ledger.close()
    restored(tmp_path / "backup", tmp_path / "again", office.clock, office.folder, office.folder / "keys")
    with Ledger.open(tmp_path / "again", clock=office.clock) as again:
        assert names(again) == ["t1"]
        assert refused(lambda: again.thread(NAME)) == "unknown_id"
    assert list(places_of(tmp_path / "again", NAME)) == []
