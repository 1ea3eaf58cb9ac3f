"""A process killed at any step of a write: what it acknowledged is all there, the rest all or nothing."""

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from prov_ledger.errors import Refused
from prov_ledger.vault import crash
from prov_ledger.vault.crash import crash_point
from prov_ledger.vault.denials import Denial, Denials
from prov_ledger.vault.journal import SqliteJournal
from prov_ledger.vault.keys import FileKeys
from prov_ledger.vault.tickets import TicketStore
from prov_ledger.vault.verify import verify_payloads, verify_references, verify_tree
from tests.vault.conftest import Tenant

WRITE_POINTS = [
    "keys.begun",
    "keys.before_commit",
    "keys.after_commit",
    "journal.begun",
    "journal.appended",
    "journal.before_commit",
    "journal.after_commit",
    "denials.begun",
    "denials.before_commit",
    "denials.after_commit",
]
CREATE_POINTS = [
    "key.written",
    "key.created",
    *(f"{name}.{step}" for name in ("keys", "journal", "denials") for step in ("created_file", "created")),
]
ROUNDS = 6


def in_killed_process(action: Callable[[int], None]) -> tuple[bool, str]:
    """Run ``action`` in a process of its own: whether it was killed, and what it acknowledged before."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            action(write_end)
            status = 0
        finally:
            os._exit(status)
    os.close(write_end)
    with os.fdopen(read_end) as pipe:
        acknowledged = pipe.read()
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, "the process failed instead of being killed"
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL, acknowledged


def write_until_killed(root: Path, point: str, passes: int, run: int, pipe: int) -> None:
    """Batches of three entries, each acknowledged by a line after its commit; then denials."""
    tenant = Tenant.open(root)
    crash.arm(point, passes)
    for batch in range(30):
        names = [f"{run}_{batch}_{number}" for number in range(3)]
        with tenant.journal.writing() as transaction:
            for name in names:
                transaction.append(tenant.draft(name, name.encode() * 300))
        os.write(pipe, (" ".join(names) + "\n").encode())
        sequence = tenant.journal.size()
        tenant.denials.append([Denial(sequence, "denial", names[0])])
        os.write(pipe, f"denied {names[0]}\n".encode())


@pytest.mark.parametrize("point", WRITE_POINTS)
def test_a_writer_killed_at_any_step_loses_nothing_acknowledged(tmp_path: Path, point: str) -> None:
    Tenant.create(tmp_path).close()
    for run in range(ROUNDS):
        passes = 1 + run if point.startswith("keys") is False else 1 + run % 2
        killed, lines = in_killed_process(
            lambda pipe, run=run, passes=passes: write_until_killed(tmp_path, point, passes, run, pipe)
        )
        assert killed
        tenant = Tenant.open(tmp_path)
        there = {owner.removeprefix("ev_") for owner, _ in tenant.journal.payload_keys()}
        denied = {denial.subject for denial in tenant.denials.all()}
        for line in lines.splitlines():
            names = line.split()
            assert (set(names[1:]) <= denied) if names[0] == "denied" else (set(names) <= there)
        assert tenant.journal.size() == len(there)
        assert len(there) % 3 == 0
        assert denied <= there
        verify_tree(tenant.journal)
        verify_references(tenant.journal)
        verify_payloads(tenant.journal, tenant.sealer)
        assert tenant.append(f"after_{run}_0") == len(there) + 1
        for number in (1, 2):
            tenant.append(f"after_{run}_{number}")
        tenant.close()


@pytest.mark.parametrize("point", CREATE_POINTS)
def test_a_creation_killed_at_any_step_is_completed_by_the_next(tmp_path: Path, point: str) -> None:
    def create(_pipe: int) -> None:
        crash.arm(point)
        Tenant.create(tmp_path)

    killed, _ = in_killed_process(create)
    assert killed
    folder, keys = tmp_path / "tenants" / "acme", FileKeys(tmp_path / "keys")
    for make in (
        lambda: SqliteJournal.create(folder).close(),
        lambda: TicketStore.create(folder, "acme", keys).close(),
        lambda: Denials.create(folder).close(),
    ):
        with suppress(Refused):  # what was completed before the kill is there already
            make()
    tenant = Tenant.open(tmp_path)
    assert tenant.append("a") == 1
    verify_payloads(tenant.journal, tenant.sealer)
    tenant.close()


def test_a_creation_killed_before_its_commit_is_no_ledger(tmp_path: Path) -> None:
    def create(_pipe: int) -> None:
        crash.arm("journal.created_file")
        SqliteJournal.create(tmp_path)

    assert in_killed_process(create)[0]
    with pytest.raises(Refused) as refused:
        SqliteJournal.open(tmp_path)
    assert refused.value.code == "not_found"


def test_a_place_that_is_not_armed_does_nothing() -> None:
    assert not in_killed_process(lambda _pipe: crash_point("journal.begun"))[0]


def test_the_environment_arms_a_place_for_its_nth_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(crash.VARIABLE, "journal.begun:3")
    assert crash._armed() == ("journal.begun", 3)
    monkeypatch.setenv(crash.VARIABLE, "journal.begun")
    assert crash._armed() == ("journal.begun", 1)
