"""Backups, keys and tenants from the command line."""

from collections.abc import Callable
from pathlib import Path

import pytest
from cli_process import Command


@pytest.fixture
def kept(new_command: Callable[[], Command]) -> tuple[Command, str, str]:
    """A ledger with one page that a reader may read: the command, the page's id, the evidence's."""
    run = new_command()
    run.made("init")
    source = run.made("source", "--native", "returns", "--title", "Returns")
    revision = run.made("revision", source, "-", "--label", "1", stdin="Within 60 days.")
    evidence = run.made("evidence", revision, "--quote", "60 days")
    run.made("grant", "ben", source)
    return run, source, evidence


def backed_up(run: Command) -> Path:
    place = run.ledger.with_name("backup")
    ran = run("backup", str(place))
    assert ran.status == 0, ran.err
    return place


def restored(run: Command, *options: str) -> Command:
    again = Command(run.ledger.with_name("again"))
    ran = again("restore", str(backed_up(run)), "--keys-from", str(run.ledger / "keys"), *options)
    assert ran.status == 0, ran.err
    return again


def verdict(run: Command, id: str, *options: str) -> str:
    ran = run("resolve", id, "--json", *options)
    assert isinstance(ran.json, list), ran.err
    return str(ran.json[0]["verdict"])


def test_a_backup_is_restored_beside_the_newest_list(kept: tuple[Command, str, str]) -> None:
    run, _, evidence = kept
    again = restored(run, "--newest", str(run.ledger / "tenants" / "default"))
    assert verdict(again, evidence, "--as", "ben") == "citable"
    assert again("verify").out == "valid"


def test_without_it_the_grants_wait_to_be_confirmed(kept: tuple[Command, str, str]) -> None:
    run, _, evidence = kept
    again = Command(run.ledger.with_name("again"))
    ran = again("restore", str(backed_up(run)), "--keys-from", str(run.ledger / "keys"))
    assert "all grants are suspended" in ran.out
    assert verdict(again, evidence, "--as", "ben") == "withheld"
    assert "suspended" in again("doctor").out
    assert again("confirm").status == 0
    assert verdict(again, evidence, "--as", "ben") == "citable"


def test_a_restore_over_a_ledger_is_refused(kept: tuple[Command, str, str]) -> None:
    run, *_ = kept
    ran = run("restore", str(backed_up(run)))
    assert (ran.status, "already_exists" in ran.err) == (2, True)


def test_a_damaged_backup_ends_with_9_and_says_where(kept: tuple[Command, str, str]) -> None:
    run, *_ = kept
    place = backed_up(run)
    with (place / "ledger.sqlite").open("r+b") as file:
        file.seek(8192)
        file.write(b"damaged")
    again = Command(run.ledger.with_name("again"))
    ran = again("restore", str(place), "--newest", str(run.ledger / "tenants" / "default"))
    assert (ran.status, str(place / "ledger.sqlite") in ran.err) == (9, True)


def test_a_new_epoch_closes_older_backups(kept: tuple[Command, str, str]) -> None:
    run, _, evidence = kept
    place = backed_up(run)
    assert run("rotate").out.startswith("epoch 2")
    again = Command(run.ledger.with_name("again"))
    ran = again("restore", str(place), "--keys-from", str(run.ledger / "keys"))
    assert (ran.status, "missing_key" in ran.err) == (8, True)
    assert verdict(run, evidence) == "citable"


@pytest.mark.parametrize("given", ["nothing", "keys", "older files"])
def test_after_an_erasure_a_restore_asks_for_the_newest_files_first(
    kept: tuple[Command, str, str], given: str
) -> None:
    run, source, _ = kept
    place, again = backed_up(run), Command(run.ledger.with_name("new") / "again")
    plan = run("erase", "plan", source, "--json").json
    assert isinstance(plan, dict)
    assert run("erase", "run", "--plan", plan["hash"]).status == 0
    options = {
        "nothing": (),
        "keys": ("--keys-from", str(run.ledger / "keys")),
        "older files": ("--keys-from", str(run.ledger / "keys"), "--newest", str(place)),
    }[given]
    ran = again("restore", str(place), *options)
    assert ran.status == 8, ran.err
    assert 0 < ran.err.index("--newest FOLDER") < ran.err.index("key file")
    assert not again.ledger.parent.exists()
    newest = ("--newest", str(run.ledger / "tenants" / "default"), "--keys-from", str(run.ledger / "keys"))
    assert again("restore", str(place), *newest).status == 0


def test_a_restore_that_fails_leaves_no_key_and_no_folder(kept: tuple[Command, str, str]) -> None:
    run, *_ = kept
    place, again = backed_up(run), Command(run.ledger.with_name("again"))
    with (place / "ledger.sqlite").open("r+b") as file:
        file.seek(8192)
        file.write(b"damaged")
    ran = again("restore", str(place), "--keys-from", str(run.ledger / "keys"))
    assert (ran.status, again.ledger.exists()) == (9, False)


def test_the_doctor_ends_with_9_where_something_is_wrong(kept: tuple[Command, str, str]) -> None:
    run, *_ = kept
    assert run("doctor").status == 0
    (run.ledger / "keys" / "default-1.key").chmod(0o644)
    ran = run("doctor")
    assert (ran.status, ran.out.startswith("wrong  opening: [exposed_key]")) == (9, True)


def test_a_tenant_moves_from_ledger_to_ledger(kept: tuple[Command, str, str]) -> None:
    run, _, evidence = kept
    moving, apart = run.ledger.with_name("moving"), run.ledger.with_name("apart")
    assert run("tenant", "export", str(moving), "--keys-to", str(apart)).status == 0
    assert "moved out" in run("resolve", evidence).err
    there = Command(run.ledger.with_name("there"))
    ran = there("tenant", "import", str(moving), "--keys-from", str(apart))
    assert ran.status == 0, ran.err
    assert verdict(there, evidence, "--as", "ben") == "citable"
    assert run("tenant", "remove", "--yes", "default").status == 0
    assert not (run.ledger / "tenants" / "default").exists()


def test_a_tenant_that_moved_out_may_come_back(kept: tuple[Command, str, str]) -> None:
    run, _, evidence = kept
    moving, apart = run.ledger.with_name("moving"), run.ledger.with_name("apart")
    run("tenant", "export", str(moving), "--keys-to", str(apart))
    assert run("tenant", "reopen").status == 0
    assert verdict(run, evidence) == "citable"


def test_removing_asks_for_the_name_again(kept: tuple[Command, str, str]) -> None:
    run, _, evidence = kept
    ran = run("tenant", "remove", "--yes", "other")
    assert (ran.status, "nothing was removed" in ran.err) == (2, True)
    assert verdict(run, evidence) == "citable"


def test_what_was_shown_is_printed_and_forgotten(kept: tuple[Command, str, str]) -> None:
    run, _, evidence = kept
    run("resolve", evidence, "--as", "ben")
    printed = run("disclosures", "--reader", "ben")
    assert evidence in printed.out
    assert run("disclosures", "--reader", "ann").out == ""
    assert run("forget", "--before", "2020-01-01T00:00:00Z").out == "0 occasions forgotten"
    assert run("disclosures", "--as", "ben").status == 5
