"""Creating a tenant, and where its keys come from."""

import fcntl
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from prov_ledger.errors import Refused, StorageError
from prov_ledger.ledger.layout import keys_folder, tenant_folder
from prov_ledger.rdf.typical import typical_lines
from prov_ledger.vault.database import Database
from prov_ledger.vault.denials import DENIALS_FILE, Denials
from prov_ledger.vault.entry_reads import DICTIONARY
from prov_ledger.vault.journal import LEDGER_FILE, SqliteJournal
from prov_ledger.vault.keys import EnvironmentKeys, FileKeys, KeyProvider
from prov_ledger.vault.schema import DENIALS, KEYS, LEDGER, Schema
from prov_ledger.vault.tickets import KEYS_FILE, TicketStore


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
        raise Refused("bad_input", "the base IRI is http(s), ends with '/', and has no query and no fragment")
    return base


@contextmanager
def creating_tenant(ledger: Path, tenant: str, base: str, keys: KeyProvider) -> Iterator[None]:
    """Create the files of a tenant; within the block its first entry has to be written.

    A creation that was killed before that entry is begun anew; two at once wait for each other.
    Raises Refused ``already_exists`` when the tenant is there; StorageError when a file cannot be made.
    """
    folder = tenant_folder(ledger, tenant)
    with _locked(folder):
        _check_free(folder, tenant)
        _remove_remains(folder)
        TicketStore.create(folder, tenant, keys).close()
        Denials.create(folder).close()
        settings = {"base": base, "tenant": tenant, DICTIONARY: typical_lines(base)}
        SqliteJournal.create(folder, settings).close()
        yield


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """The folder, made if need be, and no other creation in it."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise StorageError(f"cannot make the folder {folder}: {error.strerror}") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _check_free(folder: Path, tenant: str) -> None:
    """Refuse where a tenant is, or what was left of one: keys beyond those of a first entry, denials."""
    if _has_entries(folder):
        raise Refused("already_exists", f"tenant '{tenant}' is in this ledger already: open it instead")
    if _rows(folder / KEYS_FILE, KEYS, "SELECT count(*) FROM ticket WHERE id > 64") or _rows(
        folder / DENIALS_FILE, DENIALS, "SELECT count(*) FROM denial"
    ):
        raise Refused(
            "already_exists",
            f"tenant '{tenant}' has keys or denials here, but no journal: restore its {LEDGER_FILE}",
        )


def _has_entries(folder: Path) -> bool:
    return _rows(folder / LEDGER_FILE, LEDGER, "SELECT count(*) FROM entry LIMIT 1") > 0


def _rows(path: Path, schema: Schema, count: str) -> int:
    """How many rows a file has; 0 where there is none, or a killed creation left it empty."""
    try:
        database = Database(path, schema)
    except Refused:
        return 0
    try:
        with database.reading() as connection:
            return int(connection.execute(count).fetchone()[0])
    finally:
        database.close()


def _remove_remains(folder: Path) -> None:
    """Files of a creation that was killed before its first entry: they hold nothing."""
    for name in (LEDGER_FILE, KEYS_FILE, DENIALS_FILE):
        for suffix in ("", "-wal", "-shm"):
            (folder / f"{name}{suffix}").unlink(missing_ok=True)
