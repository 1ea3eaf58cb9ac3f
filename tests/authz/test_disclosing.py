"""Resolving records whom it is about to show what, and shows nothing that it could not record."""

import sqlite3
from datetime import timedelta

import pytest
from small_shop import QUOTE, START, STATEMENT, Shop

from prov_ledger.errors import StorageError
from prov_ledger.vault.disclosures import Disclosed, Disclosure, Disclosures


def recorded(shop: Shop, **narrowed: str) -> list[Disclosure]:
    records = Disclosures.open(shop.path / "tenants" / "default")
    try:
        return records.read(**narrowed)  # type: ignore[arg-type]
    finally:
        records.close()


def test_what_is_shown_is_recorded_with_its_reader_purpose_thread_and_policy(shop: Shop) -> None:
    ledger = shop.ledger
    ledger.grant("amira", shop.source, for_purpose="support")
    ledger.remind([shop.claim], 100, thread="chat-7", readers=["amira"])
    shop.now += timedelta(hours=1)
    ledger.resolve([shop.claim], principal="amira", purpose="support", thread="chat-7")
    packet, line, disclosure = recorded(shop)
    assert packet.disclosed.id.startswith("rem_")
    assert line.disclosed == Disclosed(shop.claim, (), True)
    occasion = disclosure.occasion
    assert disclosure.disclosed == Disclosed(shop.claim, (shop.evidence,), True)
    assert (occasion.at, occasion.sequence) == (START + timedelta(hours=1), ledger.tree_head().size)
    assert occasion.policy_version.startswith("grants-")
    find = ledger._session.find_name
    names = [find("agent", "amira"), find("purpose", "support"), find("thread", "chat-7")]
    assert [occasion.reader, occasion.purpose, occasion.thread] == names
    assert None not in names


def test_each_id_that_shows_something_is_an_item_and_the_others_are_not(shop: Shop) -> None:
    shop.ledger.grant("amira", shop.source)
    shop.ledger.resolve([shop.evidence, "ev_nonsense", shop.claim], principal="amira")
    assert [x.disclosed.id for x in recorded(shop)] == [shop.evidence, shop.claim]
    assert [x.disclosed.words for x in recorded(shop)] == [False, True]
    assert len(recorded(shop, id=shop.evidence)) == 2


@pytest.mark.parametrize("granted", [False, True], ids=["withheld", "not citable"])
def test_an_answer_that_shows_nothing_leaves_no_record(shop: Shop, granted: bool) -> None:
    if granted:
        shop.ledger.grant("amira", shop.source)
        shop.ledger.retract(shop.claim)
    [slot] = shop.ledger.resolve([shop.claim], principal="amira")
    assert slot.verdict == ("retracted" if granted else "withheld")
    assert recorded(shop) == []


def test_words_withheld_are_recorded_as_not_shown(shop: Shop) -> None:
    ledger = shop.ledger
    secret = ledger.source(native="memo", title="Memo")
    heard = ledger.evidence(ledger.revision(secret, data="Not before June.", label="1"), quote="June")
    claim = ledger.claim(
        says=STATEMENT,
        support=[shop.evidence],
        exposure=[heard],
        transformation={"kind": "quote"},
        question={"text": "How long?", "facts": {}},
    )
    ledger.grant("amira", shop.source)
    [slot] = ledger.resolve([claim], principal="amira")
    assert slot.words == "withheld"
    assert [x.disclosed for x in recorded(shop)] == [Disclosed(claim, (shop.evidence,), False)]


def test_nothing_is_shown_that_could_not_be_recorded(shop: Shop) -> None:
    shop.ledger.grant("amira", shop.source)
    shop.ledger.resolve([shop.claim], principal="amira")
    path = shop.path / "tenants" / "default" / "disclosures.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("DROP TABLE item")
    connection.close()
    with pytest.raises(StorageError):
        shop.ledger.resolve([shop.claim], principal="amira")


def test_no_text_is_in_the_file(shop: Shop) -> None:
    shop.ledger.grant("amira", shop.source, for_purpose="support")
    shop.ledger.resolve([shop.claim], principal="amira", purpose="support")
    shop.ledger.close()
    folder = shop.path / "tenants" / "default"
    stored = b"".join(path.read_bytes() for path in folder.glob("disclosures*"))
    assert shop.claim.encode() in stored
    for text in (QUOTE, STATEMENT, "Returns", "amira", "support", "handbook"):
        assert text.encode() not in stored


def test_a_ledger_opened_without_disclosures_records_none(shop: Shop) -> None:
    shop.ledger.grant("amira", shop.source)
    [slot] = shop.open(disclosures=False).resolve([shop.claim], principal="amira")
    assert slot.statement == STATEMENT
    assert recorded(shop) == []
