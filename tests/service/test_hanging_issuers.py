"""Who is let in, and when that is asked: an issuer that hangs keeps nobody else waiting."""

import base64
import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from joserfc import jwt
from joserfc.jwk import KeySet, RSAKey
from served import Shop, conclude
from served_ledgers import serving
from sockets import answers, connected, head

from prov_ledger import Client, Ledger

FETCH_TIMEOUT_S = 1.0
ISSUER, AUDIENCE = "https://issuer.example", "prov-ledger"
RSA = RSAKey.generate_key(2048, {"kid": "rsa"})
JSON = "Content-Type: application/json"


def _made_up(number: int) -> str:
    parts = ({"alg": "RS256", "kid": f"unknown-{number}"}, {"sub": "x"})
    encoded = [base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode() for part in parts]
    return f"{encoded[0]}.{encoded[1]}.AAAA"


@contextmanager
def _hanging(trickling: bool) -> Iterator[str]:
    """The address of a server that takes connections, and either says nothing or never comes to an end."""
    stop = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(0.05)
        kept: list[socket.socket] = []

        def serve() -> None:
            while not stop.is_set():
                with suppress(TimeoutError):
                    kept.append(listening.accept()[0])
                    kept[-1].sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" * trickling)
                for connection in kept:
                    with suppress(OSError):
                        connection.sendall(b" " * trickling)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/keys"
        finally:
            stop.set()
            thread.join()
            for connection in kept:
                connection.close()


@pytest.fixture(params=["silent", "trickling", "pipe"])
def oidc(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[dict[str, object]]:
    stated = {"issuer": ISSUER, "audience": AUDIENCE, "fetch_timeout_s": FETCH_TIMEOUT_S}
    if request.param == "pipe":
        os.mkfifo(tmp_path / "keys")
        yield stated | {"jwks_file": str(tmp_path / "keys")}
        # Whoever still opens it to read is let go.
        with suppress(OSError):
            os.close(os.open(tmp_path / "keys", os.O_WRONLY | os.O_NONBLOCK))
    else:
        with _hanging(request.param == "trickling") as address:
            yield stated | {"jwks_url": address}


def _post(address: str, credentials: str, shop: Shop) -> tuple[int, float]:
    body = json.dumps({"ids": [shop.claim]}).encode()
    length = f"Content-Length: {len(body)}"
    began = time.monotonic()
    with connected(address) as connection:
        connection.sendall(
            head("POST", "/v1/default/resolve", f"Authorization: Bearer {credentials}", JSON, length) + body
        )
        said = answers(connection, 1)
    return int(said.split()[1]), time.monotonic() - began


def test_an_issuer_that_hangs_holds_up_its_own_tokens_alone_and_those_not_for_long(
    shop: Shop, oidc: dict[str, object]
) -> None:
    said: list[tuple[int, float]] = []
    with serving(shop.folder, oidc=oidc, limits={"threads": 3}) as address:

        def ask(number: int) -> None:
            said.append(_post(address, _made_up(number), shop))

        asking = [threading.Thread(target=ask, args=(number,)) for number in range(6)]
        for thread in asking:
            thread.start()
        with Client(address, token=shop.keys["agent"]) as client:
            answered = 0
            while any(thread.is_alive() for thread in asking):
                answered += client.resolve([shop.claim])[0].verdict == "citable"
        for thread in asking:
            thread.join()
    assert answered >= 5
    assert {status for status, _ in said} <= {401, 503}
    assert max(seconds for _, seconds in said) < FETCH_TIMEOUT_S + 20


def test_a_request_says_once_who_asks(shop: Shop) -> None:
    body = json.dumps({"ids": [shop.claim]}).encode()
    keys = (shop.keys["agent"], shop.keys["curator"])
    with serving(shop.folder) as address, connected(address) as connection:
        for credentials in (keys, keys[:1] * 2, ("nonsense", keys[0])):
            said = tuple(f"Authorization: Bearer {one}" for one in credentials)
            length = f"Content-Length: {len(body)}"
            connection.sendall(head("POST", "/v1/default/resolve", *said, JSON, length) + body)
            told = answers(connection, 1)
            assert told.startswith(b"HTTP/1.1 400 ")
            assert b'"code":"bad_input"' in told


@pytest.mark.parametrize(("founder", "status"), [(True, 200), (False, 401)])
def test_a_token_names_the_founder_only_where_that_was_asked_for(
    shop: Shop, tmp_path: Path, founder: bool, status: int
) -> None:
    (tmp_path / "jwks.json").write_text(json.dumps(KeySet([RSA]).as_dict(private=False)))
    claims = {"iss": ISSUER, "aud": AUDIENCE, "sub": "curator", "tenant": "default", "exp": 2**32}
    token = jwt.encode({"alg": "RS256", "kid": "rsa"}, claims, RSA)
    oidc = {"issuer": ISSUER, "audience": AUDIENCE, "jwks_file": str(tmp_path / "jwks.json")}
    with serving(shop.folder, oidc=oidc | {"founder": founder}) as address:
        assert _post(address, token, shop)[0] == status


def test_whoever_lost_a_role_is_not_given_again_what_was_answered_with_it(shop: Shop) -> None:
    with serving(shop.folder) as address, Client(address, token=shop.keys["curator"]) as client:
        conclude(client, shop.evidence)  # type: ignore[arg-type]
        sent = json.dumps({"native": "mine", "title": "Mine"}).encode()
        headers = (f"Authorization: Bearer {shop.keys['curator']}", JSON, "Idempotency-Key: once")
        asked = head("POST", "/v1/default/source", *headers, f"Content-Length: {len(sent)}") + sent
        with connected(address) as connection:
            connection.sendall(asked)
            made = answers(connection, 1)
            connection.sendall(asked)
            again = answers(connection, 1)
            with Ledger.open(shop.folder) as ledger:
                ledger.agent("the-curator", roles=["agent"])
            connection.sendall(asked)
            refused = answers(connection, 1)
    assert made.startswith(b"HTTP/1.1 200 ")
    assert b"idempotency-replayed: true" in again.lower()
    assert made.rpartition(b"\r\n")[2] == again.rpartition(b"\r\n")[2].replace(b'": "', b'":"')
    assert refused.startswith(b"HTTP/1.1 403 ")
    assert b"src_" not in refused
