"""A new epoch: what lives opens with the new key, and what was copied before opens with nothing."""

import multiprocessing
import shutil
from pathlib import Path

import pytest

from prov_ledger.errors import KeyNotDestroyable, MissingKey, Refused
from prov_ledger.vault.epochs import REWRAP_BATCH
from prov_ledger.vault.keys import EnvironmentKeys, FileKeys, KeyProvider
from prov_ledger.vault.sealing import Sealer
from prov_ledger.vault.tickets import TicketStore
from prov_ledger.vault.verify import verify_payloads
from tests.vault.conftest import Tenant
from tests.vault.killed import was_killed


def renew(store: TicketStore) -> int:
    """A whole change of epoch; the number of the destroyed one."""
    old = store.rotate() - 1
    store.rewrap()
    store.destroy_epoch(old)
    return old


class FakeKeyService:
    """A key service as a third party would offer one: keys by name, destroyed by name."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, int], bytes] = {}
        self.destroyed: list[tuple[str, int]] = []

    def get_key(self, tenant: str, epoch: int) -> bytes:
        if (tenant, epoch) not in self.kept:
            raise MissingKey(f"the service has no key {epoch} of {tenant}")
        return self.kept[tenant, epoch]

    def create_key(self, tenant: str, epoch: int) -> bytes:
        if (tenant, epoch) in self.kept:
            raise Refused("already_exists", "the service has that key")
        self.kept[tenant, epoch] = bytes([epoch]) * 32
        return self.kept[tenant, epoch]

    def destroy_key(self, tenant: str, epoch: int) -> None:
        if self.kept.pop((tenant, epoch), None) is not None:
            self.destroyed.append((tenant, epoch))

    def epochs(self, tenant: str) -> tuple[int, ...]:
        return tuple(sorted(epoch for name, epoch in self.kept if name == tenant))


@pytest.fixture
def filled(tenant: Tenant) -> Tenant:
    for number in range(40):
        tenant.append(f"a{number}", b"text %d" % number, seconds=number)
    return tenant


def test_every_payload_opens_after_a_change_of_epoch(filled: Tenant) -> None:
    assert filled.tickets.epoch == 1
    assert renew(filled.tickets) == 1
    verify_payloads(filled.journal, filled.sealer)
    assert filled.tickets.epoch == 2
    filled.append("later", seconds=90)
    again = TicketStore.open(filled.folder, filled.keys)
    verify_payloads(filled.journal, Sealer(again))
    again.close()


def test_a_copy_of_the_keys_from_before_opens_nothing(filled: Tenant, tmp_path: Path) -> None:
    filled.tickets.scrub()
    copy = tmp_path / "copy"
    copy.mkdir()
    shutil.copy(filled.tickets.path, copy)
    TicketStore.open(copy, filled.keys).close()
    renew(filled.tickets)
    with pytest.raises(MissingKey, match="epoch 1"):
        TicketStore.open(copy, filled.keys)
    assert filled.keys.epochs("acme") == (2,)


def test_the_keys_of_the_tenant_as_a_whole_outlive_a_change_of_epoch(filled: Tenant) -> None:
    store = filled.tickets
    before = store.lookup_key, store.fingerprint_key, store.cover_key(1)
    renew(store)
    again = TicketStore.open(filled.folder, filled.keys)
    assert (again.lookup_key, again.fingerprint_key, again.cover_key(1)) == before
    assert len({*before}) == 3
    again.close()


def test_an_epoch_that_still_wraps_something_is_not_destroyed(filled: Tenant) -> None:
    with pytest.raises(Refused, match="rewrap first"):
        filled.tickets.destroy_epoch(1)
    filled.tickets.rotate()
    with pytest.raises(Refused, match="rewrap first"):
        filled.tickets.destroy_epoch(1)
    assert filled.tickets.old_epochs() == (1,)
    filled.tickets.rewrap()
    filled.tickets.destroy_epoch(1)
    assert filled.tickets.old_epochs() == ()


def test_an_epoch_takes_those_before_it_along(filled: Tenant) -> None:
    filled.tickets.rotate()
    filled.tickets.rotate()
    filled.tickets.rewrap()
    assert filled.tickets.old_epochs() == (1, 2)
    filled.tickets.destroy_epoch(2)
    assert filled.keys.epochs("acme") == (3,)
    filled.tickets.destroy_epoch(2)


def test_no_more_keys_than_a_batch_are_rewrapped_at_once(filled: Tenant) -> None:
    filled.tickets.reserve(300)
    filled.tickets.rotate()
    batches: list[int] = []
    count = filled.tickets.rewrap(batch=32, on_batch=batches.append)
    assert count == sum(batches) >= 300
    assert max(batches) == 32
    assert filled.tickets.rewrap() == 0
    assert REWRAP_BATCH <= 1024


def test_a_destroyed_key_is_not_brought_back_by_rewrapping(filled: Tenant) -> None:
    sealed = filled.journal.payload("ev_a3", "quote")
    assert sealed is not None
    filled.tickets.rotate()
    other = TicketStore.open(filled.folder, filled.keys)
    done: list[int] = []

    def destroy_the_next(count: int) -> None:
        if not done:
            other.destroy([sealed.ticket])
        done.append(count)

    filled.tickets.rewrap(batch=1, on_batch=destroy_the_next)
    assert filled.tickets.secret(sealed.ticket) is None
    other.close()


def test_destroying_twice_is_as_destroying_once(filled: Tenant) -> None:
    sealed = filled.journal.payload("ev_a3", "quote")
    assert sealed is not None
    filled.tickets.destroy([sealed.ticket])
    filled.tickets.destroy([sealed.ticket, sealed.ticket])
    assert filled.tickets.secret(sealed.ticket) is None


def test_a_store_that_was_open_before_uses_the_new_epoch(filled: Tenant) -> None:
    other = TicketStore.open(filled.folder, filled.keys)
    sealer = Sealer(other)
    early = sealer.seal("ev_x", "quote", b"early")
    renew(filled.tickets)
    late = [sealer.seal(f"ev_{number}", "quote", b"late") for number in range(100)]
    assert sealer.open(early) == b"early"
    assert [filled.sealer.open(payload) for payload in (early, *late)] == [b"early"] + [b"late"] * 100
    assert filled.tickets.old_epochs() == ()
    other.close()


def test_a_key_service_fits_the_protocol(tmp_path: Path) -> None:
    service = FakeKeyService()
    provider: KeyProvider = service
    store = TicketStore.create(tmp_path, "acme", provider)
    sealed = Sealer(store).seal("ev_1", "quote", b"text")
    renew(store)
    assert Sealer(store).open(sealed) == b"text"
    assert service.destroyed == [("acme", 1)]
    assert service.epochs("acme") == (2,)
    store.close()


def test_an_epoch_of_a_master_key_cannot_be_destroyed_and_says_so(tmp_path: Path) -> None:
    keys = EnvironmentKeys({"PROV_LEDGER_KEY": "ab" * 32})
    store = TicketStore.create(tmp_path, "acme", keys)
    store.rotate()
    store.rewrap()
    with pytest.raises(KeyNotDestroyable, match="PROV_LEDGER_KEY"):
        store.destroy_epoch(1)
    assert store.old_epochs() == (1,)
    assert keys.epochs("acme") is None
    store.close()


def test_a_destroyed_key_file_is_overwritten_first(tmp_path: Path) -> None:
    keys = FileKeys(tmp_path / "keys")
    key = keys.create_key("acme", 1)
    same_file = tmp_path / "another name"
    same_file.hardlink_to(keys.path_of("acme", 1))
    keys.destroy_key("acme", 1)
    assert key.hex().encode() not in same_file.read_bytes()
    assert list((tmp_path / "keys").iterdir()) == []
    keys.destroy_key("acme", 1)


def test_the_epochs_of_one_tenant_are_told_from_those_of_another(tmp_path: Path) -> None:
    keys = FileKeys(tmp_path / "keys")
    assert keys.epochs("acme") == ()
    for tenant, epoch in (("acme", 2), ("acme", 10), ("acme-1", 3), ("cme", 4)):
        keys.create_key(tenant, epoch)
    assert keys.epochs("acme") == (2, 10)
    assert keys.epochs("acme-1") == (3,)


POINTS = [
    "epoch.key_created",
    "keys.before_commit",
    "epoch.rotated",
    "epoch.batch",
    "key.overwritten",
    "key.destroyed",
    "epoch.destroyed",
]


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("passes", [1, 2, 3])
def test_a_change_of_epoch_killed_anywhere_is_finished_by_the_next(
    tmp_path: Path, point: str, passes: int
) -> None:
    tenant = Tenant.create(tmp_path)
    for number in range(10):
        tenant.append(f"a{number}", b"text %d" % number)
    tenant.close()

    def change() -> None:
        store = TicketStore.open(tenant.folder, tenant.keys)
        for _ in range(3):
            old = store.rotate() - 1
            store.rewrap(batch=4)
            store.destroy_epoch(old)

    assert was_killed(change, point, passes)
    again = Tenant.open(tmp_path)
    verify_payloads(again.journal, again.sealer)
    again.tickets.rewrap()
    for epoch in again.tickets.old_epochs():
        again.tickets.destroy_epoch(epoch)
    verify_payloads(again.journal, again.sealer)
    again.append("after", seconds=99)
    renew(again.tickets)
    verify_payloads(again.journal, again.sealer)
    assert again.keys.epochs("acme") == (again.tickets.epoch,)
    again.close()


def write_and_read(root: Path, rounds: int, told: "multiprocessing.Queue[str]") -> None:
    """Append and open, over and over, as a process does that knows nothing of a change of epoch."""
    tenant = Tenant.open(root)
    try:
        for number in range(rounds):
            tenant.append(f"w{number}", b"written %d" % number, seconds=number)
            for earlier in range(0, number + 1, 7):
                payload = tenant.journal.payload(f"ev_w{earlier}", "quote")
                assert payload is not None
                assert tenant.sealer.open(payload) == b"written %d" % earlier
            if number == 20:
                told.put("begun")
        tenant.close()
        told.put("done")
    except BaseException as error:
        told.put(f"failed: {type(error).__name__} {error}")


def test_another_process_reads_and_writes_on_during_changes_of_epoch(tmp_path: Path) -> None:
    Tenant.create(tmp_path).close()
    context = multiprocessing.get_context("spawn")
    told: multiprocessing.Queue[str] = context.Queue()
    other = context.Process(target=write_and_read, args=(tmp_path, 400, told))
    other.start()
    assert told.get(timeout=60) == "begun"
    tenant = Tenant.open(tmp_path)
    changes = 0
    while told.empty() and changes < 200:
        renew(tenant.tickets)
        changes += 1
    assert told.get(timeout=60) == "done"
    other.join()
    assert changes >= 2
    tenant.tickets.rewrap()
    verify_payloads(tenant.journal, tenant.sealer)
    assert tenant.journal.size() == 400
    tenant.close()
