"""What is particular to a graph store behind HTTP."""

import socket
import uuid

import pytest

from prov_ledger.errors import StorageError
from prov_ledger.store.http import Endpoints, HttpStore
from prov_ledger.store.port import Position


def test_a_server_that_is_not_there_is_named() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    store = HttpStore(Endpoints.of_oxigraph(f"http://127.0.0.1:{port}"), "https://ledger.test/a/")
    with pytest.raises(StorageError, match=f"127.0.0.1:{port}"):
        store.query("ASK {}")
    with pytest.raises(StorageError, match=f"127.0.0.1:{port}"):
        list(store.dump())


@pytest.mark.parametrize("url", ["ftp://ledger.test", "ledger.test", "http://"])
def test_what_is_no_url_of_a_server_is_refused(url: str) -> None:
    with pytest.raises(StorageError, match="http"):
        HttpStore(Endpoints.of_oxigraph(url), "https://ledger.test/a/").query("ASK {}")


def test_a_connection_gone_stale_is_made_again(sparql_server: str) -> None:
    store = HttpStore(Endpoints.of_oxigraph(sparql_server), f"https://ledger.test/{uuid.uuid4().hex}/")
    store.set_position(Position(1, "11"))
    for connection in store._transport._all:
        connection.sock.shutdown(socket.SHUT_RDWR)
    assert store.position() == Position(1, "11")
    store.close()


def test_large_loads_are_cut_at_line_ends(sparql_server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prov_ledger.store.http._PART_BYTES", 200)
    base = f"https://ledger.test/{uuid.uuid4().hex}/"
    store = HttpStore(Endpoints.of_oxigraph(sparql_server), base)
    lines = [f"<urn:{n}> <urn:p> <urn:o> <{base}graph> .\n".encode() for n in range(50)]
    store.bulk_load([b"".join(lines[:40]), *lines[40:]])
    assert sorted(b"".join(store.dump()).splitlines(keepends=True)) == sorted(lines)
    store.clear()
    store.close()
