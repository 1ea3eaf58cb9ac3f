"""What resolving holds in memory changes nothing of what it answers."""

import sqlite3
from contextlib import closing

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


def test_nothing_opened_outlives_closing(shop: Shop) -> None:
    shop.ledger.resolve([shop.claim])
    opened = shop.ledger._tenant.opened
    assert len(opened) > 0
    shop.ledger.close()
    assert len(opened) == 0
