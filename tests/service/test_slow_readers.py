"""Whoever asks for much and does not read it is cut off; whoever reads it, however slowly, has all of it."""

import select
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from served import Shop, make_shop
from served_ledgers import serving
from sockets import PATIENCE_S, connected, head, rest

from prov_ledger import Client, Ledger

UNREAD_TIMEOUT_S = 0.5
#: Their leaves are more than the sockets of both sides hold.
SOURCES = 9_000
QUERY = 'SELECT ?a ?b ?x { VALUES ?a { %s } VALUES ?b { %s } BIND("%s" AS ?x) }'
#: Together far less than a thread for each of them would be.
UNREAD = 12


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    shop = make_shop(tmp_path_factory.mktemp("large") / "ledger")
    with Ledger.open(shop.folder) as ledger:
        for part in range(3):
            with ledger.batch():
                for number in range(SOURCES // 3):
                    ledger.source(native=f"{part} {number}", title="A page")
    return shop


@pytest.fixture(scope="module")
def address(large: Shop) -> Iterator[str]:
    with serving(large.folder, limits={"unread_timeout_s": UNREAD_TIMEOUT_S, "threads": 2}) as address:
        yield address


def _export(shop: Shop, *headers: str) -> bytes:
    return head("GET", "/v1/default/export", f"Authorization: Bearer {shop.keys['auditor']}", *headers)


def _rows(shop: Shop) -> bytes:
    numbers = " ".join(map(str, range(300)))
    query = (QUERY % (numbers, numbers, "x" * 200)).encode()
    headers = ("Content-Type: application/sparql-query", f"Content-Length: {len(query)}")
    key = f"Authorization: Bearer {shop.keys['analyst']}"
    return head("POST", "/v1/default/sparql", key, "Accept: text/csv", *headers) + query


def _without_credentials(shop: Shop) -> bytes:
    return head("GET", "/openapi.json") * 100


def _client(shop: Shop, address: str) -> Client:
    return Client(address, token=shop.keys["agent"])


def _wait_until_reset(connection: socket.socket) -> None:
    watched = select.poll()
    watched.register(connection, 0)
    assert watched.poll(PATIENCE_S * 1000)


@pytest.mark.parametrize("asked", [_export, _rows, _without_credentials])
def test_an_answer_that_is_not_read_is_not_kept_for_ever(
    large: Shop, address: str, asked: Callable[[Shop], bytes]
) -> None:
    with connected(address, receive_bytes=4096) as connection:
        connection.sendall(asked(large))
        assert connection.recv(12) == b"HTTP/1.1 200"
        began = time.monotonic()
        _wait_until_reset(connection)
        assert time.monotonic() - began < UNREAD_TIMEOUT_S * 2 + 20
        assert len(rest(connection)) < 100_000


def test_many_who_do_not_read_keep_no_thread_from_anybody(large: Shop, address: str) -> None:
    with ExitStack() as stack, _client(large, address) as client:
        unread = [stack.enter_context(connected(address, receive_bytes=4096)) for _ in range(UNREAD)]
        for connection in unread:
            connection.sendall(_export(large))
        for connection in unread:
            connection.recv(12)
        assert client.resolve([large.claim])[0].verdict == "citable"
        for connection in unread:
            _wait_until_reset(connection)
        assert client.resolve([large.claim])[0].verdict == "citable"


def test_whoever_reads_on_and_on_has_all_of_it(large: Shop, address: str) -> None:
    parts, size = [], 0
    with connected(address, receive_bytes=4096) as connection, _client(large, address) as client:
        connection.sendall(_export(large, "Connection: close"))
        while part := connection.recv(4096):
            parts.append(part)
            size += len(part)
            if size > 2**18:
                # Somebody who does other things meanwhile.
                size = 0
                client.resolve([large.claim])
    said = b"".join(parts)
    assert said.endswith(b"\r\n0\r\n\r\n")
    assert said.count(b"/graph> .\n") > SOURCES


def test_a_refusal_is_not_put_into_an_answer_that_has_begun(large: Shop, address: str) -> None:
    with connected(address, receive_bytes=4096) as connection:
        connection.sendall(_export(large))
        assert connection.recv(12) == b"HTTP/1.1 200"
        connection.sendall(b"nonsense\r\n\r\n")
        said = rest(connection)
    assert b"HTTP/1.1" not in said
