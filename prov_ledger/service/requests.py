"""Writes that are sent again: what was answered to an Idempotency-Key, for as long as keys are kept.

The answer is durable before the ledger's own commit, with the entry that it waits for. After a crash
between the two the entry is not there, and the write is made; after one behind both it is, and the
answer is given again. So a write with a key happens once, wherever the service was killed.
"""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from prov_ledger.errors import Refused
from prov_ledger.ledger.layout import service_folder
from prov_ledger.ledger.ledger import Ledger
from prov_ledger.model.plain import Json
from prov_ledger.service.files import REQUESTS, open_or_create
from prov_ledger.vault.crash import crash_point
from prov_ledger.vault.database import Database
from prov_ledger.vault.sealing import TOKEN_BYTES

#: Of the characters of an Idempotency-Key.
LONGEST_KEY = 255
_GENERATION_BYTES = 8
_BODY_BYTES = _GENERATION_BYTES + TOKEN_BYTES


@dataclass(frozen=True, slots=True)
class Sent:
    """A write with its key, as hashes; that of the body is of no use after an erasure, as texts are in it."""

    token: bytes
    body: bytes

    @classmethod
    def of(cls, ledger: Ledger, caller: str, route: str, key: str, body: bytes) -> "Sent":
        """The same caller, route and key are the same write. Raises Refused ``bad_input`` for no key."""
        if not 0 < len(key) <= LONGEST_KEY or not key.isascii() or not key.isprintable():
            raise Refused("bad_input", f"an Idempotency-Key is 1 to {LONGEST_KEY} printable characters")
        token = ledger.keyed_hash("request", f"{caller}\n{route}\n{key}")
        generation, hashed = ledger.passing_hash("request-body", body.hex())
        return cls(token, generation.to_bytes(_GENERATION_BYTES, "big") + hashed)


@dataclass(frozen=True, slots=True)
class _Kept:
    body: bytes
    entry: tuple[int, str] | None
    answer: Json


class Requests:
    """The keys of one tenant."""

    def __init__(self, ledger: Path, tenant: str, hours: int) -> None:
        path = service_folder(ledger) / f"requests-{tenant}.sqlite"
        self._database: Database = open_or_create(path, REQUESTS)
        self._keep_s = hours * 3600
        with self._database.writing() as connection:
            connection.execute(
                "DELETE FROM request WHERE at < ? OR length(body) <> ?",
                (int(time.time()) - self._keep_s, _BODY_BYTES),
            )

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def once(self, ledger: Ledger, sent: Sent, call: Callable[[], Json]) -> tuple[Json, bool]:
        """What the call answers, and whether it was answered before and is not made again now.

        Raises Refused ``already_exists`` where the key was used for another body, or before an erasure, and
        what the call raises: what was refused is not kept, and may be tried again.
        """
        kept = self._settled(ledger, sent)
        if kept is not None:
            return kept.answer, True
        with ledger.held():
            # Whoever had the lock before may have made the same write.
            kept = self._settled(ledger, sent)
            if kept is not None:
                return kept.answer, True
            answer = call()
            self._keep(sent, _Kept(sent.body, ledger.last_entry(), answer))
            crash_point("request.kept")
        crash_point("request.done")
        return answer, False

    def _settled(self, ledger: Ledger, sent: Sent) -> _Kept | None:
        kept = self._find(sent.token)
        if kept is None or (kept.entry is not None and not ledger.has_entry(*kept.entry)):
            return None
        if kept.body[:_GENERATION_BYTES] != sent.body[:_GENERATION_BYTES]:
            raise Refused(
                "already_exists",
                "this Idempotency-Key was used before an erasure, after which nobody can tell whether the "
                "request was the same: see whether what it wrote is there; if not, take a new key",
            )
        if kept.body != sent.body:
            raise Refused(
                "already_exists", "this Idempotency-Key was used for another request: take a new one"
            )
        return kept

    def _find(self, token: bytes) -> _Kept | None:
        sql = "SELECT body, sequence, entry, answer FROM request WHERE token = ? AND at >= ?"
        with self._database.reading() as connection:
            row = connection.execute(sql, (token, int(time.time()) - self._keep_s)).fetchone()
        if row is None:
            return None
        return _Kept(row[0], None if row[2] is None else (row[1], row[2]), json.loads(row[3]))

    def _keep(self, sent: Sent, kept: _Kept) -> None:
        sequence, entry = kept.entry if kept.entry is not None else (None, None)
        now = int(time.time())
        with self._database.writing() as connection:
            connection.execute("DELETE FROM request WHERE at < ?", (now - self._keep_s,))
            connection.execute(
                "INSERT OR REPLACE INTO request VALUES (?, ?, ?, ?, ?, ?)",
                (sent.token, sent.body, now, sequence, entry, json.dumps(kept.answer)),
            )
