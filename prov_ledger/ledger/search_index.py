"""The search index: for each source the words of its pages and evidence, made from the journal.

It can be dropped at any time and is made again when somebody asks. A source is taken in when a reader who
may read it asks for the first time, so neither what is found nor how long it takes tells of others.
"""

from collections.abc import Mapping
from pathlib import Path

from prov_ledger.checks.quotes import Quote
from prov_ledger.checks.search.texts import SourceTexts
from prov_ledger.errors import Corrupt, Refused
from prov_ledger.ledger.search_file import IndexFile, Place
from prov_ledger.ledger.sources import Sources
from prov_ledger.ledger.state import DecodedEntries
from prov_ledger.ledger.tenant import Tenant
from prov_ledger.model import records as r
from prov_ledger.model.records import Node

#: Kinds of entries that bring something to be found.
_KINDS = ("source", "revision", "evidence")
#: Kinds of entries after which words may no longer be kept.
DROPPING_KINDS = ("erase", "receipt", "prune")


class SearchIndex:
    """The texts of a tenant's sources, in memory, and in a file where the operator names a place."""

    def __init__(self, tenant: Tenant, sources: Sources) -> None:
        self.tenant, self.sources = tenant, sources
        self._entries = DecodedEntries(tenant.journal, tenant.base)
        self._file: IndexFile | None = None
        self._forget()

    def _forget(self) -> None:
        self._collections: dict[Node, Node | None] = {}
        self._texts: dict[Node, SourceTexts] = {}
        self._stale: set[Node] = set()
        self._seen, self._last = 0, ""
        self._changed = False

    def keep(self, folder: Path) -> None:
        """Keep it in a folder from now on. Raises Refused ``bad_input`` for one inside the ledger's."""
        self._file = IndexFile(folder, self.tenant)
        self._forget()

    def drop(self) -> None:
        """Forget everything, the file included; the next question makes it again."""
        self._forget()
        if self._file is not None:
            self._file.remove()

    def refresh(self) -> Mapping[Node, Node | None]:
        """Take in what was recorded since; every source with its collection, in recorded order."""
        if not self._seen and self._file is not None:
            self._load(self._file)
        size = self._entries.size()
        if self._seen and self._entry_at(self._seen) != self._last:
            # A write that was undone after it was read from within.
            self.drop()
        if not self._seen:
            self._note_all(size)
        elif size != self._seen:
            if next(iter(self._entries.entries(self._seen, DROPPING_KINDS)), None) is not None:
                self._texts.clear()
                self._changed = True
            for entry in self._entries.entries(self._seen, _KINDS):
                for stated in entry.statements:
                    self._note(stated.record)
        self._seen, self._last = size, self._entry_at(size)
        return self._collections

    def _note_all(self, until: int) -> None:
        """What sources there are; while nothing is taken in yet, nothing can be stale."""
        for entry in self._entries.entries(0, ("source",)):
            for stated in entry.statements if entry.sequence <= until else ():
                self._note(stated.record)

    def _entry_at(self, sequence: int) -> str:
        entry = self.tenant.journal.entry(sequence)
        return entry.id if entry is not None else ""

    def _note(self, record: r.Record) -> None:
        if isinstance(record, r.SourceRecord):
            self._collections[record.id] = record.collection
        elif isinstance(record, r.RevisionRecord):
            self._stale.add(record.source)
        elif isinstance(record, r.EvidenceRecord):
            self._stale.add(self.tenant.state.reader.source_of(record.revision) or "")

    def of(self, source: Node) -> SourceTexts:
        """The texts of a source, brought to the journal's end."""
        known, gone = self._texts.get(source), self._gone(source)
        if known is None or not gone.isdisjoint(known.pages):
            known = self._texts[source] = SourceTexts()
        elif source not in self._stale:
            return known
        self._stale.discard(source)
        self._changed = True
        reader = self.tenant.state.reader
        history = reader.history(source)
        for revision in history.revisions if history is not None else ():
            if revision.record.id not in known.pages and revision.record.id not in gone:
                self._take_page(known, revision.record)
        taken = set(known.evidence.values())
        erased = self.tenant.state.removals.is_erased
        for id, evidence in reader.evidence_on([source]).items():
            if id not in taken and evidence.record.revision not in gone and not erased(id):
                self._take_evidence(known, evidence.record)
        return known

    def _gone(self, source: Node) -> frozenset[Node]:
        """The revisions of a source that are erased or expired by now: none of their words is kept."""
        state = self.tenant.state
        if not state.removals.may_have_lost(source, self._collections.get(source)):
            return frozenset()
        history = state.reader.history(source)
        return state.removals.gone_of(history, self.tenant.now()) if history is not None else frozenset()

    def _take_page(self, known: SourceTexts, revision: r.RevisionRecord) -> None:
        """File a revision; one without text, or that does not open, has no passages."""
        try:
            known.add_page(revision.id, self.sources.data(revision.id, "content"), revision.media_type)
        except (Corrupt, Refused):
            known.pages[revision.id] = []

    def _take_evidence(self, known: SourceTexts, evidence: r.EvidenceRecord) -> None:
        try:
            quote = Quote.from_bytes(self.sources.data(evidence.id, "quote"))
        except (Corrupt, Refused):
            return
        known.add_evidence(evidence.id, quote, isinstance(evidence.selector, r.CellPosition))

    def save(self) -> None:
        """Write the file anew where something changed and a place was named. Raises StorageError."""
        if self._file is not None and self._changed:
            made = {source: x for source, x in self._texts.items() if source not in self._stale}
            self._file.write(Place(self._seen, self._last), made)
            self._changed = False

    def _load(self, file: IndexFile) -> None:
        kept = file.read()
        if kept is None or self._entry_at(kept[0].sequence) != kept[0].entry:
            return
        # What sources there are is read from the journal; only their words are in the file.
        place, self._texts = kept
        self._note_all(place.sequence)
        self._seen, self._last = place.sequence, place.entry
