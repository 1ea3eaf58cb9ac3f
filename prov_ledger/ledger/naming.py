"""The keyed hashes by which names are found, made anew from the names themselves.

A restored journal has hashes that an erasure since has made worthless, on purpose: the key that covered
them is gone. Names that still open are found again under the present key; those that were erased are not.
"""

from collections.abc import Iterable, Iterator

from prov_ledger.errors import Corrupt
from prov_ledger.ledger.indexing import Indexer
from prov_ledger.ledger.replay import TAKEN
from prov_ledger.ledger.tenant import Tenant
from prov_ledger.model import records as r
from prov_ledger.rdf.decode import decode_entry
from prov_ledger.vault.removing import Removing
from prov_ledger.vault.stored import LookupRow

#: A look-up to be: (kind, text, sequence, id).
_Name = tuple[str, str, int, r.Node]


class Renaming:
    """Finds every name of a journal by what it is called."""

    def __init__(self, tenant: Tenant) -> None:
        self.tenant = tenant
        self._connectors: dict[r.Node, str] = {}
        self._natives: dict[r.Node, list[str]] = {}
        self._labels: list[tuple[r.Node, str, int]] = []

    def run(self) -> None:
        """Replace all look-ups in one write. Not within a write of the journal."""
        tenant = self.tenant
        generation = 1 + max(tenant.tickets.cover_generations(), default=0)
        tenant.tickets.make_cover_key(generation)
        names = list(dict.fromkeys(self._names()))

        def made(old: list[LookupRow]) -> Iterable[LookupRow]:
            since = {(kind, sequence, id): since_us for kind, _, sequence, id, since_us in old}
            brought = {id for kind, _, _, id, _ in old if kind == TAKEN}
            for kind, text, sequence, id in (*names, *self._taken(brought)):
                token = tenant.sealer.token(kind, text)
                yield kind, token, sequence, id, since.get((kind, sequence, id))

        with tenant.journal.writing() as transaction:
            Removing(transaction).replace_lookups(made, generation)
        tenant.tickets.destroy_cover_keys(before=generation)

    def _names(self) -> Iterator[_Name]:
        indexer, tenant = Indexer(), self.tenant
        for stored in tenant.journal.entries():
            if not stored.leaf:
                continue
            entry = decode_entry(stored.leaf, tenant.base)
            for name in indexer.take(entry).names:
                text = self._text(name.owner, name.field)
                if text is not None:
                    if name.kind == "native":
                        self._natives.setdefault(name.id, []).append(text)
                    yield name.kind, name.prefix + text, stored.sequence, name.id
            for stated in entry.statements:
                yield from self._others(stated.record, stored.sequence)

    def _others(self, record: r.Record, sequence: int) -> Iterator[_Name]:
        """What is found by a keyed hash, and is no name of a thing."""
        if isinstance(record, r.SyncRecord):
            feed = self._text(record.id, "feed")
            if feed is not None:
                yield "feed", feed, sequence, record.id
                yield "sync", feed.partition("\0")[0], sequence, record.id
        elif isinstance(record, r.SourceRecord):
            if record.connector not in self._connectors.values():
                yield "connector", "", sequence, record.connector
            self._connectors[record.id] = record.connector
        elif isinstance(record, r.RevisionRecord):
            label = self._text(record.id, "label")
            if label is not None:
                self._labels.append((record.source, label, sequence))

    def _taken(self, brought: set[r.Node]) -> Iterator[_Name]:
        """That a feed brought a state of a source, under whichever native id it had; that one left is told
        by the source's retirement alone.
        """
        for source, label, sequence in self._labels:
            if source in brought:
                for native in self._natives.get(source, ()):
                    key = "\0".join((self._connectors.get(source, ""), "came", native, label))
                    yield TAKEN, key, sequence, source

    def _text(self, owner: r.Node, field: str) -> str | None:
        payload = self.tenant.journal.payload(owner, field)
        try:
            return None if payload is None else self.tenant.sealer.open(payload).decode()
        except (Corrupt, UnicodeDecodeError):
            return None
