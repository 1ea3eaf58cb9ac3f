"""The file of disclosures: durable, ids only, read back by id, reader, thread and period."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from prov_ledger.errors import Corrupt, StorageError
from prov_ledger.vault.disclosures import Disclosed, Disclosure, Disclosures, Occasion

START = datetime(2026, 6, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def occasion(hour: int = 0, reader: str | None = "agt_1", thread: str | None = None) -> Occasion:
    return Occasion(START + hour * HOUR, reader, None, thread, "grants-4", 7)


@pytest.fixture
def records(tmp_path: Path) -> Iterator[Disclosures]:
    opened = Disclosures.open(tmp_path)
    yield opened
    opened.close()


def ids(found: list[Disclosure]) -> list[str]:
    return [disclosure.disclosed.id for disclosure in found]


def test_what_was_appended_is_read_back_as_it_was_by_another_opening(
    records: Disclosures, tmp_path: Path
) -> None:
    told = Occasion(START, None, "pur_1", "ent_1#thread", "cedar-12ab-3", 9)
    items = [Disclosed("cl_1", ("ev_1", "ev_2"), True), Disclosed("cl_2", (), False)]
    records.append(told, items)
    other = Disclosures.open(tmp_path)
    assert other.read() == [Disclosure(told, item) for item in items]
    other.close()


def test_an_id_is_found_as_what_was_asked_for_and_as_evidence_shown(records: Disclosures) -> None:
    records.append(occasion(), [Disclosed("ev_1", ("ev_1",), False), Disclosed("cl_1", ("ev_2",), True)])
    records.append(occasion(), [Disclosed("cl_2", ("ev_3", "ev_1"), False)])
    assert ids(records.read(id="ev_1")) == ["ev_1", "cl_2"]
    assert ids(records.read(id="cl_1")) == ["cl_1"]
    assert ids(records.read(id="ev")) == []


def test_reading_narrows_by_all_that_is_given(records: Disclosures) -> None:
    for hour, reader, thread in ((0, "agt_1", "t_1"), (1, "agt_2", "t_1"), (2, "agt_1", None)):
        records.append(occasion(hour, reader, thread), [Disclosed(f"cl_{hour}", (), True)])
    assert ids(records.read(reader="agt_1")) == ["cl_0", "cl_2"]
    assert ids(records.read(thread="t_1")) == ["cl_0", "cl_1"]
    assert ids(records.read(thread="t_1", reader="agt_2")) == ["cl_1"]
    assert ids(records.read(id="cl_0", reader="agt_2")) == []


def test_a_period_holds_its_start_and_not_its_end(records: Disclosures) -> None:
    for hour in range(4):
        records.append(occasion(hour), [Disclosed(f"cl_{hour}", (), True)])
    assert ids(records.read(from_=START + HOUR, until=START + 3 * HOUR)) == ["cl_1", "cl_2"]


def test_a_killed_creation_is_completed(tmp_path: Path) -> None:
    program = "from pathlib import Path; from prov_ledger.vault.disclosures import Disclosures as D; "
    killed = subprocess.run(
        [sys.executable, "-c", f"{program} D.open(Path({str(tmp_path)!r}))"],
        env=os.environ | {"PROV_LEDGER_CRASH_AT": "disclosures.created_file"},
        check=False,
    )
    assert killed.returncode < 0
    records = Disclosures.open(tmp_path)
    records.append(occasion(), [Disclosed("cl_1", (), True)])
    assert ids(records.read()) == ["cl_1"]
    records.close()


@pytest.mark.parametrize(("place", "kept"), [("before_commit", 0), ("after_commit", 1)])
def test_a_killed_append_is_there_whole_or_not_at_all(tmp_path: Path, place: str, kept: int) -> None:
    Disclosures.open(tmp_path).close()
    program = f"""
from datetime import UTC, datetime
from pathlib import Path
from prov_ledger.vault.disclosures import Disclosed, Disclosures, Occasion
occasion = Occasion(datetime(2026, 6, 1, tzinfo=UTC), "agt_1", None, None, "grants-1", 1)
Disclosures.open(Path({str(tmp_path)!r})).append(occasion, [Disclosed("cl_1", ("ev_1",), True)])
"""
    killed = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"PROV_LEDGER_CRASH_AT": f"disclosures.{place}"},
        check=False,
    )
    assert killed.returncode < 0
    records = Disclosures.open(tmp_path)
    assert len(records.read()) == kept
    records.verify()
    records.close()


def test_another_file_under_the_name_is_refused(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "disclosures.sqlite")
    connection.execute("CREATE TABLE other (x)")
    connection.execute("PRAGMA application_id=1")
    connection.close()
    with pytest.raises(StorageError):
        Disclosures.open(tmp_path)


def test_the_head_names_all_that_was_recorded(records: Disclosures) -> None:
    assert records.head() == (0, bytes(32))
    records.append(occasion(), [Disclosed("cl_1", (), True)])
    first = records.head()
    records.append(occasion(), [Disclosed("cl_1", (), True)])
    assert [first[0], records.head()[0]] == [1, 2]
    assert first[1] != records.head()[1]
    records.verify()


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE item SET id = 'cl_9' WHERE occasion = 2",
        "UPDATE item SET words = 0 WHERE occasion = 2",
        "UPDATE item SET evidence = '' WHERE occasion = 2",
        "UPDATE occasion SET reader = NULL WHERE number = 2",
        "UPDATE occasion SET at_us = at_us + 1 WHERE number = 2",
        "DELETE FROM item WHERE occasion = 2",
        "DELETE FROM occasion WHERE number = 2",
        "UPDATE occasion SET hash = zeroblob(32) WHERE number = 2",
    ],
)
def test_what_is_changed_or_taken_out_shows(records: Disclosures, change: str) -> None:
    for number in range(3):
        records.append(occasion(number), [Disclosed(f"cl_{number}", ("ev_1",), True)])
    connection = sqlite3.connect(records.path)
    connection.execute(change)
    connection.commit()
    connection.close()
    with pytest.raises(Corrupt, match="occasion 2"):
        records.verify()


def test_what_is_old_enough_is_forgotten_and_the_chain_goes_on(records: Disclosures) -> None:
    for number in range(5):
        records.append(occasion(number), [Disclosed(f"cl_{number}", ("ev_1",), True)])
    head = records.head()
    assert records.forget_before(START + 3 * HOUR) == 3
    assert ids(records.read()) == ["cl_3", "cl_4"]
    assert (records.head(), records.forgotten()) == (head, 3)
    records.verify([head])
    assert records.forget_before(START + 3 * HOUR) == 0
    records.append(occasion(5), [Disclosed("cl_5", (), True)])
    assert records.head()[0] == 6
    records.verify([head])


def test_everything_may_be_forgotten(records: Disclosures) -> None:
    records.append(occasion(0), [Disclosed("cl_0", (), True)])
    head = records.head()
    assert records.forget_before(START + HOUR) == 1
    assert records.head() == head
    records.append(occasion(2), [Disclosed("cl_2", (), True)])
    records.verify([head])
    assert records.head()[0] == 2


def test_an_occasion_out_of_time_keeps_what_follows_it(records: Disclosures) -> None:
    for hour in (0, 5, 1):
        records.append(occasion(hour), [Disclosed(f"cl_{hour}", (), True)])
    assert records.forget_before(START + 2 * HOUR) == 1
    assert ids(records.read()) == ["cl_5", "cl_1"]


def test_an_end_that_was_cut_off_shows_where_the_head_was_kept(records: Disclosures) -> None:
    for number in range(3):
        records.append(occasion(number), [Disclosed(f"cl_{number}", (), True)])
    kept = records.head()
    connection = sqlite3.connect(records.path)
    connection.execute("DELETE FROM item WHERE occasion = 3")
    connection.execute("DELETE FROM occasion WHERE number = 3")
    connection.commit()
    connection.close()
    records.verify()
    with pytest.raises(Corrupt, match="ends at occasion 2"):
        records.verify([kept])
    records.append(occasion(9), [Disclosed("cl_9", (), True)])
    with pytest.raises(Corrupt, match="not the one the journal knows"):
        records.verify([kept])


def test_who_was_shown_any_of_several_ids_is_found(records: Disclosures) -> None:
    records.append(occasion(), [Disclosed("cl_1", ("ev_1", "ev_2"), True), Disclosed("cl_2", (), True)])
    records.append(occasion(), [Disclosed("cl_3", ("ev_2",), False)])
    assert ids(records.shown_of(["ev_2", "cl_2"])) == ["cl_1", "cl_2", "cl_3"]
    assert ids(records.shown_of(["ev"])) == []


def test_a_forgetting_that_was_killed_is_whole_or_not_at_all(tmp_path: Path) -> None:
    opened = Disclosures.open(tmp_path)
    for number in range(4):
        opened.append(occasion(number), [Disclosed(f"cl_{number}", (), True)])
    opened.close()
    for place, left in (("before_commit", 4), ("after_commit", 2)):
        program = f"""
from datetime import UTC, datetime
from pathlib import Path
from prov_ledger.vault.disclosures import Disclosures
Disclosures.open(Path({str(tmp_path)!r})).forget_before(datetime(2026, 6, 1, 14, tzinfo=UTC))
"""
        killed = subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"PROV_LEDGER_CRASH_AT": f"disclosures.{place}"},
            check=False,
        )
        assert killed.returncode < 0
        again = Disclosures.open(tmp_path)
        again.verify()
        assert len(again.read()) == left
        again.close()


def test_answers_that_are_given_at_once_are_chained_one_behind_the_other(records: Disclosures) -> None:
    def append(number: int) -> None:
        for one in range(20):
            records.append(occasion(number), [Disclosed(f"cl_{number}_{one}", (), True)])

    with ThreadPoolExecutor(6) as threads:
        list(threads.map(append, range(6)))
    records.verify()
    found = ids(records.read())
    assert len(found) == records.head()[0] == 120
    for number in range(6):
        of_one = [id for id in found if id.startswith(f"cl_{number}_")]
        assert of_one == [f"cl_{number}_{one}" for one in range(20)]
