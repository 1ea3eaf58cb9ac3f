"""Commands about who may read what: ``grant``, ``revoke``, ``member``, ``deny``, ``allow``."""

from typing import Annotated

import typer

from prov_ledger.cli.capture_commands import Source
from prov_ledger.cli.command import Commands
from prov_ledger.cli.session import Session
from prov_ledger.model.times import parse_date_or_instant

Who = Annotated[str, typer.Argument(metavar="WHO", help="An agent's name, or group:NAME.")]
Read = Annotated[
    str, typer.Argument(metavar="WHAT", help="A source's id, collection:NAME, or * for everything.")
]
For = Annotated[str | None, typer.Option("--for", metavar="PURPOSE", help="For this purpose alone.")]
Reason = Annotated[str, typer.Option(metavar="TEXT", help="Why.")]


commands = Commands()


@commands.add("grant", example="prov-ledger grant group:staff collection:handbook")
def grant(
    session: Session,
    who: Who,
    read: Read,
    for_: For = None,
    until: Annotated[
        str | None, typer.Option(metavar="WHEN", help="Date or instant from which it ends.")
    ] = None,
    max_age: Annotated[
        str | None, typer.Option(metavar="DURATION", help="How long it holds from now, such as P30D.")
    ] = None,
) -> None:
    """Let somebody read a source, a collection or everything."""
    with session.open() as ledger:
        end = None if until is None else parse_date_or_instant(until)
        ledger.grant(who, read, for_purpose=for_, until=end, max_age=max_age)
    session.done("granted")


@commands.add("revoke", example="prov-ledger revoke group:staff collection:handbook")
def revoke(session: Session, who: Who, read: Read, for_: For = None) -> None:
    """End the grants given to the same reader for the same thing."""
    with session.open() as ledger:
        ledger.revoke(who, read, for_purpose=for_)
    session.done("revoked")


@commands.add("member", example="prov-ledger member amira group:staff")
def member(
    session: Session,
    who: Annotated[str, typer.Argument(metavar="AGENT", help="An agent's name.")],
    of: Annotated[str, typer.Argument(metavar="GROUP", help="group:NAME.")],
    left: Annotated[bool, typer.Option("--left", help="Leaves the group.")] = False,
) -> None:
    """Put an agent into a group, or take it out."""
    with session.open() as ledger:
        ledger.member(who, of, left=left)
    session.done("recorded")


@commands.add("deny", example="prov-ledger deny src_... --reason complaint-17")
def deny(session: Session, source: Source, reason: Reason) -> None:
    """Withhold a source from everyone; nothing is destroyed."""
    with session.open() as ledger:
        ledger.deny(source, reason)
    session.done("denied")


@commands.add("allow", example="prov-ledger allow src_... --reason complaint-17")
def allow(session: Session, source: Source, reason: Reason) -> None:
    """End a denial."""
    with session.open() as ledger:
        ledger.allow(source, reason)
    session.done("allowed")
