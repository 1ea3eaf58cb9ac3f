"""What a client makes of lost connections, busy servers and refusals; against a server that does as told."""

import gzip
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from prov_ledger import Ledger, ProvLedgerError, Refused
from prov_ledger.client import Client
from prov_ledger.client.decoding import decode_plain
from prov_ledger.client.transport import Reply, Transport, error_of
from prov_ledger.errors import STATUS, GraphBusy, QueryError, ShapeViolation, StorageError
from prov_ledger.model.plain import encode_plain
from prov_ledger.model.slots import Candidate, Citation, Slot

Answer = Callable[[bytes], bytes | None]


def _request(connection: socket.socket) -> bytes:
    """One whole request; nothing where the connection was closed."""
    data = b""
    while True:
        head, end, body = data.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0] or 0)
        if end and len(body) >= length:
            return data
        part = connection.recv(65_536)
        if not part:
            return b""
        data += part


@contextmanager
def _server(*answers: bytes | None) -> Iterator[tuple[str, list[bytes]]]:
    """A server that gives these answers in turn, None being a closed connection; and what it was sent."""
    listening = socket.create_server(("127.0.0.1", 0))
    sent: list[bytes] = []

    def serve() -> None:
        left = list(answers)
        while left:
            connection, _ = listening.accept()
            with connection:
                while left:
                    request = _request(connection)
                    if not request:
                        break
                    sent.append(request)
                    answer = left.pop(0)
                    if answer is None:
                        break
                    connection.sendall(answer)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}", sent
    finally:
        thread.join()
        listening.close()


def _http(status: int, body: object, *headers: str) -> bytes:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    head = "\r\n".join([f"HTTP/1.1 {status} X", f"Content-Length: {len(data)}", *headers])
    return head.encode() + b"\r\n\r\n" + data


def _problem(code: str, *headers: str, **other: object) -> bytes:
    return _http(STATUS[code].http, {"code": code, "detail": "as it is", **other}, *headers)


def _key(request: bytes) -> bytes:
    return request.lower().partition(b"idempotency-key: ")[2].partition(b"\r\n")[0]


def test_what_reads_is_asked_again_after_a_lost_connection() -> None:
    with _server(None, _http(200, [])) as (address, sent), Client(address) as client:
        assert client.resolve([]) == []
    assert len(sent) == 2


def test_what_writes_is_sent_again_under_the_same_key() -> None:
    with (
        _server(None, _problem("busy", "Retry-After: 0"), _http(200, {"id": "src_x"})) as (address, sent),
        Client(address) as client,
    ):
        assert client.source(native="a", title="A") == "src_x"
    keys = [_key(request) for request in sent]
    assert keys[0]
    assert keys == [keys[0]] * 3


def test_two_writes_have_two_keys() -> None:
    with (
        _server(_http(200, {"id": "src_x"}), _http(200, {"id": "src_x"})) as (address, sent),
        Client(address) as client,
    ):
        client.source(native="a", title="A")
        client.source(native="a", title="A")
    assert _key(sent[0]) != _key(sent[1])


def test_an_erasure_is_never_sent_again_unasked() -> None:
    with (
        _server(None) as (address, sent),
        Client(address) as client,
        pytest.raises(ProvLedgerError) as refused,
    ):
        client.run_erasure("0" * 64)
    assert (refused.value.code, len(sent)) == ("busy", 1)


def test_a_refusal_is_not_asked_again() -> None:
    with (
        _server(_problem("denied")) as (address, sent),
        Client(address) as client,
        pytest.raises(Refused) as refused,
    ):
        client.source(native="a", title="A")
    assert (refused.value.code, refused.value.message, len(sent)) == ("denied", "as it is", 1)


def test_a_server_that_stays_busy_is_given_up() -> None:
    busy = [_problem("too_many", "Retry-After: 0")] * 5
    with (
        _server(*busy) as (address, sent),
        Client(address) as client,
        pytest.raises(ProvLedgerError) as refused,
    ):
        client.facts()
    assert (refused.value.code, len(sent)) == ("too_many", 5)


def test_whoever_is_not_there_is_told_so() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    with pytest.raises(ProvLedgerError) as refused:
        Client(f"http://127.0.0.1:{port}", timeout_s=0.2).facts()
    assert refused.value.code == "busy"


def test_the_token_goes_in_a_header_and_nowhere_else() -> None:
    with _server(_http(200, [])) as (address, sent), Client(address, token="plk_x_y") as client:
        client.resolve([])
    assert b"Authorization: Bearer plk_x_y\r\n" in sent[0]
    assert sent[0].count(b"plk_x_y") == 1


def test_a_compressed_answer_is_read() -> None:
    with (
        _server(_http(200, gzip.compress(b"[]"), "Content-Encoding: gzip")) as (address, _),
        Client(address) as client,
    ):
        assert client.resolve([]) == []


@pytest.mark.parametrize("body", [b"<html>", {"id": 3}, {}, [{"verdict": "citable"}]])
def test_an_answer_of_something_else_is_an_error_and_no_value(body: object) -> None:
    with (
        _server(_http(200, body)) as (address, _),
        Client(address) as client,
        pytest.raises(ProvLedgerError) as refused,
    ):
        client.resolve([])
    assert refused.value.code == "internal"


@pytest.mark.parametrize("url", ["ftp://x", "x", "http://", "http://x/?a=b", "http://x#y", ""])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(Refused) as refused:
        Client(url)
    assert refused.value.code == "bad_input"


def test_a_path_before_the_service_is_kept() -> None:
    with _server(_http(200, [])) as (address, sent), Client(f"{address}/led/", tenant="shop") as client:
        client.resolve([])
    assert sent[0].startswith(b"POST /led/v1/shop/resolve HTTP/1.1\r\n")


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("unknown_id", Refused),
        ("bad_query", QueryError),
        ("graph_busy", GraphBusy),
        ("storage", StorageError),
        ("shape_violation", ShapeViolation),
    ],
)
def test_an_error_is_of_the_class_that_the_ledger_raises(code: str, kind: type[ProvLedgerError]) -> None:
    found = [["node", "path", "message"]]
    body = json.dumps({"code": code, "detail": "d", "findings": found}).encode()
    error = error_of(Reply(STATUS[code].http, {}, body))
    assert (type(error), error.code) == (kind, code)
    if isinstance(error, ShapeViolation):
        assert error.findings == (("node", "path", "message"),)


def test_an_error_that_is_not_known_here_is_said_as_it_is() -> None:
    error = error_of(Reply(418, {}, b'{"code": "teapot", "detail": "short and stout"}'))
    assert (error.code, error.message) == ("internal", "teapot: short and stout")
    assert error_of(Reply(502, {}, b"<html>")).code == "internal"


def test_a_slot_comes_back_as_it_was() -> None:
    quote = Citation("ev_x", "60 days", "src_x", "Returns", "rev_x", "1", ("Returns", "EU"))
    slot = Slot(
        "cl_x", "citable", "show", "60 days.", "shown", (quote,), candidates=(Candidate("ev_y", "same"),)
    )
    assert decode_plain(list[Slot], encode_plain([slot])) == [slot]


def test_a_transport_that_was_closed_connects_anew() -> None:
    with _server(_http(200, []), _http(200, [])) as (address, sent):
        transport = Transport(address, None, 5.0)
        transport.send("GET", "/a", again=False)
        transport.close()
        transport.send("GET", "/b", again=True)
        transport.close()
    assert len(sent) == 2


def test_the_client_says_what_the_ledger_says_of_its_verbs() -> None:
    assert Client.resolve.__doc__ == Ledger.resolve.__doc__


@pytest.mark.parametrize("status", [301, 302, 307, 200, 201, 202])
def test_only_the_services_own_answer_says_that_a_write_was_made(status: int) -> None:
    elsewhere = _http(status, b"", "Location: https://ledger.example/")
    with (
        _server(elsewhere) as (address, sent),
        Client(address) as client,
        pytest.raises(ProvLedgerError) as refused,
    ):
        client.deny("src_x", reason="leak")
    assert (refused.value.code, len(sent)) == ("internal", 1)


def test_a_redirect_is_told_with_its_address() -> None:
    with (
        _server(_http(301, b"", "Location: https://ledger.example/v1")) as (address, _),
        Client(address) as client,
        pytest.raises(ProvLedgerError, match=r"https://ledger\.example/v1"),
    ):
        client.resolve([])


@pytest.mark.parametrize("body", [b"no gzip", gzip.compress(b"[]")[:12]])
def test_an_answer_that_does_not_unpack_is_an_error(body: bytes) -> None:
    with (
        _server(_http(200, body, "Content-Encoding: gzip")) as (address, _),
        Client(address) as client,
        pytest.raises(ProvLedgerError) as refused,
    ):
        client.resolve([])
    assert refused.value.code == "internal"


def test_an_answer_is_not_unpacked_beyond_its_limit() -> None:
    bomb = gzip.compress(bytes(300 * 1024 * 1024), 1)
    with (
        _server(_http(200, bomb, "Content-Encoding: gzip")) as (address, _),
        Client(address) as client,
        pytest.raises(ProvLedgerError, match="more than 268,435,456 bytes"),
    ):
        client.resolve([])


_ODD: list[object] = [
    [1],
    {"code": ["x"], "detail": 1},
    {"code": "shape_violation", "detail": "d", "findings": [1]},
]


@pytest.mark.parametrize("body", _ODD)
def test_a_refusal_of_another_form_is_an_error_all_the_same(body: object) -> None:
    with (
        _server(_http(422, body)) as (address, _),
        Client(address) as client,
        pytest.raises(ProvLedgerError) as refused,
    ):
        client.resolve([])
    assert refused.value.code == "internal"


@pytest.mark.parametrize(
    ("token", "why"), [("secret\n", "holds"), ("a b", "holds"), ("é", "holds"), ("", "is empty")]
)
def test_a_token_that_is_none_is_refused_and_not_repeated(token: str, why: str) -> None:
    with pytest.raises(Refused, match=f"the token {why}") as refused:
        Client("http://127.0.0.1:1", token=token)
    assert "secret" not in refused.value.message


@pytest.mark.parametrize("url", ["http://ledger.example", "http://10.0.0.1:80", "http://u:p@127.0.0.1:1"])
def test_a_token_goes_to_no_other_machine_in_clear(url: str) -> None:
    with pytest.raises(Refused) as refused:
        Client(url, token="plk_x_y")
    assert refused.value.code == "bad_input"


@pytest.mark.parametrize("tenant", ["../v1/other?x=", "a/b", "", "A"])
def test_a_tenant_is_a_tenants_name(tenant: str) -> None:
    with pytest.raises(Refused) as refused:
        Client("http://127.0.0.1:1", tenant=tenant)
    assert refused.value.code == "bad_input"


def test_a_verb_that_no_service_offers_is_refused_with_the_reason() -> None:
    with pytest.raises(Refused, match="has the ledger's folder") as refused:
        Client("http://127.0.0.1:1").backup
    assert refused.value.code == "not_supported"
