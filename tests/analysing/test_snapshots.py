"""A snapshot appears whole, says how old it is, lacks nothing older than asked for, and goes with erasure."""

import shutil
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from asking import becomes, make_ledger

from prov_ledger import Ledger
from prov_ledger.errors import GraphBusy, StorageError
from prov_ledger.store.oxigraph import OxigraphStore
from prov_ledger.store.port import Position, Rows
from prov_ledger.store.snapshots import Snapshot, Snapshots, reading

NOON = datetime(2026, 7, 1, 12, tzinfo=UTC)
_HOUR = timedelta(hours=1)


def _nothing(directory: Path) -> Position:
    directory.mkdir()
    return Position(7, "00")


def _add(snapshots: Snapshots, taken: datetime = NOON) -> Snapshot:
    with snapshots.locked(1):
        return snapshots.add(_nothing, taken)


def _names(snapshots: Snapshots) -> set[str]:
    return {entry.name for entry in snapshots.folder.iterdir() if entry.is_dir()}


def _size(snapshot: Snapshot, base: str, copy: Path) -> int:
    """How many triples a snapshot holds; it is a copy that is opened to write."""
    store = OxigraphStore(Path(shutil.copytree(snapshot.graph, copy)), base)
    try:
        return store.size()
    finally:
        store.close()


def test_a_snapshot_says_how_far_it_is_and_when_it_was_taken(tmp_path: Path) -> None:
    added = _add(Snapshots(tmp_path))
    found = Snapshots(tmp_path).newest()
    assert found == added
    assert (added.position.sequence, added.taken) == (7, NOON)


def test_one_that_fails_half_way_is_none(tmp_path: Path) -> None:
    snapshots = Snapshots(tmp_path)

    def fill(directory: Path) -> Position:
        directory.mkdir()
        raise StorageError("the disk is full")

    with pytest.raises(StorageError), snapshots.locked(1):
        snapshots.add(fill, NOON)
    assert snapshots.newest() is None
    _add(snapshots)
    assert len(_names(snapshots)) == 1


def test_older_ones_go_unless_somebody_reads_them(tmp_path: Path) -> None:
    snapshots = Snapshots(tmp_path)
    unread, read = _add(snapshots), _add(snapshots, NOON + timedelta(seconds=1))
    newest = _add(snapshots, NOON + _HOUR)
    with reading(read.marker), snapshots.locked(1):
        snapshots.remove_old(newest)
    assert _names(snapshots) == {read.folder.name, newest.folder.name}
    assert not unread.is_there()


def test_one_that_was_just_the_newest_stays_for_whoever_is_about_to_open_it(tmp_path: Path) -> None:
    snapshots = Snapshots(tmp_path)
    before = _add(snapshots)
    newest = _add(snapshots, NOON + timedelta(seconds=10))
    with snapshots.locked(1):
        snapshots.remove_old(newest)
    assert before.is_there()


def test_making_waits_for_whoever_makes_and_says_so(tmp_path: Path) -> None:
    snapshots = Snapshots(tmp_path)
    with snapshots.locked(1), pytest.raises(StorageError) as refused, Snapshots(tmp_path).locked(0.05):
        pass
    assert refused.value.code == "busy"


def test_removing_all_returns_when_nobody_reads_one(tmp_path: Path) -> None:
    snapshots = Snapshots(tmp_path)
    snapshot = _add(snapshots)
    over: list[int] = []
    with reading(snapshot.marker):
        removing = threading.Thread(target=lambda: over.append(snapshots.remove_all()))
        removing.start()
        assert becomes(lambda: not snapshot.is_there())
        assert over == []
    removing.join(10)
    assert over == [1]
    assert list(snapshots.folder.glob(".gone-*")) == []


def test_removing_all_says_when_somebody_reads_on_and_still_does_when_asked_again(tmp_path: Path) -> None:
    snapshots = Snapshots(tmp_path)
    snapshot = _add(snapshots)
    with reading(snapshot.marker):
        for _ in range(2):
            with pytest.raises(StorageError, match="still reads") as refused:
                snapshots.remove_all(wait_s=0.05)
            assert refused.value.code == "busy"
        assert not snapshot.folder.exists()
    assert snapshots.remove_all() == 0


def test_a_removed_one_is_not_read(tmp_path: Path) -> None:
    snapshot = _add(Snapshots(tmp_path))
    Snapshots(tmp_path).remove_all()
    with pytest.raises(FileNotFoundError), reading(snapshot.marker):
        pass


def test_where_there_is_none_removing_all_makes_no_folder(tmp_path: Path) -> None:
    assert Snapshots(tmp_path / "snapshots").remove_all() == 0
    assert not (tmp_path / "snapshots").exists()


def test_a_quiet_ledger_keeps_its_snapshot_however_old(ledger: Ledger) -> None:
    assert ledger.snapshot(timedelta(0)) == ledger.snapshot(timedelta(0))


def test_what_was_recorded_is_in_the_next_snapshot_that_has_to_be_fresh(
    ledger: Ledger, tmp_path: Path
) -> None:
    before = ledger.snapshot()
    ledger.source(native="another", title="Another")
    assert ledger.snapshot(_HOUR) == before
    after = ledger.snapshot(timedelta(0))
    assert after.position.sequence == before.position.sequence + 1
    sizes = [_size(x, ledger.base, tmp_path / x.folder.name) for x in (before, after)]
    assert sizes[0] < sizes[1]


def test_a_snapshot_holds_the_graph_no_longer_than_it_takes(tmp_path: Path) -> None:
    with make_ledger(tmp_path / "ledger") as one, Ledger.open(tmp_path / "ledger") as other:
        one.snapshot()
        assert other.sparql("ASK { ?s ?p ?o }") is True


def test_where_another_has_the_graph_the_newest_snapshot_is_carried_on(tmp_path: Path) -> None:
    with make_ledger(tmp_path / "ledger") as one, Ledger.open(tmp_path / "ledger") as other:
        before = one.snapshot()
        assert other.sparql("ASK { ?s ?p ?o }") is True
        one.source(native="another", title="Another")
        with pytest.raises(GraphBusy):
            one.sparql("ASK {}")
        after = one.snapshot()
        assert after.position.sequence == before.position.sequence + 1
        everything = other.sparql("SELECT * { ?s ?p ?o }")
        assert isinstance(everything, Rows)
        assert _size(after, one.base, tmp_path / "copied") == len(everything.rows)


def test_where_another_has_the_graph_and_there_is_no_snapshot_that_is_said(tmp_path: Path) -> None:
    with make_ledger(tmp_path / "ledger") as one, Ledger.open(tmp_path / "ledger") as other:
        other.sparql("ASK {}")
        with pytest.raises(GraphBusy):
            one.snapshot()


def test_a_snapshot_of_another_history_is_not_used(ledger: Ledger) -> None:
    with ledger.snapshots.locked(1):
        foreign = ledger.snapshots.add(_nothing, datetime.now(UTC))
    assert ledger.snapshots.newest() == foreign
    assert ledger.snapshot(_HOUR).position.root_hex != foreign.position.root_hex


def test_while_one_is_made_for_long_the_newest_there_is_will_do(ledger: Ledger) -> None:
    before = ledger.snapshot()
    ledger.source(native="another", title="Another")
    with ledger.snapshots.locked(1):
        assert ledger.snapshot(timedelta(0), wait_s=0.05) == before


_KILLED = """
import os, sys
from pathlib import Path
from prov_ledger import Ledger
from prov_ledger.store.port import Position, Rows
ledger = Ledger.open(sys.argv[1])
def fill(directory):
    position = ledger._tenant.graph.copy_into(directory)
    os.kill(os.getpid(), 9)
with ledger.snapshots.locked(1):
    ledger.snapshots.add(fill, __import__("datetime").datetime.now(__import__("datetime").UTC))
"""


def test_a_kill_in_the_middle_leaves_none_and_is_cleared_away(ledger: Ledger, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", _KILLED, tmp_path / "ledger"], check=False)
    assert done.returncode == -9
    left = _names(ledger.snapshots)
    assert len(left) == 1
    assert ledger.snapshots.newest() is None
    made = ledger.snapshot()
    assert _names(ledger.snapshots) == {made.folder.name}


def test_it_costs_no_second_copy_of_the_graph(ledger: Ledger) -> None:
    snapshot = ledger.snapshot()
    assert any(table.stat().st_nlink > 1 for table in snapshot.graph.glob("*.sst"))


def test_an_erasure_removes_every_snapshot(ledger: Ledger) -> None:
    snapshot = ledger.snapshot()
    source = ledger.source(native="secret", title="Secret")
    assert snapshot.is_there()
    ledger.erase([source])
    assert not snapshot.folder.exists()
