"""A graph store behind the SPARQL 1.1 Protocol: any server with query, update and graph store.

The standard library's client is enough: one kept connection per thread, plain requests, no redirects.
Sources: SPARQL 1.1 Protocol; SPARQL 1.1 Graph Store HTTP Protocol; SPARQL 1.1 Query Results JSON.
"""

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import urlencode

from prov_ledger.errors import QueryError, StorageError
from prov_ledger.store.port import (
    Answer,
    Position,
    Triples,
    graph_iri,
    index_iri,
    lines_in_graph,
    position_of,
    position_query,
    position_update,
    triples_in_lines,
)
from prov_ledger.store.protocol import Reply, Transport
from prov_ledger.store.results import answer_of_json, parse_triples

_JSON = "application/sparql-results+json"
_NTRIPLES = "application/n-triples"
_FORM = "application/x-www-form-urlencoded"
#: Large enough to hide the round trip, small enough for a server that reads a request whole.
_PART_BYTES = 8 << 20


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Where a server answers queries, takes updates, and keeps graphs; URLs without a query part."""

    query: str
    update: str
    graphs: str

    @classmethod
    def of_oxigraph(cls, root: str) -> "Endpoints":
        """The three endpoints of an ``oxigraph serve`` at ``root``, such as ``http://localhost:7878``."""
        root = root.rstrip("/")
        return cls(f"{root}/query", f"{root}/update", f"{root}/store")


class HttpStore:
    """A ``GraphStore`` over a SPARQL 1.1 server; ``authorization`` is sent as that header.

    Durability and isolation are the server's own. Raises StorageError when it cannot be reached.
    """

    def __init__(self, endpoints: Endpoints, base: str, *, authorization: str | None = None) -> None:
        self._endpoints = endpoints
        self._base = base
        self._graph = graph_iri(base)
        self._transport = Transport(authorization)

    @property
    def base(self) -> str:
        """The tenant's base IRI."""
        return self._base

    def query(self, text: str, *, graph: str | None = None, timeout: float | None = None) -> Answer:
        """Answer a query over one graph; the dataset of the request overrules the query's own.

        Source: SPARQL 1.1 Protocol section 2.1.4.
        """
        only = graph or self._graph
        form = urlencode({"query": text, "default-graph-uri": only, "named-graph-uri": only})
        headers = {"Content-Type": _FORM, "Accept": f"{_JSON}, {_NTRIPLES}"}
        reply = self._transport.request("POST", self._endpoints.query, form.encode(), headers, timeout)
        if reply.status >= 500:
            raise _failure("query", reply)
        if reply.status != 200:
            raise QueryError(f"the server refused the query ({reply.status}): {reply.first_line()}")
        if reply.media_type == _NTRIPLES:
            return Triples(parse_triples(reply.body))
        return answer_of_json(reply.body)

    def load(self, nquads: bytes) -> None:
        """Add canonical lines in one request; a server does a request in one transaction."""
        if nquads:
            body = triples_in_lines(nquads, self._graph)
            reply = self._transport.request("POST", self._graph_url(), body, {"Content-Type": _NTRIPLES})
            if reply.status not in (200, 201, 204):
                raise _failure("load", reply)

    def bulk_load(self, chunks: Iterable[bytes]) -> None:
        """Add many lines, some megabytes to a request."""
        for part in _parts(chunks, _PART_BYTES):
            self.load(part)

    def replace(self, chunks: Iterable[bytes], position: Position) -> None:
        """Empty the graph and fill it anew; the position goes first and comes last."""
        self.clear()
        self.bulk_load(chunks)
        self.set_position(position)

    def dump(self) -> Iterator[bytes]:
        """Yield the tenant graph as N-Quads, spelled as the server spells them."""
        return lines_in_graph(self._transport.stream(self._graph_url(), _NTRIPLES), self._graph)

    def size(self) -> int:
        """Count the triples of the tenant graph."""
        answer = self.query("SELECT (COUNT(*) AS ?count) WHERE { ?s ?p ?o }")
        return int(answer.rows[0][0].lexical)  # type: ignore[union-attr]

    def position(self) -> Position | None:
        """Find how far the store has come."""
        return position_of(self.query(position_query(self._base), graph=index_iri(self._base)))

    def set_position(self, position: Position) -> None:
        """Say how far the store has come."""
        self._update(position_update(self._base, position))

    def clear(self) -> None:
        """Drop the tenant's two graphs; other graphs of the server stay."""
        index = index_iri(self._base)
        self._update(f"DROP SILENT GRAPH <{index}> ; DROP SILENT GRAPH <{self._graph}>")

    def flush(self) -> None:
        """Do nothing: a server keeps what it acknowledged by its own rules."""

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def _graph_url(self) -> str:
        return f"{self._endpoints.graphs}?{urlencode({'graph': self._graph})}"

    def _update(self, text: str) -> None:
        headers = {"Content-Type": "application/sparql-update"}
        reply = self._transport.request("POST", self._endpoints.update, text.encode(), headers)
        if reply.status not in (200, 204):
            raise _failure("update", reply)


def _failure(what: str, reply: Reply) -> StorageError:
    code = "storage_full" if reply.status == 507 else None
    return StorageError(f"the SPARQL server failed a {what} ({reply.status}); see its log", code=code)


def _parts(chunks: Iterable[bytes], size: int) -> Iterator[bytes]:
    """Join small chunks and cut large ones at line ends, to about ``size`` bytes each."""
    waiting: list[bytes] = []
    length = 0
    for piece in itertools.chain.from_iterable(_cut(chunk, size) for chunk in chunks):
        waiting.append(piece)
        length += len(piece)
        if length >= size:
            yield b"".join(waiting)
            waiting, length = [], 0
    if waiting:
        yield b"".join(waiting)


def _cut(chunk: bytes, size: int) -> Iterator[bytes]:
    start = 0
    while len(chunk) - start > size:
        end = chunk.find(b"\n", start + size) + 1
        if not end:
            break
        yield chunk[start:end]
        start = end
    yield chunk[start:]
