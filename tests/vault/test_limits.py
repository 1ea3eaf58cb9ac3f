"""A full disk, other writers and many threads: a clear error or the right answer, never a loss."""

import os
import resource
import threading
from pathlib import Path

import pytest

from prov_ledger.errors import ProvLedgerError, StorageError
from prov_ledger.vault.verify import verify_payloads, verify_references, verify_tree
from tests.vault.conftest import Tenant


def verify(tenant: Tenant) -> None:
    verify_tree(tenant.journal)
    verify_references(tenant.journal)
    verify_payloads(tenant.journal, tenant.sealer)


def fill(tenant: Tenant) -> tuple[int, StorageError]:
    """Append until it is refused: how many were acknowledged, and the refusal."""
    for number in range(10_000):
        try:
            tenant.append(f"fill_{number}", os.urandom(20_000))
        except StorageError as error:
            return number, error
    raise AssertionError("it was never full")


def test_a_full_journal_is_said_and_keeps_what_was_acknowledged(tenant: Tenant) -> None:
    tenant.append("first")
    with tenant.journal._database.writing() as connection:
        connection.execute("PRAGMA max_page_count=200")
    count, error = fill(tenant)
    assert error.code == "storage_full"
    assert tenant.journal.size() == 1 + count
    verify(tenant)
    with tenant.journal._database.writing() as connection:
        connection.execute("PRAGMA max_page_count=1000000")
    assert tenant.append("after") == 2 + count


def test_full_keys_are_said_and_nothing_is_sealed_without_one(tenant: Tenant) -> None:
    with tenant.tickets._database.writing() as connection:
        connection.execute("PRAGMA max_page_count=12")
    with pytest.raises(StorageError) as refused:
        tenant.tickets.reserve(100_000)
    assert refused.value.code == "storage_full"
    with tenant.tickets._database.writing() as connection:
        connection.execute("PRAGMA max_page_count=1000000")
    assert tenant.append("after") == 1
    verify(tenant)


def append_under_a_size_limit(root: Path, limit: int, pipe: int) -> None:
    """What ``fill`` met, told through ``pipe``."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    count, error = fill(Tenant.open(root))
    os.write(pipe, f"{count} {error.code}".encode())


def test_a_file_size_limit_is_a_full_disk(tmp_path: Path) -> None:
    Tenant.create(tmp_path).close()
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            append_under_a_size_limit(tmp_path, 1_000_000, write_end)
        finally:
            os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end) as pipe:
        count, code = pipe.read().split()
    os.waitpid(child, 0)
    assert code == "storage_full"
    tenant = Tenant.open(tmp_path)
    assert tenant.journal.size() == int(count)
    verify(tenant)
    assert tenant.append("after") == int(count) + 1
    tenant.close()


def test_a_forked_process_is_told_to_open_the_ledger_itself(tenant: Tenant) -> None:
    tenant.append("a")
    child = os.fork()
    if child == 0:
        status = 0
        for action in (tenant.journal.size, lambda: tenant.append("b")):
            try:
                action()
                status = 1
            except StorageError as error:
                status = status or int("before a fork" not in error.message)
        os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    assert tenant.append("c") == 2


def test_a_foreign_error_of_the_caller_passes_through_unchanged(tenant: Tenant) -> None:
    with pytest.raises(FileNotFoundError), tenant.journal.writing():
        (tenant.folder / "nothing").read_bytes()
    assert tenant.append("a") == 1


def test_a_folder_that_cannot_be_made_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "tenants").write_text("a file where a folder should be")
    with pytest.raises(StorageError, match=r"ledger\.sqlite"):
        Tenant.create(tmp_path)


def test_processes_that_take_turns_lose_nothing(tmp_path: Path) -> None:
    Tenant.create(tmp_path).close()
    children = []
    for writer in range(3):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                tenant = Tenant.open(tmp_path)
                for number in range(40):
                    tenant.append(f"{writer}_{number}")
                tenant.close()
                status = 0
            finally:
                os._exit(status)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]
    tenant = Tenant.open(tmp_path)
    assert tenant.journal.size() == 120
    verify(tenant)
    tenant.close()


def test_threads_write_one_after_the_other_while_others_read(tenant: Tenant) -> None:
    problems: list[BaseException] = []
    done = threading.Event()

    def write(writer: int) -> None:
        try:
            for number in range(30):
                tenant.append(f"{writer}_{number}")
        except ProvLedgerError as error:
            problems.append(error)

    def read() -> None:
        try:
            while not done.is_set():
                head = tenant.journal.tree_head()
                assert tenant.journal.root_at(head.size) == head.root
                assert len(list(tenant.journal.entries(until=head.size))) == head.size
        except (ProvLedgerError, AssertionError) as error:
            problems.append(error)

    writers = [threading.Thread(target=write, args=(number,)) for number in range(3)]
    readers = [threading.Thread(target=read) for _ in range(2)]
    for thread in (*writers, *readers):
        thread.start()
    for thread in writers:
        thread.join()
    done.set()
    for thread in readers:
        thread.join()
    assert problems == []
    assert tenant.journal.size() == 90
    verify(tenant)


def test_a_reader_is_not_held_up_by_a_writer_of_another_process(tmp_path: Path) -> None:
    writer, reader = Tenant.create(tmp_path, 50), Tenant.open(tmp_path, 50)
    writer.append("a")
    with writer.journal.writing() as transaction:
        transaction.append(writer.draft("b"))
        assert reader.journal.size() == 1
        assert reader.journal.tree_head().size == 1
    assert reader.journal.size() == 2
    writer.close()
    reader.close()
