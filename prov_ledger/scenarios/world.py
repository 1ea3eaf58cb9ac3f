"""The world of one running scenario: its clock, its handles and one ledger per tenant."""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from prov_ledger.errors import ProvLedgerError
from prov_ledger.ledger.ledger import Ledger
from prov_ledger.model.ids import mint_id
from prov_ledger.scenarios.scenario import CURATOR, Scenario, Step

#: The clock of a scenario whose first step has no ``at``.
FIRST_INSTANT = datetime(2026, 1, 1, tzinfo=UTC)
ReaderName = Literal["memory", "sparql"]

_HANDLE_IN_TEXT = re.compile(r"\{([^{}\s]+)\}")


class NotMade(ProvLedgerError):
    """A step names something that an earlier step was to make, and that step failed."""

    code = "not_found"


class World:
    """What the steps of one scenario share. ``folder`` is empty at first and holds the ledger."""

    def __init__(self, scenario: Scenario, folder: Path, reader: ReaderName = "memory") -> None:
        self.scenario = scenario
        self.now = FIRST_INSTANT
        self._folder = folder
        self._reader: ReaderName = reader
        self._ledgers: dict[str, Ledger] = {}
        self._ids: dict[str, str] = {"nobody": mint_id("cl")}
        self._made: dict[int, str] = {}
        self._to_be_made = frozenset(_handles_made(scenario))

    def clock(self) -> datetime:
        """The instant of the current step."""
        return self.now

    def ledger(self, step: Step) -> Ledger:
        """The ledger of the step's tenant, made when the tenant is named for the first time."""
        tenant = step.find_text("tenant") or self.scenario.tenant
        ledger = self._ledgers.get(tenant)
        if ledger is None:
            ledger = self._ledgers[tenant] = Ledger.init(
                self._folder,
                tenant=tenant,
                zone=self.scenario.zone,
                governed_by=self.scenario.governed_by,
                facts=self.scenario.facts,
                agent=CURATOR,
                clock=self.clock,
                reader=self._reader,
            )
        return ledger

    @property
    def folder(self) -> Path:
        """The ledger's folder."""
        return self._folder

    def ledgers(self) -> list[Ledger]:
        """The ledgers of all tenants so far."""
        return list(self._ledgers.values())

    def tenants(self) -> list[str]:
        """The tenants so far."""
        return list(self._ledgers)

    def reminders(self) -> list[str]:
        """The ids of all reminders that were made."""
        return [id_ for id_ in dict.fromkeys(self._made.values()) if id_.startswith("rem_")]

    def heads(self) -> Mapping[str, tuple[int, str]]:
        """Size and root of every tenant's journal: equal before and after where nothing changed."""
        heads = {tenant: ledger.tree_head() for tenant, ledger in self._ledgers.items()}
        return {tenant: (head.size, head.root.hex()) for tenant, head in heads.items()}

    def restart(self) -> None:
        """Close every ledger and open it again, as a new process would."""
        for tenant, ledger in self._ledgers.items():
            ledger.close()
            self._ledgers[tenant] = self._open(tenant)

    def _open(self, tenant: str) -> Ledger:
        return Ledger.open(self._folder, tenant=tenant, agent=CURATOR, clock=self.clock, reader=self._reader)

    def move_to(self, folder: Path, tenants: Iterable[str]) -> None:
        """Open these tenants in another folder, and no others: the ledger was restored there."""
        self.close()
        self._folder = folder
        self._ledgers = {tenant: self._open(tenant) for tenant in tenants}

    def close(self) -> None:
        """Close every ledger."""
        for ledger in self._ledgers.values():
            ledger.close()

    def make(self, step: Step, id_: str) -> None:
        """Remember an id, and under the step's handle if it has one."""
        self._made[step.number] = id_
        handle = step.find_text("as")
        if handle is not None:
            self._ids[handle] = id_

    def name(self, handle: str, id_: str) -> None:
        """Remember an id under a handle that a step names for it."""
        self._ids[handle] = id_

    def made(self, step: Step) -> list[str]:
        """The ids of what a step made, with a handle or without; of several things those with a handle."""
        named = step.mapping("as").values()
        alone = self._made.get(step.number)
        return [self._ids[str(name)] for name in named if str(name) in self._ids] + ([alone] if alone else [])

    def id_of(self, name: str) -> str:
        """The id behind a handle; a name that no step makes stands for itself, as a garbled id would.

        Raises NotMade when the step that was to make it failed.
        """
        if name in self._ids:
            return self._ids[name]
        if name in self._to_be_made:
            raise NotMade(f"'{name}' was not made: the step that makes it failed or comes later")
        return name

    def ids_of(self, names: Iterable[str]) -> list[str]:
        """The ids behind some handles, in order."""
        return [self.id_of(name) for name in names]

    def handle_of(self, id_: str | None) -> str | None:
        """The handle of an id, for messages; the id itself where it has none."""
        return next((handle for handle, made in self._ids.items() if made == id_), id_)

    def fill(self, text: str) -> str:
        """The text with each ``{HANDLE}`` replaced by its id; other braces stay."""
        return _HANDLE_IN_TEXT.sub(lambda found: self._ids.get(found[1], found[0]), text)


def _handles_made(scenario: Scenario) -> Iterable[str]:
    for step in scenario.every_step():
        made = step.get("as")
        if isinstance(made, str):
            yield made
        elif isinstance(made, Mapping):
            yield from (str(new) for new in made.values())
