"""Commands about what was concluded: ``evidence``, ``claim``, ``supersede``, ``retract``, ``contradict``."""

from typing import Annotated

import typer

from prov_ledger.cli.capture_commands import ScopeOption
from prov_ledger.cli.command import Commands
from prov_ledger.cli.session import Session
from prov_ledger.cli.values import (
    expect_kind,
    parse_enumerated,
    parse_pairs,
    parse_row,
    parse_scope_option,
    parse_support,
)
from prov_ledger.errors import Refused
from prov_ledger.model.records import TRANSFORMATIONS

Says = Annotated[str, typer.Argument(metavar="STATEMENT", help="The conclusion in one sentence.")]
Support = Annotated[
    list[str],
    typer.Option("--support", metavar="ID,ID...", help="All of these; repeat it for an alternative."),
]
Kind = Annotated[str, typer.Option(metavar="KIND", help=f"One of {', '.join(TRANSFORMATIONS)}.")]
By = Annotated[
    list[str] | None, typer.Option(metavar="FACT", help="Fact it was selected or computed by; repeatable.")
]
Note = Annotated[str | None, typer.Option(metavar="TEXT", help="How it was concluded, in a few words.")]
Question = Annotated[str, typer.Option(metavar="TEXT", help="The question that it answers.")]
Facts = Annotated[
    list[str] | None, typer.Option("-f", "--fact", metavar="NAME=VALUE", help="Given fact; repeatable.")
]
BoundTo = Annotated[
    list[str] | None, typer.Option(metavar="FACT", help="It holds for this value only; repeatable.")
]
Narrow = Annotated[list[str] | None, typer.Option(metavar="CONDITION", help="A narrower scope; repeatable.")]
Exposure = Annotated[
    list[str] | None, typer.Option(metavar="ID", help="What else the writer had read; repeatable.")
]
Reason = Annotated[str | None, typer.Option(metavar="TEXT", help="Why.")]

_CLAIM_EXAMPLE = """\
prov-ledger claim 'Goods may be returned within 60 days.' \\
  --support ev_... --kind select --by purchase_date \\
  --question 'How long may I return it?' -f purchase_date=2026-07-02"""

_SUPERSEDE_EXAMPLE = """\
prov-ledger supersede cl_... "Trials need one week's notice." \\
  --support ev_... --kind quote --question 'Notice?' \\
  --reason 'a sentence was overlooked'"""


commands = Commands()


@commands.add("evidence", example="prov-ledger evidence rev_... --quote 'within 60 days'")
def evidence(
    session: Session,
    revision: Annotated[str, typer.Argument(metavar="REVISION", help="Id of the revision (rev_...).")],
    quote: Annotated[str | None, typer.Option(metavar="TEXT", help="The exact text.")] = None,
    prefix: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Text just before it, where it occurs twice.")
    ] = None,
    suffix: Annotated[str | None, typer.Option(metavar="TEXT", help="Text just after it.")] = None,
    row: Annotated[
        str | None, typer.Option(metavar="N|COLUMN=VALUE", help="Row of a table, by number or key.")
    ] = None,
    column: Annotated[str | None, typer.Option(metavar="HEADER", help="Column of a table.")] = None,
    table: Annotated[
        str, typer.Option(metavar="N|SHEET", help="Which table of the page, or sheet of the workbook.")
    ] = "1",
    page: Annotated[int | None, typer.Option(metavar="N", help="Page of a PDF with the quote.")] = None,
    scope: ScopeOption = None,
    indifferent_to: Annotated[
        list[str] | None, typer.Option(metavar="FACT", help="A fact it does not depend on; repeatable.")
    ] = None,
) -> None:
    """Capture a quote or a table cell of a revision.

    The same span again gives the same id.
    """
    if (row is None) != (column is None):
        raise Refused("bad_input", "--row and --column go together")
    number = int(table) if table.isdecimal() else table
    with session.open() as ledger:
        made = ledger.evidence(
            expect_kind(revision, "rev", "a revision's"),
            quote=quote,
            prefix=prefix,
            suffix=suffix,
            cell=None if row is None else {"row": parse_row(row), "column": column, "table": number},
            page=page,
            scope=parse_scope_option(scope or []),
            indifferent_to=tuple(indifferent_to or ()),
        )
    session.emit_id(made)


def _transformation(kind: str, by: list[str] | None, note: str | None) -> dict[str, object]:
    result: dict[str, object] = {"kind": parse_enumerated(kind, TRANSFORMATIONS, "--kind"), "by": by or []}
    return result if note is None else {**result, "note": note}


@commands.add("claim", example=_CLAIM_EXAMPLE)
def claim(
    session: Session,
    says: Says,
    support: Support,
    kind: Kind,
    question: Question,
    by: By = None,
    note: Note = None,
    facts: Facts = None,
    bound_to: BoundTo = None,
    narrow: Narrow = None,
    exposure: Exposure = None,
) -> None:
    """Record a conclusion with what it rests on.

    It also holds the question that it was made for, with its facts.
    """
    with session.open() as ledger:
        made = ledger.claim(
            says=says,
            support=parse_support(support),
            transformation=_transformation(kind, by, note),
            question={"text": question, "facts": parse_pairs(facts or [], "-f")},
            bound_to=tuple(bound_to or ()),
            narrow=parse_scope_option(narrow or [], "--narrow"),
            exposure=tuple(exposure or ()),
        )
    session.emit_id(made)


@commands.add("supersede", example=_SUPERSEDE_EXAMPLE)
def supersede(
    session: Session,
    old: Annotated[str, typer.Argument(metavar="CLAIM", help="Id of the claim it replaces.")],
    says: Says,
    support: Support,
    kind: Kind,
    question: Question,
    reason: Reason = None,
    by: By = None,
    note: Note = None,
    facts: Facts = None,
    bound_to: BoundTo = None,
    narrow: Narrow = None,
    exposure: Exposure = None,
) -> None:
    """Correct a claim by another.

    The new one has evidence of its own; the old one is never cited again.
    """
    with session.open() as ledger:
        made = ledger.supersede(
            old,
            says=says,
            support=parse_support(support),
            transformation=_transformation(kind, by, note),
            question={"text": question, "facts": parse_pairs(facts or [], "-f")},
            bound_to=tuple(bound_to or ()),
            narrow=parse_scope_option(narrow or [], "--narrow"),
            exposure=tuple(exposure or ()),
            reason=reason,
        )
    session.emit_id(made)


@commands.add("retract", example="prov-ledger retract cl_... --reason 'misread the table'")
def retract(
    session: Session,
    claim: Annotated[str, typer.Argument(metavar="CLAIM", help="Id of the claim (cl_...).")],
    reason: Reason = None,
) -> None:
    """Withdraw a claim without putting another in its place."""
    with session.open() as ledger:
        ledger.retract(claim, reason=reason)
    session.done("recorded")


@commands.add("contradict", example="prov-ledger contradict cl_... cl_...")
def contradict(
    session: Session,
    claims: Annotated[list[str], typer.Argument(metavar="CLAIM", help="Two ids.")],
) -> None:
    """Record that two claims cannot both hold."""
    with session.open() as ledger:
        ledger.contradict(claims)
    session.done("recorded")
