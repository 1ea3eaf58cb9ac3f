"""Rows of the journal's file as a check reads them: nothing is taken on trust, nothing left out."""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

from prov_ledger.errors import Corrupt
from prov_ledger.merkle.tree import NodeHash
from prov_ledger.vault.packing import LeafPacker
from prov_ledger.vault.port import SealedPayload
from prov_ledger.vault.schema import FREQUENT_KINDS
from prov_ledger.vault.sealing import split_chunks

_HASH_BYTES = 32
_PAGE = 512


@dataclass(frozen=True, slots=True)
class StoredRow:
    """An entry's row: ``leaf`` is None where it was pruned; ``hashes`` begin with the leaf hash."""

    sequence: int
    id: str
    kind: str
    recorded_us: int
    leaf: bytes | None
    hashes: tuple[NodeHash, ...]


#: One page of entries after a sequence.
ROWS = (
    "SELECT sequence, id, kind, recorded_us, leaf, hashes FROM entry "
    f"WHERE sequence > ? AND sequence <= ? ORDER BY sequence LIMIT {_PAGE}"
)
#: One page of payloads after a ticket.
SEALED = (
    "SELECT ticket, owner, field, sequence, commitment, size_bytes, chunks FROM payload "
    f"WHERE ticket > ? ORDER BY ticket LIMIT {_PAGE}"
)
#: One page of references to entries after an id and role, in the order in which they lie.
REFERENCES = (
    "SELECT id, role, target, kind FROM reference WHERE (id, role) > (?, ?) "
    f"AND role NOT LIKE 'payload:%' AND role NOT LIKE 'span:%' ORDER BY id, role LIMIT {_PAGE}"
)
#: One page of look-ups after a whole key.
LOOKUPS = (
    "SELECT kind, token, sequence, id, since_us FROM lookup WHERE (kind, token, sequence, id) > (?, ?, ?, ?) "
    f"ORDER BY kind, token, sequence, id LIMIT {_PAGE}"
)
ReferenceRow = tuple[str, str, int, str | None]
LookupRow = tuple[str, bytes, int, str, int | None]
#: What each query returns is broken: (where, what).
BROKEN = (
    "SELECT 'payload ' || field || ' of ' || owner, 'no reference leads to it' FROM payload WHERE NOT EXISTS "
    "(SELECT 1 FROM reference WHERE id = owner AND role = 'payload:' || field AND target = ticket)",
    "SELECT substr(role, 9) || ' of ' || id, 'its payload is missing' FROM reference "
    "WHERE role LIKE 'payload:%' AND target NOT IN (SELECT ticket FROM payload)",
    "SELECT substr(role, 9) || ' of ' || id, 'it leads to a payload of something else' FROM reference "
    "JOIN payload ON ticket = target WHERE role LIKE 'payload:%' "
    "AND (owner <> id OR 'payload:' || field <> role)",
    "SELECT id, 'it refers to entry ' || target || ', which is missing' FROM reference "
    "WHERE role NOT LIKE 'payload:%' AND target NOT IN (SELECT sequence FROM entry)",
    "SELECT id, 'a span of it leads to ' || kind || ', which entry ' || target || ' did not bring' "
    "FROM reference AS span WHERE role LIKE 'span:%' AND NOT EXISTS (SELECT 1 FROM reference AS brought "
    "WHERE brought.id = span.kind AND brought.role = 'origin' AND brought.target = span.target)",
    "SELECT 'entry ' || sequence, 'it is not found by its kind' FROM entry WHERE kind NOT IN "
    f"({', '.join(repr(kind) for kind in sorted(FREQUENT_KINDS))}) "
    "AND NOT EXISTS (SELECT 1 FROM rare WHERE rare.kind = entry.kind AND rare.sequence = entry.sequence)",
    "SELECT 'entry ' || sequence, 'it is found by a kind that is not its own' FROM rare WHERE NOT EXISTS "
    "(SELECT 1 FROM entry WHERE entry.sequence = rare.sequence AND entry.kind = rare.kind)",
    "SELECT id, 'two entries have this id' FROM entry GROUP BY id HAVING count(*) > 1",
)


def _leaf(packer: LeafPacker, packed: bytes | None) -> bytes | None:
    """The leaf, None where it was pruned; empty, which no leaf is, where it does not unpack."""
    try:
        return packer.unpack(packed) if packed is not None else None
    except Corrupt:
        return b""


def page_of_rows(
    connection: sqlite3.Connection, packer: LeafPacker, after: int, until: int
) -> list[StoredRow]:
    """At most a page of entries with ``after < sequence <= until``, in order."""
    return [
        StoredRow(sequence, id, kind, recorded_us, _leaf(packer, packed), _split(hashes))
        for sequence, id, kind, recorded_us, packed, hashes in connection.execute(ROWS, (after, until))
    ]


def page_of_payloads(connection: sqlite3.Connection, after: int) -> list[tuple[int, SealedPayload]]:
    """At most a page of (sequence, payload) with a ticket beyond ``after``, in order."""
    return [
        (sequence, SealedPayload(owner, field, ticket, commitment.hex(), split_chunks(chunks), size_bytes))
        for ticket, owner, field, sequence, commitment, size_bytes, chunks in connection.execute(
            SEALED, (after,)
        )
    ]


def page_of_references(connection: sqlite3.Connection, after: tuple[str, str]) -> list[ReferenceRow]:
    """At most a page of references to entries behind (id, role), in order."""
    return connection.execute(REFERENCES, after).fetchall()


def page_of_lookups(connection: sqlite3.Connection, after: tuple[str, bytes, int, str]) -> list[LookupRow]:
    """At most a page of look-ups behind (kind, token, sequence, id), in order."""
    return connection.execute(LOOKUPS, after).fetchall()


def broken_references(connection: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """Where the file contradicts itself: (where, what)."""
    for (message,) in connection.execute("PRAGMA integrity_check"):
        if message != "ok":
            yield "the journal's file", "SQLite's own check fails; restore it from a backup"
            return
    for query in BROKEN:
        yield from connection.execute(query)


def _split(hashes: bytes) -> tuple[NodeHash, ...]:
    """The hashes that lie end to end; a rest that is no whole hash is one more."""
    return tuple(hashes[start : start + _HASH_BYTES] for start in range(0, len(hashes), _HASH_BYTES))
