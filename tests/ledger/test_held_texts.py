"""What resolving holds in memory changes nothing of what it answers."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta

import pytest
from small_shop import QUOTE, STATEMENT, Shop, new_shop, shop

from prov_ledger import Ledger

__all__ = ["new_shop", "shop"]

DISK = "tenants/default/ledger.sqlite"


def verdict(ledger: Ledger, id: str) -> str:
    return ledger.resolve([id])[0].verdict


def test_a_quote_changed_on_the_disk_is_drifted_at_the_next_resolve(shop: Shop) -> None:
    assert verdict(shop.ledger, shop.claim) == verdict(shop.ledger, shop.evidence) == "citable"
    with closing(sqlite3.connect(shop.path / DISK)) as other, other:
        other.execute("UPDATE payload SET chunks = zeroblob(length(chunks)) WHERE field = 'quote'")
    assert verdict(shop.ledger, shop.evidence) == verdict(shop.ledger, shop.claim) == "drifted"


def test_a_statement_whose_key_is_gone_is_drifted_at_the_next_resolve(shop: Shop) -> None:
    assert verdict(shop.ledger, shop.claim) == "citable"
    with closing(sqlite3.connect(shop.path / DISK)) as journal:
        (ticket,) = journal.execute("SELECT ticket FROM payload WHERE field = 'statement'").fetchone()
    with closing(sqlite3.connect(shop.path / "tenants/default/keys.sqlite")) as other, other:
        other.execute("DELETE FROM ticket WHERE id = ?", (ticket,))
    assert verdict(shop.ledger, shop.claim) == "drifted"
    assert verdict(shop.ledger, shop.evidence) == "citable"


def test_a_read_within_a_write_sees_what_was_written_and_keeps_nothing_of_it(shop: Shop) -> None:
    ledger = shop.ledger
    (slot,) = ledger.resolve([shop.claim])
    before = len(ledger._tenant.opened)
    with ledger.batch():
        new = ledger.claim(
            says="Returns are free.",
            support=[shop.evidence],
            transformation={"kind": "quote"},
            question={"text": "Is it free?", "facts": {}},
        )
        assert ledger.resolve([new])[0].statement == "Returns are free."
        assert len(ledger._tenant.opened) == before
    assert ledger.resolve([shop.claim]) == [slot]
    assert (slot.statement, slot.quotes[0].quote) == (STATEMENT, QUOTE)


def corrected(ledger: Ledger, shop: Shop) -> None:
    page = ledger.show(shop.source).revision
    relation = {"corrects": page}
    ledger.revision(shop.source, data=f"Not all {QUOTE}.", label="2", relation=relation)


def superseded(ledger: Ledger, shop: Shop) -> None:
    ledger.supersede(
        shop.claim,
        says="Returns are possible for 60 days, mostly.",
        support=[shop.evidence],
        transformation={"kind": "quote"},
        question={"text": "How long?", "facts": {}},
        reason="read again",
    )


FALLS: dict[str, Callable[[Ledger, Shop], object]] = {
    "retracted": lambda ledger, shop: ledger.retract(shop.claim),
    "superseded": superseded,
    "outdated": corrected,
    "unchecked": lambda ledger, shop: ledger.check(shop.source, "gone"),
    "not_authoritative": lambda ledger, shop: ledger.retire(shop.source, "2026-06-01T12:00:00Z"),
    "ended": lambda ledger, shop: ledger.scope(
        shop.evidence, [{"fact": "question_date", "from": "2026-01-01", "until": "2026-02-01"}]
    ),
    "unknown": lambda ledger, shop: ledger.scope(
        shop.evidence, [{"fact": "bought", "from": "2026-01-01", "until": "2026-02-01"}]
    ),
    "withheld": lambda ledger, shop: ledger.erase([shop.evidence]),
}


@pytest.mark.parametrize("verdict", FALLS)
def test_what_was_citable_falls_at_the_next_resolve(shop: Shop, verdict: str) -> None:
    """Whoever wrote it: here somebody else, who opened the same ledger."""
    with Ledger.open(shop.path, clock=lambda: shop.now) as other:
        other.declare_fact("bought", "date")
        for _ in range(3):
            assert shop.ledger.resolve([shop.claim])[0].verdict == "citable"
        FALLS[verdict](other, shop)
    assert shop.ledger.resolve([shop.claim])[0].verdict == verdict


def test_what_was_citable_for_one_is_withheld_from_another(shop: Shop) -> None:
    for _ in range(3):
        assert shop.ledger.resolve([shop.claim])[0].verdict == "citable"
    assert shop.ledger.resolve([shop.claim], principal="amira")[0].verdict == "withheld"
    shop.ledger.grant("amira", shop.source)
    for _ in range(3):
        assert shop.ledger.resolve([shop.claim], principal="amira")[0].verdict == "citable"
    shop.ledger.revoke("amira", shop.source)
    assert shop.ledger.resolve([shop.claim], principal="amira")[0].verdict == "withheld"


def test_a_demand_not_made_last_time_decides(shop: Shop) -> None:
    with Ledger.open(shop.path, clock=lambda: shop.now) as other:
        other.authority(shop.source, "delegated")
    for _ in range(3):
        assert shop.ledger.resolve([shop.claim])[0].verdict == "citable"
    assert shop.ledger.resolve([shop.claim], min_authority="official")[0].verdict == "not_authoritative"
    shop.now += timedelta(days=2)
    assert shop.ledger.resolve([shop.claim])[0].verdict == "citable"
    assert shop.ledger.resolve([shop.claim], max_age="P1D")[0].verdict == "unchecked"


def test_a_retirement_that_was_stated_ahead_decides_when_it_comes(shop: Shop) -> None:
    shop.ledger.retire(shop.source, shop.now + timedelta(hours=1))
    for _ in range(3):
        assert shop.ledger.resolve([shop.claim])[0].verdict == "citable"
    shop.now += timedelta(hours=1)
    assert shop.ledger.resolve([shop.claim])[0].verdict == "not_authoritative"


def test_a_dated_fact_that_was_not_given_last_time_is_unconsidered(shop: Shop) -> None:
    shop.ledger.declare_fact("bought", "date")
    for _ in range(3):
        assert shop.ledger.resolve([shop.claim])[0].verdict == "citable"
    (slot,) = shop.ledger.resolve([shop.claim], facts={"bought": "2026-04-12"})
    assert (slot.verdict, slot.unconsidered) == ("unknown", ("bought",))


def test_a_new_title_is_cited_at_the_next_resolve(shop: Shop) -> None:
    (before,) = shop.ledger.resolve([shop.claim])
    shop.ledger.source(native="returns", title="Returns, as they are called now")
    (after,) = shop.ledger.resolve([shop.claim])
    assert before.quotes[0].title != after.quotes[0].title == "Returns, as they are called now"


def test_a_label_changed_on_the_disk_is_not_cited_as_it_was(shop: Shop) -> None:
    (before,) = shop.ledger.resolve([shop.claim])
    with closing(sqlite3.connect(shop.path / DISK)) as other, other:
        other.execute("UPDATE payload SET chunks = zeroblob(length(chunks)) WHERE field = 'label'")
    (after,) = shop.ledger.resolve([shop.claim])
    assert (before.quotes[0].label != "", after.quotes[0].label) == (True, "")


def test_nothing_opened_outlives_closing(shop: Shop) -> None:
    shop.ledger.resolve([shop.claim])
    opened = shop.ledger._tenant.opened
    assert len(opened) > 0
    shop.ledger.close()
    assert len(opened) == 0
