"""What every command is given: which ledger, as whom, and how to print."""

import json
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from prov_ledger.authz.roster import AuthoriserFactory
from prov_ledger.cli.render import visible, visible_page
from prov_ledger.client import Client
from prov_ledger.errors import Refused
from prov_ledger.ledger.ledger import READERS, Ledger
from prov_ledger.model.plain import encode_plain

DEFAULT_PATH = Path("ledger")
DEFAULT_TENANT = "default"
#: Where the credentials for ``--server`` are: an option would show in the list of processes.
TOKEN_VARIABLE = "PROV_LEDGER_TOKEN"


@dataclass(frozen=True, slots=True)
class Session:
    """The options that every command has. ``agent`` None is the agent that made the ledger.

    ``policies`` is a folder of Cedar policies that say who may read what; None: the ledger's own grants.
    ``server`` is the address of a service that has the ledger; who acts is then who its token says.
    """

    path: Path = DEFAULT_PATH
    tenant: str = DEFAULT_TENANT
    agent: str | None = None
    purpose: str | None = None
    json: bool = False
    policies: Path | None = None
    server: str | None = None

    def open(self, reader: str | None = None) -> Ledger:
        """The ledger, to be used as a context manager. Raises as ``Ledger.open`` does.

        With ``server`` it is a ``Client``, which has the same verbs. ``reader``: one of ``READERS``;
        None is the usual one.
        """
        if self.server is not None:
            if reader is not None:
                raise Refused("bad_input", "--reader does not go with --server: the service decides that")
            return self._remote(self.server)
        return Ledger.open(
            self.path,
            tenant=self.tenant,
            agent=self.agent,
            purpose=self.purpose,
            reader=reader or READERS[0],
            authoriser=_authoriser(self.policies),
        )

    def _remote(self, server: str) -> Ledger:
        for option, value in (("--as", self.agent), ("--policies", self.policies)):
            if value is not None:
                raise Refused("bad_input", f"{option} does not go with --server: the service decides that")
        token = os.environ.get(TOKEN_VARIABLE)
        return cast(Ledger, Client(server, token=token, tenant=self.tenant, purpose=self.purpose))

    def emit(self, value: object, lines: Iterable[str] = (), page: str | None = None) -> None:
        """Print ``value`` as JSON where that was asked for, else the lines, then a text that has its own.

        Control characters are escaped, so that no stored text steers the terminal; JSON is exact.
        """
        if self.json:
            print(json.dumps(encode_plain(value), ensure_ascii=False, indent=2))
            return
        for line in lines:
            print(visible(line))
        if page is not None:
            print(visible_page(page))

    def emit_id(self, id_: str) -> None:
        """Print an id that was made."""
        self.emit({"id": id_}, [id_])

    def done(self, what: str) -> None:
        """Say that something without an id was recorded: on a terminal only, so that scripts stay quiet."""
        if self.json:
            self.emit({"done": what})
        elif sys.stderr.isatty():
            print(visible(what), file=sys.stderr)


def _authoriser(policies: Path | None) -> AuthoriserFactory | None:
    if policies is None:
        return None
    # The engine of an extra takes a while to load, and most commands do without it.
    from prov_ledger.authz.cedar import load_cedar

    return load_cedar(policies)
