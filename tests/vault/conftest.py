"""A tenant's files in a fresh folder, and drafts of entries to put into them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from prov_ledger.vault.denials import Denials
from prov_ledger.vault.journal import SqliteJournal
from prov_ledger.vault.keys import FileKeys
from prov_ledger.vault.port import NewEntry
from prov_ledger.vault.sealing import Sealer
from prov_ledger.vault.tickets import TicketStore

START = datetime(2026, 6, 1, 12, tzinfo=UTC)


@dataclass
class Tenant:
    """All that the vault keeps of one tenant, open."""

    folder: Path
    keys: FileKeys
    journal: SqliteJournal
    tickets: TicketStore
    denials: Denials
    sealer: Sealer = field(init=False)

    def __post_init__(self) -> None:
        self.sealer = Sealer(self.tickets)

    @classmethod
    def create(cls, root: Path, busy_timeout_ms: int = 10_000) -> "Tenant":
        folder, keys = root / "tenants" / "acme", FileKeys(root / "keys")
        return cls(
            folder,
            keys,
            SqliteJournal.create(folder, {"base": "https://example.org/"}, busy_timeout_ms=busy_timeout_ms),
            TicketStore.create(folder, "acme", keys, busy_timeout_ms=busy_timeout_ms),
            Denials.create(folder, busy_timeout_ms=busy_timeout_ms),
        )

    @classmethod
    def open(cls, root: Path, busy_timeout_ms: int = 10_000) -> "Tenant":
        folder, keys = root / "tenants" / "acme", FileKeys(root / "keys")
        return cls(
            folder,
            keys,
            SqliteJournal.open(folder, busy_timeout_ms=busy_timeout_ms),
            TicketStore.open(folder, keys, busy_timeout_ms=busy_timeout_ms),
            Denials.open(folder, busy_timeout_ms=busy_timeout_ms),
        )

    def draft(self, name: str, text: bytes = b"goods may be returned", seconds: int = 0) -> NewEntry:
        """An entry about ``src_1`` that brings ``ev_NAME`` into being, with one sealed quote."""
        quote = self.sealer.seal(f"ev_{name}", "quote", text)
        leaf = f'<ev_{name}> <quoteCommitment> "{quote.commitment_hex}" .\n'.encode()
        return NewEntry(
            f"ent_{name}",
            "evidence",
            START + timedelta(seconds=seconds),
            leaf,
            entities=[(f"ev_{name}", "evidence")],
            about=["src_1"],
            payloads=[quote],
        )

    def append(self, name: str, text: bytes = b"goods may be returned", seconds: int = 0) -> int:
        with self.journal.writing() as transaction:
            return transaction.append(self.draft(name, text, seconds))

    def close(self) -> None:
        self.journal.close()
        self.tickets.close()
        self.denials.close()


@pytest.fixture
def tenant(tmp_path: Path) -> Iterator[Tenant]:
    made = Tenant.create(tmp_path)
    yield made
    made.close()
