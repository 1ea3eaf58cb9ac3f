"""A scenario as read from its file: a head and numbered steps, every value already of its form."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from types import MappingProxyType

from prov_ledger.errors import ProvLedgerError, Refused

#: The agent of a step without ``by``: it has every role and may read everything.
CURATOR = "curator"
_NOTHING: Mapping[str, object] = MappingProxyType({})


class NotAScenario(ProvLedgerError):
    """A file is no scenario; the message names the file and, where there is one, the step and its key."""

    code = "not_a_scenario"

    def __init__(self, file: str, problem: str) -> None:
        super().__init__(f"{file} {problem}")
        self.file = file


@dataclass(frozen=True, slots=True)
class Step:
    """One step: its number in the file (from 1), what it does, and its keys."""

    number: int
    do: str
    values: Mapping[str, object] = field(default_factory=dict)

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def get(self, key: str) -> object:
        """The value of a key in whatever form it has; None when absent."""
        return self.values.get(key)

    def text(self, key: str) -> str:
        """The text of a key; empty when absent, so that the ledger can say what is missing."""
        return self.find_text(key) or ""

    def find_text(self, key: str) -> str | None:
        """The text of a key, or None when it is absent."""
        value = self.values.get(key)
        return value if isinstance(value, str) else None

    def needed(self, key: str) -> str:
        """The text of a key without which there is nothing to do. Raises Refused ``incomplete``."""
        value = self.find_text(key)
        if not value:
            raise Refused("incomplete", f"{self.do}: '{key}' is missing")
        return value

    def agent(self) -> str:
        """Who acts: ``by``, or the curator."""
        return self.find_text("by") or CURATOR

    def texts(self, key: str) -> tuple[str, ...]:
        """The texts in a list; empty when the key is absent."""
        value = self.values.get(key)
        return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()

    def mapping(self, key: str) -> Mapping[str, object]:
        """A mapping; empty when the key is absent."""
        value = self.values.get(key)
        return value if isinstance(value, Mapping) else _NOTHING

    def flag(self, key: str) -> bool:
        """Whether a key is true; False when absent."""
        return self.values.get(key) is True

    def number_of(self, key: str) -> int:
        """A whole number; 0 when absent."""
        value = self.values.get(key)
        return value if isinstance(value, int) else 0

    def instant(self, key: str) -> datetime | None:
        """An instant, or None when the key is absent."""
        value = self.values.get(key)
        return value if isinstance(value, datetime) else None

    def moment(self, key: str) -> str | date | None:
        """A date, or text for the ledger to read as a date or an instant; None when the key is absent."""
        value = self.values.get(key)
        return value if value is None or isinstance(value, date) else str(value)

    def conditions(self, key: str) -> list[Mapping[str, object]] | None:
        """The conditions of a scope, or None when the key is absent."""
        value = self.values.get(key)
        if not isinstance(value, list):
            return None
        return [condition for condition in value if isinstance(condition, Mapping)]

    def inner(self) -> "Step | None":
        """The step that a ``refused`` step expects to fail."""
        value = self.values.get("step")
        return value if isinstance(value, Step) else None


@dataclass(frozen=True, slots=True)
class Scenario:
    """A story. ``facts`` are type declarations as written; ``max_age`` an ISO 8601 duration or None."""

    file: str
    name: str
    about: str
    tenant: str
    zone: str
    governed_by: str
    facts: Mapping[str, object]
    min_authority: str
    max_age: str | None
    steps: tuple[Step, ...]

    def principals(self) -> frozenset[str]:
        """Everyone named by a ``who``, groups apart: the readers of the scenario's threads."""
        names = (step.find_text("who") for step in self.every_step())
        return frozenset(name for name in names if name and not name.startswith("group:"))

    def every_step(self) -> Iterator[Step]:
        """All steps in order, those inside ``refused`` included."""
        for step in self.steps:
            yield step
            inner = step.inner()
            if inner is not None:
                yield inner
