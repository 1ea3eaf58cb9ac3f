"""How fast the vault is, side by side with bare SQLite doing the same durable work.

Prints ratios of medians of interleaved rounds. Run: ``python benchmarks/bench_vault.py [--json]``.
"""

import argparse
import json
import os
import secrets
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from prov_ledger.vault.journal import SqliteJournal
from prov_ledger.vault.keys import FileKeys
from prov_ledger.vault.port import Lookup, NewEntry, SealedPayload
from prov_ledger.vault.sealing import Sealer
from prov_ledger.vault.tickets import TicketStore

LEAF_BYTES = 4096
QUOTE = b"Customers in the EU may return goods within 60 days of the purchase. " * 2
ROUNDS = 7
SINGLES = 300
BATCH = 2000
OPENS = 2000


class Vault:
    """A tenant's journal and keys in a fresh folder."""

    def __init__(self, folder: Path) -> None:
        self.journal = SqliteJournal.create(folder / "tenant")
        self.tickets = TicketStore.create(folder / "tenant", "bench", FileKeys(folder / "keys"))
        self.sealer = Sealer(self.tickets)
        self.made = 0

    def draft(self) -> NewEntry:
        """An entry as evidence with a claim makes it: a leaf of 4 kB and two payloads."""
        self.made += 1
        evidence, claim = f"ev_{secrets.token_hex(9)}", f"cl_{secrets.token_hex(9)}"
        payloads = [
            self.sealer.seal(evidence, "quote", QUOTE),
            self.sealer.seal(claim, "statement", QUOTE),
        ]
        leaf = (payloads[0].commitment_hex + payloads[1].commitment_hex).encode() * (LEAF_BYTES // 128)
        return NewEntry(
            f"ent_{secrets.token_hex(9)}",
            "claim",
            datetime.now(UTC),
            leaf,
            [(evidence, "evidence"), (claim, "claim")],
            [evidence, "rev_0000000000000000aa"],
            payloads,
            [Lookup("span", self.sealer.token("span", evidence), evidence)],
        )

    def close(self) -> None:
        self.tickets.close()
        self.journal.close()


class Bare:
    """The least that SQLite must do for the same bytes: one table of blobs, WAL, synchronous=FULL."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self.connection = sqlite3.connect(folder / "bare.sqlite", isolation_level=None)
        self.connection.execute("PRAGMA journal_mode=WAL")
        self.connection.execute("PRAGMA synchronous=FULL")
        self.connection.execute("CREATE TABLE entry (sequence INTEGER PRIMARY KEY, leaf BLOB, texts BLOB)")
        self.leaf = os.urandom(LEAF_BYTES)
        self.texts = os.urandom(2 * (len(QUOTE) + 64))

    def append(self, count: int) -> None:
        self.connection.execute("BEGIN IMMEDIATE")
        for _ in range(count):
            self.connection.execute("INSERT INTO entry VALUES (NULL, ?, ?)", (self.leaf, self.texts))
        self.connection.execute("COMMIT")

    def close(self) -> None:
        self.connection.close()


def seconds(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def single_appends(vault: Vault) -> None:
    for _ in range(SINGLES):
        with vault.journal.writing() as transaction:
            transaction.append(vault.draft())


def batched_appends(vault: Vault) -> None:
    with vault.journal.writing() as transaction:
        for _ in range(BATCH):
            transaction.append(vault.draft())


def bare_singles(bare: Bare) -> None:
    for _ in range(SINGLES):
        bare.append(1)


def seal_many(sealer: Sealer) -> None:
    for _ in range(OPENS):
        sealer.seal("ev_x", "quote", QUOTE)


def open_each(sealer: Sealer, payloads: list[SealedPayload]) -> None:
    for payload in payloads:
        sealer.open(payload)


@contextmanager
def workplace() -> Iterator[tuple[Vault, Bare]]:
    with tempfile.TemporaryDirectory() as name:
        vault, bare = Vault(Path(name) / "vault"), Bare(Path(name) / "bare")
        try:
            yield vault, bare
        finally:
            vault.close()
            bare.close()


def measure(prefill: int) -> dict[str, float]:
    """Medians over interleaved rounds; times in microseconds per entry or payload."""
    times: dict[str, list[float]] = {}

    def note(name: str, taken: float, count: int) -> None:
        times.setdefault(name, []).append(taken / count * 1e6)

    with workplace() as (vault, bare):
        while vault.journal.size() < prefill:
            batched_appends(vault)
        for _ in range(ROUNDS):
            note("bare single", seconds(lambda: bare_singles(bare)), SINGLES)
            note("vault single", seconds(lambda: single_appends(vault)), SINGLES)
            note("bare batched", seconds(lambda: bare.append(BATCH)), BATCH)
            note("vault batched", seconds(lambda: batched_appends(vault)), BATCH)
            keys = [key for key, _ in zip(vault.journal.payload_keys(), range(OPENS), strict=False)]
            sealed = list(vault.journal.payloads(keys).values())
            note("read payload row", seconds(partial(vault.journal.payloads, keys)), len(keys))
            note("open payload", seconds(partial(open_each, vault.sealer, sealed)), len(keys))
            note("open many", seconds(partial(vault.sealer.open_many, sealed)), len(keys))
            note("seal", seconds(lambda: seal_many(vault.sealer)), OPENS)
    found = {name: statistics.median(values) for name, values in times.items()}
    found["ratio single"] = found["bare single"] / found["vault single"]
    found["ratio batched"] = found["bare batched"] / found["vault batched"]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--prefill", type=int, default=0, help="entries in the ledger beforehand")
    options = parser.parse_args()
    found = measure(options.prefill)
    if options.json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        print(f"{name:20} {value:10.2f}" + ("" if name.startswith("ratio") else " us"))


if __name__ == "__main__":
    main()
