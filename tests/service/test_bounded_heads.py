"""What comes before an answer has an end: bytes of a head, time, requests that wait on one connection."""

import resource
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from served import Shop, make_shop
from served_ledgers import serving
from sockets import PATIENCE_S, answers, connected, head, rest, trickle

from prov_ledger.service.protocol import PIPELINED
from prov_ledger.service.serve import most_connections

HEAD_BYTES, HEAD_TIMEOUT_S = 4096, 0.4
ALIVE = head("GET", "/healthz")
TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\n"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return make_shop(tmp_path_factory.mktemp("heads") / "ledger")


@pytest.fixture(scope="module")
def address(shop: Shop) -> Iterator[str]:
    limits = {"head_bytes": HEAD_BYTES, "head_timeout_s": HEAD_TIMEOUT_S}
    with serving(shop.folder, limits=limits) as address:
        yield address


@pytest.fixture
def connection(address: str) -> Iterator[socket.socket]:
    with connected(address) as connection:
        yield connection


@pytest.mark.parametrize(
    "sent",
    [
        head("GET", "/" + "a" * HEAD_BYTES),
        b"GET /" + b"a" * HEAD_BYTES,
        head("GET", "/healthz", f"X-A: {'a' * HEAD_BYTES}"),
        ALIVE[:-2] + b"X-A: " + b"a" * HEAD_BYTES,
        ALIVE[:-2] + b"a" * HEAD_BYTES,
        head("GET", "/healthz", *(f"X-{n}: a" for n in range(HEAD_BYTES // 4))),
        head("GET", "/healthz?" + "a" * (HEAD_BYTES // 2), f"X-A: {'a' * (HEAD_BYTES // 2)}"),
    ],
    ids=["line", "line without end", "header", "value without end", "name without end", "many", "both"],
)
def test_a_head_above_the_limit_is_refused_and_the_connection_closed(
    connection: socket.socket, sent: bytes
) -> None:
    connection.sendall(sent)
    said = rest(connection)
    assert said.startswith(TOO_LARGE)
    assert said.count(b"HTTP/1.1 ") == 1
    assert b"connection: close" in said


def test_a_head_in_pieces_is_counted_as_a_whole(connection: socket.socket) -> None:
    connection.sendall(ALIVE[:-2])
    sent = len(ALIVE[:-2])
    # No byte more than is too many: it might find the connection closed.
    while sent <= HEAD_BYTES:
        sent += connection.send(f"X-{sent}: {'a' * 100}\r\n".encode())
    assert rest(connection).startswith(TOO_LARGE)


@pytest.mark.parametrize(
    "sent",
    [
        b'a\r\n{"ids":[]}\r\n0\r\n' + b"".join(b"X-A: a\r\n" for _ in range(HEAD_BYTES)),
        b"a;x=" + b"a" * 2 * HEAD_BYTES,
    ],
    ids=["trailers", "extension"],
)
def test_what_stands_beside_a_body_has_an_end_too(connection: socket.socket, shop: Shop, sent: bytes) -> None:
    key = f"Authorization: Bearer {shop.keys['agent']}"
    headers = (key, "Content-Type: application/json", "Transfer-Encoding: chunked", "Expect: 100-continue")
    connection.sendall(head("POST", "/v1/default/resolve", *headers))
    assert connection.recv(100).startswith(b"HTTP/1.1 100 ")
    connection.sendall(sent)
    assert rest(connection).startswith(TOO_LARGE)


def test_a_head_within_the_limit_is_answered(connection: socket.socket) -> None:
    connection.sendall(head("GET", "/healthz", f"X-A: {'a' * (HEAD_BYTES - 200)}"))
    assert answers(connection, 1).startswith(b"HTTP/1.1 200 ")


def test_what_is_no_http_is_refused(connection: socket.socket) -> None:
    connection.sendall(b"\x16\x03\x01\x02\x00 nonsense\r\n\r\n")
    assert rest(connection).startswith(b"HTTP/1.1 400 ")


def _in_time(seconds: float) -> bool:
    return HEAD_TIMEOUT_S * 0.9 <= seconds < HEAD_TIMEOUT_S + 20


def test_a_head_that_trickles_is_not_waited_for(connection: socket.socket) -> None:
    said, seconds = trickle(connection, ALIVE[:-2] + b"X-A: " + b"a" * 3000)
    assert said == b""
    assert _in_time(seconds)


def test_a_connection_that_says_nothing_is_closed(connection: socket.socket) -> None:
    began = time.monotonic()
    assert rest(connection) == b""
    assert _in_time(time.monotonic() - began)


def test_a_later_head_that_trickles_is_not_waited_for(connection: socket.socket) -> None:
    connection.sendall(ALIVE)
    answers(connection, 1)
    said, seconds = trickle(connection, ALIVE[:-2] + b"X-A: " + b"a" * 3000)
    assert said == b""
    assert _in_time(seconds)


def test_a_body_that_nobody_reads_is_not_waited_for(connection: socket.socket) -> None:
    connection.sendall(head("POST", "/nowhere", "Content-Length: 1000000"))
    assert answers(connection, 1).startswith(b"HTTP/1.1 404 ")
    said, seconds = trickle(connection, b"a" * 3000)
    assert said == b""
    assert seconds < HEAD_TIMEOUT_S + 20


def test_a_connection_may_be_idle_for_longer_than_a_head_may_take(connection: socket.socket) -> None:
    connection.sendall(ALIVE)
    answers(connection, 1)
    connection.settimeout(HEAD_TIMEOUT_S * 2)
    with pytest.raises(TimeoutError):
        connection.recv(1)
    connection.settimeout(None)
    connection.sendall(ALIVE)
    assert answers(connection, 1).startswith(b"HTTP/1.1 200 ")


def test_a_connection_that_is_idle_for_too_long_is_closed(shop: Shop) -> None:
    with serving(shop.folder, limits={"keep_alive_s": 1}) as address, connected(address) as connection:
        connection.sendall(ALIVE)
        answers(connection, 1)
        assert rest(connection) == b""


@pytest.mark.parametrize("said", [b"", ALIVE[:-2], ALIVE], ids=["nothing", "half a head", "a request"])
def test_whoever_was_idle_for_longest_makes_room_for_another(shop: Shop, said: bytes) -> None:
    limits = {"connections": 10, "head_timeout_s": PATIENCE_S}
    with serving(shop.folder, limits=limits) as address, ExitStack() as stack:
        idle = []
        for _ in range(25):
            idle.append(stack.enter_context(connected(address)))
            idle[-1].sendall(said)
            if said == ALIVE:
                assert answers(idle[-1], 1).startswith(b"HTTP/1.1 200 ")
        with connected(address) as connection:
            connection.sendall(ALIVE)
            assert answers(connection, 1).startswith(b"HTTP/1.1 200 ")
        assert rest(idle[0]) == rest(idle[15]) == b""
        idle[-1].settimeout(0.1)
        with pytest.raises(TimeoutError):
            idle[-1].recv(1)


def test_connections_leave_files_for_everything_else() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        found = []
        for files in (soft, 1024, 300):
            resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard))
            found.append(most_connections(500))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert found[1:] == [500, 150]


def test_requests_that_are_sent_at_once_are_answered_in_order(connection: socket.socket, shop: Shop) -> None:
    body = b'{"ids":["' + shop.claim.encode() + b'"]}'
    headers = ("Content-Type: application/json", f"Content-Length: {len(body)}")
    asked = (
        head("POST", "/v1/default/resolve", f"Authorization: Bearer {shop.keys['agent']}", *headers) + body
    )
    connection.sendall((asked + head("GET", "/nowhere") + ALIVE) * 5)
    said = answers(connection, 15)
    assert [part[:3] for part in said.split(b"HTTP/1.1 ")[1:]] == [b"200", b"404", b"200"] * 5
    assert said.count(b'"citable"') == 5


def test_so_many_requests_of_a_connection_wait_and_no_more(address: str) -> None:
    with connected(address) as connection:
        connection.sendall(ALIVE * (PIPELINED + 1))
        assert answers(connection, PIPELINED + 1).count(b" 200 ") == PIPELINED + 1
    with connected(address) as connection:
        connection.sendall(ALIVE * (PIPELINED + 2))
        assert rest(connection).count(b" 200 ") < PIPELINED
