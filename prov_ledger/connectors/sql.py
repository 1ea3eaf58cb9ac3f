"""Rows of a database table: each row is a source that is *about* its key, each column a cell of it.

A row is kept as CSV, its header and itself, so that evidence names a column and a value has its meaning. A
database tells no history, so rows are compared with what the ledger has: one that differs is a revision that
replaces the one before, one that is missing is gone, one that is there again is back. The order of columns
is the table's: a new column changes every row, unless the columns are named.

SQLAlchemy reads it, which the extra ``sql`` brings; this is the only file that calls it.
"""

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import quote_plus

from prov_ledger.connectors.port import (
    ChangeKind,
    Content,
    Feed,
    Known,
    NothingKnown,
    Skipped,
    SourceChange,
)
from prov_ledger.connectors.row_text import cell_text
from prov_ledger.errors import ConnectorError, Refused
from prov_ledger.model.times import format_instant

try:
    import sqlalchemy as sa
    from sqlalchemy.exc import SQLAlchemyError
except ModuleNotFoundError:
    sa = None  # type: ignore[assignment]

_ROWS_AT_ONCE = 1000


class SqlConnector:
    """The rows of one table or view of a database, by the values of its ``key`` columns.

    ``about`` maps declared facts to the columns with their values; None: each key column to the fact of its
    name. ``columns`` None: all. ``modified`` is a column with the time of a row's last change, else a change
    is dated when it is seen. ``checks``: rows that are as they were are recorded as checked. ``name`` keeps
    databases apart. Raises Refused ``not_supported`` where the extra ``sql`` is not installed.
    """

    def __init__(
        self,
        database: str,
        table: str,
        key: Sequence[str],
        *,
        about: Mapping[str, str] | None = None,
        columns: Sequence[str] | None = None,
        modified: str | None = None,
        checks: bool = False,
        name: str = "sql",
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        if sa is None:
            raise Refused(
                "not_supported", "rows of a database need the extra 'sql': install prov-ledger[sql]"
            )
        if not key:
            raise ConnectorError(
                "A table needs at least one key column: name what tells its rows apart.", code="not_found"
            )
        self._table, self._key, self._modified = table, tuple(key), modified
        self._about = dict(about) if about is not None else {column: column for column in key}
        self._columns = tuple(columns) if columns is not None else None
        self._checks, self._name, self._clock = checks, name, clock
        self._engine = _engine(database)
        self._connection: sa.Connection | None = None

    @property
    def name(self) -> str:
        """The connector part of the identity of its sources."""
        return self._name

    @property
    def feed(self) -> str:
        """The table."""
        return self._table

    def changes(self, since: str | None = None, known: Known | None = None) -> Feed:
        """Give the rows that differ from ``known``; raises ConnectorError when the table cannot be read."""
        known = known or NothingKnown()
        try:
            table, connection = self._open()
            total = connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
        except SQLAlchemyError as failure:
            raise _unreadable(failure) from None
        begins = f"{self._table}?"
        had = {native for native in known.natives() if native.startswith(begins)}
        feed = Feed(total + len(had), iter(()))
        feed.changes = self._changes(table, connection, known, had, feed)
        return feed

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        self._engine.dispose()

    def __enter__(self) -> Self:
        """Give the connector itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()

    def _open(self) -> "tuple[sa.Table, sa.Connection]":
        schema, _, bare = self._table.rpartition(".")
        if self._connection is None:
            self._connection = self._engine.connect()
        names = sa.inspect(self._connection)
        if not names.has_table(bare, schema or None):
            raise ConnectorError(
                "The database has no table or view of that name: check its spelling and schema.",
                code="not_found",
            )
        table = sa.Table(bare, sa.MetaData(), schema=schema or None, autoload_with=self._connection)
        wanted = {*self._key, *self._about.values(), *(self._columns or ())}
        unknown = sorted((wanted | ({self._modified} if self._modified else set())) - set(table.c.keys()))
        if unknown:
            raise ConnectorError(
                f"The table has no column named {', '.join(unknown)}: check the spelling.", code="not_found"
            )
        return table, self._connection

    def _changes(
        self, table: "sa.Table", connection: "sa.Connection", known: Known, had: set[str], feed: Feed
    ) -> Iterator[SourceChange]:
        now, rows = self._clock().astimezone(UTC), 0
        for row in self._rows(table, connection):
            rows += 1
            if any(row[column] is None for column in self._key):
                feed.skipped.append(Skipped(self._table, "no_key"))
                continue
            native = self._native(row)
            had.discard(native)
            change = self._change(native, row, known, now, rows)
            if change is not None:
                yield change
        for done, native in enumerate(sorted(had), rows + 1):
            yield SourceChange(native, "gone", now, format_instant(now), "", done)

    def _rows(self, table: "sa.Table", connection: "sa.Connection") -> Iterator[Mapping[str, object]]:
        query = sa.select(table).order_by(*(table.c[column] for column in self._key))
        try:
            found = connection.execution_options(yield_per=_ROWS_AT_ONCE).execute(query)
            for row in found.mappings():
                yield {str(name): value for name, value in row.items()}
        except (SQLAlchemyError, ValueError, TypeError) as failure:
            # A value that is none of its column's type is a plain error of Python's.
            raise _unreadable(failure) from None

    def _change(
        self, native: str, row: Mapping[str, object], known: Known, now: datetime, done: int
    ) -> SourceChange | None:
        content, held = self._content(row), known.find(native)
        kind: ChangeKind = "new" if held is None else "back" if held.retired else "content"
        if held is not None and not held.retired and held.same(content.data):
            if not self._checks:
                return None
            return SourceChange(native, "checked", now, format_instant(now), "", done, outcome="current")
        modified = _instant(row[self._modified]) if self._modified else None
        is_later = modified is not None and (held is None or modified > held.latest) and modified <= now
        at = modified if is_later and modified is not None else now
        return SourceChange(native, kind, at, format_instant(at), "", done, lambda: content)

    def _native(self, row: Mapping[str, object]) -> str:
        pairs = (f"{quote_plus(column)}={quote_plus(cell_text(row[column]))}" for column in self._key)
        return f"{self._table}?{'&'.join(pairs)}"

    def _content(self, row: Mapping[str, object]) -> Content:
        columns = self._columns or tuple(row)
        file = io.StringIO(newline="")
        csv.writer(file).writerows([columns, [cell_text(row[column]) for column in columns]])
        key = ", ".join(cell_text(row[column]) for column in self._key)
        about = {
            fact: cell_text(row[column]) for fact, column in self._about.items() if row[column] is not None
        }
        return Content(file.getvalue().encode(), "text/csv", f"{self._table} {key}", about)


def _engine(database: str) -> "sa.Engine":
    try:
        url = sa.make_url(database)
        is_file = url.get_backend_name() == "sqlite" and url.database not in (None, "", ":memory:")
        # SQLite would make a database of a mistyped path, and find no table in it.
        if (
            is_file
            and not (url.database or "").startswith("file:")
            and not Path(url.database or "").is_file()
        ):
            raise ConnectorError("There is no SQLite database at that path; check it.", code="not_found")
        return sa.create_engine(url)
    except SQLAlchemyError:
        raise ConnectorError(
            "The address of the database cannot be read: expected DIALECT://USER:PASSWORD@HOST/DATABASE, "
            "such as sqlite:///orders.db.",
            code="bad_input",
        ) from None
    except ModuleNotFoundError as failure:
        raise ConnectorError(
            f"The database needs a driver that is not installed: {failure.name}. Install it."
        ) from None


def _instant(value: object) -> datetime | None:
    """The time of a change; a database's time without a zone is taken for UTC."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            return None
    if not isinstance(value, datetime):
        return None
    return value.astimezone(UTC) if value.tzinfo is not None else value.replace(tzinfo=UTC)


def _unreadable(failure: Exception) -> ConnectorError:
    # The foreign message may hold the address with its password, or the values of rows.
    return ConnectorError(
        f"The database could not be read ({type(failure).__name__}): check that it runs, that the user of "
        "the address may read the table, and that the values are of the types of their columns."
    )
