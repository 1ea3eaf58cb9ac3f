"""The same text elsewhere in the tenant: told in a plan, since it stays unless it is asked for too."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from prov_ledger.checks.documents import text_of
from prov_ledger.checks.quotes import Quote
from prov_ledger.checks.redaction.readings import readings_of_bytes, says
from prov_ledger.errors import Corrupt, Refused
from prov_ledger.ledger.erasing.manifest import Copy
from prov_ledger.ledger.tenant import Tenant
from prov_ledger.model import records as r
from prov_ledger.model.records import Node
from prov_ledger.rdf.decode import decode_entry


class Copies:
    """Looks through the revisions that stay."""

    def __init__(self, tenant: Tenant) -> None:
        self.tenant = tenant

    def of(
        self,
        whole: Sequence[Node],
        texts: Collection[str],
        going: Collection[Node],
        gapped: Mapping[Node, bytes],
    ) -> list[Copy]:
        """The revisions that stay and hold one of the texts, or the same bytes as one of ``whole``.

        ``going`` are the revisions that go; ``gapped`` those that get a gap, with the bytes that they keep.
        """
        bytes_of = {id: self._content(id) for id in whole}
        sizes = {len(data) for data in bytes_of.values() if data is not None} if not texts else None
        staying = [x for x in self._revisions(sizes) if x.id not in going]
        found = []
        for record in staying:
            same = record.id not in gapped and self._same_bytes(record, bytes_of.values())
            holds = bool(texts) and self._holds(record, gapped.get(record.id), texts)
            if same or holds:
                found.append(Copy(record.id, same, tuple(self._evidence_with(record, texts))))
        return found

    def _revisions(self, sizes: Collection[int] | None) -> Iterator[r.RevisionRecord]:
        """The revisions that are not erased; where sizes are given, those of these sizes."""
        erased = self.tenant.state.removals.is_erased
        # Most have another size, which is told without decoding them.
        wanted = None if sizes is None else [b'sizeBytes> "%d"' % size for size in sizes]
        for stored in self.tenant.journal.entries(kinds=("revision",)):
            if not stored.leaf or (wanted is not None and not any(x in stored.leaf for x in wanted)):
                continue
            for stated in decode_entry(stored.leaf, self.tenant.base).statements:
                record = stated.record
                if not isinstance(record, r.RevisionRecord) or erased(record.id):
                    continue
                if not erased(record.source):
                    yield record

    def _same_bytes(self, record: r.RevisionRecord, wanted: Iterable[bytes | None]) -> bool:
        sized = [data for data in wanted if data is not None and len(data) == record.size_bytes]
        payload = self.tenant.journal.payload(record.id, "content") if sized else None
        return payload is not None and any(self.tenant.sealer.equals(payload, data) for data in sized)

    def _holds(self, record: r.RevisionRecord, left: bytes | None, texts: Collection[str]) -> bool:
        data = left if left is not None else self._content(record.id)
        if data is None or record.size_bytes < min(map(len, texts)):
            return False
        try:
            text = text_of(data, record.media_type)
        except Refused:
            return False
        if any(wanted in text for wanted in texts):
            return True
        # Other revisions are too many to be read in every spelling.
        readings = tuple(readings_of_bytes(data, record.media_type)) if left is not None else ()
        return any(says(readings, wanted) for wanted in texts)

    def _evidence_with(self, record: r.RevisionRecord, texts: Collection[str]) -> Iterator[Node]:
        """The evidence on a revision that quotes one of the texts, or a part of one."""
        found = self.tenant.state.reader.evidence_on([record.source])
        for id, x in found.items():
            if x.record.revision == record.id and not self.tenant.state.removals.is_erased(id):
                data = self._opened(id, "quote")
                exact = Quote.from_bytes(data).exact if data is not None else ""
                if exact and any(text in exact or exact in text for text in texts):
                    yield id

    def _content(self, revision: Node) -> bytes | None:
        return self._opened(revision, "content")

    def _opened(self, owner: Node, field: str) -> bytes | None:
        payload = self.tenant.journal.payload(owner, field)
        try:
            return self.tenant.sealer.open(payload) if payload is not None else None
        except Corrupt:
            return None
