"""The command ``answer``: the gate in front of a reader."""

from collections.abc import Iterator
from typing import Annotated

import typer

from prov_ledger.cli.command import Commands
from prov_ledger.cli.session import Session
from prov_ledger.cli.values import parse_enumerated, parse_pairs, read_bytes
from prov_ledger.errors import Refused
from prov_ledger.ledger.answering import CheckedAnswer
from prov_ledger.model.records import LEVELS

commands = Commands()


@commands.add("answer", example="prov-ledger answer reply.md --thread chat-7 --as support-bot")
def answer(
    session: Session,
    file: Annotated[str, typer.Argument(metavar="FILE", help="The answer's text; - is standard input.")],
    facts: Annotated[
        list[str] | None, typer.Option("-f", "--fact", metavar="NAME=VALUE", help="Given fact; repeatable.")
    ] = None,
    thread: Annotated[
        str | None, typer.Option(metavar="NAME", help="The conversation: its short labels count.")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Every sentence needs a citation.")] = False,
    min_authority: Annotated[
        str, typer.Option(metavar="LEVEL", help=f"One of {', '.join(LEVELS)}.")
    ] = "informal",
    max_age: Annotated[
        str | None, typer.Option(metavar="DURATION", help="How old a check may be, such as P30D.")
    ] = None,
) -> None:
    """Check an answer before a reader (--as) sees it.

    Every [cl_...] or [c1] in it has to be citable now and to bear out its sentence. Prints what may be
    shown. Exit status 1 where anything blocks.
    """
    with session.open() as ledger:
        checked = ledger.check_answer(
            _text(file),
            facts=parse_pairs(facts or [], "-f"),
            thread=thread,
            strict=strict,
            min_authority=parse_enumerated(min_authority, LEVELS, "--min-authority"),
            max_age=max_age,
        )
    session.emit(checked, _lines(checked), page=checked.text or None)
    if not checked.allowed:
        raise typer.Exit(1)


def _text(file: str) -> str:
    try:
        return read_bytes(file).decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refused("bad_input", f"the answer is no UTF-8: byte {error.start + 1} does not fit") from None


def _lines(checked: CheckedAnswer) -> Iterator[str]:
    marked = {fault.code for fault in checked.faults}
    yield "allowed" if checked.allowed else "blocked: " + ", ".join(dict.fromkeys(checked.codes))
    for fault in checked.faults:
        yield f"  {fault.code}: {fault.marker}"
    for code in checked.codes:
        if code not in marked:
            yield f"  {code}: the text as a whole"
    for sentence in checked.uncited:
        yield f"  without a citation: {' '.join(sentence.split())}"
    if checked.text:
        yield ""
