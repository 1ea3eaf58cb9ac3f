"""A body has an end: so many bytes of each kind, in so much time, whether it says its length or not."""

import asyncio
import base64
import contextlib
import json
import os
import socket
import time
from collections.abc import Iterator

import pytest
from served import Shop, make_shop
from served_ledgers import serving
from sockets import PATIENCE_S, answers, connected, head, rest, trickle
from starlette.types import Message, Receive, Scope, Send

from prov_ledger.service.compression import Compression

BODY_BYTES, JSON_BYTES, BODY_TIMEOUT_S, HEAD_TIMEOUT_S = 200_000, 2_000, 0.4, 0.4
JSON = "Content-Type: application/json"
CHUNKED = "Transfer-Encoding: chunked"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return make_shop(tmp_path_factory.mktemp("bodies") / "ledger")


@pytest.fixture(scope="module")
def address(shop: Shop) -> Iterator[str]:
    limits = {
        "body_bytes": BODY_BYTES,
        "json_bytes": JSON_BYTES,
        "body_timeout_s": BODY_TIMEOUT_S,
        "head_timeout_s": HEAD_TIMEOUT_S,
        "bulk_line_bytes": BODY_BYTES,
    }
    with serving(shop.folder, limits=limits) as address:
        yield address


@pytest.fixture
def connection(address: str) -> Iterator[socket.socket]:
    with connected(address) as connection:
        yield connection


def _head(shop: Shop, path: str, *headers: str, role: str = "curator") -> bytes:
    return head("POST", f"/v1/default/{path}", f"Authorization: Bearer {shop.keys[role]}", *headers)


def _ask(
    connection: socket.socket, shop: Shop, path: str, body: bytes, *headers: str
) -> tuple[int, dict[str, object]]:
    """The status and the body of the answer to a body that says its length."""
    stated = headers if any(x.startswith("Content-Type") for x in headers) else (JSON, *headers)
    connection.sendall(_head(shop, path, *stated, f"Content-Length: {len(body)}") + body)
    return _told(answers(connection, 1))


def _told(said: bytes) -> tuple[int, dict[str, object]]:
    status, _, body = said.partition(b"\r\n\r\n")
    told = json.loads(body)
    return int(status.split()[1]), told if isinstance(told, dict) else {}


def test_a_body_that_trickles_is_refused_in_time(connection: socket.socket, shop: Shop) -> None:
    connection.sendall(_head(shop, "resolve", JSON, "Content-Length: 1900"))
    said, seconds = trickle(connection, b" " * 1900)
    status, told = _told(answers(connection, 1, said))
    assert (status, told["code"]) == (408, "request_timeout")
    assert BODY_TIMEOUT_S * 0.9 <= seconds < BODY_TIMEOUT_S + 20


def test_a_line_of_many_writes_that_trickles_is_refused_in_time(
    connection: socket.socket, shop: Shop
) -> None:
    connection.sendall(_head(shop, "bulk", "Content-Type: application/x-ndjson", "Content-Length: 1900"))
    connection.sendall(b'{"verb":"source","native":"own","title":"t"}\n')
    said, _ = trickle(connection, b" " * 1800)
    while b'"ended"' not in said:
        more, _ = trickle(connection, b" " * 1800)
        assert more
        said += more
    assert said.count(b'"value":{"id":"src_') == 1
    assert b'"code":"request_timeout"' in said


def _send_until_closed(connection: socket.socket) -> None:
    chunk = b"1000\r\n" + b"x" * 4096 + b"\r\n"
    connection.settimeout(PATIENCE_S)
    with contextlib.suppress(ConnectionError):
        while True:
            connection.sendall(chunk)


@pytest.mark.parametrize("path", ["resolve", "revision", "sparql", "mcp"])
def test_a_body_in_chunks_is_refused_before_it_is_read_whole(
    connection: socket.socket, shop: Shop, path: str
) -> None:
    said_type = "Content-Type: application/sparql-query" if path == "sparql" else JSON
    connection.sendall(
        _head(shop, path, said_type, CHUNKED, role="curator" if path != "sparql" else "analyst")
    )
    connection.sendall(b"%x\r\n" % BODY_BYTES + b" " * BODY_BYTES + b"\r\n1\r\n \r\n")
    status, told = _told(answers(connection, 1))
    assert (status, told["code"]) == (413, "too_large")
    # What comes after the answer is not taken for long either.
    began = time.monotonic()
    _send_until_closed(connection)
    assert time.monotonic() - began < HEAD_TIMEOUT_S + 20


def test_a_body_that_says_it_is_too_large_is_not_waited_for(connection: socket.socket, shop: Shop) -> None:
    connection.sendall(_head(shop, "revision", JSON, f"Content-Length: {BODY_BYTES + 1}"))
    status, told = _told(answers(connection, 1))
    assert (status, told["code"]) == (413, "too_large")


@pytest.mark.parametrize(
    ("path", "given"),
    [
        ("revision", {"data": "x", "label": "1"}),
        ("tool-result", {"tool": "status", "arguments": {}, "result": "x", "collection": "tools"}),
        ("bind", {"citations": [{"cited_text": "x"}], "documents": []}),
    ],
)
def test_what_carries_documents_may_be_larger(
    connection: socket.socket, shop: Shop, path: str, given: dict[str, object]
) -> None:
    sent = given | ({"source": shop.source} if path == "revision" else {})
    body = json.dumps(sent).encode().replace(b'"x"', b'"' + b"x " * JSON_BYTES + b'"')
    status, told = _ask(connection, shop, path, body)
    assert told.get("code") != "too_large"
    assert status in (200, 422)


@pytest.mark.parametrize("path", ["resolve", "claim", "answer", "sparql", "mcp"])
def test_what_carries_no_document_may_not(connection: socket.socket, shop: Shop, path: str) -> None:
    headers = ("Content-Type: application/sparql-query",) if path == "sparql" else ()
    status, told = _ask(connection, shop, path, b" " * (JSON_BYTES + 1), *headers)
    assert (status, told["code"]) == (413, "too_large")


@pytest.mark.parametrize("said", ["gzip", "deflate", "br", "zstd", "identity, gzip", "GZIP"])
@pytest.mark.parametrize("path", ["resolve", "revision", "bulk", "mcp"])
def test_no_body_is_unpacked(connection: socket.socket, shop: Shop, path: str, said: str) -> None:
    headers = ("Content-Type: application/x-ndjson",) if path == "bulk" else ()
    status, told = _ask(connection, shop, path, b"\x1f\x8b", f"Content-Encoding: {said}", *headers)
    assert (status, told["code"]) == (415, "unsupported_media_type")


def test_a_connection_that_ends_within_a_body_is_no_failure_of_the_service(
    address: str, shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    for path, said_type in (("resolve", JSON), ("bulk", "Content-Type: application/x-ndjson")):
        with connected(address) as connection:
            connection.sendall(_head(shop, path, said_type, "Expect: 100-continue", "Content-Length: 100"))
            assert connection.recv(100).startswith(b"HTTP/1.1 ")
    with connected(address) as connection:
        # An answer after those: whatever they left in the log is there.
        connection.sendall(head("GET", "/readyz", "Connection: close"))
        assert rest(connection).startswith(b"HTTP/1.1 200 ")
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


def test_two_writings_of_one_document_are_refused(connection: socket.socket, shop: Shop) -> None:
    both = {"source": shop.source, "data": "A", "data_base64": base64.b64encode(b"B").decode(), "label": "x"}
    status, told = _ask(connection, shop, "revision", json.dumps(both).encode())
    assert (status, told["code"]) == (422, "bad_input")
    assert "data_base64" in str(told["detail"])


def test_a_large_answer_is_made_smaller_beside_everything_else() -> None:
    """Random bytes take longest; meanwhile the loop goes round, which it does not within one call."""

    async def large(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": os.urandom(16 * 2**20)})

    async def run(encoding: bytes) -> tuple[int, int]:
        rounds, sizes = 0, list[int]()

        async def send(message: Message) -> None:
            sizes.append(len(message.get("body", b"")))

        async def receive() -> Message:
            return {"type": "http.disconnect"}

        scope = {"type": "http", "method": "GET", "headers": [(b"accept-encoding", encoding)]}
        answering = asyncio.ensure_future(Compression(large)(scope, receive, send))
        while not answering.done():
            rounds += 1
            await asyncio.wait({answering}, timeout=0.001)
        return rounds, sum(sizes)

    for encoding in (b"gzip", b"zstd"):
        rounds, size = asyncio.run(run(encoding))
        assert size > 2**24
        assert rounds > 5
