"""What the README says a client is configured with connects it."""

import asyncio
import json
import os
import re
import sys
from pathlib import Path

import httpx2
import pytest
from agents_shop import JULY, Shop
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from served_ledgers import serving

import prov_ledger.mcp
from prov_ledger.mcp import inputs
from prov_ledger.service.api_keys import ApiKeys

README = (Path(__file__).resolve().parents[2] / "README.md").read_text()
OWN = (Path(prov_ledger.mcp.__file__).parent / "README.md").read_text()
SECTION = README.partition("## Connect an agent (MCP)\n")[2].partition("\n## ")[0]
STDIO, HTTP = (
    json.loads(text)["mcpServers"]["evidence"]
    for text in re.findall(r"```json\n(.*?)```", SECTION, re.DOTALL)
)


async def _used(client: Client, shop: Shop) -> tuple[set[str], str]:
    names = {tool.name for tool in (await client.list_tools()).tools}
    result = await client.call_tool("resolve", {"ids": [shop.claim], "facts": JULY})
    return names, str(result.structured_content["slots"][0]["verdict"])


def _holds(used: tuple[set[str], str]) -> None:
    names, verdict = used
    assert verdict == "citable"
    assert {name for name in names if f"`{name}`" not in SECTION} == set()


def test_the_command_of_the_readme_connects_a_client(shop: Shop) -> None:
    """Started as it says, in the folder that holds ``ledger``; only the program is this checkout's."""
    assert STDIO["command"] == "prov-ledger"
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PROV_LEDGER")}
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "prov_ledger", *STDIO["args"]],
        env=clean,
        cwd=shop.folder.parent,
    )

    async def run() -> tuple[set[str], str]:
        async with Client(server) as client:
            return await _used(client, shop)

    _holds(asyncio.run(run()))


def test_the_address_of_the_readme_connects_a_client(shop: Shop) -> None:
    keys = ApiKeys(shop.folder)
    with shop.ledger() as ledger:
        key = keys.create("default", ledger.find_agent("support-bot") or "", None)[1]
    keys.close()
    headers = {name: value.replace("${KEY}", key) for name, value in HTTP["headers"].items()}

    async def run(url: str) -> tuple[set[str], str]:
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            return await _used(client, shop)

    with serving(shop.folder) as address:
        _holds(asyncio.run(run(HTTP["url"].replace("http://127.0.0.1:8080", address))))


def test_the_client_that_is_shown_gets_an_answer_of_each_tool(
    shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = re.findall(r"```py\n(.*?)```", OWN, re.DOTALL)[0]
    keys = ApiKeys(shop.folder)
    with shop.ledger() as ledger:
        key = keys.create("default", ledger.find_agent("support-bot") or "", None)[1]
    keys.close()
    with serving(shop.folder) as address:
        code = compile(shown.replace("http://127.0.0.1:8080", address), "README.md", "exec")
        exec(code, {"key": key, "claim": shop.claim})
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["find", "resolve", "check_answer", "explain"]
    assert [line for line in lines if line.endswith(" None")] == []


@pytest.mark.parametrize(
    ("tool", "takes"),
    [
        ("find", inputs.Find),
        ("resolve", inputs.Resolve),
        ("check_answer", inputs.CheckAnswer),
        ("explain", inputs.Explain),
        ("capture_evidence", inputs.CaptureEvidence),
        ("record_claim", inputs.RecordClaim),
        ("restate_claim", inputs.RestateClaim),
        ("remind", inputs.Remind),
    ],
)
def test_the_fields_that_are_shown_are_those_of_the_tool(tool: str, takes: type[inputs.Input]) -> None:
    (row,) = (line for line in OWN.splitlines() if line.startswith(f"| `{tool}` |"))
    needed, more = (set(re.findall(r"`(\w+)`", cell)) for cell in row.split("|")[2:4])
    fields = takes.model_fields
    assert {name for name, field in fields.items() if field.is_required()} <= needed
    assert needed | more == fields.keys()
