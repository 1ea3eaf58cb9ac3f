"""Where the command begins: an interrupt is one line even while the rest is being loaded."""

import os
import signal


def main() -> None:
    """Run the command line and exit with its status; 130 where it was interrupted."""
    usual = signal.getsignal(signal.SIGINT)
    if usual is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)
    from prov_ledger.cli.main import main as run  # takes a second, in which nothing has begun

    signal.signal(signal.SIGINT, usual)
    run()


def _leave(signum: int, frame: object) -> None:
    # No exception: a library that is being loaded might catch it.
    os.write(2, b"interrupted\n")
    os._exit(130)
