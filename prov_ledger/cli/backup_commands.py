"""Commands that keep a ledger: ``backup``, ``restore``, ``confirm``, ``doctor``, ``rotate``."""

from pathlib import Path
from typing import Annotated

import typer

from prov_ledger.cli.command import Commands
from prov_ledger.cli.session import Session
from prov_ledger.errors import STATUS
from prov_ledger.ledger.doctoring import Diagnosis, examine
from prov_ledger.ledger.opening import key_provider
from prov_ledger.ledger.restoring import Newest, Restored, brought_key, restore
from prov_ledger.ledger.tenant import system_clock

commands = Commands()

KeysFromOption = Annotated[
    Path | None,
    typer.Option(
        "--keys-from", metavar="FOLDER", help="Where the tenant's key file is, if it is not there already."
    ),
]


@commands.add("backup", example="prov-ledger backup /backups/monday")
def backup(
    session: Session,
    destination: Annotated[str, typer.Argument(metavar="FOLDER", help="A new folder outside the ledger.")],
) -> None:
    """Write a backup while the ledger is used, and read it back.

    It holds no key: keep the key files apart, in a place that an erasure reaches, since without them
    nothing in a backup opens.
    """
    with session.open() as ledger:
        made = ledger.backup(destination)
    session.emit(
        made,
        [
            f"{made.entries} entries, {made.size_bytes:,} bytes, opens with the key of epoch {made.epoch}",
            f"root {made.root}",
        ],
    )


@commands.add(
    "restore",
    here=True,
    example="prov-ledger restore /backups/monday --ledger restored \\\n"
    "      --newest ledger/tenants/default --keys-from ledger/keys",
)
def restore_backup(
    session: Session,
    source: Annotated[Path, typer.Argument(metavar="BACKUP", help="The folder of the backup.")],
    newest: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Where the newest keys.sqlite and denials.sqlite are: of the ledger that was lost, or of "
            "a later backup.",
        ),
    ] = None,
    keys_from: KeysFromOption = None,
) -> None:
    """Make a new ledger out of a backup.

    It must not have such a tenant. What was erased since does not open; what was denied, revoked, left,
    retracted or superseded since is so again. Without the newest list of that, all grants are suspended:
    look through them, then confirm.
    """
    keys = key_provider(session.path)
    known = Newest.of_folder(newest)
    with brought_key(source, known, keys, keys_from):
        done = restore(source, session.path, keys, known, system_clock)
    session.emit(done, list(_told(done)))


def _told(done: Restored) -> list[str]:
    lines = [f"restored tenant {done.tenant} with {done.entries} entries, root {done.root}"]
    lines.append(f"{done.applied} things that had been taken away since were taken away again")
    if not done.keys_newest:
        lines.append("the keys are the backup's own: what was erased since may open")
    if done.grants_suspended:
        lines.append("all grants are suspended: look through them, then run: prov-ledger confirm")
    return lines


@commands.add("rotate", example="prov-ledger rotate")
def rotate(session: Session) -> None:
    """Destroy the old key and wrap what lives anew.

    So does every erasure. Backups from before do not open any more: make one afterwards.
    """
    with session.open() as ledger:
        epoch = ledger.rotate_keys()
    session.emit({"epoch": epoch}, [f"epoch {epoch}; the key of the one before is destroyed"])


@commands.add("confirm", example="prov-ledger confirm")
def confirm(session: Session) -> None:
    """Let the grants of a restored ledger hold again."""
    with session.open() as ledger:
        ledger.confirm_grants()
    session.done("the grants hold again")


@commands.add("doctor", here=True, example="prov-ledger doctor")
def doctor(session: Session) -> None:
    """Look at files, keys and backups, and say what to do.

    Exit status 9 where something is wrong. It works also where the ledger does not open.
    """
    found = examine(session.path, session.tenant, key_provider(session.path), system_clock)
    session.emit(found, [_line(one) for one in found])
    if any(one.level == "wrong" for one in found):
        raise typer.Exit(STATUS["corrupt"].exit_code)


def _line(one: Diagnosis) -> str:
    return f"{one.level:5}  {one.where}: {one.what}"
