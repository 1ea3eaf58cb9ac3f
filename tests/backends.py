"""Every backend of the graph store, as fixtures: one more backend is one more line here."""

import socket
import subprocess
import sysconfig
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from prov_ledger.store.http import Endpoints, HttpStore
from prov_ledger.store.oxigraph import OxigraphStore
from prov_ledger.store.port import GraphStore

MakeStore = Callable[[], GraphStore]


@pytest.fixture(scope="session")
def sparql_server() -> Iterator[str]:
    """The root URL of a SPARQL 1.1 server of its own process, in memory."""
    program = Path(sysconfig.get_path("scripts")) / "oxigraph"
    if not program.exists():
        pytest.skip("the SPARQL server is not installed: pip install oxigraph")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{probe.getsockname()[1]}"
    command = [str(program), "serve", "--bind", address]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        said = server.stderr.readline()
        assert "Listening" in said, said
        yield f"http://{address}"
        server.terminate()


def _make(kind: str, folder: Path, request: pytest.FixtureRequest) -> GraphStore:
    base = f"https://ledger.test/{uuid.uuid4().hex}/"
    if kind == "http":
        return HttpStore(Endpoints.of_oxigraph(request.getfixturevalue("sparql_server")), base)
    return OxigraphStore(folder / uuid.uuid4().hex / "graph" if kind == "disk" else None, base)


@pytest.fixture(params=["memory", "disk", "http"])
def new_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MakeStore]:
    """Make an empty graph store on each backend; each is a tenant of its own, closed at the end."""
    made: list[GraphStore] = []

    def make() -> GraphStore:
        made.append(_make(request.param, tmp_path, request))
        return made[-1]

    yield make
    for store in made:
        store.close()


@pytest.fixture
def graph_store(new_store: MakeStore) -> GraphStore:
    """An empty graph store on each backend."""
    return new_store()
