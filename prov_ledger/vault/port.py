"""What the ledger asks of a journal, whatever keeps it, and the values that pass between them."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol

from prov_ledger.merkle.tree import NodeHash, TreeHead


@dataclass(frozen=True, slots=True)
class SealedPayload:
    """An encrypted text of one field of one owner; ``commitment_hex`` is what the leaf holds of it.

    ``ticket`` names its key, ``size_bytes`` counts the clear bytes, ``chunks`` are AES-256-GCM
    ciphertexts with their tags.
    """

    owner: str
    field: str
    ticket: int
    commitment_hex: str
    chunks: tuple[bytes, ...]
    size_bytes: int


class Lookup(NamedTuple):
    """That a keyed hash (``token``, 16 bytes) of a text of some kind stands for ``id``.

    ``since``: from when on, where a thing had several names one after the other; None: always.
    """

    kind: str
    token: bytes
    id: str
    since: datetime | None = None


class NewEntry(NamedTuple):
    """What one write hands to the journal.

    ``entities`` are the (id, kind) that the entry brings into being; ``about`` the ids that it says
    something on; ``spans`` are (whole, span, id), that a part of a whole has an id, by a name of the part
    without ``;``. The entry's own id is found by ``entry_of`` only where it is listed as an entity.
    """

    id: str
    kind: str
    recorded: datetime
    leaf: bytes
    entities: Sequence[tuple[str, str]] = ()
    about: Sequence[str] = ()
    payloads: Sequence[SealedPayload] = ()
    lookups: Sequence[Lookup] = ()
    spans: Sequence[tuple[str, str, str]] = ()


@dataclass(frozen=True, slots=True)
class StoredEntry:
    """An entry as recorded; ``sequence`` counts from 1, its leaf index is one less."""

    sequence: int
    id: str
    kind: str
    recorded: datetime
    leaf: bytes
    leaf_hash: NodeHash


class Transaction(Protocol):
    """The write lock of a journal, held."""

    @property
    def size(self) -> int:
        """How many entries there are, those of this transaction included."""
        ...

    @property
    def last_recorded(self) -> datetime | None:
        """When the last entry was recorded; None in an empty journal."""
        ...

    def part(self) -> AbstractContextManager[None]:
        """A part of the write that is undone alone when it raises; what came before it stays."""
        ...

    def append(self, entry: NewEntry) -> int:
        """Add an entry; its sequence. Raises Refused ``already_exists`` for an id that is taken."""
        ...


class Journal(Protocol):
    """An append-only sequence of entries with a Merkle tree over their leaves.

    Reads never wait for the writer. Inside ``writing`` the thread that writes reads what it wrote.
    """

    def writing(self) -> AbstractContextManager[Transaction]:
        """Take the write lock; durable at exit, undone on an exception; not reentrant.

        Raises StorageError ``busy`` after the timeout, ``storage_full`` when the disk is full.
        """
        ...

    def size(self) -> int:
        """How many entries there are."""
        ...

    def data_version(self) -> int:
        """Changes when something was committed since the last call; compare with this object's answers."""
        ...

    def meta(self, key: str) -> str | None:
        """A setting that was given at creation."""
        ...

    def entries(
        self, after: int = 0, until: int | None = None, kinds: Collection[str] | None = None
    ) -> Iterator[StoredEntry]:
        """Entries with ``after < sequence <= until`` in order, of these kinds only where given."""
        ...

    def entry(self, sequence: int) -> StoredEntry | None:
        """The entry of that sequence, or None."""
        ...

    def entry_of(self, entity_id: str) -> StoredEntry | None:
        """The entry that brought the entity into being, or None."""
        ...

    def kind_of(self, entity_id: str) -> str | None:
        """The kind under which the entity was recorded, or None."""
        ...

    def about(self, entity_id: str) -> list[StoredEntry]:
        """The entries whose ``about`` names the entity, in order."""
        ...

    def find(self, kind: str, token: bytes) -> list[Lookup]:
        """What a keyed hash stands for, in the order recorded."""
        ...

    def payload(self, owner: str, field: str) -> SealedPayload | None:
        """The sealed payload of a field, or None."""
        ...

    def payloads(self, keys: Collection[tuple[str, str]]) -> dict[tuple[str, str], SealedPayload]:
        """Those of the (owner, field) that there are."""
        ...

    def payload_keys(self) -> Iterator[tuple[str, str]]:
        """Every (owner, field), in the order of their tickets."""
        ...

    def recorded_at(self, sequence: int) -> datetime:
        """When the entry was recorded; raises Refused ``not_found``."""
        ...

    def sequence_at(self, instant: datetime) -> int:
        """The last sequence recorded at or before ``instant``; 0 for none."""
        ...

    def tree_head(self) -> TreeHead:
        """The size and root of the whole tree."""
        ...

    def root_at(self, size: int) -> NodeHash:
        """The root over the first ``size`` leaves; raises ProofError beyond the end."""
        ...

    def inclusion_path(self, sequence: int, size: int) -> tuple[NodeHash, ...]:
        """The path from the leaf of ``sequence`` to the root over ``size`` leaves; raises ProofError."""
        ...

    def consistency_path(self, old: int, new: int) -> tuple[NodeHash, ...]:
        """The hashes between two sizes; raises ProofError."""
        ...

    def close(self) -> None:
        """Close every file."""
        ...
