"""The name of a subject whose data was erased is erased through its erasure, and the erasure stays proven."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from prov_ledger import Ledger
from tests.ledger.erasing.office import Office, make_office, places_of
from tests.ledger.keeping.work import restored
from tests.ledger.worlds import refused

NAME = "Fenna Voss"


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    made = make_office(tmp_path / "ledger")
    erased = made.ledger.erase([made["case"]], subject=NAME, reason=f"asked by {NAME}")
    made.ids["erasure"] = erased.id
    yield made
    made.ledger.close()


def test_an_account_of_an_erasure_gives_its_subject_and_its_reason(office: Office) -> None:
    account = office.ledger.access([office["erasure"]])
    assert [(x.id, x.kind) for x in account.things] == [(office["erasure"], "erasure")]
    assert [(x.field, x.text) for x in account.texts] == [("reason", f"asked by {NAME}"), ("subject", NAME)]
    assert f"subject: {NAME}" in "\n".join(account.lines())


def test_the_name_goes_from_every_place_and_the_erasure_stays(office: Office) -> None:
    before = office.ledger.certificate(office["erasure"]).body["erased"]
    assert office.ledger.traces(NAME) != ()
    plan = office.ledger.plan_erasure([office["erasure"]])
    assert (plan.goes, plan.derived) == ((office["erasure"],), ())
    assert "1 erasure's subject, 2 sealed texts" in "\n".join(plan.lines())
    again = office.ledger.run_erasure(plan.hash)
    assert again.texts == 2
    assert office.ledger.traces(NAME) == ()
    assert list(places_of(office.folder, NAME)) == []
    assert office.ledger.verify().findings == ()
    assert office.ledger.validate().conforms
    assert office.ledger.certificate(office["erasure"]).body["erased"] == before
    office.ledger.certificate(office["erasure"]).verify()
    assert "'names': 1" in repr(office.ledger.certificate(again.id).body)
    assert refused(lambda: office.ledger.erase([office["erasure"]])) == "unknown_id"
    assert refused(lambda: office.ledger.show(office["case"])) == "unknown_id"


def test_the_same_holds_after_the_next_opening(office: Office) -> None:
    office.ledger.erase([office["erasure"]])
    ledger = office.reopen()
    assert ledger.traces(NAME) == ()
    assert ledger.verify().findings == ()
    assert refused(lambda: ledger.access([office["erasure"]])) == "unknown_id"


def test_a_restored_ledger_does_not_know_the_name_either(office: Office, tmp_path: Path) -> None:
    office.ledger.backup(str(tmp_path / "backup"))
    office.ledger.erase([office["erasure"]])
    office.ledger.close()
    restored(tmp_path / "backup", tmp_path / "again", office.clock, office.folder, office.folder / "keys")
    with Ledger.open(tmp_path / "again", clock=office.clock) as again:
        assert again.traces(NAME) == ()
        assert again.verify().findings == ()
    assert list(places_of(tmp_path / "again", NAME)) == []
