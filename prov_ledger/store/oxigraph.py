"""The embedded graph store: Oxigraph, in a directory or in memory.

Oxigraph never takes a string out of its files, so ``replace`` fills a fresh directory and swaps it
in. It cannot stop a query either: after a timeout its thread works on, and only the caller is free.
"""

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

import pyoxigraph as ox

from prov_ledger.errors import GraphBusy, ProvLedgerError, QueryError, StorageError
from prov_ledger.store.deadline import start, within
from prov_ledger.store.owner import find_owner, remove_owner, write_owner
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
)
from prov_ledger.store.results import rows_of, triple_of

T = TypeVar("T")
_NQUADS = ox.RdfFormat.N_QUADS
_DUMP_CHUNK_BYTES = 1 << 20


class OxigraphStore:
    """A ``GraphStore`` over Oxigraph; ``directory`` None keeps it in memory.

    Raises GraphBusy when another process has the directory, naming it where it left its name.
    """

    def __init__(self, directory: Path | None, base: str) -> None:
        self._directory = directory
        self._base = base
        self._graph = ox.NamedNode(graph_iri(base))
        self._store: ox.Store | None = _open(directory)

    @property
    def base(self) -> str:
        """The tenant's base IRI."""
        return self._base

    def _opened(self) -> ox.Store:
        if self._store is None:
            raise StorageError("the graph store was closed; open it again")
        return self._store

    def query(self, text: str, *, graph: str | None = None, timeout: float | None = None) -> Answer:
        """Answer a query over one graph; see ``GraphStore``."""
        store = self._opened()
        node = self._graph if graph is None else ox.NamedNode(graph)
        if timeout is None:
            return _answer(store, text, node)
        return within(lambda: _answer(store, text, node), timeout)

    def load(self, nquads: bytes) -> None:
        """Add canonical lines in one transaction."""
        store = self._opened()
        _guarded(lambda: store.load(nquads, _NQUADS, lenient=True))

    def bulk_load(self, chunks: Iterable[bytes]) -> None:
        """Add many lines, not in one transaction."""
        _fill(self._opened(), chunks)

    def replace(self, chunks: Iterable[bytes], position: Position) -> None:
        """Fill a fresh directory, then swap it in; in memory, a fresh store takes the place at the end."""
        self._opened()
        if self._directory is None:
            fresh = ox.Store()
            _fill(fresh, chunks)
            self._store = fresh
            self.set_position(position)
            return
        beside = self._directory.with_name(self._directory.name + ".new")
        _remove(beside)
        _write_directory(beside, chunks, position_update(self._base, position))
        self._store = None
        try:
            _swap(beside, self._directory)
        finally:
            self._store = _open(self._directory)

    def dump(self) -> Iterator[bytes]:
        """Yield the tenant graph as N-Quads."""
        return lines_in_graph(_dump_graph(self._opened(), self._graph), self._graph.value)

    def size(self) -> int:
        """Count the triples of the tenant graph."""
        store = self._opened()
        index = ox.NamedNode(index_iri(self._base))
        return _guarded(lambda: len(store) - sum(1 for _ in store.quads_for_pattern(None, None, None, index)))

    def position(self) -> Position | None:
        """Find how far the store has come."""
        return position_of(self.query(position_query(self._base), graph=index_iri(self._base)))

    def set_position(self, position: Position) -> None:
        """Say how far the store has come."""
        store = self._opened()
        _guarded(lambda: store.update(position_update(self._base, position)))

    def clear(self) -> None:
        """Empty the store; strings stay in the directory's files (see ``replace``)."""
        _guarded(self._opened().clear)

    def flush(self) -> None:
        """Write everything through to the disk."""
        if self._directory is not None:
            _guarded(self._opened().flush)

    def backup(self, directory: Path) -> None:
        """Put a copy into ``directory``, which must not be there yet: hard links where the disk allows.

        Raises StorageError; a store in memory has no copy.
        """
        store = self._opened()
        _guarded(lambda: store.backup(str(directory)))

    def close(self) -> None:
        """Let go of the directory."""
        if self._store is not None and self._directory is not None:
            remove_owner(self._directory)
        self._store = None


def _open(directory: Path | None) -> ox.Store:
    if directory is None:
        return ox.Store()
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        store = ox.Store(str(directory))
        write_owner(directory)
    except (OSError, RuntimeError) as error:
        if "lock" in str(error).lower():
            owner = find_owner(directory)
            by = str(owner) if owner else "a process that left no name"
            raise GraphBusy(f"the graph at {directory.name}/ is in use by {by}; end it first") from None
        raise _storage_error(error) from None
    return store


def copy_directory(directory: Path, to: Path) -> None:
    """Copy the store in a directory that nobody writes to, such as a snapshot's; hard links again."""
    _guarded(lambda: ox.Store.read_only(str(directory)).backup(str(to)))


def _storage_error(error: Exception) -> StorageError:
    full = "No space left" in str(error)
    message = "the disk is full" if full else "the graph store failed; it can be rebuilt from the journal"
    return StorageError(f"{message}: {type(error).__name__}", code="storage_full" if full else None)


def _guarded(call: Callable[[], T]) -> T:
    try:
        return call()
    except (OSError, RuntimeError, SyntaxError, ValueError) as error:
        raise _storage_error(error) from None


class _Stream:
    """What Oxigraph reads from: chunks as one file; an error of theirs is kept, not lost on the way."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = iter(chunks)
        self._rest = memoryview(b"")
        self.error: ProvLedgerError | None = None

    def read(self, size: int) -> bytes:
        """Read up to ``size`` bytes; none at the end."""
        try:
            while not self._rest:
                self._rest = memoryview(next(self._chunks))
        except StopIteration:
            return b""
        except ProvLedgerError as error:
            self.error = error
            raise OSError("the source of the lines failed") from error
        part, self._rest = self._rest[:size], self._rest[size:]
        return bytes(part)


def _fill(store: ox.Store, chunks: Iterable[bytes]) -> None:
    stream = _Stream(chunks)
    try:
        store.bulk_load(stream, _NQUADS, lenient=True)  # type: ignore[arg-type]
    except (OSError, RuntimeError, SyntaxError, ValueError) as error:
        raise stream.error or _storage_error(error) from None


def _write_directory(directory: Path, chunks: Iterable[bytes], update: str) -> None:
    try:
        store = ox.Store(str(directory))
        _fill(store, chunks)
        store.update(update)
        store.flush()
    except (OSError, RuntimeError) as error:
        raise _storage_error(error) from None


def remove_damaged(directory: Path) -> None:
    """Take away a directory that does not open, so that a fresh one takes its place."""
    aside = directory.with_name(directory.name + ".old")
    _remove(aside)
    _guarded(lambda: directory.rename(aside))
    _remove(aside)


def _remove(directory: Path) -> None:
    if directory.exists():
        _guarded(lambda: shutil.rmtree(directory))


def _swap(fresh: Path, current: Path) -> None:
    """Put ``fresh`` where ``current`` is. A kill between leaves no directory: an empty graph, rebuilt."""
    old = current.with_name(current.name + ".old")
    _remove(old)
    _guarded(lambda: current.rename(old))
    _guarded(lambda: fresh.rename(current))
    _remove(old)


def _dump_graph(store: ox.Store, graph: ox.NamedNode) -> Iterator[bytes]:
    """Yield N-Triples through a pipe, so that no more than a chunk is in memory."""
    reading, writing = os.pipe()

    def write() -> None:
        with os.fdopen(writing, "wb", buffering=_DUMP_CHUNK_BYTES) as pipe:
            store.dump(pipe, ox.RdfFormat.N_TRIPLES, from_graph=graph)

    done = start(write)
    with os.fdopen(reading, "rb", buffering=0) as pipe:
        while chunk := pipe.read(_DUMP_CHUNK_BYTES):
            yield chunk
    _guarded(done.result)


def _answer(store: ox.Store, text: str, graph: ox.NamedNode) -> Answer:
    try:
        result = store.query(text, default_graph=graph, named_graphs=[graph])
        if isinstance(result, ox.QueryBoolean):
            return bool(result)
        if isinstance(result, ox.QuerySolutions):
            return rows_of(result)
        return Triples(tuple(triple_of(triple) for triple in result))
    except SyntaxError as error:
        raise QueryError(f"the query is not valid SPARQL: {error}") from None
    except (OSError, RuntimeError, ValueError) as error:
        raise QueryError(f"the query failed: {error}") from None
