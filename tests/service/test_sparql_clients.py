"""Clients that others wrote ask a real server, and no process of a query outlives the server."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from rdflib import Graph, URIRef
from rdflib.plugins.stores.sparqlstore import SPARQLStore
from served import Shop
from SPARQLWrapper import CSV, JSON, POST, POSTDIRECTLY, TURTLE, URLENCODED, XML, SPARQLWrapper

_ROOT = Path(__file__).resolve().parents[2]
PL = "https://w3id.org/prov-ledger#"
SOURCES = "SELECT ?source { ?source a pl:Source } ORDER BY ?source"
ENDLESS = "SELECT (COUNT(*) AS ?n) { " + " . ".join(f"?a{i} ?b{i} ?c{i}" for i in range(9)) + " }"


class Server:
    """``prov-ledger serve`` over a ledger, in a process of its own."""

    def __init__(self, shop: Shop, process: "subprocess.Popen[bytes]", port: int) -> None:
        self.shop, self.process = shop, process
        self.port = port
        self.address = f"http://127.0.0.1:{port}/v1/default/sparql"
        self.authorization = f"Bearer {shop.keys['analyst']}"

    def workers(self) -> list[int]:
        """The processes of queries that this server has started."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdecimal():
                try:
                    status = (entry / "stat").read_text().rpartition(")")[2].split()
                    command = (entry / "cmdline").read_bytes()
                except OSError:
                    continue
                if b"analysing/start.py" in command and str(self.shop.folder).encode() in command:
                    found += [int(entry.name)] if status[0] not in ("Z", "X") else []
        return found

    def ask_for_ever(self) -> threading.Thread:
        """Ask what never ends, and return when a worker is at it."""

        def ask() -> None:
            request = urllib.request.Request(
                self.address,
                ENDLESS.encode(),
                {"Authorization": self.authorization, "Content-Type": "application/sparql-query"},
            )
            try:
                urllib.request.urlopen(request, timeout=60).read()
            except OSError:
                return

        thread = threading.Thread(target=ask)
        thread.start()
        assert becomes(lambda: bool(self.workers()))
        return thread


def becomes(holds: Callable[[], bool], within_s: float = 30.0) -> bool:
    over = threading.Event()
    for _ in range(int(within_s / 0.05)):
        if holds():
            return True
        over.wait(0.05)
    return False


@contextmanager
def serving(shop: Shop, **variables: str) -> Iterator[Server]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "prov_ledger", "serve", str(shop.folder), "--port", str(port)]
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, stdout=quiet, stderr=quiet, env={**os.environ, **variables})

    def is_ready() -> bool:
        assert process.poll() is None, "the server ended before it was ready"
        try:
            return bool(urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5).status == 200)
        except OSError:
            return False

    try:
        assert becomes(is_ready)
        yield Server(shop, process, port)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()


@pytest.fixture(scope="module")
def server(first_shop: Shop, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("asked") / "ledger"
    shutil.copytree(first_shop.folder, folder)
    with serving(replace(first_shop, folder=folder)) as server:
        yield server


def _wrapper(server: Server, query: str, form: str) -> SPARQLWrapper:
    wrapper = SPARQLWrapper(server.address)
    wrapper.addCustomHttpHeader("Authorization", server.authorization)
    wrapper.setQuery(query)
    wrapper.setReturnFormat(form)
    return wrapper


@pytest.mark.parametrize("way", ["get", URLENCODED, POSTDIRECTLY])
def test_sparqlwrapper_asks_in_every_way(server: Server, way: str) -> None:
    wrapper = _wrapper(server, SOURCES, JSON)
    if way != "get":
        wrapper.setMethod(POST)
        wrapper.setRequestMethod(way)
    rows = wrapper.queryAndConvert()["results"]["bindings"]
    ids = [row["source"]["value"].rsplit("/", 1)[1] for row in rows]
    assert ids == sorted([server.shop.source, server.shop.hidden_source])


def test_sparqlwrapper_reads_every_form_that_it_knows(server: Server) -> None:
    document = _wrapper(server, SOURCES, XML).queryAndConvert()
    assert len(document.getElementsByTagName("result")) == 2
    assert len(_wrapper(server, SOURCES, CSV).queryAndConvert().splitlines()) == 3
    made = "CONSTRUCT WHERE { ?source a pl:Source }"
    graph = Graph().parse(data=_wrapper(server, made, TURTLE).queryAndConvert(), format="turtle")
    assert len(graph) == 2


def test_rdflib_has_the_ledger_as_a_store(server: Server) -> None:
    store = SPARQLStore(server.address, headers={"Authorization": server.authorization})
    graph = Graph(store)
    kind = URIRef(PL + "Source")
    found = {str(row.source) for row in graph.query(f"SELECT ?source {{ ?source a <{kind}> }}")}
    assert found == {str(subject) for subject in graph.subjects(None, kind)}
    assert len(found) == 2
    assert graph.query(f"ASK {{ ?s a <{kind}> }}").askAnswer
    assert len(graph.query(f"CONSTRUCT WHERE {{ ?s a <{kind}> }}").graph) == 2


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_curl_asks(server: Server) -> None:
    said = ["-H", f"Authorization: {server.authorization}", "--data-urlencode", f"query={SOURCES}"]
    for way in ([], ["-G"]):
        command = ["curl", "-sS", "-f", *way, *said, "-H", "Accept: text/csv", server.address]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
        assert len(done.stdout.splitlines()) == 3


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_what_the_readme_shows_is_answered(server: Server) -> None:
    _, _, section = (_ROOT / "README.md").read_text().partition("## Query over HTTP\n")
    shown = section.partition("```shell\n")[2].partition("```")[0]
    command = shown[shown.index("curl ") :].replace("http://127.0.0.1:8080/v1/default/sparql", server.address)
    done = subprocess.run(
        ["bash", "-c", command],
        env={**os.environ, "ANALYST": server.authorization.split()[1]},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.splitlines()[0] == "source,revisions,source_text"
    assert any(line.endswith(",1,Returns policy") for line in done.stdout.splitlines())


def test_the_example_notebook_runs(server: Server) -> None:
    path = _ROOT / "examples" / "analysis.ipynb"
    cells = [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
    told = {"PROV_LEDGER_SPARQL": server.address, "PROV_LEDGER_TOKEN": server.authorization.split()[1]}
    program = "\n".join("".join(cell["source"]) for cell in cells)
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **told},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stderr == ""
    assert server.shop.claim in done.stdout
    assert "Returns policy" in done.stdout


def test_a_query_ends_with_its_callers_connection(server: Server) -> None:
    head = (
        "POST /v1/default/sparql HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        f"Content-Type: application/sparql-query\r\nAuthorization: {server.authorization}\r\n"
        f"Content-Length: {len(ENDLESS)}\r\n\r\n{ENDLESS}"
    )
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.sendall(head.encode())
        assert becomes(lambda: _at_work(server) > 0.3)
        (pid,) = [pid for pid in server.workers() if _used(pid) > 0.3]
    assert becomes(lambda: pid not in server.workers(), 15)


def _used(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _at_work(server: Server) -> float:
    return max(map(_used, server.workers()), default=0.0)


@pytest.mark.parametrize("signalled", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_no_query_outlives_the_server(shop: Shop, signalled: signal.Signals) -> None:
    with serving(shop, PROV_LEDGER_SERVE_LIMITS__STOP_TIMEOUT_S="1") as server:
        asking = server.ask_for_ever()
        server.process.send_signal(signalled)
        server.process.wait(60)
        assert becomes(lambda: server.workers() == [], 10)
        asking.join(60)
