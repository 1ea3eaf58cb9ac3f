"""The command ``find``: what may be shown now for a question."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from prov_ledger.cli.command import Commands
from prov_ledger.cli.render import hanging, terminal_width, wrapped
from prov_ledger.cli.session import Session
from prov_ledger.cli.values import parse_enumerated, parse_pairs
from prov_ledger.ledger.finding import Found, FoundEvidence, FoundPassage
from prov_ledger.model.records import LEVELS

commands = Commands()


@commands.add("find", example='prov-ledger find "return unopened goods" -f purchase_date=2026-07-02')
def find(
    session: Session,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What to look for, in words.")],
    facts: Annotated[
        list[str] | None, typer.Option("-f", "--fact", metavar="NAME=VALUE", help="Given fact; repeatable.")
    ] = None,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="At most so many of each.")] = 10,
    index: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            envvar="PROV_LEDGER_SEARCH_INDEX",
            help="Keep the index there, in clear text; never in the ledger's folder.",
        ),
    ] = None,
    min_authority: Annotated[
        str, typer.Option(metavar="LEVEL", help=f"One of {', '.join(LEVELS)}.")
    ] = "informal",
    max_age: Annotated[
        str | None, typer.Option(metavar="DURATION", help="How old a check may be, such as P30D.")
    ] = None,
) -> None:
    """Find what may be shown now, for this reader (--as) and facts.

    Evidence that holds every word of TEXT, by its stem, and is citable; then passages of pages that govern
    and that nobody captured yet: no evidence until they are. Words are English or German.
    """
    with session.open() as ledger:
        if index is not None:
            ledger.keep_search_index(index)
        found = ledger.find(
            text,
            parse_pairs(facts or [], "-f"),
            limit=limit,
            min_authority=parse_enumerated(min_authority, LEVELS, "--min-authority"),
            max_age=max_age,
        )
    session.emit(found, _lines(found, terminal_width()))


def _lines(found: Found, width: int) -> Iterator[str]:
    for evidence in found.evidence:
        yield evidence.id
        yield from wrapped(f'"{evidence.quote}" -- {_where(evidence)}', width)
    if found.passages:
        yield "passages, no evidence yet:"
    for passage in found.passages:
        yield passage.revision
        yield from wrapped(f"{passage.text} -- {_where(passage)}", width)
    if not found.evidence and not found.passages:
        yield "nothing that may be shown was found"
    if found.missing:
        given = " ".join(f"-f {name}=VALUE" for name in found.missing)
        yield from hanging(f"more may be found for a question that gives {given}", width)
    if found.unconsidered:
        names = ", ".join(found.unconsidered)
        yield from hanging(f"left out, as nobody said whether it depends on {names}: some evidence", width)


def _where(found: FoundEvidence | FoundPassage) -> str:
    return ", ".join([found.title, found.label, " > ".join(found.header_path)]).rstrip(", ")
