"""Resources by their addresses, behind the same gate as the tools."""

import asyncio

import pytest
from agents_shop import QUOTE, SECRET, STATEMENT, Session, Shop
from mcp.shared.exceptions import MCPError

from prov_ledger import Ledger


def read(ledger: Ledger, uri: str, name: str | None = "support-bot") -> str:
    async def run() -> str:
        session = Session(ledger, name)
        try:
            async with session.client() as client:
                (content,) = (await client.read_resource(uri)).contents
                return content.text
        finally:
            session.caller.close()

    return asyncio.run(run())


def refused(ledger: Ledger, uri: str) -> dict[str, object]:
    async def run() -> dict[str, object]:
        session = Session(ledger, "support-bot")
        try:
            async with session.client() as client:
                with pytest.raises(MCPError) as error:
                    await client.read_resource(uri)
                return error.value.error.model_dump()
        finally:
            session.caller.close()

    return asyncio.run(run())


def test_the_templates_are_listed_and_no_id_is(ledger: Ledger) -> None:
    async def run() -> tuple[list[str], list[object]]:
        session = Session(ledger, "support-bot")
        async with session.client() as client:
            templates = (await client.list_resource_templates()).resource_templates
            listed = (await client.list_resources()).resources
        session.caller.close()
        return [one.uri_template for one in templates], list(listed)

    addresses = ["claim://{id}{?facts*}", "evidence://{id}{?facts*}", "packet://{id}"]
    assert asyncio.run(run()) == (addresses, [])


def test_a_claim_and_its_evidence_are_read_for_the_facts_of_their_address(ledger: Ledger, shop: Shop) -> None:
    for uri in (f"claim://{shop.claim}", f"evidence://{shop.evidence}"):
        assert QUOTE in read(ledger, f"{uri}?purchase_date=2026-07-02")
        for facts in ("", "?purchase_date=2026-04-12"):
            text = read(ledger, uri + facts)
            assert QUOTE not in text
            assert STATEMENT not in text


def test_a_packet_is_rendered_anew_for_who_reads_it(ledger: Ledger, shop: Shop) -> None:
    packet = ledger.remind([shop.claim], 200)
    assert STATEMENT in read(ledger, f"packet://{packet.id}")
    assert shop.claim not in read(ledger, f"packet://{packet.id}", "officer")


def test_a_packet_has_no_words_of_a_claim_that_fell(ledger: Ledger, shop: Shop) -> None:
    packet = ledger.remind([shop.claim], 200)
    ledger.retract(shop.claim)
    text = read(ledger, f"packet://{packet.id}")
    assert f"[c1] {shop.claim} | retracted" in text
    assert STATEMENT[:10] not in text


def test_absent_foreign_and_forbidden_are_one_answer(ledger: Ledger, shop: Shop) -> None:
    gone = ledger.evidence(shop.revision, quote="Shipping is free")
    ledger.deny(shop.source, reason="x")
    with Ledger.init(shop.folder, tenant="other") as other:
        source = other.source(native="a", title="A")
        foreign = other.evidence(other.revision(source, data="abc", label="1"), quote="abc")
    answers = [
        refused(ledger, uri)
        for uri in (
            f"evidence://{shop.hidden_evidence}",
            f"evidence://{gone}",
            f"evidence://{foreign}",
            "evidence://ev_0000000000000000zz",
            f"evidence://{shop.claim}",
            f"claim://{shop.claim}",
            f"claim://{shop.hidden_evidence}",
            f"packet://{shop.claim}",
            "packet://rem_0000000000000000zz",
            "claim://",
            "file:///etc/passwd",
            f"source://{shop.source}",
            f"claim://{'c' * 3000}",
        )
    ]
    assert all(answer == answers[0] for answer in answers)
    assert SECRET not in str(answers)


def test_facts_that_are_none_are_refused_by_their_code(ledger: Ledger, shop: Shop) -> None:
    answer = refused(ledger, f"claim://{shop.claim}?colour=red")
    assert answer["data"] == {"code": "undeclared_fact"}
