"""What every command is given: which ledger, as whom, and how to print."""

import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from prov_ledger.authz.roster import AuthoriserFactory
from prov_ledger.cli.render import visible, visible_page
from prov_ledger.ledger.ledger import Ledger
from prov_ledger.model.plain import encode_plain

DEFAULT_PATH = Path("ledger")
DEFAULT_TENANT = "default"


@dataclass(frozen=True, slots=True)
class Session:
    """The options that every command has. ``agent`` None is the agent that made the ledger.

    ``policies`` is a folder of Cedar policies that say who may read what; None: the ledger's own grants.
    """

    path: Path = DEFAULT_PATH
    tenant: str = DEFAULT_TENANT
    agent: str | None = None
    purpose: str | None = None
    json: bool = False
    policies: Path | None = None

    def open(self) -> Ledger:
        """The ledger, to be used as a context manager. Raises as ``Ledger.open`` does."""
        return Ledger.open(
            self.path,
            tenant=self.tenant,
            agent=self.agent,
            purpose=self.purpose,
            authoriser=_authoriser(self.policies),
        )

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
