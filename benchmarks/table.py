"""One table of what was measured, each line held to its limit."""

import json
import resource
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

WIDTH = 100
_NAME, _VALUE = 30, 9


@dataclass(frozen=True, slots=True)
class Measured:
    """One line: our value and, where there is one, that of the bare thing in the same run.

    ``unit`` is that of both. With ``faster`` the ratio says how fast ours is beside the bare (1: alike),
    and ``limit`` is the least that it may be; without, how long it takes, and the most. Where there is no
    bare value the limit is on ours.
    """

    name: str
    ours: float
    unit: str
    bare: float | None = None
    limit: float | None = None
    faster: bool = False
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """Ours and the bare, one divided by the other."""
        if self.bare is None:
            return None
        return self.bare / self.ours if self.faster else self.ours / self.bare

    @property
    def holds(self) -> bool:
        """Whether the limit is kept; True where there is none."""
        if self.limit is None:
            return True
        value = self.ours if self.ratio is None else self.ratio
        return value >= self.limit if self.faster else value <= self.limit


@dataclass(frozen=True, slots=True)
class Setting:
    """What a benchmark is given: a folder for ledgers, one of its own, and the size of the large ledger."""

    home: Path
    scratch: Path
    claims: int


Benchmark = Callable[[Setting], Iterable[Measured]]


def seconds(action: Callable[[], object]) -> float:
    """How long a call takes by the clock on the wall."""
    start = perf_counter()
    action()
    return perf_counter() - start


def side_by_side(rounds: Iterable[Mapping[str, Callable[[], object]]]) -> dict[str, float]:
    """The median milliseconds of each action, done one after another in every round."""
    taken: dict[str, list[float]] = {}
    for actions in rounds:
        for name, action in actions.items():
            taken.setdefault(name, []).append(seconds(action) * 1e3)
    return {name: median(values) for name, values in taken.items()}


def head() -> str:
    """The names of the columns."""
    columns = (f"{name:>{_VALUE}}" for name in ("ours", "bare", "ratio", "limit"))
    return f"{'':<{_NAME}}{''.join(columns)}  {'':<5}  note"


def line(x: Measured) -> str:
    """One line of the table, cut where it would not fit."""
    ours = f"{_short(x.ours)} {x.unit}".rstrip()
    bare = "" if x.bare is None else _short(x.bare)
    ratio = "" if x.ratio is None else f"{x.ratio:.2f}"
    limit = "" if x.limit is None else f"{'>=' if x.faster else '<='} {x.limit:g}"
    verdict = "" if x.limit is None else "ok" if x.holds else "ABOVE" if not x.faster else "BELOW"
    values = "".join(f"{value:>{_VALUE}}" for value in (ours, bare, ratio, limit))
    return f"{x.name:<{_NAME}}{values}  {verdict:<5}  {x.note}".rstrip()[:WIDTH]


def _short(value: float) -> str:
    """Three figures that mean something."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def peak_megabytes() -> tuple[float, float]:
    """The most memory that this process had, and that any of those that it started had."""
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    used = (resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    own, others = (most / unit for most in used)
    return own, others


def as_json(measured: Iterable[Measured]) -> str:
    """All lines as JSON."""
    return json.dumps([{**asdict(x), "ratio": x.ratio, "holds": x.holds} for x in measured], indent=2)
