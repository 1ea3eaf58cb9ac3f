"""Commands that erase, under ``erase``: the plan, its run, the certificate, and a look for what is left."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from prov_ledger.cli.command import Commands
from prov_ledger.cli.session import Session
from prov_ledger.errors import Refused
from prov_ledger.ledger.erasing.certificate import Certificate
from prov_ledger.ledger.erasing.running import RECOGNISED_FOR

commands = Commands("erase", "Erase for good, by a plan and its hash.")

Ids = Annotated[
    list[str], typer.Argument(metavar="ID...", help="Sources, revisions, evidence, claims, names.")
]
KeysKeptFor = Annotated[
    str | None,
    typer.Option(metavar="DURATION", help="How long backups of keys are kept here, such as P30D."),
]


@commands.add("plan", example="prov-ledger erase plan src_...")
def plan(session: Session, ids: Ids) -> None:
    """Say what would go, and what stays.

    With what derives from it, who was shown it, where else the same text is, and the backups and exports
    from before. Nothing is changed.
    """
    with session.open() as ledger:
        made = ledger.plan_erasure(ids)
    lead = "To erase all of this for good:"
    if made.held:
        lead = "Under a legal hold this is refused. Once it is released:"
    session.emit(made, [*made.lines(), "", lead, f"  prov-ledger erase run --plan {made.hash}"])


@commands.add("run", example="prov-ledger erase run --plan HASH --reason 'request 17'")
def run(
    session: Session,
    plan: Annotated[str, typer.Option(metavar="HASH", help="The hash that the plan ended with.")],
    reason: Annotated[str | None, typer.Option(metavar="TEXT", help="Why; kept sealed.")] = None,
    subject: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Whose data it was; kept sealed, until this erasure is erased too."
        ),
    ] = None,
    recognised_for: Annotated[
        str, typer.Option(metavar="DURATION", help="How long what was erased is refused when it comes back.")
    ] = RECOGNISED_FOR,
    keys_kept_for: KeysKeptFor = None,
) -> None:
    """Erase what a plan says, and print the certificate.

    Exit status 6 where the plan is another one by now, 5 under a legal hold. What was erased is refused
    when it comes back: whole bytes anywhere, spans of 32 characters or more in the same source.
    """
    with session.open() as ledger:
        done = ledger.run_erasure(plan, reason=reason, subject=subject, recognised_for=recognised_for)
        certificate = ledger.certificate(done.id, keys_kept_for=keys_kept_for)
    _print(session, certificate)


@commands.add("certificate", example="prov-ledger erase certificate era_... --json > certificate.json")
def certificate(
    session: Session,
    erasure: Annotated[str, typer.Argument(metavar="ERASURE", help="An erasure's id, era_...")],
    keys_kept_for: KeysKeptFor = None,
) -> None:
    """Print the signed certificate of an erasure again."""
    with session.open() as ledger:
        made = ledger.certificate(erasure, keys_kept_for=keys_kept_for)
    _print(session, made)


@commands.add("verify", example="prov-ledger erase verify certificate.json --key 64_HEX_DIGITS")
def verify(
    session: Session,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A certificate as JSON.")],
    key: Annotated[
        str | None, typer.Option(metavar="HEX", help="The public key that you kept; else its own.")
    ] = None,
) -> None:
    """Check the signature and the proof of a certificate; no ledger is needed.

    Exit status 9 where it does not hold.
    """
    try:
        made = Certificate.from_json(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError):
        raise Refused("not_found", f"cannot read the certificate {file}") from None
    made.verify(key)
    session.emit({"valid": True, "public_key": made.public_key}, ["valid", f"signed with {made.public_key}"])


@commands.add("check", example="prov-ledger erase check - < name.txt")
def check(
    session: Session,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What to look for; - reads it from the input.")],
) -> None:
    """Look for a text in every file, in every spelling, and in all that opens.

    Exit status 1 where it is found, with the places. What is typed as an argument stays in the history of
    the shell: '-' keeps it out of there. The 'subject of era_...' is what a run was told with --subject:
    'erase plan era_...' takes it out.
    """
    with session.open() as ledger:
        places = ledger.traces(sys.stdin.read().strip() if text == "-" else text)
    session.emit({"places": places}, places or ["nowhere"])
    if places:
        raise typer.Exit(1)


def _print(session: Session, certificate: Certificate) -> None:
    if session.json:
        print(certificate.to_json())
    else:
        session.emit(None, certificate.lines())
