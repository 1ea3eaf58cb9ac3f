"""What retention makes due: expired bytes are erased, expired metadata is pruned. Idempotent, and telling."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from prov_ledger.errors import GraphBusy
from prov_ledger.ledger.erasing.finishing import Finishing
from prov_ledger.ledger.erasing.pruning import Pruning
from prov_ledger.ledger.erasing.running import Asked, Running
from prov_ledger.ledger.tenant import Tenant
from prov_ledger.model import records as r
from prov_ledger.model.records import Node
from prov_ledger.model.world import SourceHistory


@dataclass(frozen=True, slots=True)
class SweepReport:
    """What a sweep did. ``held`` are the sources that are due and under a legal hold: nothing of them went.

    ``next_due``: when something expires next, by the rules that are in force; None: nothing will.
    """

    erasure: Node | None = None
    sources: tuple[Node, ...] = ()
    revisions: tuple[Node, ...] = ()
    held: tuple[Node, ...] = ()
    pruned: int = 0
    fingerprints: int = 0
    next_due: datetime | None = None
    graph_left: bool = False

    def lines(self) -> Iterator[str]:
        """The report for a person."""
        if self.erasure is None and not self.pruned:
            yield "nothing was due"
        if self.erasure is not None:
            yield f"erased   {self.erasure}: {len(self.sources)} sources, {len(self.revisions)} revisions"
        if self.pruned:
            yield f"pruned   {self.pruned} entries; the graph is made anew, the file is smaller"
        if self.graph_left:
            yield "graph    another process has it: it is made anew when that one opens the ledger again"
        for source in self.held:
            yield f"held     {source} is due and under a legal hold: nothing of it went"
        if self.fingerprints:
            yield f"expired  {self.fingerprints} fingerprints of what was erased"
        yield f"next     {self.next_due:%Y-%m-%d %H:%M} UTC" if self.next_due else "next     nothing expires"


@dataclass(slots=True)
class _Due:
    sources: list[Node] = field(default_factory=list)
    revisions: list[Node] = field(default_factory=list)
    held: list[Node] = field(default_factory=list)
    next_due: datetime | None = None

    def later(self, at: datetime | None, now: datetime) -> None:
        if at is not None and at > now:
            self.next_due = at if self.next_due is None else min(at, self.next_due)


class Sweeping:
    """The verb ``sweep``."""

    def __init__(self, tenant: Tenant) -> None:
        self.tenant = tenant

    def sweep(self, agent: Node) -> SweepReport:
        """Erase and prune what is due, as one erasure; not within a write."""
        with self.tenant.writing() as work:
            due = self._due(self.tenant.now())
            targets = [*due.sources, *due.revisions]
            asked = Asked(targets, cause="retention")
            erasure = Running(self.tenant).deny(work, agent, asked) if targets else None
        Finishing(self.tenant).finish_all()
        pruned = Pruning(self.tenant).prune(agent)
        left = False
        try:
            Finishing(self.tenant).finish_pruning()
        except GraphBusy:
            left = True
        now = self.tenant.now()
        return SweepReport(
            erasure,
            tuple(due.sources),
            tuple(due.revisions),
            tuple(due.held),
            pruned,
            self.tenant.denials.expire_fingerprints(now, self.tenant.tickets.fingerprint_key),
            due.next_due,
            left,
        )

    def _due(self, now: datetime) -> _Due:
        state, due = self.tenant.state, _Due()
        for history in histories(self.tenant):
            record = history.source.record
            if state.removals.is_erased(record.id) or not state.removals.retention.covers(
                record.id, record.collection
            ):
                continue
            sources, revisions = self._expired(history, now, due)
            if (sources or revisions) and state.removals.held(record.id, record.collection):
                due.held.append(record.id)
                continue
            due.sources += sources
            due.revisions += revisions
        return due

    def _expired(self, history: SourceHistory, now: datetime, due: _Due) -> tuple[list[Node], list[Node]]:
        """The source itself, or those of its revisions that expired and are not erased yet."""
        removals, record = self.tenant.state.removals, history.source.record
        if removals.is_source_gone(history, now):
            return [record.id], []
        found = []
        for x in history.revisions:
            expiry = removals.expiry(x.at, record.id, record.collection)
            for at in (expiry.bytes, expiry.metadata):
                due.later(at, now)
            if expiry.text is not None and now >= expiry.text and not removals.is_erased(x.record.id):
                found.append(x.record.id)
        return [], found


def histories(tenant: Tenant) -> Iterator[SourceHistory]:
    """The history of every source whose entry was not pruned."""
    for entry in tenant.state.entries_of("source"):
        for stated in entry.statements:
            if isinstance(stated.record, r.SourceRecord):
                history = tenant.state.reader.history(stated.record.id)
                if history is not None:
                    yield history
