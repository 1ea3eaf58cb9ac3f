"""Taking things out of a journal for good: payloads, look-ups, the bodies of entries.

Entries with their hashes stay, so that every other proof verifies. What is taken out is remembered by
its commitment and the entry that says why, so that a check tells what was erased from what is missing.
All of it happens inside ``journal.writing()`` and becomes durable, or is undone, with that write.
"""

import json
import sqlite3
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from prov_ledger.vault.append import PAYLOAD, SqliteTransaction
from prov_ledger.vault.crash import crash_point
from prov_ledger.vault.sqlite_errors import translated
from prov_ledger.vault.stored import LookupRow

#: A setting of the journal: by which generation of key the keyed hashes of names are covered.
COVER = "cover"
#: A setting of a restored journal: up to this number, a key without a payload was to be destroyed.
SETTLED = "settled_keys"


@dataclass(frozen=True, slots=True)
class Removed:
    """That the payload of a field was taken out because of the entry ``sequence``."""

    owner: str
    field: str
    commitment_hex: str
    sequence: int


class Removing:
    """What may be taken out while a journal's write lock is held."""

    def __init__(self, transaction: SqliteTransaction) -> None:
        """Work in an open transaction, which commits or undoes all of it."""
        self._connection = transaction.connection
        self._path = transaction.path

    def payload_keys_of(self, owner: str) -> list[tuple[str, str]]:
        """The (owner, field) of every payload of a node itself and of the statements below it."""
        sql = (
            "SELECT id, substr(role, 9) FROM reference "
            "WHERE (id = ?1 OR (id > ?1 || '#' AND id < ?1 || '$')) "
            "AND role > 'payload:' AND role < 'payload;' ORDER BY id, role"
        )
        with translated(self._path):
            return self._connection.execute(sql, (owner,)).fetchall()

    def tickets_of(self, keys: Collection[tuple[str, str]]) -> list[int]:
        """The numbers of the keys of those payloads that there are."""
        sql = (
            "SELECT target FROM json_each(?) AS wanted CROSS JOIN reference "
            "ON reference.id = json_extract(wanted.value, '$[0]') "
            "AND role = json_extract(wanted.value, '$[1]')"
        )
        wanted = json.dumps([(owner, PAYLOAD + field) for owner, field in keys])
        with translated(self._path):
            return [int(target) for (target,) in self._connection.execute(sql, (wanted,))]

    def remove_payloads(self, keys: Collection[tuple[str, str]], sequence: int) -> list[int]:
        """Take out payloads because of the entry ``sequence``; the numbers of their keys, to be destroyed.

        Destroy the keys only once this is durable. One that is out already is left out.
        """
        tickets = self.tickets_of(keys)
        wanted = json.dumps(tickets)
        listed = "(SELECT value FROM json_each(?1))"
        execute = self._connection.execute
        with translated(self._path):
            execute(
                "INSERT OR REPLACE INTO removed SELECT commitment, owner, field, ?2 FROM payload "
                f"WHERE ticket IN {listed}",
                (wanted, sequence),
            )
            self._connection.executemany(
                "DELETE FROM reference WHERE id = ? AND role = ?",
                [(owner, PAYLOAD + field) for owner, field in keys],
            )
            execute(f"DELETE FROM payload WHERE ticket IN {listed}", (wanted,))
        crash_point("journal.payloads_removed")
        return tickets

    def remove_lookups(self, ids: Collection[str], kinds: Collection[str] | None = None) -> int:
        """Take out all that is found by a keyed hash and leads to one of these ids; how many there were.

        ``kinds``: of these kinds only. Look-ups are found by reading all, some 0.2 s per million.
        """
        sql = "DELETE FROM lookup WHERE id IN (SELECT value FROM json_each(?))"
        values = [json.dumps(list(ids))]
        if kinds is not None:
            sql += " AND kind IN (SELECT value FROM json_each(?))"
            values.append(json.dumps(list(kinds)))
        with translated(self._path):
            return self._connection.execute(sql, values).rowcount

    def retoken(self, changed: Callable[[bytes], bytes], generation: int) -> int:
        """Replace every keyed hash; how many there were.

        ``generation``: of the key that ``changed`` covers with; later look-ups are to be made with it.
        """
        count = 0

        def covered(rows: list[LookupRow]) -> Iterable[LookupRow]:
            nonlocal count
            count = len(rows)
            return [(kind, changed(token), at, id, since) for kind, token, at, id, since in rows]

        self.replace_lookups(covered, generation)
        return count

    def replace_lookups(
        self, rows: Callable[[list[LookupRow]], Iterable[LookupRow]], generation: int
    ) -> None:
        """Replace every look-up by what ``rows`` makes of them."""
        with translated(self._path):
            old = self._connection.execute(
                "SELECT kind, token, sequence, id, since_us FROM lookup"
            ).fetchall()
            self._connection.execute("DELETE FROM lookup")
            self.set_meta(COVER, str(generation))
        new = list(rows(old))
        with translated(self._path):
            self._connection.executemany("INSERT OR IGNORE INTO lookup VALUES (?, ?, ?, ?, ?)", new)

    def prune(self, sequences: Iterable[int], because: int, kept: Collection[str] = ()) -> list[int]:
        """Take out the bodies of entries because of the entry ``because``; the keys of their payloads.

        Leaves, and all that leads to these entries, go, but for look-ups of the kinds ``kept``, which are
        of more than one entry; the entries' rows and hashes stay. References are found by reading all,
        some 0.3 s per million.
        """
        wanted = json.dumps(sorted(set(sequences)))
        listed = "(SELECT value FROM json_each(?1))"
        execute = self._connection.execute
        with translated(self._path):
            owned = f"SELECT owner, field FROM payload WHERE sequence IN {listed}"
            keys = execute(owned, (wanted,)).fetchall()
            tickets = self.remove_payloads(keys, because)
            execute(f"UPDATE entry SET leaf = NULL WHERE sequence IN {listed}", (wanted,))
            others = "kind NOT IN (SELECT value FROM json_each(?2))"
            names = f"DELETE FROM lookup WHERE sequence IN {listed} AND {others}"
            execute(names, (wanted, json.dumps(list(kept))))
            execute(
                f"DELETE FROM reference WHERE role NOT LIKE 'payload:%' AND target IN {listed}", (wanted,)
            )
        crash_point("journal.pruned")
        return tickets

    def set_meta(self, key: str, value: str) -> None:
        """Set a setting of the journal."""
        self._connection.execute(
            "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            (key, value),
        )

    def drop_meta(self, key: str) -> None:
        """Forget a setting of the journal."""
        self._connection.execute("DELETE FROM meta WHERE key = ?", (key,))


def removed_payloads(connection: sqlite3.Connection) -> list[Removed]:
    """All that was taken out, in the order of commitments."""
    rows = connection.execute("SELECT owner, field, commitment, sequence FROM removed ORDER BY commitment")
    return [Removed(owner, field, commitment.hex(), sequence) for owner, field, commitment, sequence in rows]
