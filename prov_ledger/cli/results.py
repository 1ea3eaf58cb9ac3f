"""Results of SPARQL queries as a table, JSON, CSV or Turtle."""

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence

from prov_ledger.cli.render import table_lines
from prov_ledger.errors import Refused
from prov_ledger.rdf.terms import XSD_STRING, Iri, Literal, Term, Triple, render_term
from prov_ledger.store.port import Answer, Rows, Triples
from prov_ledger.store.results import json_of_term, text_of_term
from prov_ledger.vocab import PREFIXES, RDF_TYPE

#: What Turtle may hold as it is and a terminal may take for a command.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
FORMATS = ("table", "json", "csv", "turtle")


def format_answer(answer: Answer, format_: str, width: int) -> Iterator[str]:
    """The lines of an answer. Raises Refused ``bad_input`` where the format does not fit its kind."""
    if isinstance(answer, Triples):
        if format_ not in ("turtle", "table"):
            raise Refused("bad_input", f"triples cannot be printed as {format_}: use --format turtle")
        return (_CONTROL.sub(_turtle_escape, line) for line in turtle_lines(answer.triples))
    if format_ == "turtle":
        raise Refused("bad_input", "only the triples of a CONSTRUCT or DESCRIBE can be printed as turtle")
    if isinstance(answer, bool):
        as_json = json.dumps({"head": {}, "boolean": answer})
        return iter([as_json if format_ == "json" else str(answer).lower()])
    if format_ == "json":
        return iter([json.dumps(_json(answer), ensure_ascii=False, indent=2)])
    if format_ == "csv":
        return iter(_csv(answer).removesuffix("\n").split("\n"))
    shown = [[_short(cell) for cell in row] for row in answer.rows]
    return table_lines(answer.variables, shown, width)


def _json(rows: Rows) -> dict[str, object]:
    """Source: SPARQL 1.1 Query Results JSON Format, section 3."""
    bindings = [
        {name: json_of_term(cell) for name, cell in zip(rows.variables, row, strict=True) if cell is not None}
        for row in rows.rows
    ]
    return {"head": {"vars": list(rows.variables)}, "results": {"bindings": bindings}}


def _csv(rows: Rows) -> str:
    """Source: SPARQL 1.1 Query Results CSV and TSV Formats, section 3."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(rows.variables)
    writer.writerows([text_of_term(cell) for cell in row] for row in rows.rows)
    return buffer.getvalue()


def _short(term: Term | None) -> str:
    """A cell for people: prefixed names, and the bare id of what the tenant's base stands before."""
    if not isinstance(term, Iri):
        return text_of_term(term)
    return _prefixed(term) or term.value.rsplit("/", 1)[-1]


def _prefixed(iri: Iri) -> str | None:
    for prefix, namespace in PREFIXES.items():
        local = iri.value.removeprefix(namespace)
        if local != iri.value and local.isidentifier():
            return f"{prefix}:{local}"
    return None


def turtle_lines(triples: Sequence[Triple]) -> Iterator[str]:
    """Triples grouped by subject, with the ledger's prefixes. Source: RDF 1.1 Turtle."""
    yield from (f"@prefix {prefix}: <{namespace}> ." for prefix, namespace in PREFIXES.items())
    subject: Term | None = None
    lines: list[str] = []
    for triple in sorted(set(triples), key=lambda triple: tuple(map(render_term, triple))):
        if triple[0] != subject:
            yield from _closed(lines)
            subject, lines = triple[0], ["", _turtle(triple[0])]
        predicate = "a" if triple[1] == Iri(RDF_TYPE) else _turtle(triple[1])
        lines.append(f"    {predicate} {_turtle(triple[2])} ;")
    yield from _closed(lines)


def _turtle_escape(match: re.Match[str]) -> str:
    """Source: RDF 1.1 Turtle, section 6.4 (numeric escapes)."""
    return f"\\u{ord(match[0]):04X}"


def _closed(lines: list[str]) -> list[str]:
    return [*lines[:-1], lines[-1].removesuffix(";") + "."] if lines else []


def _turtle(term: Term) -> str:
    if isinstance(term, Iri):
        return _prefixed(term) or render_term(term)
    if isinstance(term, Literal) and not term.language and term.datatype != XSD_STRING:
        datatype = _turtle(Iri(term.datatype))
        return f"{render_term(Literal(term.lexical))}^^{datatype}"
    return render_term(term)
