"""From rows of a reader's query to the nodes that records are decoded from.

A query returns values without the predicates that lead to them: fewer terms to fetch. The ``Pattern``
of a query says which triple each of its variables stands for, as a CONSTRUCT template would.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from prov_ledger.errors import QueryError
from prov_ledger.rdf.decoder import Nodes
from prov_ledger.rdf.terms import Iri, Literal, Term, render_term
from prov_ledger.rdf.writer import A, pl, prov
from prov_ledger.store.port import Answer, Rows
from prov_ledger.vocab import OA, XSD

#: What stands for the number of the entry that a statement was recorded in.
SEQUENCE = pl("sequence")
AT = pl("recordedAt")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a variable's value belongs: about which variable's node (with a fragment), by what predicate.

    ``kind`` is the type that the node has where the variable is bound.
    """

    node: str
    predicate: str
    fragment: str = ""
    kind: str | None = None


Pattern = dict[str, Place]

#: Statements that come as triples: ``?s ?p ?o``, and ``?number`` for the entry.
_NUMBER = Place("s", SEQUENCE)

TENANT: Pattern = {"number": _NUMBER}

CLAIMS: Pattern = {
    "statement": Place("claim", pl("statementCommitment"), kind=pl("Claim")),
    "at": Place("claim", AT),
    "sequence": Place("claim", SEQUENCE),
    "text": Place("claim", pl("textCommitment"), "#question"),
    "agent": Place("claim", prov("wasAssociatedWith"), "#activity"),
    "made": Place("claim", prov("endedAtTime"), "#activity"),
    "plan": Place("claim", prov("hadPlan"), "#association"),
    "note": Place("claim", pl("noteCommitment"), "#activity"),
    "by": Place("claim", pl("by"), "#activity"),
    "bound": Place("claim", pl("boundTo")),
    "derivation": Place("claim", prov("qualifiedDerivation")),
    "member": Place("derivation", prov("entity")),
    "used": Place("claim", prov("used"), "#activity"),
    "given": Place("claim", pl("given"), "#question"),
    "fact": Place("given", pl("onFact")),
    "value": Place("given", pl("value")),
    "commitment": Place("given", pl("commitment")),
    "number": _NUMBER,
}

EVIDENCE: Pattern = {
    "quote": Place("evidence", pl("quoteCommitment"), kind=pl("Evidence")),
    "revision": Place("evidence", prov("wasQuotedFrom")),
    "context": Place("evidence", prov("wasGeneratedBy")),
    "at": Place("evidence", AT),
    "sequence": Place("evidence", SEQUENCE),
    "start": Place("evidence", f"<{OA}start>", "#selector"),
    "end": Place("evidence", f"<{OA}end>", "#selector"),
    "row": Place("evidence", pl("row"), "#selector"),
    "column": Place("evidence", pl("column"), "#selector"),
    "table": Place("evidence", pl("table"), "#selector"),
    "indifferent": Place("evidence", pl("indifferentTo")),
    "number": _NUMBER,
}

SOURCES: Pattern = {
    "connector": Place("source", pl("connector"), kind=pl("Source")),
    "native": Place("source", pl("nativeCommitment")),
    "title": Place("source", pl("titleCommitment")),
    "authority": Place("source", pl("authority")),
    "at": Place("source", AT),
    "sequence": Place("source", SEQUENCE),
    "collection": Place("source", pl("collection")),
    "governed": Place("source", pl("governedBy")),
    "indifferent": Place("source", pl("indifferentTo")),
    "origin": Place("source", pl("cameFrom")),
    "media": Place("revision", pl("mediaType"), kind=pl("Revision")),
    "size": Place("revision", pl("sizeBytes")),
    "content": Place("revision", pl("contentCommitment")),
    "label": Place("revision", pl("labelCommitment")),
    "published": Place("revision", pl("published")),
    "retrieved": Place("revision", pl("retrieved")),
    "capture": Place("revision", prov("wasGeneratedBy")),
    "revised_at": Place("revision", AT),
    "revised_sequence": Place("revision", SEQUENCE),
    "about": Place("scope", pl("about"), kind=pl("ScopeStatement")),
    "scoped_at": Place("scope", AT),
    "scoped_sequence": Place("scope", SEQUENCE),
    "condition": Place("scope", pl("condition")),
    "fact": Place("condition", pl("onFact")),
    "kind": Place("condition", A),
    "commitment": Place("sealed", pl("commitment")),
    "currency": Place("result", pl("currency")),
    "number": _NUMBER,
}
# The source of a revision is the one that the query was asked about.
SOURCES["source"] = Place("revision", prov("specializationOf"))


def rows_in(answer: Answer) -> Rows:
    """The rows of a SELECT; raises QueryError when a store answers with something else."""
    if not isinstance(answer, Rows):
        raise QueryError("the store did not answer a SELECT with rows")
    return answer


#: What to do with a row: (cell of the value, cell of the node, fragment, predicate, kind) for each triple.
_Plan = list[tuple[int, int, str, str, str | None]]


class Gathered:
    """Nodes of one tenant, gathered from the rows of several queries."""

    def __init__(self, base: str) -> None:
        self.nodes: Nodes = {}
        self._cut = len(base)

    def add(self, answer: Rows, pattern: Pattern) -> None:
        """Put the values of each row where the pattern says; ``?s ?p ?o`` is a triple as it is."""
        subject, predicate, value = (answer.variables.index(name) for name in "spo")
        # Rows of one branch of a query bind the same variables, so few plans serve them all.
        plans: dict[tuple[int, ...], _Plan] = {}
        for row in answer.rows:
            if row[predicate] is not None:
                self._put(self._name(row[subject]), _spell(row[predicate]), _spell(row[value]))
                continue
            bound = tuple([i for i, cell in enumerate(row) if cell is not None])
            if bound not in plans:
                plans[bound] = _plan(answer.variables, bound, pattern)
            for cell, node, fragment, term, kind in plans[bound]:
                name = self._name(row[node]) + fragment
                self._put(name, term, _spell(row[cell]))
                if kind is not None:
                    self.nodes[name][A] = [kind]

    def _put(self, name: str, predicate: str, value: str) -> None:
        properties = self.nodes.get(name)
        if properties is None:
            self.nodes[name] = {predicate: [value]}
        elif predicate in properties:
            properties[predicate].append(value)
        else:
            properties[predicate] = [value]

    def _name(self, term: Term | None) -> str:
        return term.value[self._cut :] if isinstance(term, Iri) else ""

    def names(self, answer: Rows, variable: str) -> list[str]:
        """The names of the nodes that a variable was bound to, each once, sorted."""
        at = answer.variables.index(variable)
        return sorted({self._name(row[at]) for row in answer.rows if row[at] is not None})

    def pairs(self, answer: Rows, one: str, other: str) -> list[tuple[str, str]]:
        """The names of the nodes that two variables were bound to in the same row."""
        first, second = answer.variables.index(one), answer.variables.index(other)
        return [
            (self._name(row[first]), self._name(row[second]))
            for row in answer.rows
            if row[first] is not None and row[second] is not None
        ]


def _plan(variables: Sequence[str], bound: Sequence[int], pattern: Pattern) -> _Plan:
    index = {variables[i]: i for i in bound}
    return [
        (index[name], index[place.node], place.fragment, place.predicate, place.kind)
        for name, place in pattern.items()
        if name in index and place.node in index
    ]


_DATATYPES = {
    XSD + name: f'"^^<{XSD}{name}>' for name in ("dateTime", "date", "integer", "decimal", "boolean")
}


def _spell(term: Term | None) -> str:
    """The canonical spelling of a term; numbers, times and commitments need no look for escapes."""
    if type(term) is Iri:
        return f"<{term.value}>"
    if type(term) is Literal:
        end = _DATATYPES.get(term.datatype)
        if end is not None:
            return f'"{term.lexical}{end}'
        if term.lexical.isalnum() and not term.language:
            return f'"{term.lexical}"'
    return render_term(term) if term is not None else ""
