"""What another feed of the same connector brought already, so that no change is recorded twice.

Two feeds overlap where they cut one history in two ways: another branch, another glob. So each change
that was taken is kept as a keyed hash of path and label: that something arrived there, or left.
"""

from datetime import datetime

from prov_ledger.connectors.port import SourceChange
from prov_ledger.ledger.sources import Sources
from prov_ledger.model.records import Node
from prov_ledger.model.world import SourceHistory

#: The kind under which the journal looks up a change.
TAKEN = "taken"


def is_retired(history: SourceHistory) -> bool:
    """Whether the source was retired, and no later statement made it an authority again."""
    last = history.authorities[-1].sequence if history.authorities else -1
    return any(x.sequence > last for x in history.retirements)


def in_order(history: SourceHistory | None, at: datetime) -> datetime:
    """``at``, or the latest time already stated of a source, where its system's clock went backwards.

    The order of changes is the order of history: what comes last has to hold last.
    """
    if history is None:
        return at
    times = [x.record.published for x in history.revisions]
    times += [x.record.from_ for x in history.retirements]
    times += [x.record.since for x in history.natives]
    times += [x.record.since for x in history.authorities if x.record.since is not None]
    return max([at, *times])


class Replay:
    """Which changes of a connector were taken before, and which source has which native id."""

    def __init__(self, sources: Sources, connector: str) -> None:
        self.sources, self.connector = sources, connector
        #: What this batch took: keys, each with the source that it tells of.
        self.taken: list[tuple[str, Node]] = []

    def holder(self, native: str) -> Node | None:
        """The source that has a native id now, retired or not; None where it was left or never there."""
        source = self.sources.find(self.connector, native)
        history = self.sources.tenant.state.reader.history(source) if source is not None else None
        return source if history is not None and self.sources.native(history) == native else None

    def find(self, change: SourceChange) -> Node | None:
        """The source of which the change is recorded already; None where it is not."""
        if not change.cursor:
            return None
        kind = "left" if change.kind == "gone" else "came"
        sealer, journal = self.sources.tenant.sealer, self.sources.tenant.journal
        found = journal.find(TAKEN, sealer.token(TAKEN, self._key(kind, change.native, change.label)))
        return found[-1].id if found else None

    def recorded(self, change: SourceChange, source: Node) -> None:
        """Take down that a change was just recorded of a source."""
        if not change.cursor:
            return
        kind = "left" if change.kind == "gone" else "came"
        self.taken.append((self._key(kind, change.native, change.label), source))
        if change.renamed_from is not None:
            # To a feed whose glob ends there, what was renamed is gone.
            self.taken.append((self._key("left", change.renamed_from, change.label), source))

    def _key(self, kind: str, native: str, label: str) -> str:
        return "\0".join((self.connector, kind, native, label))
