"""The service as processes: two workers over one ledger, a graceful stop, and what a kill leaves."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from served import Shop, conclude

from prov_ledger import Client, Ledger, ProvLedgerError
from prov_ledger.client.transport import Transport


@contextmanager
def _serving(shop: Shop, workers: int, **environment: str) -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """``prov-ledger serve`` in a process group of its own, ready; killed at the end if it is still there."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    options = ("--port", str(port), "--workers", str(workers))
    process = subprocess.Popen(
        [sys.executable, "-m", "prov_ledger", "serve", str(shop.folder), *options],
        env=os.environ | environment,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    ready = 0
    for line in process.stderr:
        ready += '"Application startup complete."' in line
        if ready == workers:
            break
    rest = threading.Thread(target=process.stderr.read)
    rest.start()
    try:
        yield f"http://127.0.0.1:{port}", process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        rest.join()
        process.stderr.close()


def _claims(client: Client, shop: Shop, made: list[str]) -> None:
    """Write until the service is gone."""
    try:
        while True:
            made.append(conclude(client, shop.evidence))  # type: ignore[arg-type]
    except ProvLedgerError:
        return


def test_what_one_worker_wrote_every_worker_knows(shop: Shop) -> None:
    with _serving(shop, 2) as (address, _):
        verdicts = []
        for _ in range(8):
            # A connection of its own each time, so that either worker may have it.
            with Client(address, token=shop.keys["curator"]) as client:
                claim = conclude(client, shop.evidence)  # type: ignore[arg-type]
            for _ in range(4):
                with Client(address, token=shop.keys["agent"]) as client:
                    verdicts.append(client.resolve([claim])[0].verdict)
    assert verdicts == ["citable"] * 32


def test_what_was_taken_away_by_another_process_is_withheld_at_once(shop: Shop) -> None:
    with _serving(shop, 2) as (address, _), Client(address, token=shop.keys["agent"]) as client:
        before = client.resolve([shop.claim])[0].verdict
        with Ledger.open(shop.folder) as ledger:
            ledger.revoke("the-agent", shop.source)
        assert (before, client.resolve([shop.claim])[0].verdict) == ("citable", "withheld")


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
def test_it_stops_when_told_to_and_loses_no_acknowledged_write(shop: Shop, sent: signal.Signals) -> None:
    made: list[str] = []
    with _serving(shop, 1) as (address, process):
        with Client(address, token=shop.keys["curator"], timeout_s=2) as client:
            made.append(conclude(client, shop.evidence))  # type: ignore[arg-type]
            writing = threading.Thread(target=_claims, args=(client, shop, made))
            writing.start()
            while len(made) < 5 and writing.is_alive():
                pass
            process.send_signal(sent)
            writing.join()
        assert process.wait(timeout=60) in (0, -sent)
    _check_all_there(shop, made)


def test_a_kill_under_load_loses_no_acknowledged_write(shop: Shop) -> None:
    made: list[str] = []
    with _serving(shop, 2) as (address, process):
        clients = [Client(address, token=shop.keys["curator"], timeout_s=2) for _ in range(4)]
        threads = [threading.Thread(target=_claims, args=(client, shop, made)) for client in clients]
        for thread in threads:
            thread.start()
        while len(made) < 12 and any(thread.is_alive() for thread in threads):
            pass
        os.killpg(process.pid, signal.SIGKILL)
        for thread in threads:
            thread.join()
        for client in clients:
            client.close()
    assert len(made) >= 12
    _check_all_there(shop, made)


def _check_all_there(shop: Shop, made: list[str]) -> None:
    with Ledger.open(shop.folder) as ledger:
        assert {slot.verdict for slot in ledger.resolve(made)} == {"citable"}
        assert ledger.verify().valid


def test_metrics_are_those_of_all_workers_together(shop: Shop) -> None:
    with _serving(shop, 2) as (address, _):
        for _ in range(12):
            with Client(address, token=shop.keys["agent"]) as client:
                client.resolve([shop.claim])
        transport = Transport(address, None, 10.0)
        text = transport.send("GET", "/metrics", again=True).body.decode()
        transport.close()
    assert 'prov_ledger_slots_total{verdict="citable"} 12.0' in text


def _serve(*words: str, **environment: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "prov_ledger", "serve", *words],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_a_ledger_that_is_not_there_is_not_served(tmp_path: Path) -> None:
    status, _, told = _serve(str(tmp_path / "nothing"))
    assert (status, told.partition("]")[0]) == (4, "error [not_found")


def test_nothing_is_served_in_which_nobody_can_get(shop: Shop) -> None:
    status, _, told = _serve(str(shop.folder), PROV_LEDGER_SERVE_API_KEYS="false")
    assert (status, told.partition("]")[0]) == (2, "error [bad_input")


def test_what_holds_is_printed_without_what_an_address_hides(shop: Shop) -> None:
    hidden = "https://user:s3cret@issuer.example/keys?key=s3cret"
    oidc = {"ISSUER": "https://issuer.example", "AUDIENCE": "x", "JWKS_URL": hidden}
    environment = {f"PROV_LEDGER_SERVE_OIDC__{name}": value for name, value in oidc.items()}
    status, told, _ = _serve(str(shop.folder), "--show-config", "--json", "--port", "99", **environment)
    settings = json.loads(told)
    assert (status, settings["port"]) == (0, 99)
    assert settings["oidc"]["jwks_url"] == "https://***@issuer.example/keys?***"
