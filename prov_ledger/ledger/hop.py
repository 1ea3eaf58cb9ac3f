"""One hop of what an entry refers to: the class of each node that an earlier entry recorded.

The verbs have looked up every id that they were given; an id's prefix and a statement's fragment
tell the class under which it was recorded.
"""

import re
from collections.abc import Collection, Iterator

from prov_ledger.rdf.kinds import class_of
from prov_ledger.vocab import PL


class Hop:
    """Finds the nodes of this tenant that the lines of an entry name."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._reference = re.compile(rf"<{re.escape(base)}([^>]+)>")

    def known(self, lines: str, minted: Collection[str] = ()) -> Iterator[tuple[str, str]]:
        """Give (node IRI, class IRI) of every node named that an earlier entry recorded.

        ``minted`` are the ids that this entry brings into being, its own among them: nothing below
        them was recorded before.
        """
        for name in set(self._reference.findall(lines)):
            kind = class_of(name) if name.partition("#")[0] not in minted else None
            if kind is not None:
                yield self._base + name, PL + kind
