"""Creating a tenant, and where its keys come from."""

import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from prov_ledger.errors import Refused
from prov_ledger.ledger.layout import keys_folder, tenant_folder
from prov_ledger.vault.denials import Denials
from prov_ledger.vault.journal import SqliteJournal
from prov_ledger.vault.keys import EnvironmentKeys, FileKeys, KeyProvider
from prov_ledger.vault.tickets import TicketStore


def key_provider(ledger: Path, environment: Mapping[str, str] = os.environ) -> KeyProvider:
    """The environment where ``PROV_LEDGER_KEY`` is set; else files, beside the tenants or in
    ``PROV_LEDGER_KEYS``.
    """
    if environment.get("PROV_LEDGER_KEY"):
        return EnvironmentKeys(environment)
    folder = environment.get("PROV_LEDGER_KEYS")
    return FileKeys(Path(folder) if folder else keys_folder(ledger))


def parse_base(base: str | None, tenant: str) -> str:
    """The base IRI of a tenant's entities: absolute, ends with a slash. Raises Refused ``bad_input``.

    None gives a ``urn:`` free default below ``https://prov-ledger.invalid/``, which resolves nowhere.
    """
    if base is None:
        return f"https://prov-ledger.invalid/{tenant}/"
    parts = urlsplit(base)
    usable = parts.scheme in ("http", "https") and parts.netloc and not parts.query and not parts.fragment
    if not usable or not base.endswith("/") or any(c in base for c in ' <>"{}|\\^`'):
        raise Refused(
            "bad_input", "the base IRI is http(s), ends with '/', and has no query and no fragment"
        )
    return base


def create_tenant(ledger: Path, tenant: str, base: str, keys: KeyProvider) -> None:
    """Create the files of a tenant, its journal last: what has a journal is complete.

    Raises Refused ``already_exists`` when the tenant is there; StorageError when a file cannot be made.
    """
    folder = tenant_folder(ledger, tenant)
    if (folder / "ledger.sqlite").exists() and _has_entries(folder):
        raise Refused("already_exists", f"tenant '{tenant}' is in this ledger already: open it instead")
    folder.mkdir(parents=True, exist_ok=True)
    _remove_remains(folder)
    TicketStore.create(folder, tenant, keys).close()
    Denials.create(folder).close()
    SqliteJournal.create(folder, {"base": base, "tenant": tenant}).close()


def _has_entries(folder: Path) -> bool:
    journal = SqliteJournal.open(folder)
    try:
        return journal.size() > 0
    finally:
        journal.close()


def _remove_remains(folder: Path) -> None:
    """Files of a creation that was killed before its first entry: they hold nothing."""
    for name in ("ledger.sqlite", "keys.sqlite", "denials.sqlite"):
        for suffix in ("", "-wal", "-shm"):
            (folder / f"{name}{suffix}").unlink(missing_ok=True)
