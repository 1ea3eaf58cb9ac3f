"""Commands about what is held, and how long: ``access``, ``hold``, ``release``, ``retention``, ``sweep``."""

import sys
from typing import Annotated

import typer

from prov_ledger.cli.command import Commands
from prov_ledger.cli.session import Session
from prov_ledger.errors import Refused

commands = Commands()

On = Annotated[str, typer.Argument(metavar="WHAT", help="A source's id, or collection:NAME.")]
Reason = Annotated[str | None, typer.Option(metavar="TEXT", help="Why; kept sealed.")]


@commands.add("access", example="prov-ledger access src_...\nprov-ledger access --text - < name.txt")
def access(
    session: Session,
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="ID...", help="Sources, revisions, evidence, claims, agents."),
    ] = None,
    text: Annotated[
        str | None, typer.Option(metavar="TEXT", help="List what mentions this; - reads it from the input.")
    ] = None,
) -> None:
    """Print all that is held about ids, or find a text.

    With the texts, what rests on them, who was shown what and when, and the backups and exports since. That
    it was printed is recorded.
    """
    if bool(ids) == (text is not None):
        raise Refused("incomplete", "access takes ids, or --text: give one of them")
    with session.open() as ledger:
        if text is not None:
            found = ledger.mentions(sys.stdin.read().strip() if text == "-" else text)
            lines = [f"{each.id}  {each.field}" for each in found]
            session.emit(found, lines or ["nothing holds it"])
            return
        account = ledger.access(ids or [])
    session.emit(account, account.lines())


@commands.add("hold", example="prov-ledger hold src_... --reason 'case 12'")
def hold(session: Session, on: On, reason: Reason = None) -> None:
    """Let no erasure touch a source or a collection.

    It holds until it is released; what expires under it is withheld all the same.
    """
    with session.open() as ledger:
        ledger.hold(on, reason)
    session.done("held")


@commands.add("release", example="prov-ledger release src_...")
def release(session: Session, on: On, reason: Reason = None) -> None:
    """End a legal hold."""
    with session.open() as ledger:
        ledger.release(on, reason)
    session.done("released")


@commands.add("holds", example="prov-ledger holds")
def holds(session: Session) -> None:
    """List the legal holds in force, the oldest first."""
    with session.open() as ledger:
        found = ledger.holds()
    lines = []
    for each in found:
        lines.append(f"{each.on}  since {each.since:%Y-%m-%d}")
        lines.append(f"    by {each.agent}")
        lines += [f"    {each.reason}"] if each.reason else []
    session.emit(found, lines or ["no legal hold is in force"])


@commands.add("retention", example="prov-ledger retention collection:complaints --bytes P6M --metadata P2Y")
def retention(
    session: Session,
    on: Annotated[
        str | None,
        typer.Argument(metavar="WHAT", help="A source's id, or collection:NAME; without, the rules."),
    ] = None,
    bytes_for: Annotated[
        str | None, typer.Option("--bytes", metavar="DURATION", help="How long bytes and quotes are kept.")
    ] = None,
    metadata_for: Annotated[
        str | None, typer.Option("--metadata", metavar="DURATION", help="How long anything is kept.")
    ] = None,
) -> None:
    """Bound how long anything is kept, or list the rules.

    ISO 8601 durations with calendar months, from each recording; one that is left out is no limit. What
    expires is withheld at once, and goes for good with the next sweep.
    """
    with session.open() as ledger:
        if on is not None:
            ledger.retention(on, bytes_for=bytes_for, metadata_for=metadata_for)
            session.done("recorded")
            return
        if bytes_for or metadata_for:
            raise Refused("incomplete", "a rule is about something: name a source or collection:NAME")
        rules = ledger.retention_rules()
    lines = [
        f"{x.on}  bytes {x.bytes_for or 'for ever'}, metadata {x.metadata_for or 'for ever'}" for x in rules
    ]
    session.emit(rules, lines or ["no retention rule is in force"])


@commands.add("sweep", example="prov-ledger sweep")
def sweep(session: Session) -> None:
    """Erase and prune what expired.

    Says what went, what a legal hold kept, and when something expires next. Running it twice changes
    nothing.
    """
    with session.open() as ledger:
        report = ledger.sweep()
    session.emit(report, report.lines())
