"""What a tool is, and for whom it is listed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from mcp_types import Tool as Description
from mcp_types import ToolAnnotations

from prov_ledger.errors import Refused
from prov_ledger.ledger.session import VERB_ROLES
from prov_ledger.mcp import inputs as i
from prov_ledger.mcp import outputs as o
from prov_ledger.mcp.caller import Asker
from prov_ledger.model.records import Role

I = TypeVar("I", bound=i.Input)  # noqa: E741
Run = Callable[[Asker, I], o.Output]


class AnyTool(Protocol):
    """A tool, whatever it takes."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def role(self) -> str | None:
        """Its row in ``VERB_ROLES``."""

    def call(self, asker: Asker, arguments: Mapping[str, object] | None) -> o.Output:
        """Do it."""

    def description(self) -> Description:
        """The tool as it is listed."""


@dataclass(frozen=True, slots=True)
class Tool(Generic[I]):
    """One tool: a verb of the ledger for a model.

    ``role``: its row in ``VERB_ROLES``, None where none is needed; it is listed only for those who may.
    """

    name: str
    title: str
    about: str
    takes: type[I]
    answers: type[o.Output]
    run: Run[I]
    role: str | None = None
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False

    def call(self, asker: Asker, arguments: Mapping[str, object] | None) -> o.Output:
        """Do it. Raises Refused ``bad_input`` for arguments that do not fit, and what the verb raises."""
        return self.run(asker, i.parse_input(self.takes, arguments))

    def description(self) -> Description:
        """The tool as it is listed."""
        return Description(
            name=self.name,
            title=self.title,
            description=self.about,
            input_schema=self.takes.model_json_schema(by_alias=True),
            output_schema=self.answers.model_json_schema(mode="serialization"),
            annotations=ToolAnnotations(
                title=self.title,
                read_only_hint=self.read_only,
                destructive_hint=self.destructive,
                idempotent_hint=self.idempotent,
                open_world_hint=False,
            ),
        )


def may(asker: Asker, role: str | None) -> bool:
    """Whether a tool is listed for somebody; that it is called is refused by the ledger itself."""
    if role is None:
        return True
    if asker.name is not None and asker.ledger.find_agent(asker.name) is None:
        # Whoever is named for the first time in a write becomes an agent.
        return Role.AGENT in VERB_ROLES[role]
    try:
        asker.ledger.check_may(role, by=asker.name)
    except Refused:
        return False
    return True
