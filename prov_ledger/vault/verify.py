"""Recomputing a journal: every leaf, the tree, every reference and every sealed payload.

``check_`` functions yield what is wrong and where; ``verify_`` functions raise at the first of it. No
finding ever holds a text: it names sequences, ids and fields.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from prov_ledger.errors import Corrupt
from prov_ledger.merkle.tree import Frontier, NodeHash, leaf_hash
from prov_ledger.vault.journal import SqliteJournal
from prov_ledger.vault.removing import SETTLED
from prov_ledger.vault.sealing import Sealer
from prov_ledger.vault.stored import StoredRow
from prov_ledger.vault.tickets import TicketStore


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is not as recorded: where (an entry, a payload, the file), and what."""

    where: str
    what: str


def check_tree(journal: SqliteJournal, until: int | None = None) -> Iterator[Finding]:
    """Sequences without a gap, recorded times that never go back, leaf hashes and every inner hash.

    ``until``: only the first so many entries; None: all.
    """
    frontier = Frontier()
    last_us: int | None = None
    for row in journal.rows(until):
        if row.sequence != frontier.size + 1:
            yield Finding(
                f"entry {frontier.size + 1}", f"it is missing: the next one has sequence {row.sequence}"
            )
            return
        if last_us is not None and row.recorded_us < last_us:
            yield Finding(f"entry {row.sequence}", "it was recorded before the entry that it follows")
        last_us = row.recorded_us
        yield from _check_hashes(row, frontier)


def check_references(journal: SqliteJournal) -> Iterator[Finding]:
    """The file's own structure, and that all references, payloads and look-ups lead somewhere."""
    for where, what in journal.broken_references():
        yield Finding(where, what)


def check_payloads(journal: SqliteJournal, sealer: Sealer) -> Iterator[Finding]:
    """Every payload opens, matches its commitment, and its commitment stands in the leaf that recorded it."""
    for sequence, payload in journal.sealed():
        where = f"payload {payload.field} of {payload.owner}"
        try:
            sealer.open(payload)
        except Corrupt as error:
            yield Finding(where, error.message)
        try:
            entry = journal.entry(sequence)
        except Corrupt:
            yield Finding(
                where, f"its commitment cannot be looked for: the leaf of entry {sequence} is not sound"
            )
            continue
        if entry is None:
            yield Finding(where, f"its entry {sequence} is missing")
        elif entry.leaf and payload.commitment_hex.encode() not in entry.leaf:
            yield Finding(where, f"its commitment does not stand in the leaf of entry {sequence}")


def check_keys(journal: SqliteJournal, tickets: TicketStore) -> Iterator[Finding]:
    """No key of an earlier life of the ledger is there without its payload: no erasure would destroy it.

    Keys that were made since may be in reserve, in a process that uses them next.
    """
    settled = int(journal.meta(SETTLED) or 0)
    if settled and (count := sum(1 for ticket in orphans(journal, tickets) if ticket <= settled)):
        yield Finding("keys", f"{count} of before the restore are there, and no payload has them")


def orphans(journal: SqliteJournal, tickets: TicketStore) -> set[int]:
    """The keys that no payload has: in reserve, left by a killed process, or of an earlier life."""
    there = tickets.all()
    return there - {payload.ticket for _, payload in journal.sealed()}


def verify_tree(journal: SqliteJournal, until: int | None = None) -> NodeHash:
    """The recomputed root; raises Corrupt when ``check_tree`` finds anything."""
    _raise_first(check_tree(journal, until))
    return journal.root_at(journal.size() if until is None else until)


def verify_references(journal: SqliteJournal) -> None:
    """Raises Corrupt when ``check_references`` finds anything."""
    _raise_first(check_references(journal))


def verify_payloads(journal: SqliteJournal, sealer: Sealer) -> None:
    """Raises Corrupt when ``check_payloads`` finds anything."""
    _raise_first(check_payloads(journal, sealer))


def _check_hashes(row: StoredRow, frontier: Frontier) -> Iterator[Finding]:
    """One entry's leaf and the subtrees that it completes; the frontier grows by the stored leaf hash."""
    stored = row.hashes[0] if row.hashes else b""
    where = f"entry {row.sequence}"
    if row.leaf is not None and leaf_hash(row.leaf) != stored:
        yield Finding(where, f"its leaf has hash {leaf_hash(row.leaf).hex()}, recorded was {stored.hex()}")
    completed = frontier.append(stored)
    if len(row.hashes) != 1 + len(completed):
        yield Finding(where, f"it has {len(row.hashes)} hashes, expected {1 + len(completed)}")
        return
    for node, recorded in zip(completed, row.hashes[1:], strict=True):
        if node.hash != recorded:
            yield Finding(where, f"the tree's node at level {node.level}, index {node.index} does not match")


def _raise_first(findings: Iterable[Finding]) -> None:
    """Raise Corrupt for the first finding, if there is one."""
    for finding in findings:
        raise Corrupt(f"{finding.where}: {finding.what}")
