"""A write with a key happens once, wherever the service was killed between."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from served import Served, Shop

from prov_ledger import Ledger
from prov_ledger.service.requests import Requests, Sent

KEY = {"Idempotency-Key": "k-1"}
SOURCE = {"native": "wiki:new", "title": "New", "collection": "tools"}


def _size(shop: Shop) -> int:
    with Ledger.open(shop.folder) as ledger:
        return ledger.tree_head().size


def _claim(shop: Shop) -> dict[str, object]:
    return {
        "says": "60 days.",
        "support": [shop.evidence],
        "transformation": {"kind": "quote"},
        "question": {"text": "How long?", "facts": {}},
    }


def test_the_same_request_again_is_answered_and_not_made(served: Served) -> None:
    first = served.post("claim", _claim(served.shop), headers=KEY)
    size = served.get("tree-head").json()
    again = served.post("claim", _claim(served.shop), headers=KEY)
    assert (again.status_code, again.json()) == (200, first.json())
    assert (first.headers.get("Idempotency-Replayed"), again.headers["Idempotency-Replayed"]) == (
        None,
        "true",
    )
    assert served.get("tree-head").json() == size


def test_an_erasure_makes_the_hash_of_a_body_useless(served: Served) -> None:
    made = served.post("source", SOURCE, headers=KEY).json()["id"]
    with Ledger.open(served.shop.folder) as ledger:
        ledger.erase([made])

    again = served.post("source", SOURCE, headers=KEY)

    assert (again.status_code, again.json()["code"]) == (409, "already_exists")
    assert "before an erasure" in again.json()["detail"]
    assert served.post("source", SOURCE, headers={"Idempotency-Key": "k-2"}).status_code == 200


def test_keys_that_were_kept_long_enough_go_at_the_opening(tmp_path: Path) -> None:
    Ledger.init(tmp_path / "ledger").close()
    with Ledger.open(tmp_path / "ledger") as ledger:
        sent = Sent.of(ledger, "curator", "source", "k-1", b"{}")
        kept = Requests(tmp_path / "ledger", "default", hours=24)
        kept.once(ledger, sent, lambda: {})
        kept.close()
        assert len(_rows(tmp_path / "ledger")) == 1

        Requests(tmp_path / "ledger", "default", hours=-1).close()

        assert _rows(tmp_path / "ledger") == []


def _rows(folder: Path) -> list[tuple[bytes]]:
    file = sqlite3.connect(folder / "service" / "requests-default.sqlite")
    try:
        return file.execute("SELECT body FROM request").fetchall()
    finally:
        file.close()


def test_without_a_key_it_is_made_again(served: Served) -> None:
    ids = {served.post("claim", _claim(served.shop)).json()["id"] for _ in range(2)}
    assert len(ids) == 2


def test_a_key_is_good_for_one_body(served: Served) -> None:
    served.post("source", SOURCE, headers=KEY)
    answer = served.post("source", SOURCE | {"title": "Other"}, headers=KEY)
    assert (answer.status_code, answer.json()["code"]) == (409, "already_exists")


@pytest.mark.parametrize("other", ["route", "caller"])
def test_a_key_of_another_route_or_caller_is_another_key(served: Served, other: str) -> None:
    first = served.post("claim", _claim(served.shop), headers=KEY).json()["id"]
    if other == "caller":
        second = served.post("claim", _claim(served.shop), role="agent", headers=KEY).json()["id"]
        assert second != first
    else:
        assert served.post("source", SOURCE, headers=KEY).status_code == 200


def test_what_was_refused_may_be_tried_again_under_its_key(served: Served) -> None:
    body = {"revision": served.shop.revision, "quote": "Everything is free."}
    assert served.post("evidence", body, headers=KEY).json()["code"] == "quote_not_found"
    assert served.post("evidence", body | {"quote": "Shipping is free"}, headers=KEY).status_code == 200


def test_a_packet_that_is_asked_for_again_is_rendered_anew_for_the_reader(served: Served) -> None:
    body = {"claims": [served.shop.claim], "budget": 200}
    first = served.post("remind", body, headers=KEY).json()
    assert served.post("remind", body, headers=KEY).json() == first
    with Ledger.open(served.shop.folder) as ledger:
        ledger.retract(served.shop.claim)
        ledger.revoke("the-curator", served.shop.source)
    anew = served.post("remind", body, headers=KEY).json()
    assert anew["id"] == first["id"]
    assert "60 days" not in anew["text"]


def test_no_text_of_an_answer_is_kept(served: Served) -> None:
    served.post("remind", {"claims": [served.shop.claim], "budget": 200}, headers=KEY)
    kept = b"".join(file.read_bytes() for file in (served.shop.folder / "service").iterdir())
    assert b"60 days" not in kept
    assert b"the-curator" not in kept
    assert b"k-1" not in kept


@pytest.mark.parametrize("key", ["", " " * 3 + "\t", "x" * 256, "né"])
def test_a_key_that_is_none_is_refused(served: Served, key: str) -> None:
    answer = served.post("source", SOURCE, headers={"Idempotency-Key": key.encode()})  # type: ignore[dict-item]
    assert (answer.status_code, answer.json()["code"]) == (422, "bad_input")


def test_an_erasure_takes_no_key(served: Served) -> None:
    answer = served.post("erase", {"ids": [served.shop.source]}, role="privacy_officer", headers=KEY)
    assert answer.json()["code"] == "bad_input"


def test_many_at_once_under_one_key_make_one_claim(served: Served) -> None:
    def send(_: int) -> str:
        return served.post("claim", _claim(served.shop), headers=KEY).json()["id"]

    before = _size(served.shop)
    with ThreadPoolExecutor(8) as threads:
        ids = set(threads.map(send, range(16)))
    assert len(ids) == 1
    assert _size(served.shop) == before + 1


_SEND = """
import json, sys
from pathlib import Path
sys.path[:0] = json.loads(sys.argv[1])
from served import Shop
shop = Shop(**{**json.loads(sys.argv[2]), "folder": Path(json.loads(sys.argv[2])["folder"])})
with shop.served() as served:
    answer = served.post("claim", json.loads(sys.argv[3]), headers={"Idempotency-Key": "k-1"})
    print(json.dumps(answer.json()))
"""


def _send(shop: Shop, crash_at: str | None) -> tuple[int, str]:
    """Send the claim from a process of its own, which is killed at a point of its write."""
    told = {name: str(value) for name, value in vars(shop).items() if name != "keys"} | {"keys": shop.keys}
    here = [str(Path(__file__).parent), str(Path.cwd())]
    done = subprocess.run(
        [sys.executable, "-c", _SEND, json.dumps(here), json.dumps(told), json.dumps(_claim(shop))],
        env=os.environ | ({"PROV_LEDGER_CRASH_AT": crash_at} if crash_at else {}),
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


_POINTS: dict[str, Callable[[int], int]] = {
    # Durable before the crash, or not: the size that the ledger has after it.
    "request.kept": lambda size: size,
    "service.requests.before_commit": lambda size: size,
    "service.requests.after_commit": lambda size: size,
    "write.complete": lambda size: size,
    "request.done": lambda size: size + 1,
}


@pytest.mark.parametrize("point", _POINTS)
def test_a_crash_at_any_point_leaves_one_claim_after_the_retry(shop: Shop, point: str) -> None:
    before = _size(shop)
    status, _ = _send(shop, point)
    assert status == -signal.SIGKILL
    assert _size(shop) == _POINTS[point](before)
    first, again = _send(shop, None), _send(shop, None)
    assert json.loads(first[1]) == json.loads(again[1])
    assert _size(shop) == before + 1
