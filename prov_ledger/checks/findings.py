"""What a check against the shapes finds, and the findings that no shape can make.

A shape says what a node of its class needs. None can say that every node has a class which some shape
looks at, so a misspelt class, or no data at all, would conform.

Source: SHACL section 3.4 (a graph conforms when validation has no results).
"""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One constraint that a node does not meet.

    ``path`` is the property (an IRI, or a SPARQL path of several), empty where the finding is about
    the node itself; ``constraint`` is the ``sh:name`` of the constraint. All are about ids and terms,
    never about texts.
    """

    focus_node: str
    constraint: str
    path: str
    message: str


#: Nothing at all, or nothing that an entry recorded.
NO_ENTRY = Finding("", "has-entry", "", "Needed: an entry (pl:Entry), since nothing else gets anything in.")
#: Not lines of statements about IRIs; says nothing of what stands there.
NOT_CANONICAL = Finding(
    "", "canonical", "", "Needed on every line: one canonical statement about IRIs, no blank node."
)
_STRAY = "A node needs a class that a shape looks at: mend its rdf:type, or name it as recorded before."


def find_strays(nodes: Iterable[str], has_entry: bool) -> tuple[Finding, ...]:
    """What no shape finds: ``nodes`` (IRIs) are described, and no shape looks at any of their classes."""
    found = () if has_entry else (NO_ENTRY,)
    return (*found, *(Finding(node, "described", "", _STRAY) for node in nodes))
