"""A process killed anywhere on the write path: what it acknowledged is there, the rest all or nothing."""

from pathlib import Path

import pytest

from prov_ledger import Ledger
from prov_ledger.errors import Refused
from tests.ledger.crash_work import BATCH, ROUNDS, init_until_killed, write_until_killed
from tests.ledger.worlds import make_world, was_killed

POINTS = [
    *(f"keys.{step}" for step in ("begun", "before_commit", "after_commit")),
    *(f"journal.{step}" for step in ("begun", "appended", "before_commit", "after_commit")),
    "write.complete",
    *(f"denials.{step}" for step in ("due", "begun", "before_commit", "after_commit")),
    "graph.due",
    "graph.current",
]
#: At which pass each point kills; the second is the reservation of further keys, and of a later write.
PASSES = (1, 2, 6)
INIT_POINTS = [
    "key.written",
    "key.created",
    *(f"{name}.{step}" for name in ("keys", "denials", "journal") for step in ("created_file", "created")),
    "journal.begun",
    "journal.appended",
    "write.complete",
    "journal.before_commit",
    "journal.after_commit",
]


def there(ledger: Ledger, native: str) -> bool:
    try:
        ledger.show(native)
    except Refused:
        return False
    return True


def check_acknowledged(ledger: Ledger, lines: list[list[str]]) -> None:
    for kind, *words in lines:
        if kind == "batch":
            assert all(there(ledger, f"{words[0]}-{part}") for part in range(BATCH))
        elif kind == "shown":
            assert ledger.show(words[0]).label == "v1"
        elif kind == "revoked":
            reader = words[0].replace("_", " ", 1)
            assert ledger.resolve([words[1]], principal=reader)[0].verdict == "withheld"
        elif kind == "superseded":
            assert ledger.resolve(words)[0].verdict in ("superseded", "retracted")
        elif kind in ("citable", "retracted"):
            assert ledger.resolve(words)[0].verdict == kind


def graph_lines(ledger: Ledger) -> list[bytes]:
    return sorted(b"".join(ledger._tenant.graph.current().dump()).splitlines())


@pytest.mark.parametrize("point", POINTS)
def test_a_writer_killed_anywhere_loses_nothing_that_it_acknowledged(tmp_path: Path, point: str) -> None:
    folder, told = tmp_path / "ledger", tmp_path / "told"
    make_world(folder).ledger.close()
    kills = 0
    for run, passes in enumerate(PASSES):
        kills += was_killed(write_until_killed, folder, told, f"run{run}", point, passes)
        lines = [line.split() for line in told.read_text().splitlines()] if told.exists() else []
        with Ledger.open(folder) as ledger:
            check_acknowledged(ledger, lines)
            for number in range(ROUNDS):
                names = [f"run{run}-{number}-{part}" for part in range(BATCH)]
                assert sum(there(ledger, name) for name in names) in (0, BATCH)
            report = ledger.verify()
            assert report.valid, report.findings
    assert kills >= 2
    with Ledger.open(folder) as ledger:
        before = graph_lines(ledger)
        ledger.rebuild()
        assert graph_lines(ledger) == before


@pytest.mark.parametrize("point", INIT_POINTS)
def test_an_init_killed_anywhere_is_completed_by_the_next(tmp_path: Path, point: str) -> None:
    assert was_killed(init_until_killed, tmp_path / "ledger", point)
    committed = point == "journal.after_commit"
    if not committed:
        Ledger.init(tmp_path / "ledger", facts={"region": "code"}).close()
    with Ledger.open(tmp_path / "ledger") as ledger:
        assert "region" in ledger.facts()
        ledger.source(native="a", title="A")
        assert ledger.verify().valid
