"""What may be wrong with a tenant's files, keys and upkeep: looked at, and nothing mended.

It also says something where the tenant does not open, since that is when somebody asks.
"""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Literal

from prov_ledger.errors import ProvLedgerError, Refused
from prov_ledger.ledger.backing import Backing
from prov_ledger.ledger.layout import parse_tenant, snapshots_folder, tenant_folder
from prov_ledger.ledger.tenant import CLOCK_TOLERANCE, MOVED, REMOVING, Clock, Tenant
from prov_ledger.model import records as r
from prov_ledger.model.times import format_instant
from prov_ledger.vault.backup import FILES
from prov_ledger.vault.database import Database
from prov_ledger.vault.keys import EnvironmentKeys, FileKeys, KeyProvider
from prov_ledger.vault.removing import SETTLED
from prov_ledger.vault.verify import check_keys, orphans

Level = Literal["wrong", "look", "fine"]
#: A log that nobody emptied, and a share of free pages, from which on somebody should.
_LARGE_LOG_BYTES = 64 << 20
_FREE_SHARE = 0.25
_OLD_BACKUP = timedelta(days=7)
#: A process reserves up to 1,024 keys; more than some processes do is worth a look.
_MANY_SPARE_KEYS = 8 * 1024


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Something that was looked at: where, how it is, and what to do where it is not ``fine``."""

    level: Level
    where: str
    what: str


def examine(ledger: Path, name: str, keys: KeyProvider, clock: Clock) -> list[Diagnosis]:
    """Look at everything about a tenant, the worst first; raises Refused ``not_found`` for none."""
    folder = tenant_folder(ledger, parse_tenant(name))
    if not folder.is_dir():
        raise Refused("not_found", f"there is no tenant '{name}' in {ledger}")
    found = [*_folder(folder), *_files(folder), *_keys(ledger, keys)]
    try:
        with closing(Tenant(ledger, name, keys, clock, closed=True, restoring=False)) as tenant:
            found += _opened(tenant, keys)
    except ProvLedgerError as error:
        found.append(Diagnosis("wrong", "opening", f"[{error.code}] {error.message}"))
    order = {"wrong": 0, "look": 1, "fine": 2}
    return sorted(found, key=lambda one: order[one.level])


def _folder(folder: Path) -> Iterator[Diagnosis]:
    if folder.stat().st_mode & 0o007:
        yield Diagnosis(
            "look", str(folder), f"others on this machine may look into it: run chmod o-rwx {folder}"
        )
    for marker, what in ((MOVED, "the tenant moved out of here"), (REMOVING, "its removal is not finished")):
        if (folder / marker).exists():
            yield Diagnosis("look", str(folder), f"{what}: remove it, or reopen it where it only moved")


def _files(folder: Path) -> Iterator[Diagnosis]:
    """SQLite's own check of each file, what lies in its log, and how much of it is free."""
    for name, schema in FILES.items():
        path = folder / name
        if not path.is_file():
            continue
        try:
            with closing(Database(path, schema)) as database:
                yield from _file(database, name)
        except ProvLedgerError as error:
            yield Diagnosis("wrong", name, error.message)


def _file(database: Database, name: str) -> Iterator[Diagnosis]:
    with database.reading() as connection:
        sound = [row[0] for row in connection.execute("PRAGMA quick_check(1)")] == ["ok"]
        pages = int(connection.execute("PRAGMA page_count").fetchone()[0])
        free = int(connection.execute("PRAGMA freelist_count").fetchone()[0])
    if not sound:
        yield Diagnosis("wrong", name, "SQLite's own check fails: restore the newest backup")
    if database.log_size() > _LARGE_LOG_BYTES:
        yield Diagnosis(
            "look", name, "its log is large: a reader that never ends keeps it from being emptied"
        )
    if pages > 1000 and free > pages * _FREE_SHARE:
        yield Diagnosis("look", name, f"{free} of {pages} pages are free: sweep gives the room back")
    if sound:
        yield Diagnosis("fine", name, f"{pages} pages, sound")


def _keys(ledger: Path, keys: KeyProvider) -> Iterator[Diagnosis]:
    if isinstance(keys, EnvironmentKeys):
        yield Diagnosis(
            "look",
            "keys",
            "they derive from one master key: no epoch can be destroyed, so older backups can be opened",
        )
    elif isinstance(keys, FileKeys) and keys.folder.is_dir() and _together(keys.folder, ledger):
        yield Diagnosis(
            "look", "keys", f"{keys.folder} is on the ledger's file system: one of its own can be wiped"
        )


def _together(one: Path, other: Path) -> bool:
    return one.stat().st_dev == other.stat().st_dev


def _opened(tenant: Tenant, keys: KeyProvider) -> Iterator[Diagnosis]:
    yield Diagnosis("fine", "journal", f"{tenant.journal.size()} entries, it opens")
    yield from _time(tenant)
    yield from _erasures(tenant, keys)
    yield from _backups(tenant)
    yield from _access(tenant)
    yield from _snapshots(tenant)


def _time(tenant: Tenant) -> Iterator[Diagnosis]:
    last, now = tenant.journal.recorded_at(tenant.journal.size()), tenant.clock_time()
    if last - now > CLOCK_TOLERANCE:
        yield Diagnosis(
            "wrong",
            "clock",
            f"it says {format_instant(now)}, the last entry is of {format_instant(last)}: no write is taken",
        )


def _erasures(tenant: Tenant, keys: KeyProvider) -> Iterator[Diagnosis]:
    unfinished = tenant.state.removals.unfinished()
    if unfinished:
        yield Diagnosis(
            "wrong", "erasures", f"{len(unfinished)} are not finished: open the ledger to finish them"
        )
    old = tenant.tickets.old_epochs()
    if old and not isinstance(keys, EnvironmentKeys):
        listed = ", ".join(map(str, old))
        yield Diagnosis("look", "keys", f"epochs {listed} are not known to be destroyed: rotate the keys")
    yield from _orphans(tenant)
    kept = keys.epochs(tenant.name) or ()
    back = [epoch for epoch in kept if epoch < tenant.tickets.epoch and epoch not in old]
    if back:
        listed = ", ".join(map(str, back))
        yield Diagnosis("wrong", "keys", f"epochs {listed} were destroyed, and are there again: destroy them")


def _orphans(tenant: Tenant) -> Iterator[Diagnosis]:
    """Keys without a payload: of an earlier life, or more than processes keep in reserve."""
    for found in check_keys(tenant.journal, tenant.tickets):
        yield Diagnosis("wrong", found.where, f"{found.what}: restore the backup again, into a new folder")
    settled = int(tenant.journal.meta(SETTLED) or 0)
    spare = sum(1 for ticket in orphans(tenant.journal, tenant.tickets) if ticket > settled)
    if spare > _MANY_SPARE_KEYS:
        yield Diagnosis(
            "look", "keys", f"{spare} belong to no payload: in reserve, or left by processes that were killed"
        )


def _backups(tenant: Tenant) -> Iterator[Diagnosis]:
    entries = tenant.state.entries_of("backup")
    made = [x.record for entry in entries for x in entry.statements if isinstance(x.record, r.BackupRecord)]
    if not made:
        yield Diagnosis("look", "backups", "none was made: make one, and try to restore it")
        return
    last, epoch = made[-1], tenant.tickets.epoch
    age = tenant.now() - last.at
    later = tenant.journal.size() - last.size
    level: Level = "look" if age > _OLD_BACKUP and later else "fine"
    yield Diagnosis(level, "backups", f"the last is {age.days} days old, {later} entries came since")
    closed = sum(1 for backup in made if backup.epoch is not None and backup.epoch < epoch)
    if closed:
        yield Diagnosis("fine", "backups", f"{closed} are from before an erasure, and open with no key")
    if last.epoch is not None and last.epoch < epoch:
        yield Diagnosis("look", "backups", "none was made since the last erasure: make one")


def _access(tenant: Tenant) -> Iterator[Diagnosis]:
    if tenant.state.roster.suspended:
        yield Diagnosis(
            "look", "grants", "they are suspended since a restore: look through them, then confirm"
        )
    try:
        kept = [(x.size, bytes.fromhex(x.head)) for x in Backing(tenant).recorded_heads()]
        if kept:
            tenant.disclosures.verify(kept)
    except ProvLedgerError as error:
        yield Diagnosis("wrong", "disclosures", error.message)


def _snapshots(tenant: Tenant) -> Iterator[Diagnosis]:
    folder = snapshots_folder(tenant.ledger, tenant.name)
    count = len(list(folder.iterdir())) if folder.is_dir() else 0
    if count > 4:
        yield Diagnosis(
            "look", str(folder), f"{count} copies of the graph lie there: any erasure removes them"
        )
