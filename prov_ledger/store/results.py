"""From the embedded store's results to terms of our own."""

import pyoxigraph as ox

from prov_ledger.errors import QueryError
from prov_ledger.rdf.terms import BlankNode, Iri, Literal, Term, Triple
from prov_ledger.store.port import Rows


def rows_of(solutions: ox.QuerySolutions) -> Rows:
    """Copy a result out, whole."""
    # IRIs recur within a result, so each is made once.
    known: dict[str, Iri] = {}
    rows: list[tuple[Term | None, ...]] = []
    for solution in solutions:
        row: list[Term | None] = []
        for cell in solution:
            if type(cell) is ox.NamedNode:
                iri = known.get(cell.value)
                if iri is None:
                    iri = known[cell.value] = Iri(cell.value)
                row.append(iri)
            else:
                row.append(None if cell is None else term_of(cell))
        rows.append(tuple(row))
    return Rows(tuple(variable.value for variable in solutions.variables), tuple(rows))


def term_of(term: object) -> Term:
    """Copy a term; raises QueryError for a quoted triple, which RDF 1.1 does not have."""
    if isinstance(term, ox.Literal):
        return Literal(term.value, term.datatype.value, term.language or "")
    if isinstance(term, ox.NamedNode):
        return Iri(term.value)
    if isinstance(term, ox.BlankNode):
        return BlankNode(term.value)
    raise QueryError("the query returns a quoted triple; return its parts instead")


def triple_of(triple: ox.Triple) -> Triple:
    """Copy a triple."""
    return term_of(triple.subject), term_of(triple.predicate), term_of(triple.object)
