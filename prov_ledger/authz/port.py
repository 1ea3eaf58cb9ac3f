"""Who may read which source now: what the ledger asks and what it gets."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from prov_ledger.model.records import Node


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """May this reader, for this purpose, read this source (in this collection) at this time?

    ``principal`` None is somebody whom the ledger does not know; ``purpose`` None: none was given.
    """

    principal: Node | None
    purpose: Node | None
    source: Node
    collection: Node | None
    now: datetime


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one request; anything but ``permit`` True for the same source is a no."""

    source: Node
    permit: bool


class Authoriser(Protocol):
    """Answers one batch per resolve, in the order of the requests."""

    @property
    def policy_version(self) -> str:
        """Which state of the policy answers: recorded with evidence."""
        ...

    def authorise(self, requests: Sequence[ReadRequest]) -> Sequence[Answer]:
        """One answer per request; anything else withholds the whole batch."""
        ...


def readable(authoriser: Authoriser, requests: Sequence[ReadRequest]) -> frozenset[Node]:
    """The sources that may be read; none at all when the answer does not fit the requests."""
    if not requests:
        return frozenset()
    answers = authoriser.authorise(requests)
    if len(answers) != len(requests):
        return frozenset()
    if any(
        a.source != q.source or type(a.permit) is not bool for a, q in zip(answers, requests, strict=True)
    ):
        return frozenset()
    return frozenset(a.source for a in answers if a.permit)
