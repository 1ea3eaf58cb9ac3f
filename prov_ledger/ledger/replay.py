"""What another feed of the same connector brought already, so that no change is recorded twice.

Two feeds overlap where they cut one history in two ways: another branch, another glob. A change is
known where a source that ever had its native id has a statement of the same kind for the same time,
and, for content, under the same label. Statements of one source are met in the order recorded, so that
two changes within one second are told apart.
"""

from datetime import datetime

from prov_ledger.connectors.port import SourceChange
from prov_ledger.ledger.sources import Sources
from prov_ledger.model.records import Node
from prov_ledger.model.world import SourceHistory

Stated = tuple[datetime, int]


def times_of(history: SourceHistory) -> list[Stated]:
    """When each state, end, return and name of a source took effect, with the sequence that said so."""
    found = [(x.record.published, x.sequence) for x in history.revisions]
    found += [(x.record.from_, x.sequence) for x in history.retirements]
    found += [(x.record.since, x.sequence) for x in history.natives]
    found += [(x.record.since, x.sequence) for x in history.authorities if x.record.since is not None]
    return found


def is_retired(history: SourceHistory) -> bool:
    """Whether the source was retired, and no later statement made it an authority again."""
    last = history.authorities[-1].sequence if history.authorities else -1
    return any(x.sequence > last for x in history.retirements)


def in_order(history: SourceHistory | None, at: datetime) -> datetime:
    """``at``, or the latest time already stated of a source, where its system's clock went backwards.

    The order of changes is the order of history: what comes last has to hold last.
    """
    return max([at, *(time for time, _ in times_of(history))]) if history is not None else at


class Replay:
    """Which source has which native id along one run of a feed, and what of it is stated already."""

    def __init__(self, sources: Sources, connector: str) -> None:
        self.sources, self.connector = sources, connector
        #: Whether another feed was taken in, so that there is anything to look for.
        self.overlaps = False
        self._now: dict[str, Node] = {}
        self._passed: dict[Node, int] = {}

    def holder(self, native: str) -> Node | None:
        """The source that has a native id at this place of the feed, or None."""
        return self._now.get(native) or self.sources.find(self.connector, native)

    def moved(self, native: str, source: Node, left: str | None = None) -> None:
        """Take down that from here on the source has this native id, and no longer the one it left."""
        self._now[native] = source
        if left is not None and self._now.get(left) == source:
            del self._now[left]

    def recorded(self, source: Node) -> None:
        """Take down that something was just recorded of the source."""
        self._passed[source] = self.sources.tenant.journal.size()

    def find(self, change: SourceChange) -> Node | None:
        """The source of which the change is stated already; None where it is not."""
        if not self.overlaps:
            return None
        for holder in reversed(self._holders(change.native)):
            history = self.sources.tenant.state.reader.history(holder)
            sequence = self._stated(history, change) if history is not None else None
            if sequence is not None:
                self._passed[holder] = max(sequence, self._passed.get(holder, 0))
                return holder
        return None

    def _holders(self, native: str) -> list[Node]:
        return list(dict.fromkeys(x.id for x in self.sources.holders(self.connector, native)))

    def _stated(self, history: SourceHistory, change: SourceChange) -> int | None:
        if change.kind == "gone":
            ended = [(x.record.from_, x.sequence) for x in history.retirements]
            return self._first(history, ended + self._left(history, change.native), change.at)
        named = [x for x in history.natives if self._text(x.node, "native") == change.native]
        labelled = (
            (x.record.published, x.sequence)
            for x in history.revisions
            if x.record.published >= change.at and self._text(x.record.id, "label") == change.label
        )
        found = next(labelled, None)
        if found is not None:
            return found[1]
        # To a feed whose glob begins here, what another one saw renamed is new.
        arrivals = [(x.record.since, x.sequence) for x in named] if change.kind in ("new", "renamed") else []
        return self._first(history, arrivals, change.at)

    def _left(self, history: SourceHistory, native: str) -> list[Stated]:
        """When the source left a native id for another: to a glob that ends there, it was gone."""
        names = [history.id, *(x.node for x in history.natives)]
        return [
            (later.record.since, later.sequence)
            for node, later in zip(names, history.natives, strict=False)
            if self._text(node, "native") == native
        ]

    def _first(self, history: SourceHistory, stated: list[Stated], at: datetime) -> int | None:
        passed = self._passed.get(history.id, 0)
        times = times_of(history)
        for time, sequence in sorted(stated, key=lambda x: x[1]):
            put_off = time > at and any(t == time and s < sequence for t, s in times)
            if sequence > passed and (time == at or put_off):
                return sequence
        return None

    def _text(self, owner: Node, field: str) -> str:
        return self.sources.text(owner, field)
