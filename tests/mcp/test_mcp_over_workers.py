"""Over HTTP by several processes, any of which may have any message: no client notices."""

import asyncio
from collections.abc import Iterator

import httpx2
import pytest
from agents_shop import JULY, STATEMENT, Shop
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from served_ledgers import serving_processes

from prov_ledger.service.api_keys import ApiKeys

#: Enough connections that each of two processes has some of them.
SESSIONS = 12


@pytest.fixture
def key(shop: Shop) -> str:
    keys = ApiKeys(shop.folder)
    with shop.ledger() as ledger:
        made = keys.create("default", ledger.find_agent("support-bot") or "", None)[1]
    keys.close()
    return made


@pytest.fixture
def address(shop: Shop, key: str) -> Iterator[str]:
    with serving_processes(shop.folder, 2) as (address, _):
        yield address


def _http(key: str) -> httpx2.AsyncClient:
    """A client that takes a new connection for each message, so that no process keeps it."""
    alone = httpx2.Limits(max_keepalive_connections=0)
    return httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=60, limits=alone)


async def _session(address: str, key: str, mode: str, shop: Shop) -> tuple[bool, str, str]:
    """Whether tools are listed, what is said of a claim that was just made, and the text of another."""
    async with (
        _http(key) as http,
        Client(streamable_http_client(f"{address}/v1/default/mcp", http_client=http), mode=mode) as client,
    ):
        listed = {tool.name for tool in (await client.list_tools()).tools}
        made = await client.call_tool(
            "record_claim",
            {
                "says": "Sixty days.",
                "support": [shop.evidence],
                "kind": "quote",
                "question": "How long?",
                "facts": JULY,
            },
        )
        claim = str(made.structured_content["id"])
        decided = await client.call_tool("resolve", {"ids": [claim], "facts": JULY})
        (content,) = (await client.read_resource(f"claim://{shop.claim}?purchase_date=2026-07-02")).contents
    return "resolve" in listed, str(decided.structured_content["slots"][0]["verdict"]), content.text


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_session_is_answered_by_whichever_process(shop: Shop, key: str, address: str, mode: str) -> None:
    async def run() -> list[tuple[bool, str, str]]:
        return await asyncio.gather(*(_session(address, key, mode, shop) for _ in range(SESSIONS)))

    for listed, verdict, text in asyncio.run(run()):
        assert (listed, verdict) == (True, "citable")
        assert STATEMENT in text
