"""A tenant moves as a whole, and is removed for good; a doctor says what is wrong."""

import hashlib
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from prov_ledger import Ledger
from prov_ledger.errors import ExposedKey, MissingKey, Refused, StorageError, WrongKey
from prov_ledger.ledger.doctoring import Diagnosis, examine
from prov_ledger.ledger.layout import keys_folder
from prov_ledger.ledger.moving import move_in, move_out, remove, reopen
from prov_ledger.service.api_keys import ApiKeys
from prov_ledger.vault.keys import EnvironmentKeys, FileKeys
from tests.ledger.keeping.work import TENANT, move_until_killed, remove_until_killed, restored
from tests.ledger.worlds import Clock, World, make_world, refused, was_killed


def keys_of(folder: Path) -> FileKeys:
    return FileKeys(keys_folder(folder))


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = make_world(tmp_path / "ledger")
    made.ledger.grant("ben", made.source)
    yield made
    made.ledger.close()


def moved_out(world: World, tmp_path: Path) -> None:
    world.ledger.close()
    move_out(
        world.folder,
        TENANT,
        keys_of(world.folder),
        tmp_path / "moving",
        tmp_path / "apart",
        world.clock,
        None,
    )


def test_a_tenant_moves_with_all_that_it_has(world: World, tmp_path: Path) -> None:
    moved_out(world, tmp_path)
    there = tmp_path / "there"
    done = move_in(tmp_path / "moving", there, keys_of(there), tmp_path / "apart", world.clock)
    assert not done.grants_suspended
    with Ledger.open(there, clock=world.clock) as ledger:
        assert ledger.resolve([world.claim], principal="ben")[0].verdict == "citable"
        assert ledger.verify().valid
    keys_of(there).destroy_key(TENANT, 1)


def test_a_tenant_that_moved_out_answers_no_more_until_it_is_reopened(world: World, tmp_path: Path) -> None:
    moved_out(world, tmp_path)
    with pytest.raises(Refused, match="moved out"):
        Ledger.open(world.folder, clock=world.clock)
    reopen(world.folder, TENANT)
    with Ledger.open(world.folder, clock=world.clock) as ledger:
        assert ledger.resolve([world.claim])[0].verdict == "citable"
    with pytest.raises(Refused, match="did not move out"):
        reopen(world.folder, TENANT)


def test_a_process_that_had_it_open_writes_no_more(world: World, tmp_path: Path) -> None:
    other = Ledger.open(world.folder, clock=world.clock)
    moved_out(world, tmp_path)
    assert refused(lambda: other.source(native="late", title="Late")) == "not_found"
    other.close()


def test_a_move_that_fails_leaves_the_tenant_open(world: World, tmp_path: Path) -> None:
    (tmp_path / "moving").mkdir()
    (tmp_path / "moving" / "x").touch()
    with pytest.raises(Refused, match="is there already"):
        moved_out(world, tmp_path)
    Ledger.open(world.folder, clock=world.clock).close()


@pytest.mark.parametrize("inside", ["moving", "moving/key", "."])
def test_a_key_does_not_go_beside_the_files(world: World, tmp_path: Path, inside: str) -> None:
    out = tmp_path / "out"
    keys, moving = keys_of(world.folder), out / "moving"
    with pytest.raises(Refused, match="the keys go beside the files: give another place"):
        move_out(world.folder, TENANT, keys, moving, out / inside, world.clock, None)
    assert not out.exists()
    Ledger.open(world.folder, clock=world.clock).close()


@pytest.mark.parametrize("taken", ["moving", "ledger/moving", "apart/default-1.key", ".moving.unfinished"])
def test_a_move_that_fails_leaves_no_key_anywhere(world: World, tmp_path: Path, taken: str) -> None:
    world.ledger.close()
    key, place = keys_of(world.folder).get_key(TENANT, 1).hex(), tmp_path / "new" / taken
    if taken != "ledger/moving":
        place.parent.mkdir(parents=True)
        place.write_text("something else")
    destination = world.folder / "moving" if taken == "ledger/moving" else tmp_path / "new" / "moving"
    before = sorted(tmp_path.glob("new/**/*"))
    with pytest.raises((Refused, StorageError, WrongKey, ExposedKey)):
        move_out(
            world.folder,
            TENANT,
            keys_of(world.folder),
            destination,
            tmp_path / "new" / "apart",
            world.clock,
            None,
        )
    assert sorted(tmp_path.glob("new/**/*")) == before
    held = [x for x in tmp_path.rglob("*") if x.is_file() and key.encode() in x.read_bytes()]
    assert held == [world.folder / "keys" / "default-1.key"]
    with Ledger.open(world.folder, clock=world.clock) as ledger:
        assert ledger.resolve([world.claim])[0].verdict == "citable"


def test_an_erasure_after_a_failed_move_destroys_the_only_key(world: World, tmp_path: Path) -> None:
    (tmp_path / ".moving.unfinished").touch()
    with pytest.raises(StorageError):
        moved_out(world, tmp_path)
    with Ledger.open(world.folder, clock=world.clock) as ledger:
        erased = ledger.erase([world.source])
        assert "key of epoch 1 is destroyed" in repr(ledger.certificate(erased.id).body)
    assert [x.name for x in tmp_path.rglob("*.key")] == ["default-2.key"]


@pytest.mark.parametrize("point", ["tenant.closed", "backup.recorded", "backup.complete", "backup.named"])
def test_a_move_that_was_killed_can_be_undone_or_done_again(tmp_path: Path, point: str) -> None:
    world = make_world(tmp_path / "ledger")
    world.ledger.close()
    assert was_killed(move_until_killed, world.folder, tmp_path / "moving", point)
    reopen(world.folder, TENANT)
    with Ledger.open(world.folder, clock=world.clock) as ledger:
        assert ledger.verify().valid
    shutil.rmtree(tmp_path / "moving", ignore_errors=True)
    move_out(
        world.folder,
        TENANT,
        keys_of(world.folder),
        tmp_path / "moving",
        tmp_path / "keys",
        world.clock,
        None,
    )


def test_only_an_admin_moves_or_removes(world: World, tmp_path: Path) -> None:
    world.ledger.agent("officer", roles=["privacy_officer", "curator", "auditor"])
    world.ledger.close()
    keys = keys_of(world.folder)
    for act in (
        lambda: move_out(
            world.folder, TENANT, keys, tmp_path / "m", tmp_path / "k", world.clock, agent="officer"
        ),
        lambda: remove(world.folder, TENANT, keys, world.clock, "officer"),
        lambda: remove(world.folder, TENANT, keys, world.clock, "nobody"),
    ):
        assert refused(act) == "denied"
    Ledger.open(world.folder, clock=world.clock).close()


def test_a_removed_tenant_leaves_nothing_and_its_backups_open_no_more(world: World, tmp_path: Path) -> None:
    other = Ledger.init(world.folder, tenant="other", clock=world.clock)
    kept = other.source(native="x", title="X")
    other.close()
    made = world.ledger.backup(str(tmp_path / "backup"))
    shutil.copytree(world.folder / "tenants" / TENANT, tmp_path / "copy")
    world.ledger.close()
    gone = remove(world.folder, TENANT, keys_of(world.folder), world.clock, None)
    assert (gone.epochs, gone.kept_epochs, gone.backups) == ((1,), (), (made.id,))
    assert [path.name for path in (world.folder / "tenants").iterdir()] == ["other"]
    assert [path.name for path in (world.folder / "keys").iterdir()] == ["other-1.key"]
    with pytest.raises(MissingKey):
        restored(tmp_path / "backup", tmp_path / "again", world.clock, None, world.folder / "keys")
    with Ledger.open(world.folder, tenant="other", clock=world.clock) as again:
        assert again.source(native="x", title="X") == kept
    assert refused(lambda: remove(world.folder, TENANT, keys_of(world.folder), world.clock, None)) == (
        "not_found"
    )


def test_no_api_key_of_a_removed_tenant_is_left(world: World) -> None:
    keys = ApiKeys(world.folder)
    _, text = keys.create(TENANT, world.source)
    other, kept = keys.create("other", world.source)
    file = world.folder / "service" / "keys.sqlite"
    assert keys.find(text, datetime.now(UTC)) is not None
    world.ledger.close()
    remove(world.folder, TENANT, keys_of(world.folder), world.clock, None)
    assert keys.find_seen(text, datetime.now(UTC)) is keys.find(text, datetime.now(UTC)) is None
    Ledger.init(world.folder, clock=world.clock).close()
    assert keys.all(TENANT) == []
    found = keys.find(kept, datetime.now(UTC))
    assert found is not None
    assert found.id == other.id
    keys.close()
    hash = hashlib.sha256(text.split("_", 2)[2].encode()).digest()
    assert not any(hash in x.read_bytes() for x in file.parent.iterdir())


def test_a_removal_that_was_killed_takes_the_api_keys_with_the_next_call(tmp_path: Path) -> None:
    world = make_world(tmp_path / "ledger")
    keys = ApiKeys(world.folder)
    keys.create(TENANT, world.source)
    world.ledger.close()
    assert was_killed(remove_until_killed, world.folder, "tenant.keys_destroyed", 1)
    remove(world.folder, TENANT, keys_of(world.folder), world.clock, None)
    assert keys.all(TENANT) == []
    keys.close()


def test_a_legal_hold_keeps_a_tenant(world: World) -> None:
    world.ledger.hold(world.source, "a case")
    world.ledger.close()
    call = lambda: remove(world.folder, TENANT, keys_of(world.folder), world.clock, None)  # noqa: E731
    assert refused(call) == "legal_hold"
    with Ledger.open(world.folder, clock=world.clock) as ledger:
        assert ledger.resolve([world.claim])[0].verdict == "citable"
        ledger.release(world.source)
    assert call().tenant == TENANT


def test_keys_that_derive_from_a_master_key_are_told_of(tmp_path: Path) -> None:
    keys = EnvironmentKeys({"PROV_LEDGER_KEY": "ab" * 32})
    world = make_world(tmp_path / "ledger", keys=keys)
    world.ledger.close()
    gone = remove(world.folder, TENANT, keys, world.clock, None)
    assert (gone.epochs, gone.kept_epochs) == ((), (1,))


REMOVAL_POINTS = [
    ("tenant.removing", 1),
    ("key.overwritten", 1),
    ("key.destroyed", 1),
    ("tenant.keys_destroyed", 1),
    ("tenant.file_removed", 1),
    ("tenant.file_removed", 3),
]


@pytest.mark.parametrize(("point", "passes"), REMOVAL_POINTS)
def test_a_removal_that_was_killed_answers_nothing_and_is_finished_by_the_next(
    tmp_path: Path, point: str, passes: int
) -> None:
    world = make_world(tmp_path / "ledger")
    world.ledger.close()
    assert was_killed(remove_until_killed, world.folder, point, passes)
    with pytest.raises(Refused, match="being removed"):
        Ledger.open(world.folder, clock=world.clock)
    remove(world.folder, TENANT, keys_of(world.folder), world.clock, None)
    assert list((world.folder / "tenants").iterdir()) == []
    assert list((world.folder / "keys").iterdir()) == []


def told(world: World, clock: Clock | None = None) -> list[Diagnosis]:
    return examine(world.folder, TENANT, keys_of(world.folder), clock or world.clock)


def levels(found: list[Diagnosis], where: str) -> set[str]:
    return {one.level for one in found if one.where == where}


def test_the_doctor_finds_nothing_wrong_with_a_sound_ledger(world: World, tmp_path: Path) -> None:
    world.ledger.backup(str(tmp_path / "backup"))
    found = told(world)
    assert {one.level for one in found} <= {"fine", "look"}
    assert levels(found, "backups") == {"fine"}
    assert levels(found, "ledger.sqlite") == {"fine"}


def test_the_doctor_looks_also_where_nothing_opens(world: World) -> None:
    world.ledger.close()
    keys_of(world.folder).destroy_key(TENANT, 1)
    found = told(world)
    assert found[0].level == "wrong"
    assert "missing_key" in found[0].what
    with pytest.raises(Refused, match="no tenant"):
        examine(world.folder, "nobody", keys_of(world.folder), world.clock)


def test_the_doctor_tells_of_a_clock_that_went_back(world: World) -> None:
    earlier = Clock()
    earlier.step(-86_400)
    assert levels(told(world, earlier), "clock") == {"wrong"}


def test_the_doctor_tells_of_old_keys_that_are_kept_or_came_back(world: World) -> None:
    key = keys_of(world.folder).get_key(TENANT, 1)
    world.ledger._tenant.tickets.rotate()
    assert any("not known to be destroyed" in one.what for one in told(world))
    world.ledger.rotate_keys()
    assert not any("epochs" in one.what for one in told(world))
    keys_of(world.folder).put_key(TENANT, 1, key)
    assert any("are there again" in one.what and one.level == "wrong" for one in told(world))


def test_the_doctor_tells_that_no_backup_was_made_since_the_last_erasure(
    world: World, tmp_path: Path
) -> None:
    assert levels(told(world), "backups") == {"look"}
    world.ledger.backup(str(tmp_path / "backup"))
    world.ledger.erase([world.source], reason="asked")
    found = [one.what for one in told(world) if one.where == "backups"]
    assert any("since the last erasure" in what for what in found)
    assert any("open with no key" in what for what in found)


def test_the_doctor_tells_of_damage_in_a_file(world: World) -> None:
    world.ledger.close()
    path = world.folder / "tenants" / TENANT / "ledger.sqlite"
    content = bytearray(path.read_bytes())
    content[4096 : 4096 + 400] = bytes(400)
    path.write_bytes(content)
    assert "wrong" in {one.level for one in told(world)}


def test_the_doctor_tells_of_suspended_grants(world: World, tmp_path: Path) -> None:
    world.ledger.backup(str(tmp_path / "backup"))
    again = tmp_path / "again"
    restored(tmp_path / "backup", again, world.clock, None, world.folder / "keys")
    found = examine(again, TENANT, keys_of(again), world.clock)
    assert levels(found, "grants") == {"look"}


def test_a_key_does_not_go_where_removing_the_tenant_takes_it(world: World, tmp_path: Path) -> None:
    keys = keys_of(world.folder)
    with pytest.raises(Refused, match="the keys go outside of the ledger: give another place"):
        move_out(world.folder, TENANT, keys, tmp_path / "out", world.folder / "keys", world.clock, None)
    assert not (tmp_path / "out").exists()
    Ledger.open(world.folder, clock=world.clock).close()
