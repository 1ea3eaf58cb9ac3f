"""Many processes and threads on one ledger: they take turns to write, read at once, and see each other."""

import os
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from prov_ledger import Ledger
from prov_ledger.errors import GraphBusy, Refused
from tests.ledger.shared_work import hold_graph, read_until_told, revoke_and_die, write_pages
from tests.ledger.worlds import PAGE, QUOTE, World, conclude, end, make_world, refused, start

WRITERS = 3
PAGES = 8


@pytest.fixture
def world(tmp_path: Path) -> World:
    return make_world(tmp_path / "ledger")


def wait_for(path: Path) -> None:
    """Until another process made a file; it fails the test by time alone."""
    deadline = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < deadline, f"{path.name} was not made"
        os.sched_yield()


def test_processes_that_write_in_turns_lose_nothing(world: World, tmp_path: Path) -> None:
    world.ledger.close()
    reader = start(read_until_told, world.folder, world.claim, tmp_path / "stop")
    writers = [start(write_pages, world.folder, f"w{number}", PAGES) for number in range(WRITERS)]
    assert [end(writer) for writer in writers] == [0] * WRITERS
    (tmp_path / "stop").touch()
    assert end(reader) == 0
    with Ledger.open(world.folder) as ledger:
        for number in range(WRITERS):
            for page in range(PAGES):
                assert ledger.show(f"w{number}-{page}").data == f"{number}".encode() * 9
        assert ledger.verify().valid


def test_a_reader_sees_the_commit_of_another_process_at_its_next_call(world: World) -> None:
    assert refused(lambda: world.ledger.show("w0-0")) == "unknown_id"
    assert end(start(write_pages, world.folder, "w0", 1)) == 0
    assert world.ledger.show("w0-0").data == b"0" * 9
    assert world.ledger.verify().valid
    world.ledger.close()


def test_a_revocation_by_another_process_holds_at_the_next_call(world: World) -> None:
    world.ledger.grant("reader", world.source)
    assert world.ledger.resolve([world.claim], principal="reader")[0].verdict == "citable"
    with Ledger.open(world.folder) as other:
        other.revoke("reader", world.source)
    assert world.ledger.resolve([world.claim], principal="reader")[0].verdict == "withheld"
    world.ledger.close()


def test_what_a_killed_process_left_out_of_the_denials_is_completed_by_any_other(world: World) -> None:
    world.ledger.grant("reader", world.source)
    assert end(start(revoke_and_die, world.folder, world.source)) < 0
    world.clock.now = datetime.now(UTC)
    world.ledger.retract(world.claim)
    kinds = [row.kind for row in world.ledger._tenant.denials.all() if row.kind != "roles"]
    assert kinds == ["revocation", "retraction"]
    world.ledger.close()


def test_the_second_opener_of_the_graph_is_told_who_owns_it(world: World, tmp_path: Path) -> None:
    owner = start(hold_graph, world.folder, tmp_path / "held", tmp_path / "stop")
    pid = owner.pid
    wait_for(tmp_path / "held")
    try:
        with pytest.raises(GraphBusy, match=f"process {pid} "):
            world.ledger.sparql("ASK { ?s ?p ?o }")
        assert world.ledger.resolve([world.claim])[0].verdict == "citable"
        world.conclude("Written while another has the graph.")
    finally:
        (tmp_path / "stop").touch()
        assert end(owner) == 0
    assert world.ledger.sparql("ASK { ?s a pl:Claim }") is True
    world.ledger.close()


def test_of_two_racing_corrections_of_one_head_one_wins_and_one_is_told(world: World) -> None:
    handles = [Ledger.open(world.folder) for _ in range(4)]
    barrier = threading.Barrier(len(handles))

    def correct(ledger: Ledger) -> str:
        barrier.wait()
        try:
            return ledger.supersede(
                world.claim,
                says="Corrected.",
                support=[world.evidence],
                transformation={"kind": "select"},
                question={"text": "How long?"},
            )
        except Refused as refusal:
            return refusal.code

    with ThreadPoolExecutor(len(handles)) as pool:
        told = list(pool.map(correct, handles))
    assert told.count("stale_head") == len(handles) - 1
    for ledger in (*handles, world.ledger):
        ledger.close()


def in_threads(*jobs: Callable[[], None]) -> None:
    """Run jobs at once, with the interpreter switching among them as often as it can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(len(jobs)) as pool:
            for done in [pool.submit(job) for job in jobs]:
                done.result(60)
    finally:
        sys.setswitchinterval(interval)


def test_threads_of_one_handle_write_and_read_at_once(world: World) -> None:
    ledger = world.ledger

    def write(name: str) -> None:
        for number in range(PAGES):
            with ledger.batch():
                source = ledger.source(native=f"{name}-{number}", title=f"Page {name} {number}")
                revision = ledger.revision(source, data=PAGE, media_type="text/markdown", label="v1")
                conclude(ledger, f"{name} {number}", [ledger.evidence(revision, quote=QUOTE)])

    def read() -> None:
        for _ in range(4 * PAGES):
            assert ledger.resolve([world.claim])[0].verdict == "citable"
            assert ledger.show(world.revision).label == "v1"

    in_threads(*(lambda name=name: write(name) for name in ("one", "two", "three")), read, read)
    assert all(ledger.show(f"{name}-{n}").label == "v1" for name in ("one", "two") for n in range(PAGES))
    assert ledger.verify().valid
    ledger.close()


def test_a_write_that_fails_in_one_thread_leaves_those_of_others_alone(world: World) -> None:
    ledger = world.ledger

    def begin_and_fail(number: int) -> None:
        with ledger.batch():
            ledger.source(native=f"never-{number}", title="Never")
            raise ZeroDivisionError

    def fail() -> None:
        for number in range(PAGES):
            with pytest.raises(ZeroDivisionError):
                begin_and_fail(number)

    def write() -> None:
        for number in range(PAGES):
            with ledger.batch():
                ledger.source(native=f"kept-{number}", title="Kept")
                again = ledger.source(native=f"kept-{number}", title="Kept again")
                ledger.revision(again, data="text", label="v1")

    in_threads(fail, write, fail)
    assert all(ledger.show(f"kept-{n}").title == "Kept again" for n in range(PAGES))
    assert {refused(lambda n=n: ledger.show(f"never-{n}")) for n in range(PAGES)} == {"unknown_id"}
    assert ledger.verify().valid
    ledger.close()


def test_no_thread_reads_a_revoked_source_while_others_write(world: World) -> None:
    ledger = world.ledger
    ledger.grant("reader", world.source)
    ledger.revoke("reader", world.source)

    def write() -> None:
        for number in range(PAGES):
            ledger.grant(f"another {number}", world.source)

    def read() -> None:
        for _ in range(4 * PAGES):
            assert ledger.resolve([world.evidence], principal="reader")[0].verdict == "withheld"
            assert refused(lambda: ledger.show(world.revision, by="reader")) == "unknown_id"

    in_threads(write, read, read)
    ledger.close()
