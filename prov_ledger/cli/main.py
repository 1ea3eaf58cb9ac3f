"""The command line itself: all groups of commands under one name."""

import sys
from importlib.metadata import version
from typing import Annotated

import typer

from prov_ledger.cli import (
    access_commands,
    answer_commands,
    audit_commands,
    backup_commands,
    capture_commands,
    claim_commands,
    demo,
    disclosure_commands,
    erase_commands,
    find_commands,
    guide,
    list_commands,
    mcp_commands,
    reading_commands,
    retention_commands,
    service_commands,
    setup_commands,
    sparql_commands,
    standing_commands,
    sync_commands,
    tenant_commands,
    thread_commands,
)
from prov_ledger.cli.command import (
    AgentOption,
    JsonOption,
    LedgerOption,
    PoliciesOption,
    PurposeOption,
    ServerOption,
    TenantOption,
    common_options,
    help_without_command,
)
from prov_ledger.cli.failure import run
from prov_ledger.cli.session import Session

_HELP = """Evidence and claims outside the model, resolved before anything is shown.

\b
First steps:
  prov-ledger demo
  prov-ledger init --fact purchase_date=date
  prov-ledger sync git ~/policies
  prov-ledger show policies/returns.md --on 2026-04-12
"""
_EPILOG = "More: prov-ledger help exit-codes | scopes | facts"


def _root(
    context: typer.Context,
    ledger: LedgerOption = None,
    tenant: TenantOption = None,
    as_: AgentOption = None,
    purpose: PurposeOption = None,
    policies: PoliciesOption = None,
    server: ServerOption = None,
    json: JsonOption = False,
    show_version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    context.obj = common_options(Session(), ledger, tenant, as_, purpose, json, policies, server)
    if show_version:
        print(version("prov-ledger"))
        raise typer.Exit
    help_without_command(context)


def build() -> typer.Typer:
    """The application with all its commands."""
    app = typer.Typer(name="prov-ledger", rich_markup_mode=None, pretty_exceptions_enable=False)
    app.callback(invoke_without_command=True, help=_HELP, epilog=_EPILOG)(_root)
    groups = (
        demo,
        setup_commands,
        sync_commands,
        capture_commands,
        claim_commands,
        standing_commands,
        access_commands,
        reading_commands,
        answer_commands,
        find_commands,
        list_commands,
        thread_commands,
        sparql_commands,
        audit_commands,
        erase_commands,
        retention_commands,
        disclosure_commands,
        backup_commands,
        tenant_commands,
        service_commands,
        mcp_commands,
        guide,
    )
    for group in groups:
        group.commands.register(app)
    service_commands.key_commands.register(app)
    return app


def main() -> None:
    """Run the command line and exit with its status."""

    def application(arguments: list[str]) -> object:
        return build()(arguments, prog_name="prov-ledger", standalone_mode=False)

    sys.exit(run(application, sys.argv[1:]))
