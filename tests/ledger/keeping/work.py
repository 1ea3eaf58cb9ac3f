"""What the tests of backups share: restoring into a folder, and what processes do until they are killed."""

import os
from pathlib import Path

from prov_ledger import Ledger
from prov_ledger.ledger.layout import keys_folder, tenant_folder
from prov_ledger.ledger.moving import move_out, remove
from prov_ledger.ledger.restoring import Newest, Restored, brought_key, restore
from prov_ledger.vault import crash
from prov_ledger.vault.keys import FileKeys
from tests.ledger.worlds import Clock

TENANT = "default"


def restored(
    backup: Path, to: Path, clock: Clock, lost: Path | None, keys_from: Path | None = None
) -> Restored:
    """Restore into ``to`` beside what ``lost``, the ledger that was lost, still has; None: it has nothing."""
    keys = FileKeys(keys_folder(to))
    newest = Newest.of_folder(tenant_folder(lost, TENANT) if lost is not None else None)
    place = keys_from or (keys_folder(lost) if lost is not None else None)
    with brought_key(backup, newest, keys, place):
        return restore(backup, to, keys, newest, clock)


def back_up_until_killed(folder: Path, backup: Path, point: str, passes: int) -> None:
    with Ledger.open(folder, clock=Clock()) as ledger:
        crash.arm(point, passes)
        ledger.backup(str(backup))


def restore_until_killed(backup: Path, to: Path, lost: Path, point: str, passes: int) -> None:
    crash.arm(point, passes)
    restored(backup, to, Clock(), lost)


def remove_until_killed(folder: Path, point: str, passes: int) -> None:
    crash.arm(point, passes)
    remove(folder, TENANT, FileKeys(keys_folder(folder)), Clock(), None)


def move_until_killed(folder: Path, to: Path, point: str) -> None:
    crash.arm(point)
    move_out(folder, TENANT, FileKeys(keys_folder(folder)), to, to.with_name("keys"), Clock(), None)


def write_until_told(folder: Path, stop: Path) -> None:
    """Write pairs of pages, each pair at once, until told."""
    with Ledger.open(folder, clock=Clock()) as ledger:
        number = 0
        while not stop.exists():
            with ledger.batch():
                for half in "ab":
                    source = ledger.source(
                        native=f"{os.getpid()}-{number}-{half}", title=f"Page {number} {half}"
                    )
                    ledger.revision(source, data=f"Text {number} {half}", label="v1")
            ledger.resolve([], principal="curator")
            number += 1
