"""What a decision sees: the closure of some ids, as recorded up to a time. Frozen, no I/O behind it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic, TypeVar

from prov_ledger.model import records as r
from prov_ledger.model.facts import FactTable

R_co = TypeVar("R_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Recorded(Generic[R_co]):
    """A record with the node it stands at, its recorded time and its entry's sequence."""

    node: r.Node
    record: R_co
    at: datetime
    sequence: int


@dataclass(frozen=True, slots=True)
class SourceHistory:
    """All that is recorded about one source, each tuple in recorded order.

    ``collection`` is the latest statement about the collection that the source is in.
    """

    source: Recorded[r.SourceRecord]
    revisions: tuple[Recorded[r.RevisionRecord], ...] = ()
    scopes: tuple[Recorded[r.ScopeRecord], ...] = ()
    authorities: tuple[Recorded[r.AuthorityRecord], ...] = ()
    retirements: tuple[Recorded[r.RetirementRecord], ...] = ()
    checks: tuple[Recorded[r.CheckRecord], ...] = ()
    titles: tuple[Recorded[r.TitleRecord], ...] = ()
    natives: tuple[Recorded[r.NativeRecord], ...] = ()
    collection: r.CollectionRecord | None = None

    @property
    def id(self) -> r.Node:
        """The id of the source."""
        return self.source.record.id


@dataclass(frozen=True, slots=True)
class World:
    """The closure of the ids asked for: support and exposure, revisions and sources, heads.

    ``scopes`` holds later scope statements about evidence, in recorded order; those about revisions
    lie with their source. An id that is not in ``claims`` or ``evidence`` does not exist (here).
    """

    zone: str
    governed_by: str
    table: FactTable
    claims: Mapping[r.Node, Recorded[r.ClaimRecord]] = field(default_factory=dict)
    restatements: Mapping[r.Node, Recorded[r.RestatementRecord]] = field(default_factory=dict)
    superseded_by: Mapping[r.Node, r.Node] = field(default_factory=dict)
    retracted: frozenset[r.Node] = frozenset()
    evidence: Mapping[r.Node, Recorded[r.EvidenceRecord]] = field(default_factory=dict)
    scopes: Mapping[r.Node, tuple[Recorded[r.ScopeRecord], ...]] = field(default_factory=dict)
    source_of: Mapping[r.Node, r.Node] = field(default_factory=dict)
    sources: Mapping[r.Node, SourceHistory] = field(default_factory=dict)
    #: Two worlds with the same of these have, of an id that is in both, the same closure; None: not known.
    closures: object = field(default=None, compare=False)
