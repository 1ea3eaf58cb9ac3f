"""The rows by which the journal finds entries, compared with what its leaves call for, both ways.

What is called for is kept as digests with a sequence, so that a long journal fits into memory.
"""

from collections.abc import Iterator
from hashlib import blake2b

from prov_ledger.errors import Corrupt
from prov_ledger.ledger.indexing import NAME_KINDS, Indexed, Indexer, NameOf
from prov_ledger.model import records as r
from prov_ledger.vault.append import ORIGIN, about_role, to_microseconds
from prov_ledger.vault.journal import SqliteJournal
from prov_ledger.vault.port import SealedPayload
from prov_ledger.vault.sealing import Sealer
from prov_ledger.vault.stored import StoredRow
from prov_ledger.vault.verify import Finding

_SEQUENCE_BYTES = 8
#: So many names are opened together.
_NAMES = 512
#: Stands for a time that the records do not tell.
_ANY = "any"


class IndexRows:
    """Takes in every entry in order, then says which rows are missing, changed or too many."""

    def __init__(self, journal: SqliteJournal, sealer: Sealer) -> None:
        self._journal, self._sealer = journal, sealer
        self._indexer = Indexer()
        self._references: set[bytes] = set()
        self._lookups: set[bytes] = set()
        self._names: list[tuple[int, NameOf]] = []

    def take(self, row: StoredRow, entry: r.Entry) -> Iterator[Finding]:
        """Take in an entry; what of its row is not as its leaf says."""
        where = f"entry {row.sequence}"
        if entry.sequence != row.sequence:
            yield Finding(where, f"its leaf is that of entry {entry.sequence}")
        if entry.id != row.id:
            yield Finding(where, "its id is not the one in its leaf")
        if to_microseconds(entry.recorded) != row.recorded_us:
            yield Finding(where, "its recorded time is not the one in its leaf")
        indexed = self._indexer.take(entry)
        if indexed.kind is not None and indexed.kind != row.kind:
            yield Finding(where, f"it is kept as '{row.kind}', its leaf is of the kind '{indexed.kind}'")
        self._expect(row.sequence, indexed)

    def _expect(self, sequence: int, indexed: Indexed) -> None:
        role = about_role(sequence)
        self._references.update(_digest(sequence, id, ORIGIN, kind) for id, kind in indexed.entities)
        self._references.update(_digest(sequence, id, role, None) for id in indexed.about)
        self._names += ((sequence, name) for name in indexed.names)
        if len(self._names) >= _NAMES:
            self._open_names()

    def _open_names(self) -> None:
        """Recompute the keyed hashes of the names that wait; one that does not open is found elsewhere."""
        payloads = self._journal.payloads([(name.owner, name.field) for _, name in self._names])
        texts = self._opened(payloads)
        for sequence, name in self._names:
            text = texts.get((name.owner, name.field))
            if text is not None:
                token = self._sealer.token(name.kind, name.prefix + text)
                since = to_microseconds(name.since) if name.since is not None else None
                told = since if name.since_stated else _ANY
                self._lookups.add(_digest(sequence, name.kind, token.hex(), name.id, told))
        self._names.clear()

    def _opened(self, payloads: dict[tuple[str, str], SealedPayload]) -> dict[tuple[str, str], str]:
        try:
            opened = self._sealer.open_many(payloads.values())
            return {key: text.decode() for key, text in zip(payloads, opened, strict=True)}
        except (Corrupt, UnicodeDecodeError):
            pass
        texts = {}
        for key, payload in payloads.items():
            try:
                texts[key] = self._sealer.open(payload).decode()
            except (Corrupt, UnicodeDecodeError):
                continue
        return texts

    def check(self, size: int) -> Iterator[Finding]:
        """Compare the rows of the first ``size`` entries with what was taken in; at the end, once."""
        self._open_names()
        for id, role, target, kind in self._journal.references():
            digest = _digest(target, id, role, kind)
            if digest in self._references:
                self._references.discard(digest)
            elif target <= size:
                yield Finding(id, f"it is found as '{role}' at entry {target}, which does not say so")
        for sequence in _sequences(self._references):
            yield Finding(f"entry {sequence}", "it is not found by all that it brings or is about")
        yield from self._check_lookups(size)

    def _check_lookups(self, size: int) -> Iterator[Finding]:
        for kind, token, sequence, id, since_us in self._journal.lookups():
            if kind not in NAME_KINDS:
                continue
            stated = _digest(sequence, kind, token.hex(), id, since_us)
            untold = _digest(sequence, kind, token.hex(), id, _ANY)
            if stated in self._lookups or untold in self._lookups:
                self._lookups -= {stated, untold}
            elif sequence <= size:
                yield Finding(
                    id, f"a look-up of the kind '{kind}' leads to it that entry {sequence} did not make"
                )
        for sequence in _sequences(self._lookups):
            yield Finding(f"entry {sequence}", "a look-up of a name that it gives is missing")


def _digest(sequence: int, *parts: str | int | None) -> bytes:
    return (
        sequence.to_bytes(_SEQUENCE_BYTES, "big", signed=True)
        + blake2b(repr(parts).encode(), digest_size=16).digest()
    )


def _sequences(digests: set[bytes]) -> list[int]:
    return sorted({int.from_bytes(digest[:_SEQUENCE_BYTES], "big", signed=True) for digest in digests})
