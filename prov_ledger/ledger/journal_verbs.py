"""The verbs that hand out what was recorded as it was recorded: of one entity, or the journal itself."""

from dataclasses import dataclass
from datetime import datetime

from prov_ledger.errors import Refused
from prov_ledger.ledger.handle import Handle
from prov_ledger.ledger.provenance import Provenance, Recounting
from prov_ledger.model.records import Node

_MOST = 10_000


@dataclass(frozen=True, slots=True)
class EntryLine:
    """One entry: its place, kind and time, and the hash of its leaf, 64 hex digits."""

    sequence: int
    id: Node
    kind: str
    recorded: datetime
    leaf_hash: str


@dataclass(frozen=True, slots=True)
class Leaf:
    """One entry with its leaf: canonical N-Quads, without any text that can be erased."""

    entry: EntryLine
    nquads: str


class JournalVerbs(Handle):
    """Provenance of an entity; listing and exporting entries."""

    def provenance(self, id: str, *, principal: str | None = None, purpose: str | None = None) -> Provenance:
        """What is recorded of an entity, as triples without any text, for a reader who may see it.

        Raises Refused ``malformed_id``, ``unknown_id``.
        """
        with self._tenant.lock:
            return Recounting(self._session).recount(self._acting(principal, purpose), id)

    def entries(self, after: int = 0, limit: int = 100, *, by: str | None = None) -> tuple[EntryLine, ...]:
        """The entries after a sequence, in order, at most ``limit``. Raises Refused ``denied``."""
        return tuple(leaf.entry for leaf in self._leaves(after, limit, by, "entries"))

    def leaves(self, after: int = 0, limit: int = 100, *, by: str | None = None) -> tuple[Leaf, ...]:
        """The same with the leaf of each, from which an auditor recomputes the tree."""
        return self._leaves(after, limit, by, "export")

    def _leaves(self, after: int, limit: int, by: str | None, called: str) -> tuple[Leaf, ...]:
        self._session.check_role(self._acting(by, None).agent, "audit", called)
        if after < 0 or not 0 < limit <= _MOST:
            raise Refused("bad_input", f"'after' is 0 or more, 'limit' 1 to {_MOST}")
        found = self._tenant.journal.entries(after, after + limit)
        return tuple(
            Leaf(EntryLine(x.sequence, x.id, x.kind, x.recorded, x.leaf_hash.hex()), x.leaf.decode())
            for x in found
        )
