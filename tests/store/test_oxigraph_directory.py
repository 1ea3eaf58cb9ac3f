"""A graph directory has one owner, and survives whatever becomes of it."""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from prov_ledger.errors import GraphBusy, StorageError
from prov_ledger.store.owner import find_owner, owner_file, this_process
from prov_ledger.store.oxigraph import OxigraphStore
from prov_ledger.store.port import Position

BASE = "https://ledger.test/a/"
LINE = b"<urn:a> <urn:p> <urn:o> <https://ledger.test/a/graph> .\n"
OTHER = b"<urn:b> <urn:p> <urn:o> <https://ledger.test/a/graph> .\n"

# Opens the graph, says so, and waits to be killed.
HOLDER = """
import sys
from pathlib import Path
from prov_ledger.store.oxigraph import OxigraphStore
store = OxigraphStore(Path(sys.argv[1]), "https://ledger.test/a/")
store.load(sys.argv[2].encode())
print("open", flush=True)
sys.stdin.read()
"""
# Dies in the middle of replacing everything.
REPLACER = """
import os, signal, sys
from pathlib import Path
from prov_ledger.store.oxigraph import OxigraphStore
from prov_ledger.store.port import Position
store = OxigraphStore(Path(sys.argv[1]), "https://ledger.test/a/")
def chunks():
    yield sys.argv[2].encode()
    os.kill(os.getpid(), signal.SIGKILL)
store.replace(chunks(), Position(2, "22"))
"""


def run(code: str, directory: Path, line: bytes) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", code, str(directory), line.decode()]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_statements_and_position_are_there_after_reopening(tmp_path: Path) -> None:
    store = OxigraphStore(tmp_path / "graph", BASE)
    store.load(LINE)
    store.set_position(Position(1, "ab"))
    store.close()
    store = OxigraphStore(tmp_path / "graph", BASE)
    assert (store.size(), store.position()) == (1, Position(1, "ab"))
    store.close()


def test_a_second_owner_in_this_process_is_told_who_has_it(tmp_path: Path) -> None:
    store = OxigraphStore(tmp_path / "graph", BASE)
    with pytest.raises(GraphBusy, match=str(os.getpid())):
        OxigraphStore(tmp_path / "graph", BASE)
    store.close()
    OxigraphStore(tmp_path / "graph", BASE).close()


def test_another_process_is_named_and_its_death_frees_the_graph(tmp_path: Path) -> None:
    with run(HOLDER, tmp_path / "graph", LINE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "open\n"
        with pytest.raises(GraphBusy, match=f"process {holder.pid} .* on {socket.gethostname()}") as busy:
            OxigraphStore(tmp_path / "graph", BASE)
        assert LINE.decode().strip() not in busy.value.message
        holder.kill()
    assert find_owner(tmp_path / "graph") is None
    store = OxigraphStore(tmp_path / "graph", BASE)
    assert store.size() == 1
    assert find_owner(tmp_path / "graph") == this_process()
    store.close()


def test_a_note_that_cannot_be_read_names_nobody_and_is_written_over(tmp_path: Path) -> None:
    owner_file(tmp_path / "graph").write_text("{", encoding="utf-8")
    assert find_owner(tmp_path / "graph") is None
    store = OxigraphStore(tmp_path / "graph", BASE)
    assert find_owner(tmp_path / "graph") == this_process()
    store.close()
    assert not owner_file(tmp_path / "graph").exists()


def test_a_note_of_another_machine_is_believed(tmp_path: Path) -> None:
    note = {"pid": 1, "host": "elsewhere.test", "command": "prov-ledger"}
    owner_file(tmp_path / "graph").write_text(json.dumps(note), encoding="utf-8")
    assert str(find_owner(tmp_path / "graph")) == "process 1 (prov-ledger) on elsewhere.test"


def test_arguments_of_a_command_are_not_in_its_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["/usr/bin/prov-ledger", "claim", "--says", "a secret"])
    store = OxigraphStore(tmp_path / "graph", BASE)
    note = owner_file(tmp_path / "graph").read_text(encoding="utf-8")
    assert "prov-ledger" in note
    assert "secret" not in note
    store.close()


def test_killed_while_replacing_the_store_is_as_it_was(tmp_path: Path) -> None:
    store = OxigraphStore(tmp_path / "graph", BASE)
    store.load(LINE)
    store.set_position(Position(1, "11"))
    store.close()
    with run(REPLACER, tmp_path / "graph", OTHER) as replacer:
        assert replacer.wait() == -signal.SIGKILL
    store = OxigraphStore(tmp_path / "graph", BASE)
    assert store.position() == Position(1, "11")
    assert b"".join(store.dump()) == LINE
    store.replace([OTHER], Position(2, "22"))
    assert b"".join(store.dump()) == OTHER
    store.close()


def test_nothing_of_a_replaced_graph_stays_in_its_files(tmp_path: Path) -> None:
    store = OxigraphStore(tmp_path / "graph", BASE)
    store.load(LINE.replace(b"urn:a", b"urn:a-name-to-be-forgotten"))
    store.flush()
    store.replace([OTHER], Position(1, "11"))
    store.close()
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    assert not any(b"to-be-forgotten" in path.read_bytes() for path in files)


def test_a_directory_that_cannot_be_made_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(StorageError):
        OxigraphStore(tmp_path / "file" / "graph", BASE)


def test_lines_that_are_not_lines_are_a_storage_error_and_add_nothing(tmp_path: Path) -> None:
    store = OxigraphStore(None, BASE)
    with pytest.raises(StorageError):
        store.load(LINE + b"no line\n")
    assert store.size() == 0
