"""Access from the command line: how long a grant holds, and policies that say more than grants."""

import json
from pathlib import Path

import pytest
from cli_process import Shop

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "cedar"


def verdict(shop: Shop, *options: str) -> str:
    ran = shop.run("resolve", shop.claim, "-f", "purchase_date=2026-07-02", "--json", *options)
    return str(json.loads(ran.out)[0]["verdict"])


@pytest.mark.parametrize(("age", "expected"), [("P1D", "citable"), ("PT0S", "withheld")])
def test_a_grant_holds_for_its_greatest_age(shop: Shop, age: str, expected: str) -> None:
    assert shop.run("grant", f"reader-{age}", shop.source, "--max-age", age).status == 0
    assert verdict(shop, "--as", f"reader-{age}") == expected


def test_a_greatest_age_that_is_no_duration_is_refused(shop: Shop) -> None:
    ran = shop.run("grant", "reader", shop.source, "--max-age", "a day")
    assert (ran.status, "ISO 8601" in ran.err) == (2, True)


def test_policies_of_a_folder_decide_instead_of_the_grants_alone(shop: Shop, tmp_path: Path) -> None:
    shop.run("grant", "temp", shop.source)
    shop.run("member", "temp", "group:contractors")
    assert verdict(shop, "--as", "temp", "--policies", str(EXAMPLE)) == "citable"
    (tmp_path / "closed.cedar").write_text('forbid (principal in Group::"contractors", action, resource);')
    assert verdict(shop, "--as", "temp", "--policies", str(tmp_path)) == "withheld"


def test_policies_that_are_not_valid_let_nothing_run(shop: Shop, tmp_path: Path) -> None:
    (tmp_path / "open.cedar").write_text("permit (")
    ran = shop.run("resolve", shop.claim, "--policies", str(tmp_path))
    assert (ran.status, ran.out) == (2, "")
    assert "open.cedar" in ran.err
