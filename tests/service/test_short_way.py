"""A request that is as it should be takes a shorter way to its verb: it is answered as by the routes."""

import json
import time
from collections.abc import Mapping

import pytest
from bodies import body_of
from httpx2 import Response
from served import Served

from prov_ledger import Ledger
from prov_ledger.service.api_keys import ApiKeys
from prov_ledger.service.dispatch import REFUSED_AFTER_S
from prov_ledger.service.pool import Pool
from prov_ledger.service.verbs import VERBS, Verb

#: Sent twice, so that the routes are asked: no address or key hangs on it.
TWICE = [("X-Twice", "1"), ("X-Twice", "2")]


def _both_ways(
    served: Served, path: str, body: bytes, headers: Mapping[str, str], method: str = "POST"
) -> list[Response]:
    return [
        served.client.request(method, path, content=body, headers=[*headers.items(), *more])
        for more in ([], TWICE)
    ]


def _told(answer: Response) -> tuple[object, ...]:
    return answer.status_code, answer.content, sorted(answer.headers.items())


@pytest.mark.parametrize("verb", [v for v in VERBS if not v.writes], ids=lambda verb: verb.method)
def test_a_verb_that_writes_nothing_answers_alike_both_ways(served: Served, verb: Verb) -> None:
    for role in ("agent", None):
        headers = served.headers(role) | {"Content-Type": "application/json"}
        body = json.dumps(body_of(verb.method, served.shop, served.shop.claim)).encode()
        short, long = _both_ways(served, f"/v1/default/{verb.path}", body, headers)
        assert (short.status_code, short.headers["Content-Type"]) == (
            long.status_code,
            long.headers["Content-Type"],
        )
        # Of the others a clock or a new id is part.
        if verb.method in ("resolve", "facts", "packet") or short.status_code >= 400:
            assert _told(short) == _told(long)


@pytest.mark.parametrize(
    ("path", "method"),
    [
        ("/v1/absent/resolve", "POST"),
        ("/v1/DEFAULT/resolve", "POST"),
        ("/v1/default%0A/resolve", "POST"),
        ("/v1//resolve", "POST"),
        ("/v1/default/resolve/", "POST"),
        ("/v1/default/resolve/x", "POST"),
        ("//v1/default/resolve", "POST"),
        ("/v1/default/resolved", "POST"),
        ("/v2/default/resolve", "POST"),
        ("/v1/default/resolve", "GET"),
        ("/v1/default/resolve", "PUT"),
        ("/v1/default/resolve", "OPTIONS"),
    ],
)
def test_an_address_that_is_no_verbs_is_refused_alike_both_ways(
    served: Served, path: str, method: str
) -> None:
    headers = served.headers("agent") | {"Content-Type": "application/json"}
    short, long = _both_ways(served, path, b'{"ids": []}', headers, method)
    assert short.status_code >= 400
    assert _told(short) == _told(long)


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "text/plain"},
        {"Content-Encoding": "gzip"},
        {"Authorization": "Basic eDp5"},
        {"Authorization": "Bearer"},
        {"Authorization": "bearer plk_x"},
        {"Authorization": "Bearer plk_000000000000_x"},
        {"Idempotency-Key": ""},
        {"Idempotency-Key": "x" * 255},
        {"Idempotency-Key": "x" * 256},
        {"Idempotency-Key": "\t"},
    ],
    ids=str,
)
def test_headers_are_refused_alike_both_ways(served: Served, headers: dict[str, str]) -> None:
    sent = served.headers("curator") | {"Content-Type": "application/json"} | headers
    body = json.dumps({"native": "n", "title": "T", "collection": "tools"}).encode()
    short, long = _both_ways(served, "/v1/default/source", body, sent)
    assert short.status_code == long.status_code
    assert short.status_code == 200 or _told(short) == _told(long)


def test_a_write_with_a_key_is_made_once_whichever_way_it_is_sent(served: Served) -> None:
    headers = served.headers("curator") | {"Content-Type": "application/json", "Idempotency-Key": "k"}
    body = json.dumps({"native": "n", "title": "T", "collection": "tools"}).encode()
    short, long = _both_ways(served, "/v1/default/source", body, headers)
    assert short.json() == long.json()
    assert "Idempotency-Replayed" not in short.headers
    assert long.headers["Idempotency-Replayed"] == "true"


def test_both_ways_are_counted_under_the_route(served: Served) -> None:
    def counted() -> float:
        text = served.client.get("/metrics").text
        name = 'prov_ledger_request_seconds_count{method="POST",route="/v1/{tenant}/resolve",status="200"}'
        return sum(float(line.rpartition(" ")[2]) for line in text.splitlines() if line.startswith(name))

    before = counted()
    _both_ways(
        served,
        "/v1/default/resolve",
        b'{"ids": []}',
        served.headers("agent") | {"Content-Type": "application/json"},
    )
    assert counted() - before == 2


def _status(served: Served, text: str) -> int:
    headers = {"Authorization": f"Bearer {text}"}
    return served.client.post("/v1/default/resolve", json={"ids": []}, headers=headers).status_code


def test_a_key_that_was_shown_before_ends_with_the_request_after_its_revocation(served: Served) -> None:
    keys = ApiKeys(served.shop.folder)
    with Ledger.open(served.shop.folder) as ledger:
        agent = ledger.find_agent("the-agent")
    id, text = (lambda made: (made[0].id, made[1]))(keys.create("default", str(agent)))
    _, other = keys.create("default", str(agent))
    assert [_status(served, text) for _ in range(3)] == [200, 200, 200]
    keys.revoke("default", id)
    keys.close()
    assert _status(served, text) == 401
    assert _status(served, other) == 200


def test_a_key_that_was_shown_before_opens_nothing_with_another_secret(served: Served) -> None:
    text = served.shop.keys["agent"]
    assert _status(served, text) == 200
    assert _status(served, text[:-1] + ("A" if text[-1] != "A" else "B")) == 401
    assert _status(served, text) == 200


def test_a_key_that_was_shown_before_ends_with_the_name_of_its_agent(served: Served) -> None:
    text = served.shop.keys["analyst"]
    assert [_status(served, text) for _ in range(2)] == [200, 200]
    with Ledger.open(served.shop.folder) as ledger:
        ledger.erase([str(ledger.find_agent("the-analyst"))])
    assert _status(served, text) == 401


def test_a_key_that_was_shown_before_reads_no_tenant_that_was_taken_away(served: Served) -> None:
    text = served.shop.keys["agent"]
    assert _status(served, text) == 200
    folder = served.shop.folder / "tenants" / "default"
    folder.rename(folder.with_name("elsewhere"))
    assert _status(served, text) == 401
    folder.with_name("elsewhere").rename(folder)
    assert _status(served, text) == 200


def _full(served: Served, key: str) -> Pool:
    """The pool of a service in which a caller has as much under way as may be."""
    pool = served.client.app.state.service.pool  # type: ignore[attr-defined]
    assert isinstance(pool, Pool)
    pool._under_way[key] = served.client.app.state.service.settings.limits.per_caller  # type: ignore[attr-defined]
    return pool


def test_a_flood_is_refused_before_its_bodies_are_read_and_not_at_once(served: Served) -> None:
    text = served.shop.keys["agent"]
    pool = _full(served, f"key {text.split('_')[1]}")
    began = time.monotonic()
    headers = served.headers("agent") | {"Content-Type": "text/plain"}
    answer = served.client.post("/v1/default/resolve", content=b"no JSON", headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (429, "too_many")
    assert answer.headers["Retry-After"] == "1"
    assert time.monotonic() - began >= REFUSED_AFTER_S
    assert _status(served, served.shop.keys["analyst"]) == 200
    pool._under_way.clear()
    assert _status(served, text) == 200
