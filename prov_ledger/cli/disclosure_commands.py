"""Commands about the records of what was shown: ``disclosures``, ``forget``."""

from typing import Annotated

import typer

from prov_ledger.cli.command import Commands
from prov_ledger.cli.session import Session
from prov_ledger.model.times import format_instant
from prov_ledger.vault.disclosures import Disclosure

commands = Commands()


@commands.add(
    "disclosures", example="prov-ledger disclosures --reader support-bot --from 2026-06-01T00:00:00Z"
)
def disclosures(
    session: Session,
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="ID", help="Claims or evidence; all if none.")
    ] = None,
    reader: Annotated[str | None, typer.Option(metavar="AGENT", help="To whom it was shown.")] = None,
    thread: Annotated[str | None, typer.Option(metavar="NAME", help="In which conversation.")] = None,
    from_: Annotated[str | None, typer.Option("--from", metavar="INSTANT", help="From when on.")] = None,
    until: Annotated[str | None, typer.Option(metavar="INSTANT", help="Until when, not itself.")] = None,
) -> None:
    """Say what was shown to whom, by ids alone."""
    with session.open() as ledger:
        found = ledger.disclosures(ids=ids or (), reader=reader, thread=thread, from_=from_, until=until)
    session.emit(found, [_line(shown) for shown in found])


def _line(shown: Disclosure) -> str:
    words = "words" if shown.disclosed.words else "quotes"
    return (
        f"{format_instant(shown.occasion.at)}  {shown.occasion.reader or '-'}  {shown.disclosed.id}  {words} "
        f"{' '.join(shown.disclosed.evidence)}".rstrip()
    )


@commands.add("forget", example="prov-ledger forget --before 2025-01-01T00:00:00Z")
def forget(
    session: Session,
    before: Annotated[str, typer.Option(metavar="INSTANT", help="What was shown earlier is forgotten.")],
) -> None:
    """Forget what was shown before an instant.

    What is left still verifies.
    """
    with session.open() as ledger:
        count = ledger.forget_disclosures(before)
    session.emit({"forgotten": count}, [f"{count} occasions forgotten"])
