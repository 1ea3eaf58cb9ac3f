"""The command ``demo``."""


from prov_ledger.cli.command import Commands
from prov_ledger.cli.session import Session

commands = Commands()


@commands.add("demo", example="prov-ledger demo")
def demo(session: Session) -> None:
    """Tell the story of the problem in one screen.

    In a ledger of its own, which is gone afterwards.
    """
