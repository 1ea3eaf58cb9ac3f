"""Commands about how claims stand: ``restate``, ``reaffirm``, ``sensitive``, ``explain``."""

from itertools import chain
from typing import Annotated

import typer

from prov_ledger.cli.command import Commands
from prov_ledger.cli.render import hanging, terminal_width
from prov_ledger.cli.session import Session
from prov_ledger.cli.values import expect_kind
from prov_ledger.model.times import parse_date_or_instant

Claim = Annotated[str, typer.Argument(metavar="CLAIM", help="Id of the claim (cl_...).")]


commands = Commands()


@commands.add("restate", example="prov-ledger restate cl_... --says '14 days.' --exposure ev_...")
def restate(
    session: Session,
    claim: Claim,
    says: Annotated[str, typer.Option(metavar="TEXT", help="The same conclusion in other words.")],
    exposure: Annotated[
        list[str], typer.Option(metavar="ID", help="What the words were written from; repeatable.")
    ],
) -> None:
    """Put a claim into words that rest only on what is named."""
    with session.open() as ledger:
        ledger.restate(claim, says=says, exposure=exposure)
    session.done("recorded")


@commands.add("reaffirm", example="prov-ledger reaffirm --collection handbook")
def reaffirm(
    session: Session,
    claims: Annotated[list[str] | None, typer.Argument(metavar="CLAIM", help="Ids of claims.")] = None,
    collection: Annotated[
        str | None, typer.Option(metavar="NAME", help="All claims that rest on its sources, instead of ids.")
    ] = None,
) -> None:
    """Carry claims over to the revisions that govern now.

    Only where every quote is the same there: once, under the same headings, or in the same cell.
    """
    with session.open() as ledger:
        done = ledger.reaffirm(claims or (), collection=collection)
    lines = [f"{old} -> {new}" for old, new in done.carried.items()]
    lines.append(f"{len(done.carried)} carried over, {len(done.changed)} not, {len(done.left)} left alone")
    lines += [f"{id} rests on a source that is retired: not carried over" for id in done.retired]
    session.emit(done, lines)


@commands.add("sensitive", example="prov-ledger sensitive personnel")
def sensitive(
    session: Session,
    collection: Annotated[str, typer.Argument(metavar="COLLECTION", help="The name of the collection.")],
) -> None:
    """Let reminder packets carry no statements from a collection."""
    with session.open() as ledger:
        ledger.sensitive(collection)
    session.done("recorded")


@commands.add("explain", example="prov-ledger explain cl_... --as-of 2026-05-01")
def explain(
    session: Session,
    claim: Claim,
    as_of: Annotated[
        str | None,
        typer.Option(metavar="WHEN", help="Date (its start) or instant; default: when it was made."),
    ] = None,
) -> None:
    """Account for a claim: what was believed, and why.

    From what it was concluded, which checks it passed, and what is different now.
    """
    with session.open() as ledger:
        moment = None if as_of is None else parse_date_or_instant(as_of)
        account = ledger.explain(expect_kind(claim, "cl", "a claim's"), as_of=moment)
    width = terminal_width()
    session.emit(account, chain.from_iterable(hanging(line, width) for line in account.lines()))
