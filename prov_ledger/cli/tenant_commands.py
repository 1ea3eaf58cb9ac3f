"""Commands about a tenant as a whole, under ``tenant``: moving out and in, reopening, removing."""

from pathlib import Path
from typing import Annotated

import typer

from prov_ledger.cli.backup_commands import KeysFromOption
from prov_ledger.cli.command import Commands
from prov_ledger.cli.session import Session
from prov_ledger.errors import Refused
from prov_ledger.ledger.moving import move_in, move_out, remove, reopen
from prov_ledger.ledger.opening import key_provider
from prov_ledger.ledger.tenant import system_clock

commands = Commands("tenant", "Move a tenant to another ledger, or remove it for good.")


@commands.add("export", here=True, example="prov-ledger tenant export /moving/acme --keys-to /safe/acme")
def export(
    session: Session,
    destination: Annotated[Path, typer.Argument(metavar="FOLDER", help="A new folder outside the ledger.")],
    keys_to: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where to write the tenant's key; not beside the files.")
    ],
) -> None:
    """Write a tenant out, to be imported elsewhere.

    It answers no more here. Remove it here once it is there, or reopen it.
    """
    keys = key_provider(session.path)
    made = move_out(
        session.path, session.tenant, keys, destination, keys_to, system_clock, agent=session.agent
    )
    session.emit(
        made, [f"{made.entries} entries, root {made.root}", f"its key of epoch {made.epoch} is apart"]
    )


@commands.add("import", here=True, example="prov-ledger tenant import /moving/acme --keys-from /safe/acme")
def import_(
    session: Session,
    source: Annotated[Path, typer.Argument(metavar="FOLDER", help="What export wrote.")],
    keys_from: KeysFromOption = None,
) -> None:
    """Take in a tenant that was exported elsewhere.

    Its name and its grants stay.
    """
    try:
        done = move_in(source, session.path, key_provider(session.path), keys_from, system_clock)
    except Refused as refusal:
        if refusal.code != "already_exists":
            raise
        message = (
            f"a tenant of that name is in {session.path} already: import it into another ledger (--ledger), "
            "reopen it if it was exported from here, or remove the one that is here first"
        )
        raise Refused("already_exists", message) from None
    lines = [f"took in tenant {done.tenant} with {done.entries} entries, root {done.root}"]
    if keys_from is not None:
        lines.append(f"its key is here now: destroy the one in {keys_from}")
    session.emit(done, lines)


@commands.add("reopen", here=True, example="prov-ledger tenant reopen")
def reopen_(session: Session) -> None:
    """Let a tenant that was exported answer here again."""
    reopen(session.path, session.tenant)
    session.done(f"tenant {session.tenant} is open again")


@commands.add("remove", here=True, example="prov-ledger tenant remove --tenant acme --yes acme")
def remove_(
    session: Session,
    yes: Annotated[
        str, typer.Option(metavar="NAME", help="The tenant's name again, since nothing undoes it.")
    ],
) -> None:
    """Destroy a tenant's keys, then its files.

    Backups of it do not open any more. What is killed is finished by the next call.
    """
    if yes != session.tenant:
        raise Refused(
            "bad_input", f"--yes says '{yes}', the tenant is '{session.tenant}': nothing was removed"
        )
    gone = remove(session.path, session.tenant, key_provider(session.path), system_clock, session.agent)
    lines = [f"tenant {gone.tenant} is gone, {len(gone.epochs)} keys of epochs were destroyed"]
    if gone.kept_epochs:
        lines.append("its keys derive from a master key: backups can be opened while that is kept")
    session.emit(gone, lines)
