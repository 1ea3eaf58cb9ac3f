"""What is left to do of an erasure: kept beside its entry until the receipt, so that any opening goes on.

Numbers of keys, ids and names of fields alone: nothing that is erased, and nothing personal.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from prov_ledger.model.records import Node

PREFIX = "erasing."
#: The setting that says that entries were pruned since the graph was made.
GRAPH_DUE = "graph_due"
#: The setting that says that a reader kept the files' logs from being emptied.
SCRUB_DUE = "scrub_due"


@dataclass(frozen=True, slots=True)
class Order:
    """``tickets`` are the keys to destroy, ``keys`` the (owner, field) of the payloads to take out,
    ``ids`` what nothing may lead to by a name any more.
    """

    tickets: Sequence[int]
    keys: Sequence[tuple[Node, str]]
    ids: Sequence[Node]

    def to_text(self) -> str:
        """The stored form."""
        return json.dumps([list(self.tickets), list(self.keys), list(self.ids)], separators=(",", ":"))

    @classmethod
    def from_text(cls, text: str) -> "Order":
        """The inverse of ``to_text``."""
        tickets, keys, ids = json.loads(text)
        return cls(tickets, [(owner, field) for owner, field in keys], ids)


def order_key(erasure: Node) -> str:
    """Under which setting of the journal the order of an erasure is kept."""
    return PREFIX + erasure
