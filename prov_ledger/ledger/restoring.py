"""Restoring a backup: a new folder, a new incarnation, and nothing that was taken away since.

The newest known keys and list of denials count, not those of the backup: what was erased since does not
open, and what was denied, revoked, left, retracted or superseded since is so again before anything is
answered. The keys of texts that came after the backup are destroyed: no entry would lead an erasure to
them, and a later backup would open with them. Where nobody knows the newest list, all grants are
suspended until somebody confirms them.
"""

import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from prov_ledger.errors import Corrupt, MissingKey, Refused
from prov_ledger.ledger.layout import parse_tenant, tenant_folder
from prov_ledger.ledger.naming import Renaming
from prov_ledger.ledger.reviving import Reviving
from prov_ledger.ledger.tenant import Clock, Tenant
from prov_ledger.model import records as r
from prov_ledger.vault.backup import (
    FILES,
    copy_database,
    opened_copy,
    read_manifest,
    sync_folder,
    verify_backup,
)
from prov_ledger.vault.crash import crash_point
from prov_ledger.vault.database import Database
from prov_ledger.vault.denials import DENIALS_FILE, Denials
from prov_ledger.vault.disclosures import DISCLOSURES_FILE
from prov_ledger.vault.epochs import current_epoch
from prov_ledger.vault.journal import LEDGER_FILE
from prov_ledger.vault.keys import FileKeys, KeyProvider
from prov_ledger.vault.schema import DENIALS, KEYS
from prov_ledger.vault.sqlite_errors import translated_files
from prov_ledger.vault.tickets import KEYS_FILE
from prov_ledger.vault.undoing import folders_undone, key_undone

_STAGE = ".restoring"


@dataclass(frozen=True, slots=True)
class Restored:
    """A tenant that was restored: from a backup of how many entries, with which tree.

    ``known_through``: up to which entry of the earlier ledger what was taken away is known; ``applied``
    counts what of it had to be taken away again. ``keys_newest`` False: the keys are the backup's own.
    """

    tenant: str
    path: str
    entries: int
    root: str
    known_through: int
    applied: int
    keys_newest: bool
    grants_suspended: bool


@dataclass(frozen=True, slots=True)
class Newest:
    """Where the newest known files of a tenant are: ``None`` where only the backup has them."""

    keys: Path | None = None
    denials: Path | None = None
    disclosures: Path | None = None

    @classmethod
    def of_folder(cls, folder: Path | None) -> "Newest":
        """Those that a folder has: a tenant's, or that of another backup. None: none is known."""
        if folder is None:
            return cls()
        there = {name: folder / name if (folder / name).is_file() else None for name in FILES}
        if not any(there.values()):
            raise Refused("not_found", f"{folder} holds no keys and no denials: name a tenant's folder")
        return cls(there[KEYS_FILE], there[DENIALS_FILE], there[DISCLOSURES_FILE])


def restore(
    backup: Path, ledger: Path, keys: KeyProvider, newest: Newest, clock: Clock, *, trusted: bool = False
) -> Restored:
    """Restore a backup into a ledger that has no such tenant.

    ``keys`` gives the key of the epoch that the newest keys are wrapped with. ``trusted``: the backup's own
    list of denials is the newest there is, as where a tenant moves. Killed anywhere, nothing answers;
    call it again. Raises Refused ``already_exists``, ``not_found``; Corrupt; MissingKey.
    """
    manifest = verify_backup(backup)
    with closing(opened_copy(backup)) as journal:
        name = parse_tenant(journal.meta("tenant") or "")
    with folders_undone(tenant_folder(ledger, name)), _newest_named(), _staged(ledger, name) as stage:
        folder = tenant_folder(stage, name)
        _copy(backup, folder, newest)
        with closing(Denials.open(_denials(backup, newest))) as source:
            known = source.last_sequence()
            carried, rows = source.carried(), source.all()
        Denials.create(folder).close()
        suspended = known < manifest.size or (newest.denials is None and not trusted)
        with closing(Tenant(stage, name, keys, clock, restoring=True)) as tenant:
            with closing(Database(backup / DENIALS_FILE, DENIALS, read_only=True)) as own:
                _recognise(tenant, Denials(own))
            with closing(Denials.open(_denials(backup, newest))) as source:
                _recognise(tenant, source)
            if tenant.journal.cover_generation() not in tenant.tickets.cover_generations():
                Renaming(tenant).run()
            incarnation = r.IncarnationRecord(manifest.size, manifest.root, suspended)
            reviving = Reviving(tenant)
            applied = reviving.run(incarnation, carried, rows)
            reviving.destroy_orphans()
    return Restored(
        name,
        str(tenant_folder(ledger, name)),
        manifest.size,
        manifest.root,
        known,
        applied,
        newest.keys is not None,
        suspended,
    )


def _recognise(tenant: Tenant, known: Denials) -> None:
    """Take over the fingerprints of another list; raises Corrupt where they are not what was sealed."""
    key = tenant.tickets.fingerprint_key
    if not known.is_sealed(key):
        raise Corrupt(
            f"{known.path}: fingerprints of erasures were removed or changed: take another copy of it"
        )
    tenant.denials.add_fingerprints(known.every_fingerprint(), known.known_erasures(), key)


@contextmanager
def _newest_named() -> Iterator[None]:
    """Say where a key is missing that it may be so on purpose, and what opens without it."""
    try:
        yield
    except MissingKey as error:
        raise MissingKey(
            "these files do not open: every erasure destroys the key that they had, so take the newest keys "
            "and denials, of the ledger that was lost or of a later backup (--newest FOLDER). Only where "
            f"nothing was erased since, look for the key: {error}"
        ) from None


@contextmanager
def brought_key(backup: Path, newest: Newest, keys: KeyProvider, keys_from: Path | None) -> Iterator[None]:
    """The key that a restored tenant is opened with, kept among the others; None: it is among them.

    It then lies in two places, and an erasure destroys it in one. Where the restoring within fails, it
    goes again. Raises MissingKey; Refused ``bad_input`` where keys are not kept in files.
    """
    if keys_from is None:
        yield
        return
    if not isinstance(keys, FileKeys):
        raise Refused("bad_input", "keys are not kept in files here: hand the tenant's key over yourself")
    read_manifest(backup)
    with closing(opened_copy(backup)) as journal:
        name = parse_tenant(journal.meta("tenant") or "")
    file = newest.keys or backup / KEYS_FILE
    database = Database(file, KEYS, read_only=newest.keys is None)
    with closing(database), database.reading() as connection:
        epoch = current_epoch(connection)
    with _newest_named():
        key = FileKeys(keys_from).get_key(name, epoch)
    with key_undone(keys, name, epoch, key):
        yield


def _denials(backup: Path, newest: Newest) -> Path:
    return (newest.denials or backup / DENIALS_FILE).parent


@contextmanager
def _staged(ledger: Path, name: str) -> Iterator[Path]:
    """A ledger's folder in which nothing answers, whose tenant moves to its place when all went well."""
    place, stage = tenant_folder(ledger, name), ledger / _STAGE
    if place.exists() and any(place.iterdir()):
        raise Refused("already_exists", f"tenant '{name}' is in {ledger} already: restore into a new folder")
    with translated_files(place):
        shutil.rmtree(stage, ignore_errors=True)
        tenant_folder(stage, name).mkdir(parents=True, mode=0o700)
        try:
            yield stage
            crash_point("restore.staged")
            place.parent.mkdir(parents=True, exist_ok=True)
            tenant_folder(stage, name).rename(place)
            sync_folder(place.parent)
        finally:
            shutil.rmtree(stage, ignore_errors=True)
    crash_point("restore.placed")


def _copy(backup: Path, folder: Path, newest: Newest) -> None:
    """The journal as in the backup; of the others the newest."""
    chosen = {
        LEDGER_FILE: backup / LEDGER_FILE,
        KEYS_FILE: newest.keys or backup / KEYS_FILE,
        DISCLOSURES_FILE: newest.disclosures or backup / DISCLOSURES_FILE,
    }
    for name, path in chosen.items():
        if path.is_file():
            with closing(Database(path, FILES[name], read_only=path.parent == backup)) as source:
                copy_database(source, folder / name)
            crash_point("restore.copied")
