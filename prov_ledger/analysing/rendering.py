"""Answers as the bytes that a SPARQL client reads, cut at a number of rows or bytes, and saying so.

Source: SPARQL 1.1 Query Results JSON Format; SPARQL Query Results XML Format (Second Edition); SPARQL 1.1
Query Results CSV and TSV Formats.
"""

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal as OneOf
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

import pyoxigraph as ox

from prov_ledger.rdf.terms import XSD_STRING, BlankNode, Iri, Term, render_term
from prov_ledger.store.results import json_of_term, text_of_term
from prov_ledger.vocab import PREFIXES

JSON = "application/sparql-results+json"
XML = "application/sparql-results+xml"
CSV = "text/csv"
TSV = "text/tab-separated-values"
TURTLE = "text/turtle"
N_TRIPLES = "application/n-triples"
JSON_LD = "application/ld+json"
RDF_XML = "application/rdf+xml"

Cells = Sequence[Term | None]
Cut = OneOf["rows", "bytes"]

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SPARQL_XML = "http://www.w3.org/2005/sparql-results#"
_GRAPHS = {
    TURTLE: ox.RdfFormat.TURTLE,
    N_TRIPLES: ox.RdfFormat.N_TRIPLES,
    JSON_LD: ox.RdfFormat.JSON_LD,
    RDF_XML: ox.RdfFormat.RDF_XML,
}


@dataclass(frozen=True, slots=True)
class Rendered:
    """A body, how many rows or triples it holds, and where it was cut; ``cut`` None: it is whole."""

    body: bytes
    rows: int
    cut: Cut | None


class _Form(NamedTuple):
    """How a form writes a table: what stands before, each row, between rows, and after."""

    head: Callable[[Sequence[str]], str]
    row: Callable[[Sequence[str], Cells], str]
    between: str
    tail: str


def render_rows(
    form: str, names: Sequence[str], rows: Iterable[Cells], max_rows: int, max_bytes: int
) -> Rendered:
    """Write the answer to a SELECT as ``form``, one of ``ROW_FORMS``; no more rows are asked for than fit."""
    shape = ROW_FORMS[form]
    head, tail = shape.head(names).encode(), shape.tail.encode()
    parts, cut = _fitting(
        (shape.row(names, row).encode("utf-8", "replace") for row in rows),
        len(shape.between),
        max_rows,
        max_bytes - len(head) - len(tail),
    )
    return Rendered(head + shape.between.encode().join(parts) + tail, len(parts), cut)


def render_boolean(form: str, value: bool) -> Rendered:
    """Write the answer to an ASK as ``form``, one of ``BOOLEAN_FORMS``."""
    said = "true" if value else "false"
    if form == XML:
        text = (
            f'<?xml version="1.0"?>\n<sparql xmlns="{_SPARQL_XML}"><head/><boolean>{said}</boolean></sparql>'
        )
    else:
        text = f'{{"head":{{}},"boolean":{said}}}'
    return Rendered(text.encode(), 1, None)


def render_triples(form: str, triples: Iterable[ox.Triple], max_rows: int, max_bytes: int) -> Rendered:
    """Write the answer to a CONSTRUCT or DESCRIBE as ``form``, one of ``GRAPH_FORMS``.

    Bytes are counted as N-Triples.
    """
    kept: list[ox.Triple] = []

    def lines() -> Iterator[bytes]:
        for triple in triples:
            kept.append(triple)
            yield str(triple).encode()

    parts, cut = _fitting(lines(), len(" .\n"), max_rows, max_bytes)
    body = ox.serialize(kept[: len(parts)], format=_GRAPHS[form], prefixes=PREFIXES)
    return Rendered(body or b"", len(parts), cut)


def _fitting(
    parts: Iterable[bytes], between: int, max_rows: int, max_bytes: int
) -> tuple[list[bytes], Cut | None]:
    kept: list[bytes] = []
    size = 0
    for part in parts:
        if len(kept) == max_rows:
            return kept, "rows"
        size += len(part) + between
        if size > max_bytes:
            return kept, "bytes"
        kept.append(part)
    return kept, None


def _json_head(names: Sequence[str]) -> str:
    return f'{{"head":{{"vars":{json.dumps(list(names))}}},"results":{{"bindings":['


def _json_row(names: Sequence[str], row: Cells) -> str:
    cells = {name: json_of_term(cell) for name, cell in zip(names, row, strict=True) if cell is not None}
    return json.dumps(cells, ensure_ascii=False, separators=(",", ":"))


def _xml_head(names: Sequence[str]) -> str:
    variables = "".join(f"<variable name={quoteattr(name)}/>" for name in names)
    return f'<?xml version="1.0"?>\n<sparql xmlns="{_SPARQL_XML}"><head>{variables}</head><results>'


def _xml_row(names: Sequence[str], row: Cells) -> str:
    cells = (
        f"<binding name={quoteattr(name)}>{_xml_term(cell)}</binding>"
        for name, cell in zip(names, row, strict=True)
        if cell is not None
    )
    return f"<result>{''.join(cells)}</result>"


def _xml_term(term: Term) -> str:
    if isinstance(term, Iri):
        return f"<uri>{_xml(term.value)}</uri>"
    if isinstance(term, BlankNode):
        return f"<bnode>{_xml(term.label)}</bnode>"
    attribute = ""
    if term.language:
        attribute = f" xml:lang={quoteattr(term.language)}"
    elif term.datatype != XSD_STRING:
        attribute = f" datatype={quoteattr(term.datatype)}"
    return f"<literal{attribute}>{_xml(term.lexical)}</literal>"


def _xml(text: str) -> str:
    """Text for XML 1.0, which cannot hold every character: U+FFFD stands for what it cannot."""
    return escape(_NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text), {"\r": "&#13;"})


def _csv(cells: Sequence[str]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\r\n").writerow(cells)
    return buffer.getvalue()


def _tsv(cells: Sequence[str]) -> str:
    return "\t".join(cells) + "\n"


def _tsv_term(term: Term | None) -> str:
    """As in Turtle; tabs and line ends of a literal are escaped there."""
    return "" if term is None else render_term(term)


ROW_FORMS = {
    JSON: _Form(_json_head, _json_row, ",", "]}}"),
    XML: _Form(_xml_head, _xml_row, "", "</results></sparql>"),
    CSV: _Form(_csv, lambda names, row: _csv([text_of_term(cell) for cell in row]), "", ""),
    TSV: _Form(
        lambda names: _tsv([f"?{name}" for name in names]),
        lambda names, row: _tsv([_tsv_term(cell) for cell in row]),
        "",
        "",
    ),
}
BOOLEAN_FORMS = (JSON, XML)
GRAPH_FORMS = tuple(_GRAPHS)
