"""Snapshots of the tenant's graph for analysts' queries, and text for what such a query found."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from prov_ledger.errors import GraphBusy, StorageError
from prov_ledger.ledger.handle import Handle
from prov_ledger.ledger.layout import snapshots_folder
from prov_ledger.ledger.querying import Queries
from prov_ledger.store.port import Position, Rows
from prov_ledger.store.snapshots import Snapshot, Snapshots

#: How long a caller waits for a snapshot that another process is making.
WAIT_S = 5.0


class SnapshotVerbs(Handle):
    """What an interface asks that runs queries in processes of their own."""

    @property
    def snapshots(self) -> Snapshots:
        """The snapshots of the tenant's graph, of all processes."""
        return Snapshots(snapshots_folder(self._tenant.ledger, self._tenant.name))

    def snapshot(self, max_age: timedelta = timedelta(0), wait_s: float = WAIT_S) -> Snapshot:
        """A snapshot that lacks nothing that was recorded longer than ``max_age`` ago.

        The newest one where that will do, else a new one: of the graph, or, where another process has
        the graph, of the newest snapshot, brought to the journal's end. Where one is being made for
        longer than ``wait_s``, the newest there is: it says how old it is. Raises GraphBusy, StorageError.
        """
        newest = self._usable()
        if newest is not None and self._will_do(newest, max_age):
            return newest
        try:
            with self.snapshots.locked(wait_s):
                newest = self._usable()
                if newest is not None and self._will_do(newest, max_age):
                    return newest
                return self._made(newest)
        except StorageError as error:
            if newest is None or error.code != "busy" or not newest.is_there():
                raise
            return newest

    def snapshot_age_s(self) -> float | None:
        """How long ago the newest snapshot was taken; None when there is none."""
        newest = self._usable()
        return None if newest is None else (datetime.now(UTC) - newest.taken).total_seconds()

    def join_texts(
        self, rows: Rows, columns: Sequence[str], *, by: str | None = None, purpose: str | None = None
    ) -> Rows:
        """The rows of a query with the texts of some columns' ids, as far as the reader may see them.

        Which texts are shown is recorded first. Raises QueryError for a column that there is not;
        Refused ``denied`` for who may not query.
        """
        acting = self._acting(by, purpose)
        self._session.check_role(acting.agent, "sparql")
        return Queries(self._session, self._sources).join(acting, rows, columns)

    def _usable(self) -> Snapshot | None:
        """The newest snapshot, if it is of this journal's history: a restored one has another."""
        newest = self.snapshots.newest()
        return newest if newest is not None and self._is_ours(newest.position) else None

    def _is_ours(self, position: Position) -> bool:
        journal = self._tenant.journal
        if position.sequence > journal.size():
            return False
        return journal.root_at(position.sequence).hex() == position.root_hex

    def _will_do(self, snapshot: Snapshot, max_age: timedelta) -> bool:
        if snapshot.position.sequence == self._tenant.journal.size():
            return True
        return timedelta(0) <= datetime.now(UTC) - snapshot.taken <= max_age

    def _made(self, newest: Snapshot | None) -> Snapshot:
        snapshots, graph = self.snapshots, self._tenant.graph
        taken = datetime.now(UTC)
        try:
            made = snapshots.add(graph.copy_into, taken)
        except GraphBusy:
            if newest is None:
                raise
            earlier = newest

            def carry_on(directory: Path) -> Position:
                return graph.carry_on(earlier.graph, directory)

            made = snapshots.add(carry_on, taken)
        snapshots.remove_old(made)
        return made
