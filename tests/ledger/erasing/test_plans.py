"""Planning and running: what is refused, what changes a plan, and what else happens at the same time."""

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from prov_ledger import Ledger
from prov_ledger.errors import Refused, StorageError
from prov_ledger.ledger.disclosing import Disclosing
from prov_ledger.ledger.erasing.certificate import Certificate
from prov_ledger.ledger.layout import plans_folder
from prov_ledger.vault.disclosures import Disclosed
from prov_ledger.vault.keys import EnvironmentKeys
from tests.ledger.erasing.office import MARKER, Office, make_office, places_of
from tests.ledger.worlds import Clock, conclude, was_killed


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    made = make_office(tmp_path / "ledger")
    yield made
    made.ledger.close()


def refused(office: Office, plan: str) -> str | None:
    before = office.ledger.tree_head()
    try:
        office.ledger.run_erasure(plan)
    except Refused as refusal:
        assert office.ledger.tree_head() == before
        return refusal.code
    return None


def test_a_plan_is_run_once(office: Office) -> None:
    plan = office.ledger.plan_erasure([office["page"]])

    assert refused(office, plan.hash) is None
    assert refused(office, plan.hash) == "not_found"


def test_a_plan_changes_nothing_and_can_be_made_again(office: Office) -> None:
    before = office.ledger.tree_head()

    first, second = (office.ledger.plan_erasure([office["case"]]) for _ in range(2))

    assert (first.hash, office.ledger.tree_head()) == (second.hash, before)


def test_reading_in_between_does_not_change_a_plan(office: Office) -> None:
    plan = office.ledger.plan_erasure([office["case"]])
    office.ledger.resolve([office["report"]])

    assert refused(office, plan.hash) is None


def test_evidence_on_the_page_in_between_changes_the_plan(office: Office) -> None:
    plan = office.ledger.plan_erasure([office["case"]])
    office.ledger.evidence(office["page"], quote="on 14 January")

    assert refused(office, plan.hash) == "plan_changed"


def test_a_claim_or_a_reminder_in_between_changes_the_plan(office: Office) -> None:
    plan = office.ledger.plan_erasure([office["case"]])
    claim = conclude(office.ledger, "More.", [office["rule"]], exposure=[office["report"]])
    assert refused(office, plan.hash) == "plan_changed"

    plan = office.ledger.plan_erasure([office["case"]])
    office.ledger.remind([claim], budget=100)
    assert refused(office, plan.hash) == "plan_changed"


def test_a_plan_waits_a_month(office: Office) -> None:
    plan = office.ledger.plan_erasure([office["case"]])
    office.clock.now += timedelta(days=30)

    office.ledger.plan_erasure([office["page"]])

    assert refused(office, plan.hash) == "not_found"


def test_a_waiting_plan_holds_ids_alone(office: Office) -> None:
    plan = office.ledger.plan_erasure([office["case"]])

    (file,) = plans_folder(office.folder, "default").iterdir()
    assert json.loads(file.read_text())["targets"] == [office["case"]]
    office.ledger.run_erasure(plan.hash)
    assert list(plans_folder(office.folder, "default").iterdir()) == []


@pytest.mark.parametrize("hash", ["", "..", "a" * 64, "../" * 20 + "a" * 4])
def test_what_names_no_plan_is_refused(office: Office, hash: str) -> None:
    assert refused(office, hash) in ("bad_input", "not_found")


def test_no_erasure_is_a_part_of_a_batch(office: Office) -> None:
    with pytest.raises(Refused, match="end the batch first"), office.ledger.batch():
        office.ledger.erase([office["case"]])

    assert office.ledger.show(office["page"]).label


def test_nothing_to_erase_is_incomplete(office: Office) -> None:
    with pytest.raises(Refused) as refusal:
        office.ledger.erase([])

    assert refusal.value.code == "incomplete"


def test_everything_about_a_subject_goes_with_its_name_sealed(office: Office) -> None:
    found = office.ledger.mentions(MARKER.upper())
    ids = sorted({x.id for x in found})
    assert {id.partition("_")[0] for id in ids} == {"src", "rev", "ev", "cl"}

    office.ledger.erase(ids, subject=f"data of {MARKER[:5]}", reason="request 17")

    assert list(places_of(office.folder, MARKER)) == []
    assert office.ledger.mentions(MARKER) == ()
    assert [x.field for x in office.ledger.mentions("data of")] == ["subject"]
    assert office.ledger.verify().findings == ()


def test_an_agents_name_goes_and_the_id_stays(office: Office) -> None:
    agent = office.ledger.agent("Mona Quill", roles=["agent"])
    office.ledger.grant("Mona Quill", office["guide"])
    claim = conclude(office.ledger, "All is well.", [office["rule"]], by="Mona Quill")

    office.ledger.erase([agent])

    assert list(places_of(office.folder, "Mona Quill")) == []
    assert office.ledger.resolve([claim])[0].verdict == "citable"
    assert office.ledger.agent("Mona Quill", roles=["agent"]) != agent
    assert office.ledger.verify().findings == ()


def test_other_names_go_too(office: Office) -> None:
    office.ledger.collection("Files of Mona Quill")
    office.ledger.grant("group:friends of Mona Quill", office["guide"], for_purpose="to help Mona Quill")
    ids = {x.id for x in office.ledger.mentions("Mona Quill")}
    assert {id.partition("_")[0] for id in ids} == {"col", "grp", "pur"}

    office.ledger.erase(sorted(ids))

    assert list(places_of(office.folder, "Mona Quill")) == []
    assert office.ledger.verify().findings == ()


def test_a_claim_alone_goes_and_what_it_rests_on_stays(office: Office) -> None:
    office.ledger.erase([office["general"]])

    slots = office.ledger.resolve([office["general"], office["rule"]])
    assert [slot.verdict for slot in slots] == ["withheld", "citable"]
    assert list(places_of(office.folder, "Parcels as that of")) == []
    assert office.ledger.verify().findings == ()


def test_a_claim_on_a_held_source_is_held_too(office: Office) -> None:
    office.ledger.hold(office["guide"])

    with pytest.raises(Refused) as refusal:
        office.ledger.erase([office["general"]])

    assert refusal.value.code == "legal_hold"


def capture_until_killed(folder: Path, page: str) -> None:
    with Ledger.open(folder, clock=Clock()) as ledger:
        ledger.evidence(page, quote="on 14 January")


def test_a_capture_of_the_same_page_in_another_process_is_before_it_or_refused(office: Office) -> None:
    plan = office.ledger.plan_erasure([office["page"]])
    assert not was_killed(capture_until_killed, office.folder, office["page"])
    assert refused(office, plan.hash) == "plan_changed"

    with Ledger.open(office.folder, clock=office.clock) as other:
        other.evidence(office["page"], quote="in the rain")
        office.ledger.erase([office["page"]])
        with pytest.raises(Refused) as refusal:
            other.evidence(office["page"], quote="14 January")
        assert refusal.value.code == "unknown_id"
        assert other.resolve([office["rain"]])[0].verdict == "withheld"


def test_an_answer_that_was_decided_before_it_does_not_leave_after_it(office: Office) -> None:
    with Ledger.open(office.folder, clock=office.clock) as other:
        items = (Disclosed(office["report"], (office["report"],), False),)
        disclosing = Disclosing(other._session)
        showing = disclosing.about_to_show(other._acting(None, None), items)
        office.ledger.erase([office["case"]])

        with pytest.raises(StorageError, match="ask again") as refusal:
            disclosing.record(showing)

        assert refusal.value.code == "busy"


def test_a_certificate_shows_what_was_changed_in_it(office: Office) -> None:
    made = office.ledger.certificate(office.ledger.erase([office["case"]]).id)
    read = Certificate.from_json(made.to_json())
    read.verify(made.public_key)

    changed = Certificate({**made.body, "asked_for": ["src_x"]}, made.public_key, made.signature)
    with pytest.raises(Exception, match="was changed"):
        changed.verify()


def test_a_certificate_says_when_no_key_can_be_destroyed(tmp_path: Path) -> None:
    keys = EnvironmentKeys({"PROV_LEDGER_KEY": "11" * 32})
    with Ledger.init(tmp_path / "ledger", keys=keys) as ledger:
        source = ledger.source(native="a", title="A")
        done = ledger.erase([source])

        assert done.epoch is None
        body = ledger.certificate(done.id).body
        assert "not destroyed" in str(body["key_epoch"])
        assert "master key" in str(body["copies_of_keys"])
