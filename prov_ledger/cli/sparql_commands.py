"""The command ``sparql``: a query of one's own, or one of the library by name."""

import textwrap
import time
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from prov_ledger.cli.command import Commands
from prov_ledger.cli.render import terminal_width
from prov_ledger.cli.results import FORMATS, format_answer
from prov_ledger.cli.session import Session
from prov_ledger.cli.values import parse_enumerated, parse_pairs, read_bytes
from prov_ledger.errors import GraphBusy, Refused
from prov_ledger.queries.binding import NamedQuery, load_query, query_names
from prov_ledger.store.port import Answer

#: How a parameter of each kind is written.
_SPELLINGS = {
    "ids": "ID,ID",
    "instant": "INSTANT",
    "interval": "START/END",
    "days": "N",
    "facts": "NAME=VALUE,NAME=VALUE",
}
_EXAMPLE = """\
prov-ledger sparql -q 'SELECT ?claim { ?claim a pl:Claim }' --text claim
prov-ledger sparql --name ending_soon -p days=30 --format csv"""

#: No query is waited for without end: one that is waited for in this thread cannot be interrupted.
_TIMEOUT_S = 300.0

#: How long a sister command is waited for: as a rule it has the graph for less than that.
_PATIENCE_S = 5.0

commands = Commands()


@commands.add("sparql", example=_EXAMPLE)
def sparql(
    session: Session,
    query: Annotated[
        str | None, typer.Option("-q", "--query", metavar="SPARQL", help="The query; prefixes are preset.")
    ] = None,
    query_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A file with the query; - reads the standard input.")
    ] = None,
    name: Annotated[str | None, typer.Option(metavar="QUERY", help="A query of the library.")] = None,
    parameters: Annotated[
        list[str] | None, typer.Option("-p", "--param", metavar="NAME=VALUE", help="For --name; repeatable.")
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="List the queries of the library.")] = False,
    format_: Annotated[
        str | None, typer.Option("--format", help=f"One of {', '.join(FORMATS)}; default: table or turtle.")
    ] = None,
    text: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="Join the text of its ids; repeatable.")
    ] = None,
    timeout: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.001, help=f"Give up then; default: {_TIMEOUT_S:g}.")
    ] = _TIMEOUT_S,
) -> None:
    """Ask the tenant's graph in SPARQL 1.1."""
    if list_:
        _list(session)
        return
    if sum(given is not None for given in (query, query_file, name)) != 1:
        raise Refused("bad_input", "expected one of --query, --query-file, --name and --list")
    chosen = format_ or ("json" if session.json else "table")
    parse_enumerated(chosen, FORMATS, "--format")
    columns = tuple(text or ())
    with session.open() as ledger:
        if name is not None:
            given = _parameters(parameters or [])
            answer = _waiting(lambda: ledger.named_query(name, given, text_columns=columns, timeout=timeout))
        else:
            wanted = query if query is not None else read_bytes(str(query_file)).decode("utf-8", "replace")
            answer = _waiting(lambda: ledger.sparql(wanted, text_columns=columns, timeout=timeout))
    for line in format_answer(answer, chosen, terminal_width()):
        print(line)


def _waiting(ask: Callable[[], Answer]) -> Answer:
    """The answer, once another command has let go of the graph. Raises GraphBusy where it takes too long."""
    end = time.monotonic() + _PATIENCE_S
    while True:
        try:
            return ask()
        except GraphBusy:
            if time.monotonic() >= end:
                raise
            time.sleep(0.05)


def _parameters(pairs: list[str]) -> dict[str, str]:
    """Parameters by name; one that is given twice has both values."""
    given: dict[str, str] = {}
    for pair in pairs:
        for key, value in parse_pairs([pair], "-p").items():
            given[key] = f"{given[key]},{value}" if key in given else str(value)
    return given


def _list(session: Session) -> None:
    # What the SPARQL reader itself runs is no part of the library.
    listed = [load_query(name) for name in query_names() if not name.startswith("reader_")]
    session.emit(listed, chain.from_iterable((_call(query), *_title(query)) for query in listed))


def _title(query: NamedQuery) -> list[str]:
    return textwrap.wrap(query.title, terminal_width(), initial_indent="    ", subsequent_indent="    ")


def _call(query: NamedQuery) -> str:
    """How a query of the library is called; optional parameters in brackets."""
    given = (f"-p {each.name}={_SPELLINGS.get(each.kind, '...')}" for each in query.parameters)
    shown = (
        f"[{text}]" if each.optional else text for text, each in zip(given, query.parameters, strict=True)
    )
    return " ".join([query.name, *shown])
