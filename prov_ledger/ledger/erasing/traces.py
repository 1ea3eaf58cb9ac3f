"""Whether a text is left anywhere: in any file, in what is packed, in what today's keys open."""

from collections.abc import Iterator

from prov_ledger.errors import Corrupt
from prov_ledger.ledger.erasing.spellings import find_in_bytes, find_in_open_files, spellings_of
from prov_ledger.ledger.layout import tenant_folder
from prov_ledger.ledger.tenant import Tenant
from prov_ledger.vault.journal import SqliteJournal
from prov_ledger.vault.sealing import Sealer


class Traces:
    """Looks for a text in all that a tenant keeps; what is found names a place, and never the text."""

    def __init__(self, tenant: Tenant) -> None:
        self.tenant = tenant

    def everywhere(self, text: str) -> Iterator[str]:
        """In the files, in what lies packed in them, and in every sealed text that can be opened."""
        spellings = spellings_of(text)
        yield from self.in_the_clear(text)
        yield from find_in_sealed(self.tenant.journal, self.tenant.sealer, spellings)

    def in_the_clear(self, text: str) -> Iterator[str]:
        """In the files of the tenant and of the keys, in the leaves and in the graph."""
        spellings = spellings_of(text)
        folder = tenant_folder(self.tenant.ledger, self.tenant.name)
        yield from find_in_open_files(folder, text)
        yield from find_in_leaves(self.tenant.journal, spellings)
        dumped = b"".join(self.tenant.graph.current().dump())
        yield from (f"graph ({name})" for name in find_in_bytes(dumped, spellings))


def find_in_leaves(journal: SqliteJournal, spellings: dict[str, bytes]) -> Iterator[str]:
    """In the leaves of a journal, which lie packed in its file."""
    for row in journal.rows():
        if row.leaf is not None:
            yield from (f"entry {row.sequence} ({name})" for name in find_in_bytes(row.leaf, spellings))


def find_in_sealed(journal: SqliteJournal, sealer: Sealer, spellings: dict[str, bytes]) -> Iterator[str]:
    """In every payload that opens with the keys at hand."""
    for _, payload in journal.sealed():
        try:
            data = sealer.open(payload)
        except Corrupt:
            continue
        found = find_in_bytes(data, spellings)
        yield from (f"{payload.field} of {payload.owner} ({name})" for name in found)
