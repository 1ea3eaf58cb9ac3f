"""Durable writes of evidence and claims: one by one beside bare SQLite, in batches beside bare Oxigraph."""

import sqlite3
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

import pyoxigraph as ox

from benchmarks.claims_ledger import build_or_open, sentence
from benchmarks.table import Measured, Setting, seconds
from prov_ledger import Ledger

ROUNDS = 7
#: Pairs of evidence and claim in one block.
SINGLES = 50
BATCHED = 500
_PAGE = 1_000


class Bare:
    """The least that SQLite must do for the same bytes: one table, committed with the same settings."""

    def __init__(self, folder: Path) -> None:
        self.connection = sqlite3.connect(folder / "bare.sqlite", isolation_level=None)
        self.connection.execute("PRAGMA journal_mode=WAL")
        self.connection.execute("PRAGMA synchronous=FULL")
        self.connection.execute("CREATE TABLE entry (sequence INTEGER PRIMARY KEY, leaf BLOB, texts BLOB)")

    def commit_each(self, rows: list[tuple[bytes, bytes]]) -> None:
        for row in rows:
            self.connection.execute("BEGIN IMMEDIATE")
            self.connection.execute("INSERT INTO entry VALUES (NULL, ?, ?)", row)
            self.connection.execute("COMMIT")


class Writer:
    """Writes pairs of evidence and claim on revisions of its own, and knows the bytes of what it wrote."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.number = 0
        self.source = ledger.source(native=f"bench/{datetime.now(UTC)}", title="Written by the benchmark")

    def block(self, pairs: int) -> tuple[float, list[tuple[bytes, bytes]]]:
        """Seconds for so many pairs, each durable by itself, and leaf and texts of every entry."""
        revision = self._revision(pairs)
        return self._timed(lambda: self._write(revision, pairs))

    def batch(self, pairs: int) -> tuple[float, list[tuple[bytes, bytes]]]:
        """As ``block``, all of them durable together."""
        revision = self._revision(pairs)

        def write() -> None:
            with self.ledger.batch():
                self._write(revision, pairs)

        return self._timed(write)

    def _timed(self, write: Callable[[], None]) -> tuple[float, list[tuple[bytes, bytes]]]:
        journal = self.ledger._tenant.journal
        before = journal.size()
        taken = seconds(write)
        return taken, [(entry.leaf, self._texts(entry.leaf)) for entry in journal.entries(before)]

    def _texts(self, leaf: bytes) -> bytes:
        """As many bytes as the sealed texts of an entry have: a quote, or a statement and a question."""
        return bytes(120 if b"#Evidence>" in leaf else 140)

    def _revision(self, pairs: int) -> str:
        self.number += 1
        text = "\n".join(sentence(self.number, line, 0) for line in range(pairs + 1))
        revision = self.ledger.revision(self.source, data=text, label=f"state {self.number}")
        # The first look at a page reads it; the others are what is measured.
        self.ledger.evidence(revision, quote=sentence(self.number, pairs, 0))
        return revision

    def _write(self, revision: str, pairs: int) -> None:
        for line in range(pairs):
            evidence = self.ledger.evidence(revision, quote=sentence(self.number, line, 0))
            self.ledger.claim(
                says=f"Item {line} may be returned within {30 + line} days.",
                support=[evidence],
                transformation={"kind": "quote"},
                question={"text": "How long may it be returned?", "facts": {"purchase_date": "2024-01-05"}},
            )


def singles(writer: Writer, bare: Bare) -> Measured:
    ours, theirs = [], []
    for _ in range(ROUNDS):
        taken, rows = writer.block(SINGLES)
        ours.append(taken / len(rows))
        theirs.append(seconds(lambda rows=rows: bare.commit_each(rows)) / len(rows))
    return Measured(
        "single appends, durable",
        median(ours) * 1e3,
        "ms",
        median(theirs) * 1e3,
        0.3,
        True,
        "bare SQLite FULL",
    )


def batched(writer: Writer, store: ox.Store) -> Iterator[Measured]:
    ours, theirs, making, quads = [], [], [], 0
    for _ in range(ROUNDS):
        taken, rows = writer.batch(BATCHED)
        ours.append(taken / len(rows))
        made: list[ox.Quad] = []
        lines = b"".join(leaf for leaf, _ in rows)
        parse = seconds(lambda m=made, x=lines: m.extend(ox.parse(x, ox.RdfFormat.N_QUADS)))
        extend = seconds(lambda m=made: store.bulk_extend(m))
        theirs.append(extend / len(rows))
        making.append((parse + extend) / len(rows))
        quads = len(made) // len(rows)
    mine, note = median(ours) * 1e3, f"bulk_extend of {quads} quads"
    yield Measured("batched appends", mine, "ms", median(theirs) * 1e3, 0.25, True, note)
    yield Measured(
        "  and making the quads", mine, "ms", median(making) * 1e3, None, True, "parsed from lines"
    )


def measure(setting: Setting) -> Iterator[Measured]:
    folder = setting.home / str(setting.claims)
    build_or_open(folder, setting.claims)
    with Ledger.open(folder) as ledger:
        writer = Writer(ledger)
        yield singles(writer, Bare(setting.scratch))
        yield from batched(writer, ox.Store(str(setting.scratch / "extended")))
