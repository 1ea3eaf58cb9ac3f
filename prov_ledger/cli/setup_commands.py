"""Commands that set a ledger up: ``init``, ``fact``, ``agent``, ``collection``."""

from typing import Annotated

import typer

from prov_ledger.cli.command import Commands
from prov_ledger.cli.session import Session
from prov_ledger.cli.values import parse_enumerated, parse_pairs
from prov_ledger.ledger.ledger import Ledger
from prov_ledger.model.records import Role

commands = Commands()


@commands.add("init", here=True, example="prov-ledger init --zone Europe/Berlin --fact purchase_date=date")
def init(
    session: Session,
    zone: Annotated[str, typer.Option(help="IANA zone of the tenant's civil dates.")] = "UTC",
    governed_by: Annotated[
        str, typer.Option(metavar="FACT", help="The fact that governs pages without a stated period.")
    ] = "question_date",
    base: Annotated[
        str | None, typer.Option(metavar="IRI", help="Under which the tenant's entities live.")
    ] = None,
    facts: Annotated[
        list[str] | None, typer.Option("--fact", metavar="NAME=TYPE", help="A declared fact; repeatable.")
    ] = None,
    agent: Annotated[
        str, typer.Option(metavar="NAME", help="The first agent, who has every role.")
    ] = "curator",
) -> None:
    """Make a ledger, or one more tenant in it.

    Its first agent, curator, has every role and may read everything; commands without --as act as it.
    Types of facts: date, instant, code, number, text, or {number: EUR}, {code: personal}.
    """
    declared = {name: _fact_type(raw) for name, raw in parse_pairs(facts or [], "--fact").items()}
    with Ledger.init(
        session.path,
        tenant=session.tenant,
        base=base,
        zone=zone,
        governed_by=governed_by,
        facts=declared,
        agent=session.agent or agent,
    ):
        session.done(
            f"made tenant {session.tenant} of the ledger at {session.path}; "
            "nothing opens without its key, so keep a copy of that elsewhere"
        )


def _fact_type(raw: object) -> object:
    if isinstance(raw, str) and raw.startswith("{"):
        return parse_pairs([raw], "--fact")
    return raw


@commands.add("fact", example="prov-ledger fact total '{number: EUR}'")
def fact(
    session: Session,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Lower-case name, such as purchase_date.")],
    type_: Annotated[str, typer.Argument(metavar="TYPE", help="date, instant, code, number, text, ...")],
) -> None:
    """Declare a fact of questions and scopes."""
    with session.open() as ledger:
        ledger.declare_fact(name, _fact_type(type_))
    session.done(f"declared {name}")


@commands.add("agent", example="prov-ledger agent ben --role analyst --role auditor")
def agent(
    session: Session,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The agent's name.")],
    roles: Annotated[
        list[str] | None, typer.Option("--role", metavar="ROLE", help="Repeatable; default: agent.")
    ] = None,
) -> None:
    """Give an agent its roles, instead of those it had.

    Roles: agent, curator, analyst, auditor, privacy_officer, admin.
    """
    wanted = [Role(parse_enumerated(role, [*Role], "--role")) for role in roles or ["agent"]]
    with session.open() as ledger:
        made = ledger.agent(name, roles=wanted)
    session.emit_id(made)


@commands.add("collection", example="prov-ledger collection handbook --governed-by purchase_date")
def collection(
    session: Session,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The collection's name.")],
    governed_by: Annotated[
        str | None, typer.Option(metavar="FACT", help="Governs its pages without a stated period.")
    ] = None,
    indifferent_to: Annotated[
        list[str] | None, typer.Option(metavar="FACT", help="A fact its pages do not depend on; repeatable.")
    ] = None,
    sensitive: Annotated[bool, typer.Option("--sensitive", help="Reminders carry no statements.")] = False,
) -> None:
    """Say what holds for all sources of a collection."""
    with session.open() as ledger:
        made = ledger.collection(
            name, governed_by=governed_by, indifferent_to=tuple(indifferent_to or ()), sensitive=sensitive
        )
    session.emit_id(made)
