"""The tenant's graph, opened at its first use and brought to the journal's end before every read."""

import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from prov_ledger.errors import Refused, StorageError
from prov_ledger.ledger.layout import graph_folder
from prov_ledger.store.index import GraphIndex
from prov_ledger.store.oxigraph import OxigraphStore, copy_directory, remove_damaged
from prov_ledger.store.port import GraphStore, Position
from prov_ledger.vault.crash import crash_point
from prov_ledger.vault.port import Journal

#: Makes the store of a tenant: from the folder that it may use and the base IRI.
GraphFactory = Callable[[Path, str], GraphStore]


def embedded(folder: Path, base: str) -> GraphStore:
    """Oxigraph in the tenant's folder."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    return OxigraphStore(folder, base)


class LazyGraph:
    """One graph store with its index; closed by its owner."""

    def __init__(
        self,
        folder: Path,
        base: str,
        journal: Journal,
        is_writing: Callable[[], bool],
        factory: GraphFactory = embedded,
    ) -> None:
        self._folder, self._base, self._journal, self._factory = folder, base, journal, factory
        self._is_writing = is_writing
        self._store: GraphStore | None = None
        self._index: GraphIndex | None = None
        self._lock = threading.Lock()

    def _check_committed(self) -> None:
        """The graph follows what is committed: what a batch may still undo must not get into it."""
        if self._is_writing():
            raise Refused("bad_input", "the graph cannot be read within a batch: end the batch first")

    def _opened(self) -> tuple[GraphStore, GraphIndex]:
        if self._store is None or self._index is None:
            self._store = self._factory(self._folder, self._base)
            self._index = GraphIndex(self._journal, self._store)
        return self._store, self._index

    def current(self) -> GraphStore:
        """The store, holding every entry of the journal. Raises GraphBusy where another process has it.

        Raises Refused ``bad_input`` within a write.
        """
        self._check_committed()
        with self._lock:
            store, index = self._opened()
            crash_point("graph.due")
            index.catch_up()
            crash_point("graph.current")
            return store

    def rebuild(self) -> int:
        """Make the graph anew from the journal in a fresh directory; returns the entries loaded.

        A directory of the tenant's that does not open is removed first: it is no more than an index.
        """
        self._check_committed()
        with self._lock:
            try:
                index = self._opened()[1]
            except StorageError as error:
                own = self._factory is embedded and self._folder.is_dir()
                if not own or error.code == "storage_full":
                    raise
                remove_damaged(self._folder)
                index = self._opened()[1]
            return index.rebuild()

    def copy_into(self, directory: Path) -> Position:
        """Put a copy of the graph, brought to the journal's end, into a new directory; says where it is.

        The graph's directory is held no longer than this takes, unless it was open before. Raises
        GraphBusy; Refused ``not_supported`` for a store that is no directory of the tenant's.
        """
        self._check_committed()
        with self._lock:
            was_open = self._store is not None
            store, index = self._opened()
            try:
                if not isinstance(store, OxigraphStore) or self._factory is not embedded:
                    raise Refused("not_supported", "only the graph in the ledger's folder has snapshots")
                index.catch_up()
                store.backup(directory)
                return _position(store)
            finally:
                if not was_open:
                    self._close()

    def carry_on(self, earlier: Path, directory: Path) -> Position:
        """Put a copy of an earlier copy into a new directory, and bring that to the journal's end.

        Needs no hold of the graph's own directory. Raises StorageError.
        """
        self._check_committed()
        copy_directory(earlier, directory)
        with closing(OxigraphStore(directory, self._base)) as store:
            GraphIndex(self._journal, store).catch_up()
            store.flush()
            return _position(store)

    def close(self) -> None:
        """Close the store, if it was ever opened."""
        with self._lock:
            self._close()

    def _close(self) -> None:
        if self._store is not None:
            self._store.close()
        self._store = self._index = None


def _position(store: GraphStore) -> Position:
    position = store.position()
    if position is None:
        raise StorageError("the graph does not say how far it is; rebuild it")
    return position


def graph_of(
    ledger: Path,
    tenant: str,
    base: str,
    journal: Journal,
    is_writing: Callable[[], bool],
    factory: GraphFactory | None = None,
) -> LazyGraph:
    """The lazily opened graph of a tenant; ``is_writing`` says whether this thread is within a write."""
    return LazyGraph(graph_folder(ledger, tenant), base, journal, is_writing, factory or embedded)
