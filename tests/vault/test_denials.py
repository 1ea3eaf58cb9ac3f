"""The list of denials: it grows, it may be told the same twice, and it knows how far it goes."""

from pathlib import Path

import pytest

from prov_ledger.errors import Refused, StorageError
from prov_ledger.vault.denials import Denial, Denials
from prov_ledger.vault.schema import DENIALS
from prov_ledger.vault.tickets import TicketStore
from tests.vault.conftest import Tenant

ROWS = (Denial(3, "denial", "src_1"), Denial(3, "left", "agt_1"), Denial(5, "allowance", "src_1"))


def test_an_empty_list_goes_nowhere(tenant: Tenant) -> None:
    assert (tenant.denials.all(), tenant.denials.last_sequence()) == ((), 0)


def test_rows_come_back_in_the_order_of_the_journal_after_reopening(tenant: Tenant) -> None:
    tenant.denials.append(ROWS[2:])
    tenant.denials.append(ROWS[:2])
    other = Denials.open(tenant.folder)
    assert other.all() == ROWS
    assert other.last_sequence() == 5
    other.close()


def test_the_same_row_twice_is_one(tenant: Tenant) -> None:
    tenant.denials.append(ROWS)
    tenant.denials.append(ROWS)
    assert tenant.denials.all() == ROWS


def test_how_far_it_goes_is_kept_and_never_falls(tenant: Tenant) -> None:
    tenant.denials.append([], through=9)
    tenant.denials.append(ROWS, through=7)
    assert tenant.denials.last_sequence() == 9


def test_a_file_of_another_kind_is_not_taken_for_a_list(tenant: Tenant) -> None:
    tenant.denials.close()
    tenant.denials.path.write_bytes(b"")
    with pytest.raises(Refused, match="is empty"):
        Denials.open(tenant.folder)


def test_a_newer_format_is_refused_with_both_versions(tmp_path: Path) -> None:
    denials = Denials.create(tmp_path)
    with denials._database.writing() as connection:
        connection.execute("PRAGMA user_version=2")
    denials.close()
    with pytest.raises(StorageError, match="has format version 2, expected 1"):
        Denials.open(tmp_path)


def test_each_of_the_three_files_knows_its_kind(tenant: Tenant) -> None:
    tenant.close()
    (tenant.folder / "keys.sqlite").write_bytes(tenant.denials.path.read_bytes())
    with pytest.raises(StorageError, match=f"not a keys file: application id {DENIALS.application_id:#x}"):
        TicketStore.open(tenant.folder, tenant.keys)
