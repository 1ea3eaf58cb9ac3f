"""Commands that hand text out: ``remind``, ``packet``, ``resolve``, ``show``."""

import sys
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from itertools import chain
from typing import Annotated

import typer

from prov_ledger.cli.command import Commands
from prov_ledger.cli.render import slot_lines, terminal_width
from prov_ledger.cli.session import Session
from prov_ledger.cli.values import parse_enumerated, parse_pairs
from prov_ledger.errors import Refused
from prov_ledger.ledger.ledger import READERS, Ledger
from prov_ledger.ledger.sources import instant_from
from prov_ledger.model.plain import encode_plain
from prov_ledger.model.records import LEVELS
from prov_ledger.model.slots import VERDICTS
from prov_ledger.model.times import parse_date_or_instant

commands = Commands()

_NO_TEXT = "(not text; --raw gives the bytes)"


@commands.add("remind", example="prov-ledger remind cl_... cl_... --budget 200 --thread chat-7")
def remind(
    session: Session,
    claims: Annotated[list[str], typer.Argument(metavar="CLAIM", help="Ids of claims, in order.")],
    budget: Annotated[int, typer.Option(metavar="TOKENS", min=1, help="How long the packet may be.")],
    thread: Annotated[str | None, typer.Option(metavar="NAME", help="The conversation it is for.")] = None,
    readers: Annotated[
        list[str] | None, typer.Option("--reader", metavar="AGENT", help="May read the thread; repeatable.")
    ] = None,
) -> None:
    """Make the packet that a compacted context carries.

    It holds ids and short lines; it is never evidence.
    """
    with session.open() as ledger:
        made = ledger.remind(claims, budget=budget, thread=thread, readers=readers or ())
    session.emit(made, page=made.text)


@commands.add("packet", example="prov-ledger packet rem_... --as support-bot")
def packet(
    session: Session,
    reminder: Annotated[str, typer.Argument(metavar="REMINDER", help="Id of the reminder (rem_...).")],
) -> None:
    """Render a reminder anew for the reader who asks."""
    with session.open() as ledger:
        made = ledger.packet(reminder)
    session.emit(made, page=made.text)


@commands.add("resolve", example="prov-ledger resolve cl_... -f purchase_date=2026-07-02 --as support-bot")
def resolve(
    session: Session,
    ids: Annotated[list[str], typer.Argument(metavar="ID", help="Ids of claims or evidence.")],
    facts: Annotated[
        list[str] | None, typer.Option("-f", "--fact", metavar="NAME=VALUE", help="Given fact; repeatable.")
    ] = None,
    as_of: Annotated[
        str | None,
        typer.Option(metavar="WHEN", help="Read what was recorded up to then; a date is its first instant."),
    ] = None,
    min_authority: Annotated[
        str, typer.Option(metavar="LEVEL", help=f"One of {', '.join(LEVELS)}.")
    ] = "informal",
    max_age: Annotated[
        str | None, typer.Option(metavar="DURATION", help="How old a check may be, such as P30D.")
    ] = None,
    thread: Annotated[str | None, typer.Option(metavar="NAME", help="The conversation it is for.")] = None,
    reader: Annotated[
        str | None,
        typer.Option(
            metavar="READER", help=f"One of {', '.join(READERS)}: both decide alike; default: memory."
        ),
    ] = None,
    require: Annotated[
        str | None, typer.Option(metavar="VERDICT", help="Exit with 1 unless all have it, as in citable.")
    ] = None,
) -> None:
    """Say for each id whether it may be shown now.

    For this reader (--as), purpose and facts; a citation can only be had this way. The exit status is 0
    whatever the verdicts are, unless --require names the one that all must have.
    """
    wanted = None if require is None else parse_enumerated(require, VERDICTS, "--require")
    if reader is not None:
        parse_enumerated(reader, READERS, "--reader")
    with session.open(reader) as ledger:
        slots = ledger.resolve(
            ids,
            facts=parse_pairs(facts or [], "-f"),
            as_of=None if as_of is None else _past(ledger, as_of),
            min_authority=parse_enumerated(min_authority, LEVELS, "--min-authority"),
            max_age=max_age,
            thread=thread,
        )
    width = terminal_width()
    session.emit(slots, chain.from_iterable(slot_lines(slot, width) for slot in slots))
    if wanted is not None and any(slot.verdict != wanted for slot in slots):
        raise typer.Exit(1)


def _past(ledger: Ledger, when: str) -> datetime:
    """An instant that has come; a date is its first instant in the tenant's zone."""
    instant = instant_from(parse_date_or_instant(when), ledger.facts().zone)
    if instant > datetime.now(UTC):
        raise Refused("bad_input", "--as-of is a time that has not come: give one up to now")
    return instant


@commands.add("show", example="prov-ledger show policies/returns.md --on 2026-04-12 --raw")
def show(
    session: Session,
    native_or_id: Annotated[str, typer.Argument(metavar="NATIVE|ID", help="A native id, src_... or rev_...")],
    on: Annotated[
        str | None,
        typer.Option(metavar="WHEN", help="Date (its end) or instant; default: the latest revision."),
    ] = None,
    raw: Annotated[bool, typer.Option("--raw", help="Exactly the bytes, and nothing else.")] = False,
) -> None:
    """Show the revision that a source had at a time."""
    if raw and session.json:
        raise Refused("bad_input", "--raw and --json exclude each other")
    with session.open() as ledger:
        shown = ledger.show(native_or_id, on=None if on is None else parse_date_or_instant(on))
    if raw:
        sys.stdout.buffer.write(shown.data)
        return
    plain = encode_plain(shown)
    meta = {key: value for key, value in plain.items() if key != "data"} if isinstance(plain, dict) else {}
    text = _as_text(shown.data)
    if text is not None:
        meta["text"] = text
    session.emit(meta, _lines_above(meta), page=_NO_TEXT if text is None else text)


def _as_text(data: bytes) -> str | None:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _lines_above(meta: Mapping[str, object]) -> Iterable[str]:
    for key, value in meta.items():
        if key != "text":
            yield f"{key + ':':<12} {value}"
    yield ""
