"""An erasure killed at any step is finished at the next opening, and gives nothing out in between."""

from collections.abc import Callable
from pathlib import Path

import pytest

from prov_ledger import Ledger
from prov_ledger.errors import Refused
from prov_ledger.vault import crash
from tests.ledger.erasing.office import MARKER, RULE, make_office, places_of
from tests.ledger.worlds import was_killed

#: Every durable step after which nothing is given out, and at which pass it kills.
AFTER_DENIAL = [
    ("journal.after_commit", 1),
    ("denials.due", 1),
    ("denials.begun", 2),
    ("denials.before_commit", 2),
    ("denials.after_commit", 2),
    ("erase.denied", 1),
    ("keys.destroyed", 1),
    ("erase.keys", 1),
    ("journal.payloads_removed", 1),
    ("journal.before_commit", 2),
    ("journal.after_commit", 2),
    ("erase.bytes", 1),
    ("cover.made", 1),
    ("cover.renewed", 1),
    ("erase.forgotten", 1),
    ("epoch.key_created", 1),
    ("epoch.rotated", 1),
    ("epoch.batch", 1),
    ("erase.rewrapped", 1),
    ("key.overwritten", 1),
    ("key.destroyed", 1),
    ("epoch.destroyed", 1),
    ("erase.epoch", 1),
    ("journal.before_commit", 4),
    ("erase.receipt", 1),
]
BEFORE_DENIAL = ["denials.before_commit", "erase.recognisable", "journal.appended", "journal.before_commit"]


def erase_until_killed(folder: Path, target: str, point: str, passes: int) -> None:
    with Ledger.open(folder) as ledger:
        ledger.resolve([target])
        crash.arm(point, passes)
        ledger.erase([target], reason="request 17")


@pytest.fixture
def case(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    office = make_office(tmp_path / "ledger")
    office.ledger.close()
    return office.folder, office.ids


def gone(action: Callable[[], object]) -> bool:
    try:
        action()
    except Refused as refused:
        return refused.code == "unknown_id"
    return False


def check_withheld(ledger: Ledger, ids: dict[str, str]) -> None:
    slots = ledger.resolve([ids[name] for name in ("report", "rain", "cell", "owed", "general")])
    assert [slot.verdict for slot in slots] == ["withheld"] * 4 + ["citable"]
    assert (slots[4].words, [quote.quote for quote in slots[4].quotes]) == ("withheld", [RULE])
    assert gone(lambda: ledger.show(ids["page"]))
    assert MARKER not in ledger.packet(ids["reminder"]).text
    assert ledger.find("crushed rain January").passages == ()


@pytest.mark.parametrize(("point", "passes"), AFTER_DENIAL)
def test_killed_after_the_denial_the_next_opening_finishes_it(
    case: tuple[Path, dict[str, str]], point: str, passes: int
) -> None:
    folder, ids = case
    assert was_killed(erase_until_killed, folder, ids["case"], point, passes)

    with Ledger.open(folder) as ledger:
        check_withheld(ledger, ids)
        (erasure,) = ledger._tenant.state.removals.erasures.values()
        assert erasure.receipt is not None
        ledger.certificate(erasure.record.id).verify()
        assert ledger.verify().findings == ()
    assert list(places_of(folder, MARKER)) == []
    assert len(list((folder / "keys").glob("*.key"))) == 1


@pytest.mark.parametrize("point", BEFORE_DENIAL)
def test_killed_before_the_denial_nothing_has_happened(case: tuple[Path, dict[str, str]], point: str) -> None:
    folder, ids = case
    assert was_killed(erase_until_killed, folder, ids["case"], point, 1)

    with Ledger.open(folder) as ledger:
        assert ledger._tenant.state.removals.erasures == {}
        assert MARKER in ledger.show(ids["page"]).data.decode()
        assert ledger.verify().findings == ()
        ledger.erase([ids["case"]])
    assert list(places_of(folder, MARKER)) == []


@pytest.mark.parametrize(("point", "passes"), [("erase.denied", 1), ("erase.keys", 1), ("erase.bytes", 1)])
def test_another_process_that_is_open_gives_nothing_out_meanwhile(
    case: tuple[Path, dict[str, str]], point: str, passes: int
) -> None:
    folder, ids = case
    with Ledger.open(folder) as ledger:
        assert ledger.resolve([ids["report"]])[0].verdict != "withheld"
        ledger.find("crushed rain")

        assert was_killed(erase_until_killed, folder, ids["case"], point, passes)

        check_withheld(ledger, ids)


#: A gap takes a payload out before the denial too.
AFTER_GAP = [(point, passes + (point == "journal.payloads_removed")) for point, passes in AFTER_DENIAL]


@pytest.mark.parametrize(("point", "passes"), AFTER_GAP)
def test_a_gap_killed_anywhere_is_whole_after_the_next_opening(
    case: tuple[Path, dict[str, str]], point: str, passes: int
) -> None:
    folder, ids = case
    assert was_killed(erase_until_killed, folder, ids["rain"], point, passes)

    with Ledger.open(folder) as ledger:
        assert "in the rain" not in ledger.show(ids["page"]).data.decode()
        assert ledger.resolve([ids["report"]], facts={"order": MARKER})[0].verdict == "citable"
        assert ledger.verify().findings == ()
    assert list(places_of(folder, "in the rain")) == []


def test_killed_twice_it_is_still_finished(case: tuple[Path, dict[str, str]]) -> None:
    folder, ids = case
    assert was_killed(erase_until_killed, folder, ids["case"], "erase.keys", 1)
    assert was_killed(open_until_killed, folder, "epoch.rotated", 1)
    assert was_killed(open_until_killed, folder, "erase.rewrapped", 1)

    with Ledger.open(folder) as ledger:
        check_withheld(ledger, ids)
    assert list(places_of(folder, MARKER)) == []


def open_until_killed(folder: Path, point: str, passes: int) -> None:
    crash.arm(point, passes)
    Ledger.open(folder).close()
