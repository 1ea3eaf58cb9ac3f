"""A service answers for the tenants that are there now."""

import shutil

from served import Shop

from prov_ledger import Ledger


def test_a_tenant_that_was_made_meanwhile_is_served(shop: Shop) -> None:
    with shop.served(no_auth_on_loopback=True) as served:
        before = served.client.post("/v1/later/facts", json={}).status_code
        Ledger.init(shop.folder, tenant="later").close()
        after = served.client.post("/v1/later/facts", json={}).status_code
    assert (before, after) == (404, 200)


def test_a_tenant_that_was_removed_is_not_answered_for_from_files_that_are_gone(shop: Shop) -> None:
    with shop.served(no_auth_on_loopback=True) as served:
        before = served.post("resolve", {"ids": [shop.claim]}, role=None)
        shutil.rmtree(shop.folder / "tenants" / "default")
        after = served.post("resolve", {"ids": [shop.claim]}, role=None)
    assert (before.json()[0]["verdict"], after.status_code) == ("citable", 404)


def test_a_tenant_whose_files_were_put_back_is_read_anew(shop: Shop) -> None:
    with shop.served() as served:
        tenant = shop.folder / "tenants" / "default"
        shutil.copytree(tenant, shop.folder.parent / "older")
        claims = [served.post("resolve", {"ids": [shop.claim]}).json()[0]["verdict"]]
        served.post("retract", {"claim": shop.claim}, role="curator")
        tenant.rename(shop.folder.parent / "away")
        (shop.folder.parent / "older").rename(tenant)
        with Ledger.open(shop.folder) as ledger:
            size = ledger.tree_head().size
        assert served.get("tree-head").json()["size"] == size
    assert claims == ["citable"]


def test_only_tenants_that_were_named_are_served(shop: Shop) -> None:
    Ledger.init(shop.folder, tenant="other").close()
    with shop.served(no_auth_on_loopback=True, tenants=["other"]) as served:
        statuses = [served.client.post(f"/v1/{t}/facts", json={}).status_code for t in ("other", "default")]
    assert statuses == [200, 404]
