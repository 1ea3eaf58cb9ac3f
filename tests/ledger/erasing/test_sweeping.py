"""Sweeping what expired: once, telling, and so that everything that is left still verifies."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from prov_ledger import Ledger
from prov_ledger.merkle.proofs import verify_consistency, verify_inclusion
from prov_ledger.vault import crash
from tests.ledger.erasing.office import MARKER, Office, make_office, places_of
from tests.ledger.worlds import was_killed


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    made = make_office(tmp_path / "ledger")
    made.ledger.retention(made["case"], bytes_for="P3M", metadata_for="P1Y")
    yield made
    made.ledger.close()


def test_nothing_is_due_before_its_instant(office: Office) -> None:
    office.clock.now += timedelta(days=91)

    report = office.ledger.sweep()

    assert (report.erasure, report.pruned) == (None, 0)
    assert report.next_due is not None
    assert report.next_due > office.clock.now


def test_expired_bytes_go_once(office: Office) -> None:
    office.clock.now += timedelta(days=93)

    first, second = office.ledger.sweep(), office.ledger.sweep()

    assert (first.revisions, first.sources, first.pruned) == ((office["page"],), (), 0)
    assert (second.erasure, second.pruned) == (None, 0)
    assert list(places_of(office.folder, "14 January")) == []
    assert office.ledger.verify().findings == ()
    assert "retention" in dict(office.ledger.certificate(first.erasure or "").body)["cause"]


def test_a_hold_stops_the_sweeper_and_is_told(office: Office) -> None:
    office.ledger.hold(office["case"], "case 12")
    office.clock.now += timedelta(days=400)

    report = office.ledger.sweep()

    assert (report.erasure, report.pruned, report.held) == (None, 0, (office["case"],))
    assert office.ledger.resolve([office["report"]])[0].verdict == "withheld"
    assert list(places_of(office.folder, MARKER))


def test_an_account_gives_expired_texts_out_under_a_hold_alone(office: Office) -> None:
    def told() -> bool:
        account = office.ledger.access([office["page"]])
        assert office["page"] in {thing.id for thing in account.things}
        return any(text.owner in (office["page"], office["report"]) for text in account.texts)

    assert told()
    office.clock.now += timedelta(days=93)
    assert not told()
    office.ledger.hold(office["case"], "case 12")
    assert told()


def sweep_all(office: Office) -> int:
    office.clock.now += timedelta(days=400)
    return office.ledger.sweep().pruned


def test_expired_metadata_is_pruned_and_every_other_proof_still_verifies(office: Office) -> None:
    journal = office.ledger._tenant.journal
    before = office.ledger.tree_head()
    leaves = {row.sequence: row.hashes[0] for row in journal.rows()}

    assert sweep_all(office) > 8

    head = office.ledger.tree_head()
    path = journal.consistency_path(before.size, head.size)
    verify_consistency(before.size, head.size, before.root, head.root, path)
    for sequence, leaf in leaves.items():
        verify_inclusion(
            leaf, sequence - 1, head.size, journal.inclusion_path(sequence, head.size), head.root
        )
    report = office.ledger.verify()
    assert (report.findings, report.pruned > 8, report.erased > 8) == ((), True, True)
    assert office.ledger.validate().conforms


def test_no_id_of_what_was_pruned_is_in_the_graph_but_where_others_name_it(office: Office) -> None:
    sweep_all(office)

    dumped = b"".join(office.ledger._tenant.graph.current().dump()).decode()
    described = [
        line for line in dumped.splitlines() if line.startswith(f"<{office.ledger.base}{office['page']}>")
    ]
    assert [line for line in described if "recordedAs" not in line] == []
    slots = office.ledger.resolve([office["report"], office["general"]])
    assert [slot.verdict for slot in slots] == ["withheld", "citable"]


def test_the_file_gives_room_back(office: Office) -> None:
    for number in range(60):
        text = f"{number} " + "".join(str(n * number) for n in range(2000))
        office.ledger.revision(office["case"], data=text, label=str(number))
    office.ledger._tenant.journal.scrub()
    before = office.ledger._tenant.journal.path.stat().st_size

    sweep_all(office)

    assert office.ledger._tenant.journal.path.stat().st_size < before / 2


def sweep_until_killed(folder: Path, days: int, point: str, passes: int) -> None:
    from tests.ledger.worlds import START, Clock

    with Ledger.open(folder, clock=Clock(START + timedelta(days=days))) as ledger:
        crash.arm(point, passes)
        ledger.sweep()


@pytest.mark.parametrize(
    ("point", "passes"),
    [
        ("erase.keys", 1),
        ("erase.receipt", 1),
        ("journal.pruned", 1),
        ("journal.after_commit", 8),
        ("prune.rebuilt", 1),
    ],
)
def test_a_sweep_killed_anywhere_is_finished_by_the_next(office: Office, point: str, passes: int) -> None:
    office.ledger.close()
    assert was_killed(sweep_until_killed, office.folder, 400, point, passes)

    office.clock.now += timedelta(days=400)
    office.reopen().sweep()

    assert office.ledger.verify().findings == ()
    assert list(places_of(office.folder, MARKER)) == []
    assert office.ledger.sweep().pruned == 0
