"""The texts of one source: which words stand in which passage of which revision, and in which evidence."""

import hashlib
from dataclasses import dataclass, field

from prov_ledger.checks.documents import parse_media_type
from prov_ledger.checks.quotes import Quote
from prov_ledger.checks.search.partition import Partition
from prov_ledger.checks.search.passages import Piece, chunks_of, pieces_of
from prov_ledger.model.records import Node


@dataclass(slots=True)
class SourceTexts:
    """The texts of one source by number. ``pages``: those of each revision, in the order of the page.

    ``evidence`` and ``passages`` say which numbers are evidence (which) and passages that may be listed;
    ``seen`` maps a digest of a text to its number, or of a chunk of a page to its numbers.
    """

    partition: Partition = field(default_factory=Partition)
    evidence: dict[int, Node] = field(default_factory=dict)
    passages: set[int] = field(default_factory=set)
    pages: dict[Node, list[int]] = field(default_factory=dict)
    seen: dict[str, list[int]] = field(default_factory=dict)

    def add_page(self, revision: Node, data: bytes, media_type: str) -> None:
        """File the passages of a revision; those that an earlier one had are not filed again."""
        numbers: list[int] = []
        media = parse_media_type(media_type)
        for at, chunk in chunks_of(data, media_type):
            digest = _digest("chunk", chunk)
            if digest not in self.seen:
                pieces = pieces_of(chunk, at, media)
                self.seen[digest] = [self._add_piece(piece) for piece in pieces]
            numbers += self.seen[digest]
        self.pages[revision] = numbers

    def _add_piece(self, piece: Piece) -> int:
        digest = _digest("heading" if piece.heading else "passage", piece.text)
        if digest not in self.seen:
            number = self.partition.add(piece.text)
            self.seen[digest] = [number]
            if not piece.heading:
                self.passages.add(number)
        return self.seen[digest][0]

    def add_evidence(self, id: Node, quote: Quote, is_cell: bool) -> None:
        """File an evidence item: its quote; a cell with its row's key and its column."""
        parts = [quote.exact]
        if is_cell:
            parts += [*quote.header_path, *(text for pair in quote.key for text in pair)]
        self.evidence[self.partition.add("\n".join(dict.fromkeys(parts)))] = id


def _digest(kind: str, text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=12, person=kind.encode()).hexdigest()
