"""Whether an entry conforms to the shapes: the check that every write passes before it is logged.

The shapes say what a node of a class needs. They cannot say that every node has a class which some
shape looks at, so an entry with a misspelt class, or with nothing in it, would conform; that much is
checked here. Source: SHACL sections 2.1 (a graph without focus nodes conforms) and 3.4.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

import shacl

from prov_ledger.checks.shape_index import RECORDED_AS, SHAPES, ShapeIndex
from prov_ledger.errors import ProvLedgerError
from prov_ledger.resources import load_topics, shapes_dir
from prov_ledger.vocab import PL, RDF_TYPE

# One line of canonical N-Triples or N-Quads; neither subject nor object is a blank node.
_LINE = re.compile(
    r'^<([^>\n]*)> <([^>\n]*)> (?:<([^>\n]*)>|"[^\n]*"[^ \n]*)(?: <[^>\n]*>)? \.$', re.MULTILINE
)
_ENTRY = PL + "Entry"
# Sets of classes whose shapes are kept compiled, 1 ms and about 60 kB each.
_KEPT = 128


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One constraint that a node does not meet.

    ``path`` is the property (an IRI, or a SPARQL path in angle brackets), empty where the finding is
    about the node itself; ``constraint`` is the ``sh:name`` of the constraint.
    """

    focus_node: str
    constraint: str
    path: str
    message: str


_NO_ENTRY = Finding(
    "", "has-entry", "", "What is checked needs an entry (pl:Entry): nothing else gets anything in."
)
_NOT_CANONICAL = Finding(
    "",
    "canonical",
    "",
    "Every line needs to be one canonical statement about IRIs: blank nodes are not taken.",
)
_STRAY = "A node needs a class that a shape looks at: mend its rdf:type, or name it as recorded before."


class EntryValidator:
    """Checks entries against the shapes, which are compiled once for each set of classes that occurs."""

    def __init__(self, index: ShapeIndex) -> None:
        self._index = index
        self._compiled: dict[frozenset[str], shacl.Shapes] = {}

    @classmethod
    def load(cls) -> "EntryValidator":
        """Read the shapes of this installation; raises ProvLedgerError when they cannot be read."""
        return cls(ShapeIndex(load_topics(shapes_dir())))

    def check(self, lines: str, known: Iterable[tuple[str, str]] = ()) -> tuple[Finding, ...]:
        """Check one entry, or several at once: findings sorted by focus node, empty when it conforms.

        ``lines`` are canonical N-Triples or N-Quads. ``known`` are (node IRI, class IRI) of the nodes
        that the lines refer to and that earlier entries recorded; one that the lines describe anew
        is judged by what they say of it.
        """
        triples = _LINE.findall(lines)
        if len(triples) != lines.count("\n"):
            return (_NOT_CANONICAL,)
        targeted = self._index.classes
        described = {s: o for s, p, o in triples if p == RDF_TYPE and o in targeted}
        before = {node: kind for node, kind in known if node not in described}
        found = _survey({s for s, _, _ in triples}.difference(described, before), described.values())
        context = "".join([f"<{node}> <{RECORDED_AS}> <{kind}> .\n" for node, kind in before.items()])
        classes = frozenset([o for _, p, o in triples if p == RDF_TYPE and o in targeted])
        report = self._shapes(classes).validate_text(lines + context, "nquads")
        return found if report.conforms else tuple(sorted(self._read(report).union(found)))

    def _shapes(self, classes: frozenset[str]) -> shacl.Shapes:
        compiled = self._compiled.get(classes)
        if compiled is None:
            if len(self._compiled) >= _KEPT:
                self._compiled.pop(next(iter(self._compiled)), None)
            try:
                compiled = shacl.Shapes.from_text(self._index.select(classes), "ntriples")
            except ValueError as error:
                raise ProvLedgerError(f"the shapes of this installation do not compile: {error}") from error
            self._compiled[classes] = compiled
        return compiled

    def _read(self, report: shacl.Report) -> set[Finding]:
        found = set()
        for result in report.results:
            name = (result.source_shape or "").strip("<>").removeprefix(SHAPES)
            path = (result.path or "").removeprefix("<").removesuffix(">")
            found.add(Finding(result.focus_node.strip("<>"), name, path, self._index.message(name)))
        return found


def _survey(strays: set[str], classes: Iterable[str]) -> tuple[Finding, ...]:
    """What no shape can find: that there is no entry, and nodes that no shape looks at."""
    found = [] if _ENTRY in classes else [_NO_ENTRY]
    found += [Finding(node, "described", "", _STRAY) for node in sorted(strays)]
    return tuple(found)
