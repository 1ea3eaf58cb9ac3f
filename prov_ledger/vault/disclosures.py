"""Who was shown what, when and under which policy: ids only, in a file of its own.

Each record carries a hash over itself and the one before, so that what is changed or taken out later
shows, up to the last record whose hash somebody else keeps.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path

from prov_ledger.errors import Corrupt, Refused
from prov_ledger.vault.append import from_microseconds, to_microseconds
from prov_ledger.vault.database import BUSY_TIMEOUT_MS, Database
from prov_ledger.vault.schema import DISCLOSURES

DISCLOSURES_FILE = "disclosures.sqlite"
_FIRST = bytes(32)
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


class Disclosures:
    """The records of a tenant, ``disclosures.sqlite``; ``append`` is the only writer."""

    def __init__(self, database: Database) -> None:
        """Use an open database of the schema of disclosures; ``open`` makes one."""
        self._database = database

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
        """Record what one answer shows, durably, in one commit; raises StorageError: then show nothing."""
        with self._database.writing() as connection:
            number, before = _last(connection)
            row = _row(occasion)
            connection.execute(
                "INSERT INTO occasion VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (number + 1, *row, _chained(before, row, items)),
            )
            connection.executemany(
                "INSERT INTO item VALUES (?, ?, ?, ?, ?)",
                [
                    (number + 1, position, item.id, item.words, " ".join(item.evidence))
                    for position, item in enumerate(items)
                ],
            )

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

    def head(self) -> tuple[int, bytes]:
        """How many occasions there are, and the hash over all of them: what an outsider may keep."""
        with self._database.reading() as connection:
            return _last(connection)

    def verify(self) -> None:
        """Recompute every hash; raises Corrupt at the first record that differs or is missing."""
        before = _FIRST
        with self._database.reading() as connection:
            for expected, (number, row, found) in enumerate(_occasions(connection), 1):
                before = _chained(before, row, _items(connection, number))
                if number != expected or before != found:
                    raise Corrupt(f"{self.path.name}: occasion {expected} is not what was recorded")

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        self._database.close()


_Row = tuple[int | str | None, ...]


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
    number, hash = connection.execute(sql).fetchone() or (0, _FIRST)
    return int(number), bytes(hash)


def _occasions(connection: sqlite3.Connection) -> Iterator[tuple[int, _Row, bytes]]:
    sql = f"SELECT o.number, o.hash, {_COLUMNS} FROM occasion o ORDER BY o.number"
    for number, hash, *row in connection.execute(sql):
        yield number, tuple(row), hash


def _items(connection: sqlite3.Connection, number: int) -> list[Disclosed]:
    sql = "SELECT id, evidence, words FROM item WHERE occasion = ? ORDER BY position"
    rows = connection.execute(sql, (number,))
    return [Disclosed(id, tuple(evidence.split()), bool(words)) for id, evidence, words in rows]


def _chained(before: bytes, row: _Row, items: Sequence[Disclosed]) -> bytes:
    """SHA-256 over the hash before and the record, each field on a line of its own."""
    lines = ["" if field is None else str(field) for field in row]
    lines += [f"{item.id} {int(item.words)} {' '.join(item.evidence)}" for item in items]
    return sha256(before + "\n".join(lines).encode()).digest()
