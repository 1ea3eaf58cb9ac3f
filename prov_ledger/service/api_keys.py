"""API keys: shown once when they are made; kept are a hash of each and the id of the agent it acts as."""

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from prov_ledger.errors import Refused
from prov_ledger.ledger.layout import api_keys_file
from prov_ledger.model.records import Node, Role
from prov_ledger.model.times import format_instant, parse_instant
from prov_ledger.service.files import open_or_create
from prov_ledger.vault.schema import API_KEYS

#: What every key begins with, so that scanners for leaked secrets know one.
MARK = "plk"
_COLUMNS = "id, tenant, agent, roles, created, until, revoked"


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key without its secret. ``roles`` None: all that the ledger records of the agent."""

    id: str
    tenant: str
    agent: Node
    roles: tuple[Role, ...] | None
    created: datetime
    until: datetime | None = None
    revoked: datetime | None = None


class ApiKeys:
    """The keys of all tenants of a ledger, for many processes."""

    def __init__(self, ledger: Path) -> None:
        self._database = open_or_create(api_keys_file(ledger), API_KEYS)
        #: Keys whose text was shown, by their ids: what the file said of each at one of its versions.
        self._seen: dict[str, tuple[int, bytes, ApiKey]] = {}

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def create(
        self,
        tenant: str,
        agent: Node,
        roles: tuple[Role, ...] | None = None,
        until: datetime | None = None,
    ) -> tuple[ApiKey, str]:
        """A new key, and its text, which nothing can show again."""
        id, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
        key = ApiKey(id, tenant, agent, roles, datetime.now(UTC), until)
        row = (
            *(id, _hash(secret), tenant, agent),
            *(None if roles is None else " ".join(roles), format_instant(key.created)),
            None if until is None else format_instant(until),
        )
        with self._database.writing() as connection:
            connection.execute("INSERT INTO api_key VALUES (?, ?, ?, ?, ?, ?, ?, NULL)", row)
        return key, f"{MARK}_{id}_{secret}"

    def all(self, tenant: str) -> list[ApiKey]:
        """The keys of a tenant, the oldest first, revoked ones too."""
        sql = f"SELECT {_COLUMNS} FROM api_key WHERE tenant = ? ORDER BY created, id"
        with self._database.reading() as connection:
            return [_key(row) for row in connection.execute(sql, (tenant,)).fetchall()]

    def revoke(self, tenant: str, id: str) -> None:
        """End a key, from the next request on. Raises Refused ``not_found``."""
        now = format_instant(datetime.now(UTC))
        with self._database.writing() as connection:
            done = connection.execute(
                "UPDATE api_key SET revoked = coalesce(revoked, ?) WHERE tenant = ? AND id = ?",
                (now, tenant, id),
            )
        if not done.rowcount:
            raise Refused("not_found", "no API key of this tenant has that id: 'key list' shows them")

    def find(self, text: str, now: datetime) -> ApiKey | None:
        """The key whose text this is; None where there is none, or it is over or revoked."""
        id, secret = _parts(text)
        if id is None:
            return None
        # Asked first: what is committed while the row is read makes what was read of no use later.
        version = self._database.data_version()
        sql = f"SELECT {_COLUMNS}, hash FROM api_key WHERE id = ?"
        with self._database.reading() as connection:
            row = connection.execute(sql, (id,)).fetchone()
        if row is None or not hmac.compare_digest(row[-1], _hash(secret)):
            return None
        key = _key(row[:-1])
        self._seen[id] = (version, row[-1], key)
        return key if _lasts(key, now) else None

    def find_seen(self, text: str, now: datetime) -> ApiKey | None:
        """As ``find``, without waiting for anything; None too where the key is to be read first.

        A key is read anew after anything was committed to the file, by whichever process: so one that is
        revoked ends with the next request.
        """
        id, secret = _parts(text)
        seen = self._seen.get(id) if id is not None else None
        if seen is None or seen[0] != self._database.data_version():
            return None
        _, expected, key = seen
        fits = hmac.compare_digest(expected, _hash(secret))
        return key if fits and _lasts(key, now) else None


def _parts(text: str) -> tuple[str | None, str]:
    """The id and the secret of a key's text; no id where it is none."""
    mark, _, rest = text.partition("_")
    id, _, secret = rest.partition("_")
    return (id, secret) if mark == MARK and secret.isascii() else (None, "")


def _lasts(key: ApiKey, now: datetime) -> bool:
    return key.revoked is None and (key.until is None or key.until > now)


def _hash(secret: str) -> bytes:
    # The secret is 256 random bits: nothing can be guessed, so nothing slower is needed.
    return hashlib.sha256(secret.encode()).digest()


def _key(row: tuple[str, str, str, str | None, str, str | None, str | None]) -> ApiKey:
    id, tenant, agent, roles, created, until, revoked = row
    return ApiKey(
        *(id, tenant, agent),
        None if roles is None else tuple(Role(role) for role in roles.split()),
        parse_instant(created),
        None if until is None else parse_instant(until),
        None if revoked is None else parse_instant(revoked),
    )
