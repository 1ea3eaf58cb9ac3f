"""Moving a tenant out of a ledger and into another, and removing one for good.

A tenant that moved out answers nothing here any more, and is removed when it was taken in elsewhere. To
remove one destroys its keys first: what is killed after that leaves ciphertext that nothing opens.
"""

import shutil
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from prov_ledger.errors import KeyNotDestroyable, MissingKey, Refused
from prov_ledger.ledger.backing import Backing, Backup
from prov_ledger.ledger.layout import api_keys_file, parse_tenant, service_folder, tenant_folder
from prov_ledger.ledger.restoring import Newest, Restored, brought_key, restore
from prov_ledger.ledger.session import Session
from prov_ledger.ledger.tenant import MOVED, REMOVING, Clock, Tenant
from prov_ledger.vault.backup import sync_folder
from prov_ledger.vault.crash import crash_point
from prov_ledger.vault.database import Database
from prov_ledger.vault.keys import FileKeys, KeyProvider
from prov_ledger.vault.schema import API_KEYS
from prov_ledger.vault.sqlite_errors import translated_files
from prov_ledger.vault.undoing import folders_undone, key_undone


@dataclass(frozen=True, slots=True)
class Removed:
    """A tenant that is gone: the epochs whose keys were destroyed, those that could not be, and the backups
    that were made of it, by id: what is in them is closed where their epoch was destroyed.
    """

    tenant: str
    epochs: tuple[int, ...]
    kept_epochs: tuple[int, ...]
    backups: tuple[str, ...]


def move_out(
    ledger: Path,
    name: str,
    keys: KeyProvider,
    destination: Path,
    keys_to: Path,
    clock: Clock,
    agent: str | None,
) -> Backup:
    """Write a tenant into a new folder, and the key of its epoch into another; it answers no more here.

    Keep the two apart on their way. ``reopen`` undoes it here, also where this was killed half way; where
    it fails, nothing of it is left. Raises Refused ``denied``, ``already_exists``, ``bad_input``;
    StorageError.
    """
    marker = tenant_folder(ledger, name) / MOVED
    with closing(Tenant(ledger, name, keys, clock, closed=True)) as tenant:
        acting, epoch, backing = _acting(tenant, agent), tenant.tickets.epoch, Backing(tenant)
        _check_apart(ledger, destination, keys_to)
        backing.check(destination)
        _mark(marker)
        crash_point("tenant.closed")
        try:
            key = keys.get_key(name, epoch)
            with folders_undone(destination.parent), key_undone(FileKeys(keys_to), name, epoch, key):
                return backing.backup(acting, destination)
        except BaseException:
            _unmark(marker)
            raise


def _check_apart(ledger: Path, destination: Path, keys_to: Path) -> None:
    """Refuse to put the key above, into or below the folder that it opens, or where removing takes it."""
    files, apart = destination.resolve(), keys_to.resolve()
    if apart.is_relative_to(ledger.resolve()):
        raise Refused("bad_input", "the keys go outside of the ledger: give another place")
    if files.is_relative_to(apart) or apart.is_relative_to(files):
        raise Refused("bad_input", "the keys go beside the files: give another place")


def move_in(source: Path, ledger: Path, keys: KeyProvider, keys_from: Path | None, clock: Clock) -> Restored:
    """Take in a tenant that moved out elsewhere, as a new incarnation; its grants hold.

    ``keys_from``: the folder that its key was written to, to be destroyed there afterwards; None: ``keys``
    has it. Raises as ``restore``.
    """
    with brought_key(source, Newest(), keys, keys_from):
        return restore(source, ledger, keys, Newest(), clock, trusted=True)


def reopen(ledger: Path, name: str) -> None:
    """Let a tenant that moved out answer here again; raises Refused ``not_found`` where it did not."""
    marker = tenant_folder(ledger, parse_tenant(name)) / MOVED
    if not marker.exists():
        raise Refused("not_found", f"tenant '{name}' did not move out of {ledger}: it is open, or not there")
    _unmark(marker)


def remove(ledger: Path, name: str, keys: KeyProvider, clock: Clock, agent: str | None) -> Removed:
    """Remove a tenant with its keys; killed anywhere, the next call finishes it.

    Raises Refused ``not_found``, ``denied``, ``legal_hold`` while anything of it is held.
    """
    folder = tenant_folder(ledger, parse_tenant(name))
    if not folder.is_dir():
        raise Refused("not_found", f"there is no tenant '{name}' in {ledger}")
    backups: tuple[str, ...] = ()
    if not (folder / REMOVING).exists():
        backups = _checked(ledger, name, keys, clock, agent)
        _mark(folder / REMOVING)
        crash_point("tenant.removing")
    destroyed, kept = _destroy(keys, name)
    crash_point("tenant.keys_destroyed")
    _drop_api_keys(ledger, name)
    with translated_files(folder):
        for path in sorted(folder.iterdir(), key=lambda path: path.name == REMOVING):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
            crash_point("tenant.file_removed")
        folder.rmdir()
        for path in service_folder(ledger).glob(f"requests-{name}.sqlite*"):
            path.unlink()
        sync_folder(folder.parent)
    return Removed(name, destroyed, kept, backups)


def _checked(ledger: Path, name: str, keys: KeyProvider, clock: Clock, agent: str | None) -> tuple[str, ...]:
    """The backups made of a tenant that its admin may remove; one that does not open may be removed too."""
    try:
        opened = Tenant(ledger, name, keys, clock, closed=True)
    except MissingKey:
        return ()
    with closing(opened) as tenant:
        _acting(tenant, agent)
        held = tenant.state.removals.holds
        if held:
            raise Refused("legal_hold", f"{len(held)} legal holds cover things of this tenant: release them")
        return tuple(
            stated.node
            for entry in tenant.state.entries_of("backup")
            for stated in entry.statements
            if stated.node.endswith("#backup")
        )


def _acting(tenant: Tenant, name: str | None) -> str:
    """The agent, who needs the role of an admin; None is the one that made the tenant."""
    session = Session(tenant)
    first = next(iter(tenant.state.entries_of("tenant"))).agent
    agent = first if name is None else session.find_name("agent", name)
    session.check_role(agent, "tenant")
    return agent or ""


def _destroy(keys: KeyProvider, name: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Destroy the keys of all epochs; those destroyed, and those that could not be."""
    epochs = keys.epochs(name)
    if epochs is None:
        return (), (1,)
    kept = []
    for epoch in epochs:
        try:
            keys.destroy_key(name, epoch)
        except KeyNotDestroyable:
            kept.append(epoch)
    return tuple(epoch for epoch in epochs if epoch not in kept), tuple(kept)


def _drop_api_keys(ledger: Path, name: str) -> None:
    """No key of the service is left for a later tenant of this name."""
    path = api_keys_file(ledger)
    if path.is_file():
        with closing(Database(path, API_KEYS)) as database:
            with database.writing() as connection:
                connection.execute("DELETE FROM api_key WHERE tenant = ?", (name,))
            database.scrub()


def _mark(path: Path) -> None:
    """Make an empty file, durably."""
    with translated_files(path):
        path.touch(mode=0o600)
        sync_folder(path)
        sync_folder(path.parent)


def _unmark(path: Path) -> None:
    with translated_files(path):
        path.unlink(missing_ok=True)
        sync_folder(path.parent)
