"""Names are found after their keyed hashes were covered anew, and old hashes tell nothing of them."""

from pathlib import Path

import pytest

from prov_ledger.errors import Corrupt
from prov_ledger.vault.covering import renew_cover
from prov_ledger.vault.port import Lookup
from prov_ledger.vault.sealing import Sealer
from tests.vault.conftest import Tenant
from tests.vault.killed import was_killed

NAMES = [("agent", "Jane"), ("title", "Returns"), ("native", "git\0a.md")]


def sealer_of(tenant: Tenant) -> Sealer:
    return Sealer(tenant.tickets, tenant.journal.cover_generation)


def name_all(tenant: Tenant) -> None:
    sealer = sealer_of(tenant)
    lookups = [Lookup(kind, sealer.token(kind, text), f"id_{kind}") for kind, text in NAMES]
    with tenant.journal.writing() as transaction:
        entry = tenant.draft("x")
        transaction.append(
            type(entry)(
                entry.id, "source", entry.recorded, entry.leaf, payloads=entry.payloads, lookups=lookups
            )
        )


def found(tenant: Tenant, sealer: Sealer) -> list[str]:
    return [x.id for kind, text in NAMES for x in tenant.journal.find(kind, sealer.token(kind, text))]


ALL = ["id_agent", "id_title", "id_native"]


def test_every_name_is_found_before_and_after(tenant: Tenant) -> None:
    name_all(tenant)
    open_before = sealer_of(tenant)
    assert found(tenant, open_before) == ALL
    for _ in range(3):
        assert renew_cover(tenant.journal, tenant.tickets, tenant.sealer) == 3
        assert found(tenant, open_before) == found(tenant, sealer_of(tenant)) == ALL


def test_every_hash_of_a_name_changes(tenant: Tenant) -> None:
    name_all(tenant)
    before = {kind: token for kind, token, *_ in tenant.journal.lookups()}
    renew_cover(tenant.journal, tenant.tickets, tenant.sealer)
    after = {kind: token for kind, token, *_ in tenant.journal.lookups()}
    assert before.keys() == after.keys()
    assert set(before.values()).isdisjoint(after.values())


def test_the_key_that_covered_the_old_hashes_is_gone(tenant: Tenant) -> None:
    name_all(tenant)
    renew_cover(tenant.journal, tenant.tickets, tenant.sealer)
    with pytest.raises(Corrupt, match="is gone"):
        tenant.tickets.cover_key(1)


def test_a_lasting_hash_does_not_change(tenant: Tenant) -> None:
    before = tenant.sealer.lasting_token("thread", "chat-7")
    renew_cover(tenant.journal, tenant.tickets, tenant.sealer)
    assert sealer_of(tenant).lasting_token("thread", "chat-7") == before
    assert sealer_of(tenant).token("thread", "chat-7") != before


@pytest.mark.parametrize(
    "point", ["cover.made", "journal.before_commit", "journal.after_commit", "cover.renewed"]
)
def test_covering_killed_anywhere_loses_no_name_and_can_be_repeated(tmp_path: Path, point: str) -> None:
    tenant = Tenant.create(tmp_path)
    name_all(tenant)
    tenant.close()

    def renew() -> None:
        opened = Tenant.open(tmp_path)
        renew_cover(opened.journal, opened.tickets, opened.sealer)

    assert was_killed(renew, point)
    again = Tenant.open(tmp_path)
    assert found(again, sealer_of(again)) == ALL
    renew_cover(again.journal, again.tickets, again.sealer)
    assert found(again, sealer_of(again)) == ALL
    with pytest.raises(Corrupt):
        again.tickets.cover_key(again.journal.cover_generation() - 1)
    again.close()
