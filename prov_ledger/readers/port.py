"""What a reader brings to a decision, whatever it reads from."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from prov_ledger.model import records as r
from prov_ledger.model.world import Recorded, World


class Reader(Protocol):
    """Brings the closure of ids, as recorded up to a time; permission is decided elsewhere.

    The contract, held by one suite for every reader: the same ledger, ids and time give equal
    worlds. ``as_of`` None means all that is recorded now.
    """

    def read(self, ids: Sequence[r.Node], as_of: datetime | None = None) -> World:
        """Read claims and evidence with all that they rest on, were exposed to and were replaced by.

        An id that was not recorded (by then), or is neither claim nor evidence, is not in the world.
        """
        ...

    def evidence_on(
        self, sources: Sequence[r.Node], as_of: datetime | None = None
    ) -> Mapping[r.Node, Recorded[r.EvidenceRecord]]:
        """Read all evidence quoted from any revision of the sources, in recorded order."""
        ...
