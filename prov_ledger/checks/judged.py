"""How one evidence item, justification or claim was judged, and how several such findings combine."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from prov_ledger.model.records import Node
from prov_ledger.model.slots import RANK, Verdict

NO_NAMES: frozenset[str] = frozenset()


class Finding(NamedTuple):
    """How one evidence item, justification or claim was judged, with what decided.

    A tuple, since hundreds are made for fifty ids: a third of the time of a frozen dataclass.
    """

    verdict: Verdict
    decided_by: str | None = None
    missing: frozenset[str] = NO_NAMES
    unconsidered: frozenset[str] = NO_NAMES
    leaves: tuple[Node, ...] = ()
    assumed_open: bool = False
    confirmed: datetime | None = None

    @property
    def rank(self) -> int:
        """Its place in the table; lower is worse."""
        return RANK[self.verdict]


WITHHELD = Finding("withheld")


def worst(findings: Sequence[Finding]) -> Finding:
    """The first verdict in the table among findings that must all stand, with all their leaves."""
    if len(findings) == 1:
        return findings[0]
    rank = min(RANK[f.verdict] for f in findings)
    deciding = [f for f in findings if RANK[f.verdict] == rank]
    deciders = [f.decided_by for f in deciding if f.decided_by is not None]
    confirmed = [f.confirmed for f in findings if f.assumed_open and f.confirmed is not None]
    return Finding(
        deciding[0].verdict,
        min(deciders, default=None),
        NO_NAMES.union(*[f.missing for f in deciding]),
        NO_NAMES.union(*[f.unconsidered for f in deciding]),
        tuple(dict.fromkeys([leaf for f in findings for leaf in f.leaves])),
        any(f.assumed_open for f in findings),
        min(confirmed, default=None),
    )
