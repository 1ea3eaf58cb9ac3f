"""Listing what there is: as much as the one who asks may know of it, and no more."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from prov_ledger import Ledger
from prov_ledger.rdf.terms import Iri
from prov_ledger.store.port import Rows
from tests.ledger.worlds import Clock, refused

CLAIM = {"transformation": {"kind": "quote"}, "question": {"text": "What is the rule?", "facts": {}}}


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def shop(tmp_path: Path, clock: Clock) -> Iterator[Ledger]:
    with Ledger.init(tmp_path / "ledger", clock=clock) as ledger:
        ledger.collection("handbook", sensitive=True)
        ledger.collection("board")
        yield ledger


def page(ledger: Ledger, native: str, collection: str | None = None) -> str:
    source = ledger.source(native=native, title=native.capitalize(), collection=collection)
    ledger.revision(source, data="Goods may be returned.", label="v1")
    return source


def test_sources_are_listed_with_what_they_are_called_now(shop: Ledger) -> None:
    source = page(shop, "returns", "handbook")
    shop.source(native="returns", title="Returns and refunds")
    shop.revision(source, data="Goods may not be returned.", label="v2")
    (found,) = shop.list_sources()
    assert (found.id, found.connector, found.native) == (source, "manual", "returns")
    assert (found.title, found.collection, found.label) == ("Returns and refunds", "handbook", "v2")
    assert found.authority == "official"
    shop.retire(source, from_="2026-01-01")
    assert shop.list_sources()[0].authority is None


def test_only_sources_that_may_be_read_are_listed_and_none_is_counted(shop: Ledger) -> None:
    open_, _ = page(shop, "open", "handbook"), page(shop, "secret", "board")
    assert shop.list_sources(principal="bot") == ()
    shop.grant("bot", open_)
    assert [x.id for x in shop.list_sources(principal="bot")] == [open_]
    assert shop.list_sources(principal="bot")[0].collection is None
    shop.deny(open_)
    assert shop.list_sources(principal="bot") == ()
    assert open_ not in [x.id for x in shop.list_sources()]


def test_what_is_listed_is_recorded_as_shown(shop: Ledger) -> None:
    source = page(shop, "returns")
    shop.grant("bot", source)
    shop.list_sources(principal="bot")
    assert [x.disclosed.id for x in shop.disclosures(reader="bot")] == [source]


def test_collections_have_names_for_those_alone_who_may_know_them(shop: Ledger) -> None:
    source = page(shop, "returns", "handbook")
    assert {(x.name, x.sensitive) for x in shop.list_collections()} == {("handbook", True), ("board", False)}
    assert shop.list_collections(principal="bot") == ()
    shop.grant("bot", source)
    (seen,) = shop.list_collections(principal="bot")
    assert (seen.name, seen.sensitive) == (None, True)


def test_grants_that_hold_now_are_listed(shop: Ledger, clock: Clock) -> None:
    source = page(shop, "returns", "handbook")
    until = clock.now + timedelta(days=1)
    shop.grant("bot", source, for_purpose="support", until=until)
    shop.grant("group:staff", "collection:handbook")
    given = {(x.who, x.read, x.purpose, x.until) for x in shop.list_grants()}
    assert given == {
        ("curator", "*", None, None),
        ("bot", source, "support", until),
        ("group:staff", "collection:handbook", None, None),
    }
    clock.step(86_400)
    shop.revoke("group:staff", "collection:handbook")
    assert [x.who for x in shop.list_grants()] == ["curator"]


def test_an_agent_sees_its_own_grants_and_those_of_its_groups_without_names(shop: Ledger) -> None:
    source = page(shop, "returns", "handbook")
    shop.grant("bot", source)
    shop.grant("eve", source)
    shop.grant("group:staff", "collection:handbook")
    shop.member("bot", "group:staff")
    seen = shop.list_grants(principal="bot")
    assert [x.read for x in seen] == [source, shop.list_collections()[0].id]
    assert not {"bot", "eve", "group:staff", "collection:handbook"} & {
        y for x in seen for y in (x.who, x.read)
    }
    assert shop.list_grants(principal="stranger") == ()


def test_a_thread_is_listed_for_those_who_take_part_in_it(shop: Ledger) -> None:
    source = page(shop, "returns")
    evidence = shop.evidence(shop.show(source).revision, quote="Goods")
    claim = shop.claim(says="It is.", support=[evidence], **CLAIM)  # type: ignore[arg-type]
    shop.grant("eve", source)
    shop.remind([claim], 100, thread="chat-7", readers=["bot"])
    (own,) = shop.list_threads()
    assert (own.name, own.owner, own.readers) == ("chat-7", "curator", ("bot",))
    (seen,) = shop.list_threads(principal="bot")
    assert (seen.name, seen.readers) == ("chat-7", ("bot",))
    assert seen.owner.startswith("agt_")
    assert shop.list_threads(principal="eve") == ()
    assert shop.list_threads(principal="nobody") == ()


def test_a_purpose_that_is_blank_is_refused(shop: Ledger) -> None:
    assert refused(lambda: shop.list_sources(purpose=" ")) == "bad_input"


def test_a_query_takes_a_thread_by_its_name_or_its_id(shop: Ledger) -> None:
    evidence = shop.evidence(shop.show(page(shop, "returns")).revision, quote="Goods")
    old = shop.claim(says="It is.", support=[evidence], **CLAIM)  # type: ignore[arg-type]
    for name in ("chat-7", "chat-8"):
        shop.remind([old], 100, thread=name)
    shop.supersede(old, says="It is not.", support=[evidence], **CLAIM)  # type: ignore[arg-type]
    seventh = shop.list_threads()[0]
    by_name = shop.named_query("stale_in_threads", {"thread": seventh.name})
    assert isinstance(by_name, Rows)
    assert [row[0] for row in by_name.rows] == [Iri(shop.base + seventh.id)]
    assert shop.named_query("stale_in_threads", {"thread": seventh.id}) == by_name


def test_a_thread_of_others_has_no_name_for_a_query(shop: Ledger) -> None:
    shop.agent("ann", ["analyst"])
    evidence = shop.evidence(shop.show(page(shop, "returns")).revision, quote="Goods")
    claim = shop.claim(says="It is.", support=[evidence], **CLAIM)  # type: ignore[arg-type]
    shop.remind([claim], 100, thread="chat-7")
    asked = {"thread": "chat-7"}
    assert refused(lambda: shop.named_query("stale_in_threads", asked, by="ann")) == "unknown_id"
