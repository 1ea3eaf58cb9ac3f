"""Who was shown what, when and under which policy: ids only, in a file of its own.

Each record carries a hash over itself and the one before, so that what is changed or taken out later
shows, up to the last record whose hash somebody else keeps: the journal does, in entries of its own.
What is old enough may be forgotten from the beginning on; the chain then goes on from its last hash.
"""

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path

from prov_ledger.errors import Corrupt, Refused
from prov_ledger.vault.append import from_microseconds, to_microseconds
from prov_ledger.vault.crash import crash_point
from prov_ledger.vault.database import BUSY_TIMEOUT_MS, SCRUB_WAIT_MS, Database, Scrubbed
from prov_ledger.vault.schema import DISCLOSURES
from prov_ledger.vault.together import Together

DISCLOSURES_FILE = "disclosures.sqlite"
_FIRST = bytes(32)
#: Settings: the number and the hash of the last occasion that was forgotten.
_FORGOTTEN, _FORGOTTEN_HASH = "forgotten", "forgotten_hash"
_COLUMNS = "o.at_us, o.reader, o.purpose, o.thread, o.policy, o.sequence"
_READ = f"""SELECT {_COLUMNS}, i.id, i.evidence, i.words
    FROM occasion o JOIN item i ON i.occasion = o.number"""
_TESTS = {
    "id": "(i.id = :id OR instr(' ' || i.evidence || ' ', ' ' || :id || ' '))",
    "reader": "o.reader = :reader",
    "thread": "o.thread = :thread",
    "from": "o.at_us >= :from",
    "until": "o.at_us < :until",
}


@dataclass(frozen=True, slots=True)
class Occasion:
    """One answer that showed something: to whom (None: nobody whom the ledger knows), for what, and where.

    ``sequence`` is the journal's size when it was decided, ``policy_version`` what permitted it.
    """

    at: datetime
    reader: str | None
    purpose: str | None
    thread: str | None
    policy_version: str
    sequence: int


@dataclass(frozen=True, slots=True)
class Disclosed:
    """What was shown for one id: the evidence whose quotes were, and whether its own words were."""

    id: str
    evidence: tuple[str, ...]
    words: bool


@dataclass(frozen=True, slots=True)
class Disclosure:
    """One id that was shown something of, with its occasion."""

    occasion: Occasion
    disclosed: Disclosed


_Row = tuple[int | str | None, ...]
#: The columns of an occasion, what of it is hashed, and its items.
_Record = tuple[_Row, bytes, Sequence[Disclosed]]


class Disclosures:
    """The records of a tenant, ``disclosures.sqlite``; ``append`` is the only writer."""

    def __init__(self, database: Database) -> None:
        """Use an open database of the schema of disclosures; ``open`` makes one."""
        self._database = database
        self._together = Together(self._write)

    @classmethod
    def open(cls, folder: Path, *, busy_timeout_ms: int = BUSY_TIMEOUT_MS) -> "Disclosures":
        """Open the records of a folder, which are created where there are none yet."""
        path = folder / DISCLOSURES_FILE
        try:
            return cls(Database(path, DISCLOSURES, busy_timeout_ms=busy_timeout_ms))
        except Refused:
            pass
        try:
            return cls(Database.create(path, DISCLOSURES, busy_timeout_ms=busy_timeout_ms))
        except Refused:
            # Another process created it in between.
            return cls(Database(path, DISCLOSURES, busy_timeout_ms=busy_timeout_ms))

    @property
    def path(self) -> Path:
        """Where the file is."""
        return self._database.path

    def append(self, occasion: Occasion, items: Sequence[Disclosed]) -> None:
        """Record what one answer shows, durably; raises StorageError: then show nothing.

        Answers that are given at once share a commit.
        """
        row = _row(occasion)
        self._together.add((row, _hashed(row, items), items))

    def _write(self, records: Sequence[_Record]) -> None:
        """Chain and keep records in one commit."""
        with self._database.writing() as connection:
            last, before = _last(connection)
            occasions: list[tuple[object, ...]] = []
            shown: list[tuple[object, ...]] = []
            for number, (row, hashed, items) in enumerate(records, last + 1):
                before = sha256(before + hashed).digest()
                occasions.append((number, *row, before))
                shown += [
                    (number, position, item.id, item.words, " ".join(item.evidence))
                    for position, item in enumerate(items)
                ]
            connection.executemany("INSERT INTO occasion VALUES (?, ?, ?, ?, ?, ?, ?, ?)", occasions)
            connection.executemany("INSERT INTO item VALUES (?, ?, ?, ?, ?)", shown)

    def read(
        self,
        *,
        id: str | None = None,
        reader: str | None = None,
        thread: str | None = None,
        from_: datetime | None = None,
        until: datetime | None = None,
    ) -> list[Disclosure]:
        """What was shown, in the order recorded, narrowed by whatever is given.

        ``id``: of a claim or evidence, as what was asked for or among the evidence shown; found by reading
        every record, about a second per million. ``from_`` to ``until`` is half-open.
        """
        given = {
            "id": id,
            "reader": reader,
            "thread": thread,
            "from": to_microseconds(from_) if from_ is not None else None,
            "until": to_microseconds(until) if until is not None else None,
        }
        tests = [test for name, test in _TESTS.items() if given[name] is not None]
        where = f"WHERE {' AND '.join(tests)}" if tests else ""
        sql = f"{_READ} {where} ORDER BY o.number, i.position"
        with self._database.reading() as connection:
            return [_disclosure(row) for row in connection.execute(sql, given)]

    def last_rendered(self, reader: str | None, threads: Sequence[str]) -> list[str]:
        """The claims of the packet that a reader was shown last in these threads, in their order.

        A rendered packet is an occasion whose first item is the packet itself.
        """
        marks = ", ".join("?" * len(threads))
        sql = (
            "SELECT o.number FROM occasion o JOIN item i ON i.occasion = o.number AND i.position = 0 "
            f"WHERE o.reader IS ? AND o.thread IN ({marks}) AND i.id LIKE 'rem!_%' ESCAPE '!' "
            "ORDER BY o.number DESC LIMIT 1"
        )
        with self._database.reading() as connection:
            row = connection.execute(sql, (reader, *threads)).fetchone()
            return [item.id for item in _items(connection, row[0])[1:]] if row is not None else []

    def shown_of(self, ids: Collection[str]) -> list[Disclosure]:
        """Whatever was shown of any of these ids, in the order recorded; found by reading every record."""
        wanted = frozenset(ids)
        sql = f"{_READ} ORDER BY o.number, i.position"
        with self._database.reading() as connection:
            return [
                _disclosure(row)
                for row in connection.execute(sql)
                if row[6] in wanted or not wanted.isdisjoint(row[7].split())
            ]

    def head(self) -> tuple[int, bytes]:
        """How many occasions there were, and the hash over all of them: what an outsider may keep."""
        with self._database.reading() as connection:
            return _last(connection)

    def forgotten(self) -> int:
        """How many of the first occasions were forgotten."""
        with self._database.reading() as connection:
            return _before(connection)[0]

    def forget_before(self, instant: datetime) -> int:
        """Forget the occasions up to the first one at or after ``instant``, durably; how many there were.

        The chain still verifies from there on; the head stays as it was.
        """
        with self._database.writing() as connection:
            first = connection.execute(
                "SELECT min(number) FROM occasion WHERE at_us >= ?", (to_microseconds(instant),)
            ).fetchone()[0]
            end = _last(connection)[0] + 1 if first is None else int(first)
            row = connection.execute("SELECT hash FROM occasion WHERE number = ?", (end - 1,)).fetchone()
            if row is None:
                return 0
            connection.execute("DELETE FROM item WHERE occasion < ?", (end,))
            count = int(connection.execute("DELETE FROM occasion WHERE number < ?", (end,)).rowcount)
            connection.executemany(
                "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                [(_FORGOTTEN, str(end - 1)), (_FORGOTTEN_HASH, bytes(row[0]).hex())],
            )
        crash_point("disclosures.forgotten")
        return count

    def verify(self, kept: Sequence[tuple[int, bytes]] = ()) -> None:
        """Recompute every hash; raises Corrupt at the first record that differs or is missing.

        ``kept``: heads that somebody else kept, in the order of their numbers; each has to be the hash of
        that occasion, where it is not forgotten.
        """
        expected_heads = dict(kept)
        with self._database.reading() as connection:
            number, before = _before(connection)
            for expected, (found_number, row, found) in enumerate(_occasions(connection), number + 1):
                before = sha256(before + _hashed(row, _items(connection, found_number))).digest()
                if found_number != expected or before != found:
                    raise Corrupt(f"{self.path.name}: occasion {expected} is not what was recorded")
                if expected_heads.get(expected, found) != found:
                    raise Corrupt(f"{self.path.name}: occasion {expected} is not the one the journal knows")
                number = expected
        if kept and max(expected_heads) > number:
            raise Corrupt(
                f"{self.path.name}: it ends at occasion {number}, the journal knows of {max(expected_heads)}"
            )

    def scrub(self, *, compact: bool = False, wait_ms: int = SCRUB_WAIT_MS) -> Scrubbed:
        """Take what was deleted out of the file and its log; see ``Database.scrub``."""
        return self._database.scrub(compact=compact, wait_ms=wait_ms)

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        self._database.close()


def _row(occasion: Occasion) -> _Row:
    return (
        to_microseconds(occasion.at),
        occasion.reader,
        occasion.purpose,
        occasion.thread,
        occasion.policy_version,
        occasion.sequence,
    )


def _disclosure(row: tuple[int, str | None, str | None, str | None, str, int, str, str, int]) -> Disclosure:
    at_us, reader, purpose, thread, policy, sequence, id, evidence, words = row
    occasion = Occasion(from_microseconds(at_us), reader, purpose, thread, policy, sequence)
    return Disclosure(occasion, Disclosed(id, tuple(evidence.split()), bool(words)))


def _last(connection: sqlite3.Connection) -> tuple[int, bytes]:
    sql = "SELECT number, hash FROM occasion ORDER BY number DESC LIMIT 1"
    row = connection.execute(sql).fetchone()
    return _before(connection) if row is None else (int(row[0]), bytes(row[1]))


def _before(connection: sqlite3.Connection) -> tuple[int, bytes]:
    """The number and the hash of what lies before the first record: what was forgotten, or nothing."""
    found = dict(connection.execute("SELECT key, value FROM meta WHERE key LIKE 'forgotten%'"))
    return int(found.get(_FORGOTTEN, 0)), bytes.fromhex(found.get(_FORGOTTEN_HASH, _FIRST.hex()))


def _occasions(connection: sqlite3.Connection) -> Iterator[tuple[int, _Row, bytes]]:
    sql = f"SELECT o.number, o.hash, {_COLUMNS} FROM occasion o ORDER BY o.number"
    for number, hash, *row in connection.execute(sql):
        yield number, tuple(row), hash


def _items(connection: sqlite3.Connection, number: int) -> list[Disclosed]:
    sql = "SELECT id, evidence, words FROM item WHERE occasion = ? ORDER BY position"
    rows = connection.execute(sql, (number,))
    return [Disclosed(id, tuple(evidence.split()), bool(words)) for id, evidence, words in rows]


def _hashed(row: _Row, items: Sequence[Disclosed]) -> bytes:
    """What of a record is hashed, behind the hash before it: each field on a line of its own."""
    lines = ["" if field is None else str(field) for field in row]
    lines += [f"{item.id} {int(item.words)} {' '.join(item.evidence)}" for item in items]
    return "\n".join(lines).encode()
