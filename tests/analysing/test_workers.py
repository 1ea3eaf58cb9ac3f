"""A query runs apart, reaches nothing, takes no more than it may, and ends when it has to."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from asking import BOMBS, ENDLESS, LONG_S, SHORT_S, as_csv, becomes, is_running

from prov_ledger import Ledger, ProvLedgerError
from prov_ledger.analysing.analysis import Analysed, Analysis
from prov_ledger.analysing.question import Limits, Question
from prov_ledger.analysing.rendering import CSV, JSON, N_TRIPLES
from prov_ledger.analysing.wire import Message, send
from prov_ledger.analysing.worker import SnapshotGone, Worker
from prov_ledger.analysing.workers import Workers
from prov_ledger.errors import QueryError, Refused

SOURCES = "SELECT ?source { ?source a pl:Source }"
MANY = "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }"


@pytest.fixture
def asking() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(16) as threads:
        yield threads


@pytest.fixture
def listener() -> Iterator[tuple[str, list[object]]]:
    """An address on this machine, and who connected to it."""
    server, came = socket.create_server(("127.0.0.1", 0)), []

    def accept() -> None:
        try:
            while True:
                connection, who = server.accept()
                came.append(who)
                connection.close()
        except OSError:
            return

    thread = threading.Thread(target=accept)
    thread.start()
    yield f"http://127.0.0.1:{server.getsockname()[1]}/", came
    server.shutdown(socket.SHUT_RDWR)
    server.close()
    thread.join()


def _code(call: "Future[Analysed]") -> str:
    with pytest.raises(ProvLedgerError) as refused:
        call.result(LONG_S)
    return refused.value.code


def test_a_query_is_answered_and_says_how_far_it_knows(analysis: Analysis) -> None:
    found = analysis.ask(SOURCES, as_csv)
    assert found.answer.body.decode().count("/src_") == 1
    assert found.sequence == analysis.ledger.tree_head().size
    assert 0 <= found.age_s < LONG_S


def test_text_is_joined_for_whom_may_read_it(analysis: Analysis) -> None:
    found = analysis.ask(SOURCES, as_csv, text_columns=["source"])
    assert found.answer.body.decode().splitlines()[1].endswith(",Returns policy")


def test_only_analysts_and_auditors_ask(analysis: Analysis) -> None:
    analysis.ledger.agent("bot", roles=["agent"])
    with pytest.raises(Refused) as refused:
        analysis.ask(SOURCES, as_csv, by="bot")
    assert refused.value.code == "denied"


def test_what_was_just_recorded_is_known_where_no_age_is_allowed(analysis: Analysis) -> None:
    analysis.ask(SOURCES, as_csv)
    analysis.ledger.source(native="another", title="Another")
    fresh = Analysis(analysis.ledger, analysis.workers, max_age=analysis.max_age * 0)
    assert fresh.ask(SOURCES, as_csv).answer.rows == 2


def test_a_worker_serves_again(analysis: Analysis, workers: Workers) -> None:
    analysis.ask(SOURCES, as_csv)
    first = workers.pids()
    analysis.ask("ASK {}", lambda kind: JSON)
    with pytest.raises(QueryError):
        analysis.ask("SELECT * { ?s ?p }", as_csv)
    assert workers.pids() == first


def test_a_query_ends_at_its_deadline_and_its_process_with_it(analysis: Analysis, workers: Workers) -> None:
    analysis.ask(SOURCES, as_csv)
    (pid,) = workers.pids()
    began = time.monotonic()
    with pytest.raises(QueryError) as refused:
        analysis.ask(ENDLESS, as_csv, limits=Limits(deadline_s=SHORT_S))
    assert refused.value.code == "query_timeout"
    assert time.monotonic() - began < SHORT_S + 10
    assert not is_running(pid)
    assert analysis.ask(SOURCES, as_csv).answer.rows == 1


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_query_that_wants_all_memory_ends(analysis: Analysis, bomb: str) -> None:
    with pytest.raises(QueryError) as refused:
        analysis.ask(BOMBS[bomb], as_csv, limits=Limits(deadline_s=20, memory_bytes=160 << 20))
    assert refused.value.code in ("query_memory", "query_timeout")
    assert analysis.ask(SOURCES, as_csv).answer.rows == 1


def test_rows_are_cut_and_that_is_said(analysis: Analysis) -> None:
    found = analysis.ask(MANY, as_csv, limits=Limits(rows=10)).answer
    assert (found.rows, found.cut) == (10, "rows")
    assert found.body.count(b"\r\n") == 11


def test_a_whole_answer_of_as_many_rows_is_not_cut(analysis: Analysis) -> None:
    found = analysis.ask(MANY + " LIMIT 10", as_csv, limits=Limits(rows=10)).answer
    assert (found.rows, found.cut) == (10, None)


@pytest.mark.parametrize("form", [CSV, JSON])
def test_bytes_are_cut_and_that_is_said(analysis: Analysis, form: str) -> None:
    found = analysis.ask(MANY, lambda kind: form, limits=Limits(answer_bytes=5_000)).answer
    assert found.cut == "bytes"
    assert 4_000 < len(found.body) <= 5_000


def test_triples_are_cut_and_that_is_said(analysis: Analysis) -> None:
    text = "CONSTRUCT { ?a ?e ?i } WHERE { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }"
    found = analysis.ask(text, lambda kind: N_TRIPLES, limits=Limits(rows=7)).answer
    assert (found.rows, found.cut, found.body.count(b"\n")) == (7, "rows", 7)


def test_one_literal_that_is_too_large_is_cut_off_whole(analysis: Analysis) -> None:
    text = "SELECT ?big { BIND('" + "x" * 4_000 + "' AS ?x) BIND(CONCAT(?x, ?x, ?x, ?x) AS ?big) }"
    found = analysis.ask(text, as_csv, limits=Limits(answer_bytes=8_000)).answer
    assert (found.body, found.cut) == (b"big\r\n", "bytes")


@pytest.mark.parametrize(
    "reaching",
    [
        "SELECT * {{ SERVICE <{0}> {{ ?s ?p ?o }} }}",
        "SELECT * {{ SERVICE SILENT <{0}> {{ ?s ?p ?o }} }}",
        "SELECT * {{ BIND(<{0}> AS ?there) SERVICE ?there {{ ?s ?p ?o }} }}",
    ],
)
def test_what_passes_the_guard_reaches_no_address_all_the_same(
    ledger: Ledger, workers: Workers, listener: tuple[str, list[object]], reaching: str
) -> None:
    address, came = listener
    question = Question(reaching.format(address), JSON)
    try:
        answer = workers.ask(ledger.snapshot(), ledger.base, question)
    except QueryError:
        pass
    else:
        assert json.loads(answer.body)["results"]["bindings"] in ([], [{}])
    port = int(address.rsplit(":", 1)[1].strip("/"))
    with socket.create_connection(("127.0.0.1", port)) as mine:
        assert mine.recv(1) == b""
    assert len(came) == 1


def test_another_tenants_graph_is_not_in_the_snapshot(analysis: Analysis) -> None:
    text = "SELECT DISTINCT ?graph {} {{ GRAPH ?graph {{ ?s ?p ?o }} }}"
    found = analysis.ask(text.format(""), as_csv).answer
    assert found.body.decode().splitlines()[1:] == [analysis.ledger.base + "graph"]
    for clause in ("FROM <https://prov-ledger.invalid/default/index>", "FROM NAMED <urn:other>"):
        with pytest.raises(QueryError, match="the only one here"):
            analysis.ask(text.format(clause), as_csv)


def test_a_worker_holds_no_key(
    ledger: Ledger, workers: Workers, analysis: Analysis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROV_LEDGER_KEY", "00" * 32)
    analysis.ask(SOURCES, as_csv)
    (pid,) = workers.pids()
    environment = Path(f"/proc/{pid}/environ").read_bytes()
    assert b"PATH" in environment
    assert b"PROV_LEDGER" not in environment


def test_a_worker_comes_last_and_runs_nothing_else(analysis: Analysis, workers: Workers) -> None:
    analysis.ask(SOURCES, as_csv)
    (pid,) = workers.pids()
    status = dict(
        line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":" in line
    )
    assert os.getpriority(os.PRIO_PROCESS, pid) == 19
    assert (status["Seccomp"].strip(), status["NoNewPrivs"].strip()) == ("2", "1")
    assert os.getpgid(pid) != os.getpgid(0)
    assert os.getsid(pid) == os.getsid(0)


def test_a_worker_that_is_killed_from_outside_is_told_of(
    analysis: Analysis, workers: Workers, asking: ThreadPoolExecutor
) -> None:
    analysis.ask(SOURCES, as_csv)
    (pid,) = workers.pids()
    call = asking.submit(analysis.ask, ENDLESS, as_csv)
    assert becomes(lambda: _used(pid) > 0.2)
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(ProvLedgerError, match=r"was ended \(by signal 9\): ask again") as refused:
        call.result(LONG_S)
    assert refused.value.code == "busy"
    assert analysis.ask(SOURCES, as_csv).answer.rows == 1


def _used(pid: int) -> float:
    """Seconds of the processor that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_an_idle_worker_that_was_killed_is_replaced_unseen(analysis: Analysis, workers: Workers) -> None:
    analysis.ask(SOURCES, as_csv)
    (pid,) = workers.pids()
    os.kill(pid, signal.SIGKILL)
    assert becomes(lambda: not is_running(pid))
    assert analysis.ask(SOURCES, as_csv).answer.rows == 1


def test_a_query_that_nobody_wants_any_more_ends(analysis: Analysis, asking: ThreadPoolExecutor) -> None:
    unwanted = threading.Event()
    call = asking.submit(analysis.ask, ENDLESS, as_csv, unwanted=unwanted)
    assert becomes(lambda: bool(analysis.workers.pids()))
    unwanted.set()
    assert _code(call) == "busy"
    assert analysis.workers.pids() == []


def test_removing_the_snapshots_ends_a_query_in_the_middle(
    analysis: Analysis, workers: Workers, asking: ThreadPoolExecutor
) -> None:
    analysis.ask(SOURCES, as_csv)
    (pid,) = workers.pids()
    call = asking.submit(analysis.ask, ENDLESS, as_csv)
    assert becomes(lambda: _used(pid) > 0.2)
    assert analysis.ledger.snapshots.remove_all() == 1
    assert not is_running(pid)
    with pytest.raises(SnapshotGone, match="was removed: ask again"):
        call.result(LONG_S)
    assert analysis.ask(SOURCES, as_csv).answer.rows == 1


def test_removing_the_snapshots_ends_idle_workers_of_every_pool(analysis: Analysis, workers: Workers) -> None:
    second = Workers(size=1, limits=workers.limits)
    try:
        analysis.ask(SOURCES, as_csv)
        Analysis(analysis.ledger, second).ask(SOURCES, as_csv)
        pids = workers.pids() + second.pids()
        assert len(pids) == 2
        analysis.ledger.snapshots.remove_all()
        assert not any(map(is_running, pids))
    finally:
        second.close()


def test_an_answer_from_a_snapshot_that_is_gone_is_not_given_out(ledger: Ledger, workers: Workers) -> None:
    snapshot = ledger.snapshot()
    ledger.snapshots.remove_all()
    with pytest.raises(SnapshotGone):
        workers.ask(snapshot, ledger.base, Question("ASK {}", JSON))


def test_what_a_worker_found_before_it_noticed_is_not_given_out_either(
    ledger: Ledger, workers: Workers, tmp_path: Path
) -> None:
    snapshot = ledger.snapshot()
    worker = Worker(snapshot, ledger.base, 256 << 20)
    asked = Question("ASK {}", JSON), Limits(deadline_s=LONG_S), threading.Event()
    worker.ask(*asked)
    worker.snapshot = replace(snapshot, folder=tmp_path / "gone")
    with pytest.raises(SnapshotGone):
        worker.ask(*asked)
    assert not worker.is_alive()


def test_beyond_the_queue_callers_are_told_to_come_back(ledger: Ledger, asking: ThreadPoolExecutor) -> None:
    workers = Workers(size=1, waiting=1, wait_s=0.3, limits=Limits(deadline_s=LONG_S))
    analysis = Analysis(ledger, workers)
    try:
        running = asking.submit(analysis.ask, ENDLESS, as_csv)
        assert becomes(lambda: len(workers.pids()) == 1)
        waiting = asking.submit(analysis.ask, SOURCES, as_csv)
        assert becomes(lambda: workers.under_way == 2)
        assert _code(asking.submit(analysis.ask, SOURCES, as_csv)) == "busy"
        assert _code(waiting) == "busy"
        assert not running.done()
    finally:
        workers.close()
    assert _code(running) == "busy"
    assert workers.pids() == []


def test_two_tenants_share_the_places_and_no_process(
    analysis: Analysis, workers: Workers, tmp_path: Path
) -> None:
    with Ledger.init(tmp_path / "ledger", tenant="other") as other:
        analysis.ask(SOURCES, as_csv)
        assert Analysis(other, workers).ask(SOURCES, as_csv).answer.rows == 0
        assert len(workers.pids()) == 2
        assert analysis.ask(SOURCES, as_csv).answer.rows == 1


def test_after_closing_nothing_is_left_and_nothing_begins(analysis: Analysis, workers: Workers) -> None:
    analysis.ask(SOURCES, as_csv)
    pids = workers.pids()
    workers.close()
    assert not any(map(is_running, pids))
    with pytest.raises(ProvLedgerError) as refused:
        analysis.ask(SOURCES, as_csv)
    assert refused.value.code == "busy"


_PARENT = """
import sys, threading
from prov_ledger import Ledger
from prov_ledger.analysing.analysis import Analysis
from prov_ledger.analysing.workers import Workers
ledger, workers = Ledger.open(sys.argv[1]), Workers()
analysis = Analysis(ledger, workers)
threading.Thread(target=analysis.ask, args=(sys.argv[2], lambda kind: "text/csv")).start()
while not workers.pids(): pass
print(*workers.pids(), flush=True)
sys.stdin.read()
"""


def test_no_worker_outlives_whoever_started_it(ledger: Ledger, workers: Workers, tmp_path: Path) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", _PARENT, tmp_path / "ledger", ENDLESS],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    assert becomes(lambda: _used(pid) > 0.2)
    parent.kill()
    parent.communicate()
    assert becomes(lambda: not is_running(pid))


def test_where_nobody_ends_it_the_kernel_does(ledger: Ledger, workers: Workers) -> None:
    """As if whoever asked had stopped: nobody kills the worker, and nobody goes away."""
    worker = Worker(ledger.snapshot(), ledger.base, 256 << 20)
    worker.ask(Question("ASK {}", JSON), Limits(deadline_s=LONG_S), threading.Event())
    said = asdict(Question(ENDLESS, JSON)) | {"rows": 1, "bytes": 9_999, "deadline_s": 0.1}
    send(worker._in, Message(said))
    assert becomes(lambda: not worker.is_alive())
    assert worker._process.wait() == -signal.SIGALRM
    worker.end()
