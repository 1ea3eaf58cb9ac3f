"""The real command over standard input and output: by the official client, and with one that dies."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from agents_shop import JULY, ORDERS, QUOTE, STATEMENT, Shop, all_of, text_of
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import CallToolResult

from prov_ledger import Ledger

_CLEAN = {key: value for key, value in os.environ.items() if not key.startswith("PROV_LEDGER")}
_HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


def command(shop: Shop, *options: str, name: str = "support-bot") -> list[str]:
    return ["-m", "prov_ledger", "mcp", str(shop.folder), "--as", name, *options]


def server(shop: Shop, *options: str) -> StdioServerParameters:
    return StdioServerParameters(command=sys.executable, args=command(shop, *options), env=_CLEAN)


def test_a_client_starts_it_and_resolves(shop: Shop, tmp_path: Path) -> None:
    async def run() -> tuple[set[str], CallToolResult, CallToolResult]:
        with (tmp_path / "stderr").open("w") as stderr:
            async with Client(stdio_client(server(shop, "--purpose", "support"), errlog=stderr)) as client:
                names = {tool.name for tool in (await client.list_tools()).tools}
                resolved = await client.call_tool("resolve", {"ids": [shop.claim], "facts": JULY})
                refused = await client.call_tool("resolve", {"ids": [shop.claim], "principal": ORDERS})
        return names, resolved, refused

    names, resolved, refused = asyncio.run(run())
    assert "resolve" in names
    assert "erase" not in names
    assert STATEMENT in all_of(resolved)
    assert text_of(refused).startswith("[bad_input] ")
    assert (tmp_path / "stderr").read_text() == ""


def test_two_sessions_in_two_processes_see_what_each_other_writes(shop: Shop) -> None:
    async def run() -> str:
        async with Client(server(shop)) as one, Client(server(shop)) as two:
            recorded = await one.call_tool("record_claim", _claim(shop))
            claim = recorded.structured_content["id"]
            found = await two.call_tool("resolve", {"ids": [claim], "facts": JULY})
            return str(found.structured_content["slots"][0]["verdict"])

    assert asyncio.run(run()) == "citable"


def _claim(shop: Shop) -> dict[str, object]:
    given = {"says": "60 days.", "support": [shop.evidence], "kind": "select", "question": "How long?"}
    return given | {"facts": JULY}


def run(shop: Shop, *options: str, name: str = "support-bot", stdin: str = "") -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, *command(shop, *options, name=name)],
        input=stdin.encode(),
        capture_output=True,
        env=_CLEAN,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_it_ends_with_its_client_and_says_nothing_beside_the_protocol(shop: Shop) -> None:
    status, out, err = run(shop, stdin=f"{json.dumps(_HELLO)}\nno protocol: {QUOTE}\n")
    assert (status, err) == (0, "")
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in out.splitlines())
    assert QUOTE not in out


def test_a_name_that_was_never_recorded_is_refused_at_the_start(shop: Shop) -> None:
    status, out, err = run(shop, name="nobody")
    assert (status, out, err.partition(":")[0]) == (4, "", "error [not_found]")
    assert "--as nobody" in err


def test_nobody_acts_as_whoever_made_the_ledger_without_saying_so(shop: Shop) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "prov_ledger", "mcp", str(shop.folder)],
        capture_output=True,
        env=_CLEAN,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"error [bad_input]: say who the model acts as")


def _line(id: int, tool: str, arguments: dict[str, object]) -> bytes:
    params = {"name": tool, "arguments": arguments}
    message = {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}
    return json.dumps(message).encode() + b"\n"


def test_a_client_that_is_killed_leaves_every_acknowledged_write(shop: Shop) -> None:
    """The client's two pipes close at once, as they do when it is killed, with calls under way."""
    process = subprocess.Popen(
        [sys.executable, *command(shop)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=_CLEAN,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdin.write(json.dumps(_HELLO).encode() + b"\n")
    process.stdin.write(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
    for id in range(2, 42):
        process.stdin.write(_line(id, "record_claim", _claim(shop)))
    process.stdin.flush()
    seen = [json.loads(process.stdout.readline()) for _ in range(6)]
    process.stdout.close()
    process.stdin.close()
    assert process.wait(60) == 0
    assert process.stderr.read() == b""
    process.stderr.close()
    claims = [one["result"]["structuredContent"]["id"] for one in seen if one["id"] != 1]
    with Ledger.open(shop.folder) as ledger:
        assert {slot.verdict for slot in ledger.resolve(claims, facts=JULY)} == {"citable"}
        assert ledger.verify().valid


def test_a_server_that_is_killed_leaves_a_ledger_that_verifies(shop: Shop) -> None:
    process = subprocess.Popen(
        [sys.executable, *command(shop)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=_CLEAN,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(_HELLO).encode() + b"\n")
    process.stdin.flush()
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == -signal.SIGINT
    process.stdin.close()
    process.stdout.close()
    with Ledger.open(shop.folder) as ledger:
        assert ledger.verify().valid
