"""The search index in a file, at a place that the operator names: never inside a ledger's folder.

What is in it is clear text; it is no part of the ledger and of no backup. One file per tenant: a header
that says how far it goes, and the words of each source, as compressed JSON.
"""

import json
import os
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from prov_ledger.checks.search.partition import Partition
from prov_ledger.checks.search.texts import SourceTexts
from prov_ledger.checks.search.words import STEMS_VERSION
from prov_ledger.errors import Refused, StorageError
from prov_ledger.ledger.tenant import Tenant
from prov_ledger.model.records import Node

_FORMAT = f"prov-ledger search 1, stems {STEMS_VERSION}"


@dataclass(frozen=True, slots=True)
class Place:
    """How far an index goes: a sequence of the journal, and the id of the entry there."""

    sequence: int
    entry: str


class IndexFile:
    """One tenant's file in the operator's folder."""

    def __init__(self, folder: Path, tenant: Tenant) -> None:
        self._folder = folder.expanduser().resolve()
        ledger = tenant.ledger.resolve()
        if self._folder == ledger or ledger in self._folder.parents:
            raise Refused(
                "bad_input",
                "the search index holds clear text and is never kept in the ledger's folder, which backups "
                "take: name a folder outside it",
            )
        first = tenant.journal.entry(1)
        mark = first.leaf_hash.hex()[:16] if first is not None else "empty"
        self._path = self._folder / f"{tenant.name}-{mark}.search"

    def write(self, place: Place, texts: Mapping[Node, SourceTexts]) -> None:
        """Replace the file; readable by its owner alone. Raises StorageError."""
        body = {source: _plain(x) for source, x in texts.items()}
        data = json.dumps({"format": _FORMAT, "place": asdict(place), "sources": body}, ensure_ascii=False)
        draft = self._path.with_suffix(".draft")
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            draft.unlink(missing_ok=True)
            with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(zlib.compress(data.encode(), 1))
            draft.replace(self._path)
        except OSError as error:
            raise StorageError(f"the search index cannot be written: {error.strerror}") from None

    def read(self) -> tuple[Place, dict[Node, SourceTexts]] | None:
        """What is kept; None where nothing is, or not in this format. Raises StorageError."""
        try:
            data = self._path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StorageError(f"the search index cannot be read: {error.strerror}") from None
        try:
            kept = json.loads(zlib.decompress(data))
            if kept["format"] != _FORMAT:
                return None
            return Place(**kept["place"]), {source: _texts(x) for source, x in kept["sources"].items()}
        except (zlib.error, ValueError, KeyError, TypeError):
            # It is an index: what cannot be read is made again.
            return None

    def remove(self) -> None:
        """Delete the file. Raises StorageError."""
        try:
            self._path.unlink(missing_ok=True)
        except OSError as error:
            raise StorageError(f"the search index cannot be deleted: {error.strerror}") from None


def _plain(x: SourceTexts) -> dict[str, object]:
    part = x.partition
    return {
        "lengths": part.lengths,
        "postings": part.postings,
        "forms": sorted(part.forms),
        "evidence": x.evidence,
        "passages": sorted(x.passages),
        "pages": x.pages,
        "seen": x.seen,
    }


def _texts(kept: Mapping[str, Any]) -> SourceTexts:
    """The inverse of ``_plain``; JSON has made texts of the numbers that were keys."""
    postings = {key: {int(n): count for n, count in held.items()} for key, held in kept["postings"].items()}
    return SourceTexts(
        Partition(list(kept["lengths"]), postings, set(kept["forms"])),
        {int(n): id for n, id in kept["evidence"].items()},
        set(kept["passages"]),
        dict(kept["pages"]),
        dict(kept["seen"]),
    )
