"""The command ``mcp``: the ledger for one model's client, over standard input and output."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from prov_ledger.cli.command import Commands
from prov_ledger.cli.session import Session
from prov_ledger.errors import Refused

commands = Commands()


@commands.add("mcp", example="prov-ledger mcp shop --as support-bot --purpose support")
def mcp(
    session: Session,
    folder: Annotated[
        Path | None, typer.Argument(metavar="LEDGER", help="Folder of the ledger; else as --ledger.")
    ] = None,
    allow_erasure: Annotated[
        bool, typer.Option("--allow-erasure", help="Offer the tools that erase, too.")
    ] = False,
) -> None:
    """Serve the ledger to a model's client (MCP).

    It speaks the protocol over standard input and output. The model acts and reads as --as, for --purpose,
    and nothing that it says changes that.
    """
    try:
        from prov_ledger.mcp.caller import Asker
        from prov_ledger.mcp.stdio import serve_stdio
    except ImportError:
        raise Refused("not_supported", "MCP needs an extra: pip install 'prov-ledger[mcp]'") from None
    if session.agent is None:
        raise Refused("bad_input", "say who the model acts as: --as AGENT")
    opened = session if folder is None else replace(session, path=folder)
    with opened.open() as ledger:
        ledger.load()
        if ledger.find_agent(session.agent) is None:
            message = "no agent of that name is recorded: record it with 'prov-ledger agent'"
            raise Refused("not_found", f"--as {session.agent}: {message}")
        serve_stdio(Asker(ledger, session.agent, session.purpose), erasure=allow_erasure)
