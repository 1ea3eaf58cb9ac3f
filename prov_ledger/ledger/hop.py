"""One hop of what an entry refers to: the class of each node that an earlier entry recorded.

The verbs have looked up every id that they were given; an id's prefix and a statement's fragment
tell the class under which it was recorded.
"""

import re
from collections.abc import Collection, Iterator

from prov_ledger.vocab import PL

_BY_PREFIX = {
    "src": "Source",
    "rev": "Revision",
    "ev": "Evidence",
    "cl": "Claim",
    "rem": "Reminder",
    "agt": "Agent",
    "grp": "Group",
    "col": "Collection",
    "pur": "Purpose",
}
_BY_FRAGMENT = {
    "retrieval": "Retrieval",
    "capture": "Capture",
    "thread": "Thread",
    "grant": "Grant",
    "membership": "Membership",
    "scope": "ScopeStatement",
    "native": "NativeStatement",
    "title": "TitleStatement",
    "authority": "AuthorityStatement",
    "retirement": "Retirement",
    "roles": "RoleStatement",
    "collection": "CollectionStatement",
    "denial": "Denial",
    "restatement": "Restatement",
}


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


def class_of(name: str) -> str | None:
    """The local name of the class of a recorded node, or None where its name does not tell."""
    id, _, fragment = name.partition("#")
    if fragment:
        return _BY_FRAGMENT.get(fragment.partition(".")[0])
    if name == "tenant":
        return "Tenant"
    return "Fact" if name.startswith("fact/") else _BY_PREFIX.get(id.partition("_")[0])
