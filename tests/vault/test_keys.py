"""Keys come from where they belong, and a ledger says clearly when one does not fit."""

import base64
import stat
from pathlib import Path

import pytest

from prov_ledger.errors import Corrupt, ExposedKey, MissingKey, Refused, WrongKey
from prov_ledger.vault.keys import EnvironmentKeys, FileKeys
from prov_ledger.vault.sealing import Sealer
from prov_ledger.vault.tickets import TicketStore
from tests.vault.conftest import Tenant

KEY = bytes(range(32))


def test_a_key_file_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    keys = FileKeys(tmp_path / "keys")
    key = keys.create_key("acme", 1)
    path = tmp_path / "keys" / "acme-1.key"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [x.name for x in path.parent.iterdir()] == ["acme-1.key"]
    assert keys.get_key("acme", 1) == key
    assert len(key) == 32


def test_a_key_is_never_replaced(tmp_path: Path) -> None:
    keys = FileKeys(tmp_path)
    key = keys.create_key("acme", 1)
    with pytest.raises(Refused) as refused:
        keys.create_key("acme", 1)
    assert refused.value.code == "already_exists"
    assert keys.get_key("acme", 1) == key
    assert [x.name for x in tmp_path.iterdir()] == ["acme-1.key"]


def test_a_missing_key_says_where_it_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(MissingKey, match=r"acme-2\.key"):
        FileKeys(tmp_path / "none").get_key("acme", 2)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o601])
def test_a_key_that_others_can_reach_is_refused(tmp_path: Path, mode: int) -> None:
    keys = FileKeys(tmp_path)
    keys.create_key("acme", 1)
    keys.path_of("acme", 1).chmod(mode)
    with pytest.raises(ExposedKey, match="chmod 600"):
        keys.get_key("acme", 1)


def test_a_folder_in_which_others_could_put_a_key_is_refused(tmp_path: Path) -> None:
    keys = FileKeys(tmp_path / "keys")
    keys.create_key("acme", 1)
    (tmp_path / "keys").chmod(0o777)
    with pytest.raises(ExposedKey, match="chmod 700"):
        keys.get_key("acme", 1)


@pytest.mark.parametrize("text", ["", "abc", "ab" * 31, "zz" * 32, "ß" * 64])
def test_a_file_that_holds_no_key_is_refused_without_repeating_it(tmp_path: Path, text: str) -> None:
    keys = FileKeys(tmp_path)
    keys.create_key("acme", 1)
    keys.path_of("acme", 1).write_text(text, "utf-8")
    with pytest.raises(WrongKey) as refused:
        keys.get_key("acme", 1)
    assert not text or text not in refused.value.message


@pytest.mark.parametrize("name", ["../acme", "", ".acme", "a/b"])
def test_a_tenant_that_cannot_be_a_file_name_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(Refused) as refused:
        FileKeys(tmp_path).get_key(name, 1)
    assert refused.value.code == "bad_input"


@pytest.mark.parametrize("text", [KEY.hex(), base64.b64encode(KEY).decode(), f" {KEY.hex()}\n"])
def test_the_environment_gives_each_tenant_and_epoch_a_key_of_its_own(text: str) -> None:
    keys = EnvironmentKeys({"PROV_LEDGER_KEY": text})
    derived = {keys.get_key(tenant, epoch) for tenant in ("a", "b") for epoch in (1, 2)}
    assert len(derived) == 4
    assert KEY not in derived
    assert keys.create_key("a", 1) == EnvironmentKeys({"PROV_LEDGER_KEY": KEY.hex()}).get_key("a", 1)


def test_an_unset_variable_is_a_missing_key() -> None:
    with pytest.raises(MissingKey, match="set PROV_LEDGER_KEY"):
        EnvironmentKeys({}).get_key("acme", 1)


def test_a_variable_that_is_no_key_is_refused_without_repeating_it() -> None:
    with pytest.raises(WrongKey) as refused:
        EnvironmentKeys({"PROV_LEDGER_KEY": "hunter2"}).get_key("acme", 1)
    assert "hunter2" not in refused.value.message


def test_a_ledger_does_not_open_with_another_key(tenant: Tenant) -> None:
    tenant.keys.path_of("acme", 1).write_text("00" * 32)
    with pytest.raises(WrongKey, match="put back the key"):
        TicketStore.open(tenant.folder, tenant.keys)


def test_a_ledger_does_not_open_without_its_key(tenant: Tenant) -> None:
    tenant.keys.path_of("acme", 1).unlink()
    with pytest.raises(MissingKey):
        TicketStore.open(tenant.folder, tenant.keys)


def test_a_damaged_key_row_is_corrupt_and_named(tenant: Tenant) -> None:
    sealed = tenant.sealer.seal("ev_1", "quote", b"text")
    with tenant.tickets._database.writing() as connection:
        connection.execute("UPDATE ticket SET wrapped = zeroblob(92) WHERE id = ?", (sealed.ticket,))
    with pytest.raises(Corrupt, match=f"key {sealed.ticket} does not open"):
        tenant.sealer.open(sealed)


def test_keys_that_were_never_given_out_are_destroyed_at_close(tmp_path: Path) -> None:
    tenant = Tenant.create(tmp_path)
    sealed = [tenant.sealer.seal("ev_1", str(number), b"") for number in range(3)]
    tenant.close()
    store = TicketStore.open(tenant.folder, tenant.keys)
    with store._database.reading() as connection:
        kept = [row[0] for row in connection.execute("SELECT id FROM ticket ORDER BY id")]
    assert kept == [payload.ticket for payload in sealed]
    assert Sealer(store).open(sealed[2]) == b""
    store.close()


def test_the_number_of_a_destroyed_key_is_never_given_out_again(tmp_path: Path) -> None:
    tenant = Tenant.create(tmp_path)
    tenant.sealer.seal("ev_1", "quote", b"")
    tenant.close()
    again = Tenant.open(tmp_path)
    assert again.sealer.seal("ev_2", "quote", b"").ticket == 65
    again.close()


def test_the_root_key_stands_in_no_file_of_the_tenant(tenant: Tenant) -> None:
    sealed = tenant.sealer.seal("ev_1", "quote", b"text")
    secret = tenant.tickets.secret(sealed.ticket)
    assert secret is not None
    key = tenant.keys.get_key("acme", 1)
    for path in tenant.folder.iterdir():
        content = path.read_bytes()
        for part in (key, secret[:32], secret[32:], tenant.tickets.lookup_key):
            assert part not in content
