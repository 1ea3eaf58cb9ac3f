"""The present titles of all sources, so that an answer's references can be looked up."""

from dataclasses import dataclass

from prov_ledger.errors import Corrupt, Refused
from prov_ledger.ledger.session import Acting, Session
from prov_ledger.ledger.sources import Sources
from prov_ledger.ledger.state import DecodedEntries
from prov_ledger.model import records as r
from prov_ledger.model.records import Node

#: Kinds of entries that record a source or give it another title.
_KINDS = ("source", "title")
#: Kinds of entries after which no title is kept that was opened before.
_DROPPING_KINDS = ("erase", "receipt", "prune")


@dataclass(frozen=True, slots=True)
class _Titled:
    title: str
    folded: str
    collection: Node | None


class KnownTitles:
    """Titles by source, in memory alone; what was recorded since is taken in at each look-up."""

    def __init__(self, session: Session, sources: Sources) -> None:
        self.session, self.sources, self.tenant = session, sources, session.tenant
        self._entries = DecodedEntries(self.tenant.journal, self.tenant.base)
        self._known: dict[Node, _Titled] = {}
        self._seen = 0

    def named_in(self, acting: Acting, text: str) -> dict[str, frozenset[Node]]:
        """The titles that a text may name, each with its sources that the reader may read now."""
        self._refresh()
        folded = _folded(text)
        named = {source: x for source, x in self._known.items() if x.folded and x.folded in folded}
        pairs = [(source, x.collection) for source, x in named.items()]
        allowed = self.session.readable(acting, pairs, self.tenant.now())
        found: dict[str, frozenset[Node]] = {}
        for source, x in named.items():
            if source in allowed:
                found[x.title] = found.get(x.title, frozenset()) | {source}
        return found

    def _refresh(self) -> None:
        size = self._entries.size()
        if size == self._seen:
            return
        if next(iter(self._entries.entries(self._seen, _DROPPING_KINDS)), None) is not None:
            self._known.clear()
            self._seen = 0
        for entry in self._entries.entries(self._seen, _KINDS):
            for stated in entry.statements:
                if isinstance(stated.record, r.SourceRecord):
                    self._take(stated.record.id, stated.record.id, stated.record.collection)
                elif isinstance(stated.record, r.TitleRecord):
                    former = self._known.get(stated.record.source)
                    self._take(stated.record.source, stated.node, former.collection if former else None)
        self._seen = size

    def _take(self, source: Node, owner: Node, collection: Node | None) -> None:
        """Keep a title; one that does not open any more names nothing."""
        try:
            title = self.sources.text(owner, "title")
        except (Corrupt, Refused):
            title = ""
        self._known[source] = _Titled(title, _folded(title), collection)


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()
