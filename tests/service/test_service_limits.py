"""What a request may ask for, what every answer carries, and what none of them tells."""

import asyncio
import gzip
import json
import logging
import socket
import threading
import time

import pytest
import zstandard
from served import Served, Shop
from served_ledgers import serving

from prov_ledger import ProvLedgerError, Refused
from prov_ledger.model.ids import mint_id
from prov_ledger.service.logs import JsonLines
from prov_ledger.service.pool import Pool
from prov_ledger.service.settings import Limits

SECRET = "Erika Mustermann"


def _raw(served: Served, body: bytes, path: str = "resolve", **headers: str) -> tuple[int, str]:
    sent = served.headers("agent") | {"Content-Type": "application/json"} | headers
    answer = served.client.post(f"/v1/default/{path}", content=body, headers=sent)
    return answer.status_code, answer.json()["code"]


def test_a_body_that_is_too_large_is_refused(shop: Shop) -> None:
    with shop.served(limits={"body_bytes": 2000}) as served:
        assert _raw(served, b'{"ids": ["' + b"x" * 2000 + b'"]}') == (413, "too_large")


def test_a_body_that_grows_too_large_on_the_way_is_refused(shop: Shop) -> None:
    with shop.served(limits={"body_bytes": 2000}) as served:
        sent = served.headers("agent") | {"Content-Type": "application/json"}
        parts = (b"x" * 500 for _ in range(10))
        answer = served.client.post("/v1/default/resolve", content=parts, headers=sent)
    assert answer.json()["code"] == "too_large"


@pytest.mark.parametrize("shape", [b"[%s]", b'{"a":%s}'])
def test_json_that_nests_too_deep_is_refused(served: Served, shape: bytes) -> None:
    body = b"1"
    for _ in range(200):
        body = shape % body
    assert _raw(served, body) == (422, "bad_input")
    assert _raw(served, b"[" * 200_000) == (422, "bad_input")


def test_brackets_within_texts_do_not_nest(served: Served) -> None:
    body = json.dumps({"ids": ["[" * 500 + '\\"' + "{" * 500]}).encode()
    sent = served.headers("agent") | {"Content-Type": "application/json"}
    answer = served.client.post("/v1/default/resolve", content=body, headers=sent)
    assert answer.json()[0]["verdict"] == "malformed"


def test_more_ids_than_may_be_are_refused(shop: Shop) -> None:
    with shop.served(limits={"ids": 3}) as served:
        assert served.post("resolve", {"ids": ["x"] * 3}).status_code == 200
        assert served.post("resolve", {"ids": ["x"] * 4}).json()["code"] == "bad_input"


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[1]", b"null", b'{"ids": NaN}', b"\xff", b'{"ids": ["\\ud800"]}']
)
def test_what_is_no_request_is_refused(served: Served, body: bytes) -> None:
    assert _raw(served, body) == (422, "bad_input")


@pytest.mark.parametrize(
    "said", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]
)
def test_a_body_that_does_not_say_it_is_json_is_refused(served: Served, said: str) -> None:
    assert _raw(served, b'{"ids": []}', **{"Content-Type": said}) == (415, "unsupported_media_type")


def test_a_compressed_body_is_refused(served: Served) -> None:
    told = _raw(served, gzip.compress(b'{"ids": []}'), **{"Content-Encoding": "gzip"})
    assert told == (415, "unsupported_media_type")


def test_no_refusal_repeats_what_was_sent(served: Served) -> None:
    bodies: list[tuple[str, object]] = [
        ("resolve", {"ids": [SECRET], "facts": {SECRET: SECRET}}),
        ("resolve", {SECRET: 1}),
        ("resolve", {"ids": {SECRET: SECRET}}),
        ("resolve", {"ids": [], "min_authority": SECRET}),
        ("resolve", {"ids": [], "max_age": SECRET}),
        ("resolve", {"ids": [], "now": SECRET}),
        ("show", {"native_or_id": SECRET}),
        ("evidence", {"revision": served.shop.revision, "quote": SECRET}),
        ("claim", {"says": SECRET, "support": [SECRET], "transformation": {SECRET: 1}, "question": {}}),
        ("source", {"native": SECRET, "title": SECRET, "authority": SECRET}),
        ("agent", {"name": "x", "roles": [SECRET]}),
        ("declare_fact", {"name": SECRET, "type": SECRET}),
    ]
    for path, body in bodies:
        answer = served.post(path.replace("declare_fact", "fact"), body, "curator")
        assert answer.status_code >= 400, path
        assert "Mustermann" not in answer.text, (path, answer.text)


def test_absent_and_forbidden_are_one_answer_for_every_verb_that_names_an_id(served: Served) -> None:
    shop = served.shop
    asked: list[tuple[str, str, dict[str, object]]] = [
        ("explain", shop.hidden_claim, {"claim": "ID"}),
        ("show", shop.hidden_source, {"native_or_id": "ID"}),
        ("retract", shop.hidden_claim, {"claim": "ID"}),
        ("remind", shop.hidden_claim, {"claims": ["ID"], "budget": 100}),
        ("contradict", shop.hidden_claim, {"claims": ["ID", shop.claim]}),
        ("reaffirm", shop.hidden_claim, {"claims": ["ID"]}),
    ]
    for path, hidden, body in asked:
        told = set()
        for id in (hidden, mint_id(hidden.partition("_")[0])):
            sent = json.loads(json.dumps(body).replace("ID", id))
            answer = served.post(path, sent, "agent")
            told.add((answer.status_code, answer.text.replace(id, "ID")))
        assert len(told) == 1, path
        assert next(iter(told))[0] == 404


def test_withheld_slots_are_alike_to_the_byte(served: Served) -> None:
    ids = [served.shop.hidden_claim, served.shop.hidden_evidence, mint_id("cl"), mint_id("ev")]
    texts = {served.post("resolve", {"ids": [id]}, "agent").text.replace(id, "ID") for id in ids}
    assert len(texts) == 1


_STRICT = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@pytest.mark.parametrize(
    "path", ["/healthz", "/v1/default/facts", "/nowhere", "/openapi.json", "/v1/default/id/x"]
)
def test_every_answer_has_the_strict_headers_and_is_kept_nowhere(served: Served, path: str) -> None:
    headers = served.client.get(path, headers={"Origin": "https://other.example"}).headers
    assert {name: headers[name] for name in _STRICT} == _STRICT
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert headers["Cache-Control"] == "no-store"
    assert "Access-Control-Allow-Origin" not in headers
    assert "Server" not in headers


def test_other_origins_are_let_in_by_name_alone(shop: Shop) -> None:
    with shop.served(cors_origins=["https://good.example"]) as served:
        allowed = [
            served.client.get("/healthz", headers={"Origin": origin}).headers.get(
                "Access-Control-Allow-Origin"
            )
            for origin in ("https://good.example", "https://bad.example")
        ]
    assert allowed == ["https://good.example", None]


@pytest.mark.parametrize("asked", ["gzip", "zstd"])
def test_answers_of_a_size_are_compressed(served: Served, asked: str) -> None:
    sent = served.headers("agent") | {"Accept-Encoding": asked, "Content-Type": "application/json"}
    request = served.client.build_request(
        "POST", "/v1/default/resolve", content=json.dumps({"ids": ["x"] * 100}), headers=sent
    )
    answer = served.client.send(request, stream=True)
    raw = b"".join(answer.iter_raw())
    zstd = zstandard.ZstdDecompressor().decompressobj()
    data = gzip.decompress(raw) if asked == "gzip" else zstd.decompress(raw)
    assert answer.headers["Content-Encoding"] == asked
    assert "Accept-Encoding" in answer.headers["Vary"]
    assert len(json.loads(data)) == 100


def test_small_answers_and_refused_encodings_stay_as_they_are(served: Served) -> None:
    assert "Content-Encoding" not in served.client.get("/healthz").headers
    sent = {"Accept-Encoding": "gzip;q=0, zstd; q=0.0, br"}
    answer = served.post("resolve", {"ids": ["x"] * 100}, headers=sent)
    assert "Content-Encoding" not in answer.headers


def test_a_failure_is_answered_without_its_text_and_logged_without_it_too(
    served: Served, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*args: object, **given: object) -> object:
        raise RuntimeError(SECRET)

    monkeypatch.setattr("prov_ledger.ledger.ledger.Ledger.facts", fail)
    with caplog.at_level(logging.ERROR):
        answer = served.post("facts", {})
    assert (answer.status_code, answer.json()["code"]) == (500, "internal")
    assert "Mustermann" not in answer.text
    lines = [JsonLines().format(record) for record in caplog.records]
    assert any('"RuntimeError"' in line and "test_service_limits.py" in line for line in lines)
    assert "Mustermann" not in "".join(lines)


def test_what_is_logged_of_a_request_is_its_route_and_nothing_of_its_address(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "prov_ledger.access"):
        served.get(f"id/{served.shop.claim}")
        served.client.get(f"/v1/default/{SECRET}")
    lines = [json.loads(JsonLines().format(record)) for record in caplog.records]
    assert [line["route"] for line in lines] == ["/v1/{tenant}/id/{id}", "(none)"]
    assert served.shop.claim not in json.dumps(lines)


def test_metrics_tell_times_by_verdict_and_nothing_that_a_caller_chose(served: Served) -> None:
    served.post("resolve", {"ids": [served.shop.claim]})
    served.client.get(f"/v1/{SECRET}/x")
    text = served.client.get("/metrics").text
    assert 'prov_ledger_resolve_seconds_count{verdict="citable"}' in text
    assert "prov_ledger_journal_lag_entries" in text
    for told in ("Mustermann", "the-curator", served.shop.claim, 'tenant="'):
        assert told not in text


def test_metrics_are_for_this_machine_unless_opened(shop: Shop) -> None:
    for setting, expected in (("loopback", 404), ("open", 200), ("off", 404)):
        with shop.served(metrics=setting) as served:
            client = type(served.client)(served.client.app, base_url="http://h", client=("203.0.113.7", 1))
            assert client.get("/metrics").status_code == expected


def test_readiness_says_that_a_tenant_does_not_open(shop: Shop) -> None:
    with shop.served() as served:
        assert served.client.get("/readyz").status_code == 200
    key = next((shop.folder / "keys").iterdir())
    key.unlink()
    with shop.served() as served:
        answer = served.client.get("/readyz")
        assert served.client.get("/healthz").status_code == 200
    assert (answer.status_code, answer.json()["code"]) == (503, "busy")
    assert "missing_key" in answer.json()["detail"]
    assert answer.headers["Retry-After"] == "1"


def _pool(**limits: int | float) -> Pool:
    return Pool(Limits.model_validate({"threads": 1, "queue": 1, "per_caller": 9, **limits}))


async def _refused(pool: Pool, caller: str) -> str:
    with pytest.raises(ProvLedgerError) as refused:
        await pool.run(caller, lambda: None)
    return refused.value.code


def test_a_full_queue_and_a_caller_with_too_much_under_way_are_told_to_come_back() -> None:
    async def flood() -> list[str]:
        release, pool = threading.Event(), _pool(queue=2, per_caller=2)
        running = [asyncio.create_task(pool.run("a", release.wait)) for _ in range(2)]
        await asyncio.sleep(0)
        codes = [await _refused(pool, "a")]
        running.append(asyncio.create_task(pool.run("b", release.wait)))
        await asyncio.sleep(0)
        codes.append(await _refused(pool, "c"))
        release.set()
        await asyncio.gather(*running)
        codes.append("free" if await pool.run("c", lambda: True) else "")
        await pool.close()
        return codes

    assert asyncio.run(flood()) == ["too_many", "busy", "free"]


def test_a_call_that_takes_too_long_is_told_so_and_runs_to_its_end() -> None:
    async def late() -> tuple[str, bool]:
        release, ended = threading.Event(), threading.Event()
        pool = _pool(request_timeout_s=0.05)

        def call() -> None:
            release.wait()
            ended.set()

        with pytest.raises(ProvLedgerError) as refused:
            await pool.run("a", call)
        release.set()
        await pool.close()
        return refused.value.code, ended.is_set()

    assert asyncio.run(late()) == ("timeout", True)


def test_a_pool_that_is_closing_finishes_what_it_has_and_takes_no_more() -> None:
    async def stop() -> tuple[int, str]:
        release, pool = threading.Event(), _pool()

        def work() -> int:
            release.wait()
            return 7

        running = asyncio.create_task(pool.run("a", work))
        await asyncio.sleep(0)
        closing = asyncio.create_task(pool.close())
        release.set()
        await closing
        return await running, await _refused(pool, "a")

    assert asyncio.run(stop()) == (7, "busy")


def test_busy_and_too_many_say_when_to_come_back(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    for code, status in (("busy", 503), ("too_many", 429)):

        async def refuse(self: Pool, *args: object, code: str = code) -> object:
            raise Refused(code, "later")

        monkeypatch.setattr(Pool, "run", refuse)
        answer = served.client.get("/readyz") if code == "busy" else served.post("facts", {})
        assert (answer.status_code, answer.headers["Retry-After"]) == (status, "1")


def test_a_body_that_does_not_come_is_not_waited_for(shop: Shop) -> None:
    with serving(shop.folder, limits={"body_timeout_s": 0.2}) as address:
        host, port = address.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as connection:
            head = "\r\n".join(
                [
                    "POST /v1/default/resolve HTTP/1.1",
                    f"Host: {host}",
                    f"Authorization: Bearer {shop.keys['agent']}",
                    "Content-Type: application/json",
                    "Content-Length: 11",
                    "",
                    '{"ids"',
                ]
            )
            began = time.monotonic()
            connection.sendall(head.encode())
            answer = connection.recv(65_536)
    assert answer.startswith(b"HTTP/1.1 408")
    assert time.monotonic() - began < 4
