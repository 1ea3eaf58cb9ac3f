"""Over HTTP, by a real server: who asks is the token, for every message anew."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import httpx2
import pytest
from agents_shop import JULY, QUOTE, STATEMENT, Shop, all_of, text_of
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from served_ledgers import serving

from prov_ledger import Ledger
from prov_ledger.service.api_keys import ApiKeys

_ASKED = {"ids": ["ID"], "facts": JULY}


@pytest.fixture
def keys(shop: Shop) -> dict[str, str]:
    made, keys = {}, ApiKeys(shop.folder)
    with shop.ledger() as ledger:
        for name in ("support-bot", "amira", "reader", "officer"):
            agent = ledger.find_agent(name)
            assert agent is not None
            made[name] = keys.create("default", agent, None)[1]
    keys.close()
    return made


@pytest.fixture
def address(shop: Shop, keys: dict[str, str]) -> Iterator[str]:
    with serving(shop.folder) as address:
        yield f"{address}/v1/default/mcp"


@asynccontextmanager
async def connected(
    address: str, key: str, mode: str = "auto", headers: dict[str, str] | None = None
) -> AsyncIterator[Client]:
    sent = {"Authorization": f"Bearer {key}", **(headers or {})}
    async with (
        httpx2.AsyncClient(headers=sent, timeout=60) as http,
        Client(streamable_http_client(address, http_client=http), mode=mode) as client,
    ):
        yield client


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_token_says_who_asks(shop: Shop, keys: dict[str, str], address: str, mode: str) -> None:
    async def ask(name: str) -> tuple[set[str], str]:
        async with connected(address, keys[name], mode) as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            result = await client.call_tool("resolve", _ASKED | {"ids": [shop.claim]})
            (content,) = (
                await client.read_resource(f"claim://{shop.claim}?purchase_date=2026-07-02")
            ).contents
            assert STATEMENT in content.text
            return names, str(result.structured_content["slots"][0]["verdict"])

    names, verdict = asyncio.run(ask("support-bot"))
    assert ("record_claim" in names, "erase" in names, verdict) == (True, False, "citable")
    names, verdict = asyncio.run(ask("reader"))
    assert ("record_claim" in names, verdict) == (False, "citable")


def test_several_sessions_at_once_are_each_who_their_token_says(
    shop: Shop, keys: dict[str, str], address: str
) -> None:
    async def ask(name: str) -> list[str]:
        async with connected(address, keys[name]) as client:
            asked = [client.call_tool("resolve", _ASKED | {"ids": [shop.claim]}) for _ in range(8)]
            results = await asyncio.gather(*asked)
        return [str(one.structured_content["slots"][0]["verdict"]) for one in results]

    async def all_at_once() -> list[list[str]]:
        return await asyncio.gather(*map(ask, ("support-bot", "officer", "amira", "officer")))

    verdicts = asyncio.run(all_at_once())
    assert verdicts == [["citable"] * 8, ["withheld"] * 8, ["citable"] * 8, ["withheld"] * 8]


def test_a_reader_who_lost_access_between_two_calls_is_told_nothing_more(
    shop: Shop, keys: dict[str, str], address: str
) -> None:
    async def run() -> str:
        async with connected(address, keys["support-bot"]) as client:
            await client.call_tool("resolve", _ASKED | {"ids": [shop.claim]})
            with Ledger.open(shop.folder) as ledger:
                ledger.revoke("support-bot", shop.source)
            return all_of(await client.call_tool("resolve", _ASKED | {"ids": [shop.claim]}))

    after = asyncio.run(run())
    assert '"withheld"' in after
    assert STATEMENT not in after
    assert QUOTE not in after


def test_a_purpose_is_stated_by_the_client_that_is_configured_not_by_the_model(
    shop: Shop, keys: dict[str, str], address: str
) -> None:
    with Ledger.open(shop.folder) as ledger:
        ledger.grant("officer", shop.source, for_purpose="audits and more")

    async def ask(headers: dict[str, str]) -> str:
        async with connected(address, keys["officer"], headers=headers) as client:
            result = await client.call_tool("resolve", _ASKED | {"ids": [shop.claim]})
            refused = await client.call_tool("resolve", {"ids": [shop.claim], "purpose": "audits and more"})
            assert text_of(refused).startswith("[bad_input] ")
            return str(result.structured_content["slots"][0]["verdict"])

    assert asyncio.run(ask({})) == "withheld"
    assert asyncio.run(ask({"Prov-Ledger-Purpose": "audits%20and%20more"})) == "citable"


def post(address: str, headers: dict[str, str], body: str | None = None) -> tuple[int, str]:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    sent = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    answer = httpx2.post(address, content=body or json.dumps(message), headers=sent | headers)
    return answer.status_code, answer.text


def test_without_a_token_or_with_a_wrong_one_nobody_comes_in(
    keys: dict[str, str], address: str, shop: Shop
) -> None:
    key = keys["support-bot"]
    for headers in ({}, {"Authorization": "Bearer nonsense"}, {"Authorization": f"Bearer {key[:-1]}!"}):
        status, text = post(address, headers)
        assert (status, json.loads(text)["code"]) == (401, "unauthenticated")
    status, _ = post(address.replace("default", "other"), {"Authorization": f"Bearer {key}"})
    assert status == 404
    assert post(address, {"Authorization": f"Bearer {key}"})[0] == 200


@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [
        ({"Origin": "https://evil.example"}, None, 403),
        ({"Content-Type": "text/plain"}, None, 415),
        ({}, "[" * 100 + "]" * 100, 422),
        ({}, "{", 422),
        ({}, '"' + "x" * (17 * 2**20) + '"', 413),
    ],
    ids=["a page's", "no JSON", "deep", "half", "large"],
)
def test_what_is_no_message_is_refused_before_the_protocol(
    keys: dict[str, str], address: str, headers: dict[str, str], body: str | None, status: int
) -> None:
    key = {"Authorization": f"Bearer {keys['support-bot']}"}
    assert post(address, key | headers, body)[0] == status


def test_there_is_no_stream_to_be_held_open(keys: dict[str, str], address: str) -> None:
    headers = {"Authorization": f"Bearer {keys['support-bot']}", "Accept": "text/event-stream"}
    assert httpx2.get(address, headers=headers).status_code == 405


def test_it_is_not_there_where_it_was_switched_off(shop: Shop, keys: dict[str, str]) -> None:
    with serving(shop.folder, mcp=False) as address:
        status, _ = post(f"{address}/v1/default/mcp", {"Authorization": f"Bearer {keys['support-bot']}"})
    assert status == 404


def test_erasure_is_offered_where_the_service_was_told_so(shop: Shop, keys: dict[str, str]) -> None:
    async def names(address: str) -> set[str]:
        async with connected(f"{address}/v1/default/mcp", keys["officer"]) as client:
            return {tool.name for tool in (await client.list_tools()).tools}

    with serving(shop.folder, mcp_erasure=True) as address:
        assert {"plan_erasure", "erase"} < asyncio.run(names(address))
