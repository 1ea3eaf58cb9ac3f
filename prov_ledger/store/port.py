"""What the ledger asks of a graph store, in values of our own.

A tenant's statements lie in one named graph, ``<base>graph``. Each query sees that graph as its
default graph and as its only named one, whatever the query text says, so none leaves the tenant.
How far the store has come in the journal lies in a graph of its own, ``<base>index``.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from prov_ledger.rdf.terms import Literal, Term, Triple
from prov_ledger.vocab import PL

POSITION_SEQUENCE = PL + "indexedSequence"
POSITION_ROOT = PL + "indexedRoot"


@dataclass(frozen=True, slots=True)
class Rows:
    """The answer to a SELECT: the variables, and rows of terms in that order; None where unbound."""

    variables: tuple[str, ...]
    rows: tuple[tuple[Term | None, ...], ...]


@dataclass(frozen=True, slots=True)
class Triples:
    """The answer to a CONSTRUCT or DESCRIBE."""

    triples: tuple[Triple, ...]


Answer = Rows | Triples | bool


@dataclass(frozen=True, slots=True)
class Position:
    """How far a graph has come: the last entry that is in it, and the journal's root hash there."""

    sequence: int
    root_hex: str


class GraphStore(Protocol):
    """One tenant's statements, for SPARQL. An index: it can always be made anew from the journal."""

    @property
    def base(self) -> str:
        """The tenant's base IRI, ending with ``/``."""

    def query(self, text: str, *, graph: str | None = None, timeout: float | None = None) -> Answer:
        """Answer a SPARQL 1.1 query over one graph: the tenant's, or the one named by the IRI ``graph``.

        ``timeout`` is in seconds; None waits for ever. Raises QueryError when the query is not valid,
        fails, or takes longer (code ``query_timeout``); a store may go on working on it all the same.
        """

    def load(self, nquads: bytes) -> None:
        """Add canonical lines of the tenant graph, all or none of them; what is there already stays."""

    def bulk_load(self, chunks: Iterable[bytes]) -> None:
        """Add many lines, fast; ``chunks`` end at line ends. Killed half way, some are in and some not."""

    def replace(self, chunks: Iterable[bytes], position: Position) -> None:
        """Make the store hold these lines and this position, and nothing of what it held before.

        Killed half way, the store has no position or is as it was.
        """

    def dump(self) -> Iterator[bytes]:
        """Yield the tenant graph as canonical lines, whole lines in each chunk, in no order."""

    def size(self) -> int:
        """Count the triples of the tenant graph."""

    def position(self) -> Position | None:
        """Find how far the store has come; None when nobody has said."""

    def set_position(self, position: Position) -> None:
        """Say how far the store has come, after the lines up to there were loaded."""

    def clear(self) -> None:
        """Empty the store, position included."""

    def flush(self) -> None:
        """Make what was loaded survive a loss of power, where the store can."""

    def close(self) -> None:
        """Let go of the store; every other call after it raises StorageError."""


def graph_iri(base: str) -> str:
    """Name the graph of a tenant's statements."""
    return base + "graph"


def index_iri(base: str) -> str:
    """Name the graph that holds the position."""
    return base + "index"


def position_query(base: str) -> str:
    """Write the query that finds the position in its graph."""
    index = index_iri(base)
    return (
        f"SELECT ?sequence ?root WHERE {{ <{index}> <{POSITION_SEQUENCE}> ?sequence ; "
        f"<{POSITION_ROOT}> ?root }}"
    )


def position_update(base: str, position: Position) -> str:
    """Write the update that sets the position, in one transaction."""
    index = index_iri(base)
    return (
        f"DELETE WHERE {{ GRAPH <{index}> {{ ?s ?p ?o }} }} ; INSERT DATA {{ GRAPH <{index}> {{ "
        f"<{index}> <{POSITION_SEQUENCE}> {position.sequence} ; "
        f'<{POSITION_ROOT}> "{position.root_hex}" }} }}'
    )


def position_of(answer: Answer) -> Position | None:
    """Read the answer to ``position_query``; None when it is empty."""
    if not isinstance(answer, Rows) or not answer.rows:
        return None
    sequence, root = answer.rows[0]
    if not (isinstance(sequence, Literal) and isinstance(root, Literal)):
        return None
    return Position(int(sequence.lexical), root.lexical)


def lines_in_graph(chunks: Iterable[bytes], graph: str) -> Iterator[bytes]:
    """Turn N-Triples, cut anywhere, into N-Quads of ``graph``, cut at line ends."""
    end = f" <{graph}> .\n".encode()
    rest = b""
    for chunk in chunks:
        whole, feed, rest = (rest + chunk).rpartition(b"\n")
        if feed:
            yield (whole + feed).replace(b" .\n", end)
    if rest:
        yield rest.removesuffix(b" .") + end


def triples_in_lines(nquads: bytes, graph: str) -> bytes:
    """Turn canonical N-Quads of ``graph`` into N-Triples."""
    return nquads.replace(f" <{graph}> .\n".encode(), b" .\n")
