"""Commands that capture what a source system says: ``source``, ``revision``, ``scope`` and their kin."""

from datetime import datetime
from typing import Annotated

import typer

from prov_ledger.cli.command import Commands
from prov_ledger.cli.session import Session
from prov_ledger.cli.values import parse_enumerated, parse_scope_option, read_bytes
from prov_ledger.connectors.paths import media_type_of
from prov_ledger.errors import Refused
from prov_ledger.ledger.ledger import Ledger
from prov_ledger.ledger.sources import instant_from
from prov_ledger.model.records import CHECK_OUTCOMES, LEVELS
from prov_ledger.model.times import parse_date_or_instant, parse_instant

ScopeOption = Annotated[
    list[str] | None,
    typer.Option("--scope", metavar="CONDITION", help="Repeatable; see: prov-ledger help scopes."),
]
Source = Annotated[str, typer.Argument(metavar="SOURCE", help="Id of the source (src_...).")]

_REVISION_EXAMPLE = """\
prov-ledger revision src_... returns.md --label 12 \\
  --scope 'purchase_date: 2026-06-01..open' \\
  --replaces rev_... --from 2026-06-01"""


commands = Commands()


@commands.add("source", example="prov-ledger source --native wiki:returns --title 'Returns policy'")
def source(
    session: Session,
    native: Annotated[str, typer.Option(metavar="ID", help="Its id in the source system.")],
    title: Annotated[str, typer.Option(metavar="TEXT", help="Its title; never an identity.")],
    connector: Annotated[str, typer.Option(metavar="NAME", help="Which source system.")] = "manual",
    authority: Annotated[
        str, typer.Option(metavar="LEVEL", help=f"One of {', '.join(LEVELS)}.")
    ] = "official",
    collection: Annotated[str | None, typer.Option(metavar="NAME", help="The collection it is in.")] = None,
    governed_by: Annotated[
        str | None, typer.Option(metavar="FACT", help="Governs revisions without a stated period.")
    ] = None,
    indifferent_to: Annotated[
        list[str] | None, typer.Option(metavar="FACT", help="A fact it does not depend on; repeatable.")
    ] = None,
    came_from: Annotated[
        str | None, typer.Option(metavar="SOURCE", help="The source that it was copied from.")
    ] = None,
) -> None:
    """Name a source object.

    The same native id again gives it a new title. Only whoever made the ledger may read it at once: to use
    it, even by whom it was made, it is granted first ('prov-ledger grant').
    """
    with session.open() as ledger:
        made = ledger.source(
            native=native,
            title=title,
            connector=connector,
            authority=parse_enumerated(authority, LEVELS, "--authority"),
            collection=collection,
            governed_by=governed_by,
            indifferent_to=tuple(indifferent_to or ()),
            came_from=came_from,
        )
    session.emit_id(made)


@commands.add("revision", example=_REVISION_EXAMPLE)
def revision(
    session: Session,
    source: Source,
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="The file with its bytes; - reads the standard input.")
    ],
    label: Annotated[str, typer.Option(metavar="TEXT", help="What the source system calls this state.")],
    media_type: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Such as text/markdown; default: by the file's name.")
    ] = None,
    published: Annotated[
        str | None, typer.Option(metavar="WHEN", help="Date or instant; default: now.")
    ] = None,
    scope: ScopeOption = None,
    replaces: Annotated[str | None, typer.Option(metavar="REV", help="Closes it from --from on.")] = None,
    from_: Annotated[str | None, typer.Option("--from", metavar="WHEN", help="Date or instant.")] = None,
    corrects: Annotated[str | None, typer.Option(metavar="REV", help="It was wrong.")] = None,
    parallel: Annotated[str | None, typer.Option(metavar="REV", help="Both stand.")] = None,
) -> None:
    """Record one state of a source: its exact bytes."""
    relation = _relation({"replaces": replaces, "corrects": corrects, "parallel": parallel}, from_)
    data = read_bytes(file)
    with session.open() as ledger:
        made = ledger.revision(
            source,
            data=data,
            media_type=media_type or media_type_of(file, data),
            label=label,
            published=None if published is None else _instant(ledger, published),
            scope=parse_scope_option(scope or []),
            relation=relation,
        )
    session.emit_id(made)


def _instant(ledger: Ledger, text: str) -> datetime:
    """An instant; a date is the beginning of that day in the tenant's zone."""
    return instant_from(parse_date_or_instant(text), ledger.facts().zone)


def _relation(kinds: dict[str, str | None], from_: str | None) -> dict[str, object] | None:
    given: dict[str, object] = {kind: other for kind, other in kinds.items() if other is not None}
    if len(given) > 1:
        raise Refused("bad_input", "expected only one of --replaces, --corrects and --parallel")
    if ("replaces" in given) != (from_ is not None):
        raise Refused("bad_input", "--replaces and --from go together")
    if from_ is not None:
        given["from"] = from_
    return given or None


@commands.add("scope", example="prov-ledger scope rev_... 'purchase_date: 2026-08-01..open'")
def scope(
    session: Session,
    of: Annotated[str, typer.Argument(metavar="ID", help="Id of a revision or of evidence.")],
    conditions: Annotated[
        list[str], typer.Argument(metavar="CONDITION", help="All of them; see: prov-ledger help scopes.")
    ],
) -> None:
    """State anew for which facts something holds.

    The text of the revision or evidence stays the same.
    """
    with session.open() as ledger:
        ledger.scope(of, parse_scope_option(conditions, "CONDITION") or [])
    session.done("recorded")


@commands.add("rename", example="prov-ledger rename src_... wiki:refunds --since 2026-06-01T00:00:00Z")
def rename(
    session: Session,
    source: Source,
    native: Annotated[str, typer.Argument(metavar="NATIVE", help="Its native id from then on.")],
    since: Annotated[str, typer.Option(metavar="INSTANT", help="When it was renamed.")],
) -> None:
    """Give a source a further native id.

    The old one stays good for the dates before.
    """
    with session.open() as ledger:
        ledger.rename(source, native, parse_instant(since))
    session.done("recorded")


@commands.add("check", example="prov-ledger check src_... current")
def check(
    session: Session,
    source: Source,
    outcome: Annotated[str, typer.Argument(metavar="OUTCOME", help=f"One of {', '.join(CHECK_OUTCOMES)}.")],
) -> None:
    """Record whether a source still says what was captured."""
    with session.open() as ledger:
        ledger.check(source, parse_enumerated(outcome, CHECK_OUTCOMES, "OUTCOME"))
    session.done("recorded")


@commands.add("authority", example="prov-ledger authority src_... delegated")
def authority(
    session: Session,
    source: Source,
    level: Annotated[str, typer.Argument(metavar="LEVEL", help=f"One of {', '.join(LEVELS)}.")],
) -> None:
    """Set how much a source counts from now on.

    Ends an earlier retirement.
    """
    with session.open() as ledger:
        ledger.authority(source, parse_enumerated(level, LEVELS, "LEVEL"))
    session.done("recorded")


@commands.add("retire", example="prov-ledger retire src_... --from 2026-09-01")
def retire(
    session: Session,
    source: Source,
    from_: Annotated[str, typer.Option("--from", metavar="WHEN", help="Date or instant.")],
) -> None:
    """Say from when on a source is no authority."""
    with session.open() as ledger:
        ledger.retire(source, parse_date_or_instant(from_))
    session.done("recorded")
