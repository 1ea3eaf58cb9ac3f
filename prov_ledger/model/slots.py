"""What resolving answers: a decision without text, and the slot that hands text out."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple, get_args

from prov_ledger.model.records import Node

Verdict = Literal[
    "malformed",
    "withheld",
    "drifted",
    "retracted",
    "superseded",
    "other_question",
    "undercut",
    "not_applicable",
    "ended",
    "not_yet",
    "unknown",
    "conflict",
    "outdated",
    "not_authoritative",
    "unchecked",
    "citable",
]
#: Worst first; where several hold, the first counts.
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
RANK: dict[Verdict, int] = {verdict: rank for rank, verdict in enumerate(VERDICTS)}

Next = Literal["reject", "search", "rederive", "ask", "show"]
_REDERIVE: Next = "rederive"
NEXT: dict[Verdict, Next] = {
    **dict.fromkeys(VERDICTS, _REDERIVE),
    "malformed": "reject",
    "withheld": "search",
    "retracted": "reject",
    "unknown": "ask",
    "citable": "show",
}

Became = Literal["same", "moved", "changed"]


class Decision(NamedTuple):
    """The verdict on one id, without any text.

    ``citations`` are the evidence ids at the leaves of what stands (only where citable);
    ``words`` is None for evidence; ``last_confirmed`` goes with an end that is assumed open.
    """

    id: Node
    verdict: Verdict
    decided_by: str | None = None
    missing: tuple[str, ...] = ()
    unconsidered: tuple[str, ...] = ()
    superseded_by: Node | None = None
    citations: tuple[Node, ...] = ()
    words: bool | None = None
    same_question: bool | None = None
    assumed_open: bool = False
    last_confirmed: datetime | None = None


@dataclass(frozen=True, slots=True)
class Citation:
    """One quote at a leaf, with what a reader needs to find it: the source's full title and the label."""

    evidence: Node
    quote: str
    source: Node
    title: str
    revision: Node
    label: str
    header_path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something to derive anew from: evidence, or a governing revision and what became of the quote."""

    id: Node
    became: Became | None = None


@dataclass(frozen=True, slots=True)
class Slot:
    """The answer for one id, in the order of the request.

    A ``withheld`` slot holds nothing but its verdict, whatever the cause. ``statement`` is None
    where words are withheld or nothing may be shown. ``candidates`` are the nearest first, and
    ``more_candidates`` says that there are more. ``historical``: read as of a past time.
    """

    id: str
    verdict: Verdict
    next: Next
    statement: str | None = None
    words: Literal["shown", "withheld"] | None = None
    quotes: tuple[Citation, ...] = ()
    same_question: bool | None = None
    superseded_by: Node | None = None
    decided_by: str | None = None
    missing: tuple[str, ...] = ()
    unconsidered: tuple[str, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    more_candidates: bool = False
    assumed_open: bool = False
    last_confirmed: datetime | None = None
    historical: bool = False
