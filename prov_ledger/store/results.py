"""Terms of results: from a store or a server to our own, and to how results are written."""

import json
from collections.abc import Iterator

import pyoxigraph as ox

from prov_ledger.errors import QueryError
from prov_ledger.rdf.terms import XSD_STRING, BlankNode, Iri, Literal, Term, Triple
from prov_ledger.store.port import Rows
from prov_ledger.vocab import RDF


def rows_of(solutions: ox.QuerySolutions) -> Rows:
    """Copy a result out, whole."""
    return Rows(names_of(solutions), tuple(each_row(solutions)))


def names_of(solutions: ox.QuerySolutions) -> tuple[str, ...]:
    """The variables of a result, without question marks."""
    return tuple(variable.value for variable in solutions.variables)


def each_row(solutions: ox.QuerySolutions) -> Iterator[tuple[Term | None, ...]]:
    """Copy a result out, a row at a time."""
    # IRIs recur within a result, so each is made once.
    known: dict[str, Iri] = {}
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
        yield tuple(row)


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


def parse_triples(body: bytes) -> tuple[Triple, ...]:
    """Read N-Triples as any server may spell them; raises QueryError when they are not N-Triples."""
    try:
        quads = ox.parse(body, ox.RdfFormat.N_TRIPLES)
        return tuple(triple_of(quad.triple) for quad in quads)
    except (SyntaxError, ValueError):
        raise QueryError("the server's answer is not N-Triples") from None


def answer_of_json(body: bytes) -> Rows | bool:
    """Read SPARQL JSON results; raises QueryError when they are not that.

    Source: SPARQL 1.1 Query Results JSON Format section 3.
    """
    try:
        document = json.loads(body)
        if "boolean" in document:
            return bool(document["boolean"])
        variables = tuple(document["head"]["vars"])
        bindings = document["results"]["bindings"]
        return Rows(variables, tuple(tuple(_cell(row.get(v)) for v in variables) for row in bindings))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise QueryError("the server's answer is not SPARQL JSON results") from None


def _cell(cell: dict[str, str] | None) -> Term | None:
    if cell is None:
        return None
    kind, value = cell["type"], cell["value"]
    if kind == "uri":
        return Iri(value)
    if kind == "bnode":
        return BlankNode(value)
    if "xml:lang" in cell:
        return Literal(value, RDF + "langString", cell["xml:lang"])
    return Literal(value, cell.get("datatype", XSD_STRING))


def json_of_term(term: Term) -> dict[str, str]:
    """A term as SPARQL JSON results have it. Source: SPARQL 1.1 Query Results JSON Format section 3.2.2."""
    if isinstance(term, Iri):
        return {"type": "uri", "value": term.value}
    if isinstance(term, BlankNode):
        return {"type": "bnode", "value": term.label}
    cell = {"type": "literal", "value": term.lexical}
    if term.language:
        cell["xml:lang"] = term.language
    elif term.datatype != XSD_STRING:
        cell["datatype"] = term.datatype
    return cell


def text_of_term(term: Term | None) -> str:
    """A term as text alone; empty for none. Source: SPARQL 1.1 Query Results CSV and TSV section 3."""
    if term is None:
        return ""
    if isinstance(term, Literal):
        return term.lexical
    return term.value if isinstance(term, Iri) else f"_:{term.label}"
