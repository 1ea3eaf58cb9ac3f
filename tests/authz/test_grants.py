"""Grants as a ledger records them: how long they hold, and what revoking one leaves."""

from datetime import timedelta

import pytest
from small_shop import STATEMENT, Shop

from prov_ledger.errors import Refused


def reads(shop: Shop, **asked: str) -> bool:
    [slot] = shop.ledger.resolve([shop.claim], principal="amira", **asked)  # type: ignore[arg-type]
    return slot.statement == STATEMENT


def test_a_grant_is_no_longer_trusted_at_its_age_limit(shop: Shop) -> None:
    shop.ledger.grant("amira", shop.source, max_age="P1D")
    shop.now += timedelta(days=1, microseconds=-1)
    assert reads(shop)
    shop.now += timedelta(microseconds=1)
    assert not reads(shop)


def test_the_age_still_counts_from_the_recording_after_a_reopening(shop: Shop) -> None:
    shop.ledger.grant("group:staff", "collection:handbook", max_age="PT1H")
    shop.ledger.member("amira", "group:staff")
    shop.now += timedelta(minutes=59)
    shop.open()
    assert reads(shop)
    shop.now += timedelta(minutes=1)
    shop.open()
    assert not reads(shop)


def test_an_age_limit_conforms_to_the_shapes_of_the_graph(shop: Shop) -> None:
    shop.ledger.grant("amira", shop.source, for_purpose="support", max_age="P1Y6M")
    assert shop.ledger.validate().conforms


@pytest.mark.parametrize("age", ["a day", "P", "-P1D", "P1000000D", "P9000Y", ""])
def test_an_age_that_is_no_duration_is_refused_and_nothing_granted(shop: Shop, age: str) -> None:
    with pytest.raises(Refused) as refused:
        shop.ledger.grant("amira", shop.source, max_age=age)
    assert refused.value.code == "bad_input"
    assert not reads(shop)


def test_a_purpose_that_nobody_was_granted_for_reads_by_grants_without_one(shop: Shop) -> None:
    shop.ledger.grant("amira", shop.source, for_purpose="support")
    assert reads(shop, purpose="support")
    assert not reads(shop, purpose="marketing")
    assert not reads(shop)


def test_revoking_for_a_purpose_never_heard_of_leaves_the_other_grants(shop: Shop) -> None:
    shop.ledger.grant("amira", shop.source)
    with pytest.raises(Refused) as refused:
        shop.ledger.revoke("amira", shop.source, for_purpose="suport")
    assert refused.value.code == "not_found"
    assert reads(shop)


def test_evidence_names_the_state_of_the_grants_that_let_it_out(shop: Shop) -> None:
    before = shop.ledger._session.policy_version
    shop.ledger.evidence(shop.ledger.show(shop.source).revision, quote="60 days")
    assert shop.ledger._session.policy_version == before
    shop.ledger.grant("amira", shop.source)
    assert shop.ledger._session.policy_version != before
