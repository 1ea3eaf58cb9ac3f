"""Whether an entry conforms to the shapes: the check that every write passes before it is logged."""

import re
from collections.abc import Iterable

import shacl

from prov_ledger.checks.findings import NOT_CANONICAL, Finding, find_strays
from prov_ledger.checks.forms import Form, Forms
from prov_ledger.checks.shape_index import RECORDED_AS, SHAPES, ShapeIndex
from prov_ledger.checks.shape_reading import ShapesSeen
from prov_ledger.errors import ProvLedgerError
from prov_ledger.resources import load_topics, shapes_dir
from prov_ledger.vocab import PL, RDF_TYPE

_TYPE = f"<{RDF_TYPE}>"
_ENTRY = f"<{PL}Entry>"
#: A line of canonical N-Quads without blank nodes: its subject, its predicate, its object if that is an IRI.
_LINE = re.compile(r'^(<[^ \n]*) (<[^ \n]*) (?:(<[^ \n]*)|")', re.MULTILINE)
# Sets of classes whose shapes are kept compiled, about 1 ms and 60 kB each.
_KEPT = 128
# Forms of entries that are kept as found to conform, about 3 kB each.
_KEPT_FORMS = 4096


class EntryValidator:
    """Checks entries against the shapes, which are compiled once for each set of classes that occurs.

    Source: SHACL section 3 (validation and graphs).
    """

    def __init__(self, index: ShapeIndex) -> None:
        self._index = index
        self._targeted = frozenset(f"<{name}>" for name in index.classes)
        self._compiled: dict[frozenset[str], shacl.Shapes] = {}
        #: Tells which entries are alike to these shapes.
        self.forms = Forms(ShapesSeen(index.triples()))
        self._conforming: dict[Form, None] = {}

    @classmethod
    def load(cls) -> "EntryValidator":
        """Read the shapes of this installation; raises ProvLedgerError when they cannot be read."""
        return cls(ShapeIndex(load_topics(shapes_dir())))

    def conforms(self, form: Form) -> bool:
        """Whether an entry of this form was found to conform: then ``check`` finds nothing."""
        return form in self._conforming

    def check(
        self, lines: str, known: Iterable[tuple[str, str]] = (), form: Form | None = None
    ) -> tuple[Finding, ...]:
        """Check one entry, or several at once: findings sorted by focus node, empty when it conforms.

        ``lines`` are canonical N-Triples or N-Quads. ``known`` are (node IRI, class IRI) of the nodes
        that the lines refer to and that earlier entries recorded; one that the lines describe anew
        is judged by what they say of it. ``form`` is that of the lines by ``forms``: an entry like one
        that was found to conform is not looked at again, nor is what is known to it.
        """
        if form is not None and form in self._conforming:
            return ()
        found = self._check(lines, known)
        if form is not None and not found:
            if len(self._conforming) >= _KEPT_FORMS:
                self._conforming.pop(next(iter(self._conforming)), None)
            self._conforming[form] = None
        return found

    def _check(self, lines: str, known: Iterable[tuple[str, str]]) -> tuple[Finding, ...]:
        try:
            subjects, types = _scan(lines)
            described = {node for node, kind in types if kind in self._targeted}
            before = {f"<{node}>": kind for node, kind in known if f"<{node}>" not in described}
            context = "".join([f"{node} <{RECORDED_AS}> <{kind}> .\n" for node, kind in before.items()])
            classes = frozenset([kind for _, kind in types]) & self._targeted
            report = self._shapes(classes).validate_text(lines + context, "nquads")
        except ValueError:
            return (NOT_CANONICAL,)
        strays = sorted(node.strip("<>") for node in subjects.difference(described, before))
        found = find_strays(strays, _ENTRY in classes)
        return found if report.conforms else tuple(sorted(self._read(report).union(found)))

    def _shapes(self, classes: frozenset[str]) -> shacl.Shapes:
        compiled = self._compiled.get(classes)
        if compiled is None:
            if len(self._compiled) >= _KEPT:
                self._compiled.pop(next(iter(self._compiled)), None)
            compiled = self._compiled[classes] = self._compile(classes)
        return compiled

    def _compile(self, classes: frozenset[str]) -> shacl.Shapes:
        selected = self._index.select(name.strip("<>") for name in sorted(classes))
        try:
            return shacl.Shapes.from_text(selected, "ntriples")
        except ValueError as error:
            raise ProvLedgerError(f"the shapes of this installation do not compile: {error}") from error

    def _read(self, report: shacl.Report) -> set[Finding]:
        found = set()
        for result in report.results:
            name = (result.source_shape or "").strip("<>").removeprefix(SHAPES)
            path = (result.path or "").removeprefix("<").removesuffix(">")
            found.add(Finding(result.focus_node.strip("<>"), name, path, self._index.message(name)))
        return found


def _scan(lines: str) -> tuple[set[str], list[tuple[str, str]]]:
    """The subjects and the (subject, class) pairs, in angle brackets; ValueError at a blank node."""
    found = _LINE.findall(lines)
    if len(found) != lines.count("\n") + (lines[-1:] not in ("", "\n")):
        raise ValueError
    return {subject for subject, _, _ in found}, [(s, o) for s, predicate, o in found if predicate == _TYPE]
