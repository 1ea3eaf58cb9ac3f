"""Reading entries of a journal in SQLite: in order, by what they brought into being, by time."""

import json
import sqlite3
from collections.abc import Collection, Iterator
from datetime import datetime

from prov_ledger.errors import Refused
from prov_ledger.vault.append import SPAN, from_microseconds, to_microseconds
from prov_ledger.vault.database import Database
from prov_ledger.vault.packing import LeafPacker
from prov_ledger.vault.port import Lookup, StoredEntry
from prov_ledger.vault.schema import FREQUENT_KINDS

_ENTRY = "SELECT sequence, id, kind, recorded_us, leaf, hashes FROM entry"
_ORIGIN = "SELECT target, kind FROM reference WHERE id = ? AND role = 'origin'"
_HASH_BYTES = 32
_PAGE = 512
#: The setting that holds what leaves are like; see ``LeafPacker``.
DICTIONARY = "leaf_dictionary"
_EntryRow = tuple[int, str, str, int, bytes | None, bytes]


class EntryReads:
    """The entries of a journal; every read is short and waits for no writer."""

    def __init__(self, database: Database) -> None:
        """Read from an open database of the journal's schema."""
        self._database = database
        self._packer = LeafPacker(database.meta(DICTIONARY) or "")

    def size(self) -> int:
        """How many entries there are."""
        with self._database.reading() as connection:
            return end_of(connection)[0]

    def entries(
        self, after: int = 0, until: int | None = None, kinds: Collection[str] | None = None
    ) -> Iterator[StoredEntry]:
        """Entries with ``after < sequence <= until`` in order, of these kinds only where given.

        Read in pages; entries appended meanwhile may or may not be among them where ``until`` is None.
        """
        condition = ""
        values: tuple[str | int, ...] = tuple(kinds or ())
        if kinds is not None:
            listed = f"kind IN ({_marks(len(values))})"
            few = FREQUENT_KINDS.isdisjoint(kinds)
            rare = f"sequence IN (SELECT sequence FROM rare WHERE {listed} AND sequence > ?)"
            condition = f" AND {rare}" if few else f" AND {listed}"
            values = (*values, after) if few else values
        last = 2**63 - 1 if until is None else until
        sql = f"{_ENTRY} WHERE sequence > ? AND sequence <= ?{condition} ORDER BY sequence LIMIT {_PAGE}"
        while True:
            with self._database.reading() as connection:
                rows: list[_EntryRow] = connection.execute(sql, (after, last, *values)).fetchall()
            yield from map(self._entry, rows)
            if len(rows) < _PAGE:
                return
            after = rows[-1][0]

    def entry(self, sequence: int) -> StoredEntry | None:
        """The entry of that sequence, or None."""
        with self._database.reading() as connection:
            row = connection.execute(f"{_ENTRY} WHERE sequence = ?", (sequence,)).fetchone()
        return None if row is None else self._entry(row)

    def entry_of(self, entity_id: str) -> StoredEntry | None:
        """The entry that brought the entity into being, or None."""
        sql = f"{_ENTRY} WHERE sequence = ?"
        with self._database.reading() as connection:
            origin = connection.execute(_ORIGIN, (entity_id,)).fetchone()
            row = None if origin is None else connection.execute(sql, (origin[0],)).fetchone()
        return None if row is None else self._entry(row)

    def kind_of(self, entity_id: str) -> str | None:
        """The kind under which the entity was recorded, or None."""
        with self._database.reading() as connection:
            row = connection.execute(_ORIGIN, (entity_id,)).fetchone()
        return None if row is None else str(row[1])

    def about(self, entity_id: str) -> list[StoredEntry]:
        """The entries whose ``about`` names the entity, in order."""
        sql = (
            f"{_ENTRY} WHERE sequence IN (SELECT target FROM reference WHERE id = ? "
            "AND role > 'about:' AND role < 'about;') ORDER BY sequence"
        )
        with self._database.reading() as connection:
            return [self._entry(row) for row in connection.execute(sql, (entity_id,))]

    def about_any(self, ids: Collection[str]) -> list[StoredEntry]:
        """The entries whose ``about`` names any of these ids, each once, in order."""
        sql = (
            f"{_ENTRY} WHERE sequence IN (SELECT target FROM json_each(?) AS wanted "
            "CROSS JOIN reference ON reference.id = wanted.value AND role > 'about:' AND role < 'about;') "
            "ORDER BY sequence"
        )
        with self._database.reading() as connection:
            return [self._entry(row) for row in connection.execute(sql, (json.dumps(list(ids)),))]

    def payload_keys_of(self, owners: Collection[str]) -> list[tuple[str, str]]:
        """The (owner, field) of every payload of these nodes and of the statements below them, in order."""
        wanted = json.dumps(list(owners))
        listed = "SELECT reference.id, substr(role, 9) FROM json_each(?1) AS wanted CROSS JOIN reference ON "
        kept = "AND role > 'payload:' AND role < 'payload;'"
        sql = (
            f"{listed} reference.id = wanted.value {kept} UNION {listed} reference.id > wanted.value || '#' "
            f"AND reference.id < wanted.value || '$' {kept} ORDER BY 1, 2"
        )
        with self._database.reading() as connection:
            return connection.execute(sql, (wanted,)).fetchall()

    def of_span(self, whole: str, span: str) -> list[str]:
        """The ids of a part of a whole, in the order recorded."""
        sql = "SELECT kind FROM reference WHERE id = ? AND role > ? AND role < ? ORDER BY role"
        with self._database.reading() as connection:
            rows = connection.execute(sql, (whole, f"{SPAN}{span};", f"{SPAN}{span}<")).fetchall()
        return [row[0] for row in rows]

    def find(self, kind: str, token: bytes) -> list[Lookup]:
        """What a keyed hash stands for, in the order recorded."""
        sql = "SELECT id, since_us FROM lookup WHERE kind = ? AND token = ? ORDER BY sequence, id"
        with self._database.reading() as connection:
            rows = connection.execute(sql, (kind, token)).fetchall()
        return [
            Lookup(kind, token, id_, None if since_us is None else from_microseconds(since_us))
            for id_, since_us in rows
        ]

    def recorded_at(self, sequence: int) -> datetime:
        """When the entry was recorded; raises Refused ``not_found``."""
        with self._database.reading() as connection:
            return from_microseconds(_recorded_us(connection, sequence))

    def sequence_at(self, instant: datetime) -> int:
        """The last sequence recorded at or before ``instant``; 0 for none."""
        wanted = to_microseconds(instant)
        with self._database.reading() as connection:
            low, high = 0, end_of(connection)[0]
            while low < high:
                middle = (low + high + 1) // 2
                if _recorded_us(connection, middle) <= wanted:
                    low = middle
                else:
                    high = middle - 1
        return low

    def _entry(self, row: _EntryRow) -> StoredEntry:
        """A row as a value; a pruned leaf is empty."""
        sequence, id_, kind, recorded_us, packed, hashes = row
        leaf = self._packer.unpack(packed) if packed is not None else b""
        return StoredEntry(sequence, id_, kind, from_microseconds(recorded_us), leaf, hashes[:_HASH_BYTES])


def _marks(count: int) -> str:
    """So many parameter marks."""
    return ", ".join("?" * count)


def end_of(connection: sqlite3.Connection) -> tuple[int, int | None]:
    """The sequence and the time of the last entry; (0, None) when there is none."""
    row = connection.execute(
        "SELECT sequence, recorded_us FROM entry ORDER BY sequence DESC LIMIT 1"
    ).fetchone()
    return (0, None) if row is None else (int(row[0]), int(row[1]))


def _recorded_us(connection: sqlite3.Connection, sequence: int) -> int:
    """The time of an entry; raises Refused ``not_found``."""
    row = connection.execute("SELECT recorded_us FROM entry WHERE sequence = ?", (sequence,)).fetchone()
    if row is None:
        raise Refused("not_found", f"there is no entry {sequence} in the journal")
    return int(row[0])
