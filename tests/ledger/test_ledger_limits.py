"""What the machine does wrong: a full disk, a clock that goes back, keys that are missing or exposed."""

import os
import resource
import shutil
import signal
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from prov_ledger import Ledger
from prov_ledger.errors import (
    ClockWentBack,
    ExposedKey,
    MissingKey,
    ProvLedgerError,
    Refused,
    StorageError,
    WrongKey,
)
from tests.ledger.worlds import Clock, World, end, make_world, refused, start


@pytest.fixture
def world(tmp_path: Path) -> World:
    return make_world(tmp_path / "ledger")


def key_file(world: World) -> Path:
    (found,) = (world.folder / "keys").glob("*.key")
    return found


def write_until_full(folder: Path, told: Path) -> None:
    """Write pages under a limit of the size of files, a line per page that was acknowledged."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with Ledger.open(folder) as ledger:
        source = ledger.source(native="big", title="Big")
        limit = (folder / "tenants" / "default" / "ledger.sqlite-wal").stat().st_size + 300_000
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        lines: list[str] = []
        try:
            for number in range(200):
                lines.append(ledger.revision(source, data=os.urandom(20_000), label=f"v{number}"))
        except StorageError as error:
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            lines.append(error.code)
            lines.append(ledger.revision(source, data=b"after", label="after"))
        told.write_text("\n".join(lines))


def test_a_full_disk_is_told_and_loses_nothing_acknowledged(world: World, tmp_path: Path) -> None:
    world.ledger.close()
    assert end(start(write_until_full, world.folder, tmp_path / "told")) == 0
    *kept, code, after = (tmp_path / "told").read_text().splitlines()
    assert kept
    assert code in ("storage_full", "storage")
    with Ledger.open(world.folder) as ledger:
        assert [ledger.show(id).label for id in kept] == [f"v{number}" for number in range(len(kept))]
        assert ledger.show(after).data == b"after"
        assert refused(lambda: ledger.show("nothing else")) == "unknown_id"
        assert ledger.verify().valid


def fill_keys(folder: Path, told: Path) -> None:
    """Let the file of keys be the one that cannot grow."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with Ledger.open(folder) as ledger:
        source = ledger.source(native="many", title="Many")
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
        try:
            for number in range(200):
                ledger.revision(source, data=b"x", label=f"v{number}")
        except StorageError as error:
            told.write_text(error.code)
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def test_a_disk_too_full_for_a_page_is_told_at_once(world: World, tmp_path: Path) -> None:
    state = world.state()
    world.ledger.close()
    assert end(start(fill_keys, world.folder, tmp_path / "told")) == 0
    assert (tmp_path / "told").read_text() in ("storage_full", "storage")
    with Ledger.open(world.folder) as ledger:
        assert ledger.tree_head().size >= state[0]
        assert ledger.verify().valid


@pytest.mark.parametrize("seconds", [1, 60, 299])
def test_a_clock_that_steps_back_a_little_is_tolerated(world: World, seconds: int) -> None:
    world.clock.step(-seconds)
    world.conclude("Written while the clock was being corrected.")
    last = world.ledger._tenant.journal.recorded_at(world.ledger.tree_head().size)
    assert last == datetime(2026, 6, 1, 12, tzinfo=UTC)
    assert world.ledger.verify().valid


def test_a_clock_that_went_far_back_is_refused_with_nothing_written(world: World) -> None:
    state = world.state()
    world.clock.step(-301)
    with pytest.raises(ClockWentBack, match="set the clock right"):
        world.conclude("Written in the past.")
    assert world.state() == state
    world.clock.step(301)
    world.conclude("Written when the clock was right again.")
    assert world.state()[0] == state[0] + 1


@pytest.mark.parametrize("seconds", [-299, -7200])
def test_a_clock_that_was_set_back_revives_no_grant_that_ended(world: World, seconds: int) -> None:
    world.ledger.grant("bot", world.source, until=world.clock.now + timedelta(minutes=1))
    world.clock.step(60)
    world.conclude("Written when the grant had ended.")
    world.clock.step(seconds)
    (slot,) = world.ledger.resolve([world.claim], principal="bot")
    assert slot.verdict == "withheld"
    assert world.ledger.find("goods", principal="bot").evidence == ()


def test_a_clock_that_was_set_back_makes_no_check_young_again(world: World) -> None:
    world.clock.step(7200)
    world.conclude("Written two hours later.")
    world.clock.step(-7200)
    (slot,) = world.ledger.resolve([world.claim], max_age="PT1H")
    assert slot.verdict == "unchecked"
    (asked,) = world.ledger.resolve([world.claim], max_age="PT1H", now=world.clock.now)
    assert asked.verdict == "citable"


def test_a_clock_that_goes_back_within_a_batch_undoes_the_batch(world: World) -> None:
    state = world.state()

    def write() -> None:
        with world.ledger.batch():
            world.conclude("First.")
            world.clock.step(-3600)
            world.conclude("Second.")

    with pytest.raises(ClockWentBack):
        write()
    world.clock.step(3600)
    assert world.state() == state
    assert world.ledger.verify().valid


def test_a_clock_without_a_zone_is_refused(world: World) -> None:
    state = world.state()
    world.clock.now = datetime(2026, 6, 1, 13)
    with pytest.raises(ProvLedgerError):
        world.conclude("At no known time.")
    world.clock.now = datetime(2026, 6, 1, 13, tzinfo=UTC)
    assert world.state() == state


def test_a_missing_key_is_told_with_the_place_and_nothing_is_changed(world: World) -> None:
    state, key = world.state(), key_file(world)
    world.ledger.close()
    kept = key.rename(key.with_name("away"))
    with pytest.raises(MissingKey, match="default-1"):
        Ledger.open(world.folder)
    kept.rename(key)
    with Ledger.open(world.folder) as ledger:
        assert (ledger.tree_head().size, ledger.tree_head().root) == state
        assert ledger.verify().valid


@pytest.mark.parametrize("text", ["0" * 64, "", "no key at all", "0" * 63])
def test_a_key_of_another_ledger_or_none_is_told(world: World, text: str) -> None:
    world.ledger.close()
    key_file(world).write_text(text)
    with pytest.raises(WrongKey) as refusal:
        Ledger.open(world.folder)
    assert not text or text not in refusal.value.message


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o666])
def test_a_key_that_others_can_read_is_refused(world: World, mode: int) -> None:
    world.ledger.close()
    key_file(world).chmod(mode)
    with pytest.raises(ExposedKey, match="chmod 600"):
        Ledger.open(world.folder)


def test_a_key_from_the_environment_opens_what_it_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROV_LEDGER_KEY", "ab" * 32)
    Ledger.init(tmp_path / "ledger").close()
    assert not (tmp_path / "ledger" / "keys").exists()
    Ledger.open(tmp_path / "ledger").close()
    monkeypatch.setenv("PROV_LEDGER_KEY", "cd" * 32)
    with pytest.raises(WrongKey):
        Ledger.open(tmp_path / "ledger")
    monkeypatch.delenv("PROV_LEDGER_KEY")
    with pytest.raises(MissingKey):
        Ledger.open(tmp_path / "ledger")


def test_opening_what_is_no_ledger_is_refused_and_makes_nothing(tmp_path: Path) -> None:
    for place in ("nothing", "folder", "file"):
        path = tmp_path / place
        if place == "folder":
            path.mkdir()
        elif place == "file":
            path.write_text("a text")
        before = sorted(tmp_path.rglob("*"))
        with pytest.raises(ProvLedgerError) as refusal:
            Ledger.open(path)
        assert refusal.value.code == "not_found"
        assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("name", ["ledger.sqlite", "keys.sqlite", "denials.sqlite"])
@pytest.mark.parametrize("damage", ["text", "empty", "missing", "other"])
def test_a_ledger_with_a_foreign_file_is_refused(world: World, name: str, damage: str) -> None:
    world.ledger.close()
    folder = world.folder / "tenants" / "default"
    file = folder / name
    for rest in folder.glob(f"{name}-*"):
        rest.unlink()
    if damage == "missing":
        file.unlink()
    elif damage == "other":
        other = "keys.sqlite" if name != "keys.sqlite" else "ledger.sqlite"
        shutil.copy(folder / other, file)
    else:
        file.write_bytes(b"" if damage == "empty" else b"this is no database, but a text " * 200)
    with pytest.raises(ProvLedgerError) as refusal:
        Ledger.open(world.folder)
    assert refusal.value.code in ("not_found", "storage", "corrupt")


def test_an_unknown_tenant_and_a_bad_name_are_refused(world: World) -> None:
    assert refused(lambda: Ledger.open(world.folder, tenant="nobody")) == "not_found"
    for name in ("", "..", "a/b", "A", "x" * 64, "a\0b", "ä"):
        assert refused(lambda name=name: Ledger.open(world.folder, tenant=name)) == "bad_input"
        assert refused(lambda name=name: Ledger.init(world.folder, tenant=name)) == "bad_input"


def test_a_second_init_is_refused_and_changes_nothing(world: World) -> None:
    state = world.state()
    assert refused(lambda: Ledger.init(world.folder)) == "already_exists"
    assert world.state() == state
    assert world.ledger.verify().valid


def test_an_init_beside_keys_whose_journal_is_lost_destroys_nothing(world: World) -> None:
    for number in range(30):
        world.conclude(f"Claim {number}.")
    world.ledger.close()
    folder = world.folder / "tenants" / "default"
    lost = [file.rename(file.with_name("kept-" + file.name)) for file in folder.glob("ledger.sqlite*")]
    with pytest.raises(Refused, match="restore"):
        Ledger.init(world.folder)
    for file in lost:
        file.rename(file.with_name(file.name.removeprefix("kept-")))
    with Ledger.open(world.folder) as ledger:
        assert ledger.resolve([world.claim])[0].verdict == "citable"


@pytest.mark.parametrize(
    "options",
    [
        {"zone": "Mars/Olympus"},
        {"base": "no iri"},
        {"base": "https://example.org/x"},
        {"governed_by": "nobody_declared"},
        {"governed_by": "region", "facts": {"region": "code"}},
        {"facts": {"Region": "code"}},
        {"facts": {"region": "colour"}},
        {"agent": " "},
        {"agent": "\ud800"},
        {"reader": "oracle"},
    ],
)
def test_an_init_that_is_refused_can_be_repeated(tmp_path: Path, options: dict[str, object]) -> None:
    assert refused(lambda: Ledger.init(tmp_path / "ledger", **options)) in (  # type: ignore[arg-type]
        "bad_input",
        "undeclared_fact",
        "bad_fact",
    )
    assert refused(lambda: Ledger.open(tmp_path / "ledger")) == "not_found"
    with Ledger.init(tmp_path / "ledger", clock=Clock()) as ledger:
        assert ledger.tree_head().size == 1


def test_a_ledger_in_the_far_future_opens_and_is_read(world: World) -> None:
    world.ledger.close()
    with Ledger.open(world.folder, clock=Clock(datetime(2026, 1, 1, tzinfo=UTC))) as ledger:
        assert ledger.show(world.revision).label == "v1"
        with pytest.raises(ClockWentBack):
            ledger.source(native="x", title="X")
    later = Clock(datetime(2026, 6, 1, 12, tzinfo=UTC) + timedelta(days=3650))
    with Ledger.open(world.folder, clock=later) as ledger:
        ledger.source(native="x", title="X")
