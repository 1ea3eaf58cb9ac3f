"""Serving one client over standard input and output, which carry the protocol and nothing else."""

import asyncio
import signal
import threading

from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from prov_ledger.mcp.caller import Asker, LocalCaller
from prov_ledger.mcp.server import build_server, quiet


def serve_stdio(asker: Asker, *, erasure: bool = False) -> None:
    """Serve until the client goes; what was begun is finished first. The ledger stays open."""
    quiet()
    if threading.current_thread() is threading.main_thread():
        # A read of standard input cannot be interrupted, and every write is durable or not there.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    caller = LocalCaller(asker)
    server = build_server(lambda _: caller, erasure=erasure)
    try:
        asyncio.run(_serve(server))
    except* OSError:
        # The client is gone, and nobody is left to be told.
        pass
    finally:
        caller.close()


async def _serve(server: Server) -> None:
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())
