"""A backup is whole, of one moment, and says what is wrong with it."""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from prov_ledger import Ledger
from prov_ledger.errors import Corrupt, ProvLedgerError, Refused
from prov_ledger.vault.backup import opened_copy, verify_backup
from tests.ledger.keeping.work import back_up_until_killed, restored, write_until_told
from tests.ledger.worlds import PAGE, QUOTE, World, end, make_world, refused, start, was_killed


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = make_world(tmp_path / "ledger")
    yield made
    made.ledger.close()


def test_a_backup_holds_what_was_committed_and_nothing_after_it(world: World, tmp_path: Path) -> None:
    head = world.ledger.tree_head()
    made = world.ledger.backup(str(tmp_path / "backup"))
    assert (made.entries, made.root) == (head.size, head.root.hex())
    assert verify_backup(tmp_path / "backup").size == head.size
    assert world.ledger.tree_head().size == head.size + 1
    assert world.ledger.verify().valid


def test_a_backup_holds_no_key_and_no_text(world: World, tmp_path: Path) -> None:
    world.ledger.backup(str(tmp_path / "backup"))
    key = (world.folder / "keys" / "default-1.key").read_text().strip()
    for path in (tmp_path / "backup").iterdir():
        content = path.read_bytes()
        assert bytes.fromhex(key) not in content
        assert key.encode() not in content
        assert QUOTE.encode() not in content
        assert b"Return policy" not in content
    assert sorted(path.name for path in (tmp_path / "backup").iterdir()) == [
        *("denials.sqlite", "keys.sqlite", "ledger.sqlite", "manifest.json")
    ]


def test_a_backup_that_is_read_is_not_changed(world: World, tmp_path: Path) -> None:
    world.ledger.resolve([world.claim])
    world.ledger.backup(str(tmp_path / "backup"))
    before = {path.name: path.read_bytes() for path in (tmp_path / "backup").iterdir()}
    assert "disclosures.sqlite" in before
    restored(tmp_path / "backup", tmp_path / "again", world.clock, world.folder)
    assert {path.name: path.read_bytes() for path in (tmp_path / "backup").iterdir()} == before


def test_a_backup_while_others_write_is_of_one_moment(tmp_path: Path) -> None:
    world = make_world(tmp_path / "ledger")
    stop = tmp_path / "stop"
    others = [start(write_until_told, world.folder, stop) for _ in range(2)]
    for number in range(4):
        size = world.ledger.tree_head().size
        while world.ledger.tree_head().size < size + 8:
            os.sched_yield()
        made = world.ledger.backup(str(tmp_path / f"backup{number}"))
        with closing(opened_copy(tmp_path / f"backup{number}")) as journal:
            sources = [entry for entry in journal.entries() if entry.kind == "source"]
            revisions = [entry for entry in journal.entries() if entry.kind == "revision"]
        assert len(sources) == len(revisions)
        assert len(sources) % 2 == 1
        assert verify_backup(tmp_path / f"backup{number}").size == made.entries
    stop.touch()
    assert [end(other) for other in others] == [0, 0]
    assert world.ledger.verify().valid
    world.ledger.close()


def test_a_place_that_is_taken_or_inside_the_ledger_is_refused(world: World, tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "x").touch()
    (tmp_path / "file").touch()
    assert refused(lambda: world.ledger.backup(str(tmp_path / "taken"))) == "already_exists"
    assert refused(lambda: world.ledger.backup(str(tmp_path / "file"))) == "already_exists"
    assert refused(lambda: world.ledger.backup(str(world.folder / "backup"))) == "bad_input"
    assert refused(lambda: world.ledger.backup(" ")) == "bad_input"
    with world.ledger.batch():
        assert refused(lambda: world.ledger.backup(str(tmp_path / "backup"))) == "bad_input"


def test_only_an_admin_backs_up(world: World, tmp_path: Path) -> None:
    world.ledger.agent("officer", roles=["privacy_officer", "curator", "auditor"])
    state = world.state()
    assert refused(lambda: world.ledger.backup(str(tmp_path / "b"), by="officer")) == "denied"
    assert not (tmp_path / "b").exists()
    assert world.state() == state


POINTS = [
    ("backup.recorded", 1),
    ("backup.copied", 1),
    ("backup.copied", 3),
    ("denials.after_commit", 2),
    ("backup.complete", 1),
]


@pytest.mark.parametrize(("point", "passes"), POINTS)
def test_a_backup_that_was_killed_has_no_name_and_is_made_by_the_next(
    tmp_path: Path, point: str, passes: int
) -> None:
    world = make_world(tmp_path / "ledger")
    world.ledger.close()
    backup = tmp_path / "backup"
    assert was_killed(back_up_until_killed, world.folder, backup, point, passes)
    assert not backup.exists()
    with Ledger.open(world.folder, clock=world.clock) as ledger:
        assert ledger.verify().valid
        ledger.backup(str(backup))
    verify_backup(backup)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["backup", "ledger"]


def _flip(path: Path, place: int) -> None:
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)


def _edit_manifest(folder: Path) -> None:
    raw = json.loads((folder / "manifest.json").read_text())
    raw["size"] += 1
    (folder / "manifest.json").write_text(json.dumps(raw))


DAMAGES: list[tuple[Callable[[Path], object], str]] = [
    (lambda folder: _flip(folder / "ledger.sqlite", 5000), r"ledger\.sqlite has SHA-256"),
    (lambda folder: _flip(folder / "keys.sqlite", -1), r"keys\.sqlite has SHA-256"),
    (lambda folder: (folder / "denials.sqlite").unlink(), r"denials\.sqlite is missing"),
    (lambda folder: os.truncate(folder / "keys.sqlite", 4096), r"keys\.sqlite has 4096 bytes, expected"),
    (lambda folder: (folder / "manifest.json").write_text("{"), r"manifest\.json is damaged"),
    (_edit_manifest, r"manifest\.json is damaged"),
]


@pytest.mark.parametrize(("damage", "told"), DAMAGES)
def test_a_damaged_backup_is_refused_with_what_and_where(
    world: World, tmp_path: Path, damage: Callable[[Path], object], told: str
) -> None:
    world.ledger.backup(str(tmp_path / "backup"))
    damage(tmp_path / "backup")
    with pytest.raises(Corrupt, match=told):
        restored(tmp_path / "backup", tmp_path / "again", world.clock, world.folder)
    assert not list((tmp_path / "again").glob("tenants/*"))


def test_a_folder_that_is_no_backup_is_refused(world: World, tmp_path: Path) -> None:
    with pytest.raises(Refused, match="is no backup"):
        restored(tmp_path, tmp_path / "again", world.clock, world.folder)


def test_a_backup_goes_on_from_what_was_shown(world: World, tmp_path: Path) -> None:
    world.ledger.resolve([world.claim])
    world.ledger.backup(str(tmp_path / "backup"))
    world.ledger.resolve([world.claim])
    world.ledger.close()
    database = world.folder / "tenants" / "default" / "disclosures.sqlite"
    for path in database.parent.glob("disclosures.sqlite*"):
        path.unlink()
    with Ledger.open(world.folder, clock=world.clock) as ledger:
        ledger.resolve([world.claim])
        ledger.resolve([world.claim])
        found = [str(finding) for finding in ledger.verify().findings]
    assert any(x.startswith("disclosures: ") and "the journal knows" in x for x in found)
    shutil.rmtree(tmp_path / "backup")


def test_what_was_shown_is_told_and_forgotten_by_its_own_rule(world: World) -> None:
    ledger, clock = world.ledger, world.clock
    ledger.grant("ben", world.source)
    ledger.resolve([world.claim], principal="ben", thread="chat")
    clock.step(3600)
    middle = clock.now
    ledger.resolve([world.evidence])
    assert [x.disclosed.id for x in ledger.disclosures()] == [world.claim, world.evidence]
    assert [x.disclosed.id for x in ledger.disclosures(reader="ben")] == [world.claim]
    assert [x.disclosed.id for x in ledger.disclosures(thread="chat")] == [world.claim]
    assert [x.disclosed.id for x in ledger.disclosures(from_=middle)] == [world.evidence]
    assert len(ledger.disclosures(ids=[world.evidence])) == 2
    assert ledger.disclosures(reader="nobody") == []
    clock.step(1)
    assert ledger.forget_disclosures(middle) == 1
    assert [x.disclosed.id for x in ledger.disclosures()] == [world.evidence]
    assert ledger.verify().valid
    assert refused(lambda: ledger.forget_disclosures("2030-01-01T00:00:00Z")) == "bad_input"


def test_what_was_shown_is_told_to_auditors_and_privacy_officers(world: World) -> None:
    world.ledger.agent("clerk", roles=["curator", "admin"])
    world.ledger.agent("officer", roles=["privacy_officer"])
    world.ledger.agent("auditor", roles=["auditor"])
    assert refused(lambda: world.ledger.disclosures(by="clerk")) == "denied"
    assert refused(lambda: world.ledger.forget_disclosures(PAGE, by="auditor")) == "denied"
    for name in ("officer", "auditor"):
        assert world.ledger.disclosures(by=name) == []


def test_an_error_of_a_backup_names_no_text(world: World, tmp_path: Path) -> None:
    with pytest.raises(ProvLedgerError) as error:
        world.ledger.backup("/proc/1/backup")
    assert "Return policy" not in error.value.message
