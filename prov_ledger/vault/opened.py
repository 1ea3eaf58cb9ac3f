"""Texts that were opened before, kept in memory for as long as the disk still holds what was opened.

A text that opened is what its commitment says. Opening it again proves that of the bytes on the disk, and
so does comparing these bytes with the ones that opened; nothing at all is read while neither file was
committed to. Whatever changes a key, as an erasure does, empties the whole.
"""

import threading
from collections.abc import Collection, Iterable
from itertools import islice

from prov_ledger.errors import Corrupt
from prov_ledger.vault.port import Journal, SealedPayload
from prov_ledger.vault.sealing import Sealer
from prov_ledger.vault.tickets import TicketStore

#: So many texts are held at most, and as many again that were not asked for lately; some 1 kB each.
MOST_HELD = 32_768
Key = tuple[str, str]


class Opened:
    """The clear bytes of a payload; ``made`` is for what whoever reads them makes of them."""

    __slots__ = ("data", "made", "sealed", "turn")

    def __init__(self, sealed: SealedPayload, data: bytes) -> None:
        self.sealed, self.data = sealed, data
        self.made: object = None
        #: The turn of ``OpenedTexts`` in which it is what the disk holds.
        self.turn = -1


class OpenedTexts:
    """The small texts of one tenant, by owner and field; for any number of threads."""

    def __init__(self, journal: Journal, tickets: TicketStore, sealer: Sealer) -> None:
        self._journal, self._tickets, self._sealer = journal, tickets, sealer
        self._lock = threading.Lock()
        #: What nothing was committed behind since it was compared.
        self._held: dict[Key, Opened] = {}
        #: What is to be compared with the disk first, the one asked for least lately first.
        self._earlier: dict[Key, Opened] = {}
        self._journal_version = self._keys_version = -1
        #: Counts how often all that is held had to be compared with the disk anew, or was forgotten.
        self._turn = 0

    def __len__(self) -> int:
        return len(self._held) + len(self._earlier)

    def read(self, keys: Collection[Key]) -> dict[Key, Opened | None]:
        """Every key with its text; None where there is no payload, or it does not open."""
        if not keys:
            return {}
        with self._lock:
            self._look_for_changes()
            held = self._held
            found = {key: held.get(key) for key in keys}
            missing = [key for key, text in found.items() if text is None]
            if missing:
                found |= self._fetch(missing)
            return found

    def holds(self, text: Opened) -> bool:
        """Whether a text is what the disk held when any text was last read here."""
        return text.turn == self._turn

    def drop(self) -> None:
        """Forget every text."""
        with self._lock:
            self._turn += 1
            self._held, self._earlier = {}, {}

    def _look_for_changes(self) -> None:
        keys, journal = self._tickets.data_version(), self._journal.data_version()
        if keys != self._keys_version:
            self._turn += 1
            self._held, self._earlier = {}, {}
        elif journal != self._journal_version or len(self._held) > MOST_HELD:
            for key in self._held:
                self._earlier.pop(key, None)
            self._earlier |= self._held
            self._turn += 1
            self._held = {}
            for key in list(islice(self._earlier, max(0, len(self._earlier) - MOST_HELD))):
                del self._earlier[key]
        self._keys_version, self._journal_version = keys, journal

    def _fetch(self, keys: Collection[Key]) -> dict[Key, Opened]:
        """Those that there are, and that open; what is as it was when it opened is not opened again."""
        payloads = self._journal.payloads(keys)
        earlier = {key: self._earlier.pop(key, None) for key in keys}
        found: dict[Key, Opened] = {}
        fresh: list[SealedPayload] = []
        for key, known in earlier.items():
            payload = payloads.get(key)
            if known is not None and known.sealed == payload:
                found[key] = known
            elif payload is not None:
                fresh.append(payload)
        for opened in open_those_that_open(self._sealer, fresh):
            found[opened.sealed.owner, opened.sealed.field] = opened
        small = {key: text for key, text in found.items() if len(text.sealed.chunks) == 1}
        for text in small.values():
            text.turn = self._turn
        self._held |= small
        return found


def open_those_that_open(sealer: Sealer, payloads: Iterable[SealedPayload]) -> list[Opened]:
    """The texts of the payloads that open, in their order."""
    wanted = list(payloads)
    try:
        return [Opened(x, data) for x, data in zip(wanted, sealer.open_many(wanted), strict=True)]
    except Corrupt:
        return [opened for payload in wanted if (opened := _opened(sealer, payload)) is not None]


def _opened(sealer: Sealer, payload: SealedPayload) -> Opened | None:
    try:
        return Opened(payload, sealer.open(payload))
    except Corrupt:
        return None
