"""Commands about what a conversation holds: ``thread``, ``changes``."""

from itertools import chain
from typing import Annotated

import typer

from prov_ledger.cli.command import Commands
from prov_ledger.cli.render import slot_lines, terminal_width
from prov_ledger.cli.session import Session
from prov_ledger.cli.values import parse_pairs
from prov_ledger.model.times import parse_date_or_instant

Thread = Annotated[str, typer.Argument(metavar="THREAD", help="The application's id of the conversation.")]

commands = Commands()


@commands.add("thread", example="prov-ledger thread chat-7 --as support-bot -f purchase_date=2026-07-02")
def thread(
    session: Session,
    name: Thread,
    facts: Annotated[
        list[str] | None, typer.Option("-f", "--fact", metavar="NAME=VALUE", help="Given fact; repeatable.")
    ] = None,
) -> None:
    """Resolve all that a conversation holds.

    For an application whose context was compacted out of its sight; what is withheld is left out.
    """
    with session.open() as ledger:
        slots = ledger.thread(name, facts=parse_pairs(facts or [], "-f"))
    width = terminal_width()
    session.emit(slots, chain.from_iterable(slot_lines(slot, width) for slot in slots))


@commands.add("changes", example="prov-ledger changes chat-7 --since 2026-06-30")
def changes(
    session: Session,
    name: Thread,
    since: Annotated[str, typer.Option(metavar="WHEN", help="Date or instant.")],
) -> None:
    """Say which claims of a conversation have fallen."""
    with session.open() as ledger:
        fallen = ledger.changes(name, parse_date_or_instant(since))
    session.emit(fallen, [f"{each.id}  {each.was} -> {each.slot.verdict}" for each in fallen])
    if not fallen and not session.json:
        session.done("nothing has fallen since then")
