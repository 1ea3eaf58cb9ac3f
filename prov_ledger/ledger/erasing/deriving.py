"""What becomes of claims when something goes that they rest on or had before them. Pure."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from prov_ledger.ledger.erasing.manifest import Derived
from prov_ledger.model import records as r
from prov_ledger.model.records import ErasureOutcome, Node


class Claim(Protocol):
    """What of a claim decides what becomes of it."""

    @property
    def id(self) -> Node:
        """Its id."""
        ...

    @property
    def justifications(self) -> tuple[tuple[Node, ...], ...]:
        """Alternative sets of what it rests on."""
        ...

    @property
    def exposure(self) -> frozenset[Node]:
        """All that its writer had before it."""
        ...


def derive(
    claims: Sequence[Claim],
    restatements: Mapping[Node, Sequence[r.RestatementRecord]],
    gone: Collection[Node],
    withdrawn: Collection[Node],
) -> list[Derived]:
    """What becomes of each claim that something of ``gone`` reaches, in the order given.

    ``claims`` in recorded order, each after those that it rests on; ``gone`` are ids of evidence and
    claims; ``withdrawn`` those claims that were retracted or superseded. A claim is ``kept`` when a
    justification is left of which nothing is gone or withdrawn, ``unknown`` when one is left of which
    nothing is gone, and ``erased`` else. Its words go where the exposure of their writer was reached.
    """
    lost, doubtful = set(gone), set(withdrawn)
    found = []
    for claim in claims:
        outcome = _outcome(claim, lost, doubtful)
        if outcome == "erased":
            lost.add(claim.id)
        elif outcome == "unknown":
            doubtful.add(claim.id)
        words = tuple(_words(claim, restatements.get(claim.id, ()), gone))
        touched = any(member in lost for members in claim.justifications for member in members)
        if words or touched or claim.id in gone:
            found.append(Derived(claim.id, outcome, words))
    return found


def _outcome(claim: Claim, lost: Collection[Node], doubtful: Collection[Node]) -> ErasureOutcome:
    left = [members for members in claim.justifications if not any(member in lost for member in members)]
    if claim.id in lost or not left:
        return "erased"
    sound = any(not any(member in doubtful for member in members) for members in left)
    return "kept" if sound else "unknown"


def _words(claim: Claim, restated: Iterable[r.RestatementRecord], gone: Collection[Node]) -> Iterator[Node]:
    """The wordings that were written with something of it before the writer."""
    if claim.id in gone or any(id in gone for id in claim.exposure):
        yield claim.id
    for record in restated:
        if claim.id in gone or any(id in gone for id in record.exposure):
            yield record.id
