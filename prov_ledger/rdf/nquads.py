"""Canonical N-Quads: the bytes of an entry, and their way back.

What the ledger writes has no blank nodes and one graph per tenant, so a line needs no grammar: its
first two blanks part subject, predicate and object, and a fixed end names the graph.

Source: RDF 1.1 N-Quads; RDF Dataset Canonicalization 1.0 section 5.
"""

import functools
import itertools
import re
from collections.abc import Iterable

from prov_ledger.errors import Corrupt, Refused
from prov_ledger.rdf.terms import XSD_STRING, Iri, Literal, Term, escape_literal, render_iri, render_term

__all__ = [
    "Description",
    "Spelled",
    "check_canonical",
    "escape_literal",
    "parse_nquads",
    "parse_term",
    "write_nquads",
]

#: A term, or its spelling (``<iri>``, ``"text"``) where the caller has made it already.
Spelled = Term | str
#: subject IRI -> predicate IRI -> objects, in the order of the lines.
Description = dict[str, dict[str, list[Term]]]

_IRI = r'[A-Za-z][^<>"{}|^`\\\x00-\x20\x7f]*'
_TERM = re.compile(
    rf"<({_IRI})>"
    r'|"((?:[^"\\\x00-\x1f\x7f]|\\.)*)"'
    rf"(?:\^\^<({_IRI})>|@([A-Za-z]+(?:-[A-Za-z0-9]+)*))?"
)
_ESCAPE = re.compile(r"\\(?:u([0-9A-F]{4})|(.))", re.DOTALL)
_UNESCAPED = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", '"': '"', "\\": "\\"}


def write_nquads(triples: Iterable[tuple[Spelled, Spelled, Spelled]], graph: str) -> bytes:
    """Write triples as canonical N-Quads in the graph named by the IRI ``graph``: UTF-8, sorted, unique.

    A str is taken as a spelling and written as it is. Raises Refused ``bad_input`` when a term
    cannot be spelled: a relative IRI, or a text that is not valid Unicode.

    >>> write_nquads([("<urn:a>", "<urn:p>", Literal("x"))], "urn:g")
    b'<urn:a> <urn:p> "x" <urn:g> .\\n'
    """
    end = f" {render_iri(graph)} .\n"
    lines = {
        f"{s if type(s) is str else _spell(s)} {p if type(p) is str else _spell(p)} "
        f"{o if type(o) is str else _spell(o)}{end}"
        for s, p, o in triples
    }
    try:
        return "".join(sorted(lines)).encode()
    except UnicodeEncodeError:
        raise Refused("bad_input", "a text holds half of a surrogate pair; pass valid Unicode") from None


def _spell(term: Spelled) -> str:
    return term if isinstance(term, str) else render_term(term)


def parse_nquads(data: bytes, graph: str, memo: dict[str, Term] | None = None) -> Description:
    """Read canonical lines of one graph back: subject IRI -> predicate IRI -> object terms.

    ``memo`` may be kept between calls, where terms recur; it is the parser's own.
    Raises Corrupt, with the number of the line, when one is not as ``write_nquads`` writes it; the
    order of lines is not looked at (see ``check_canonical``).
    """
    terms: dict[str, Term] = {} if memo is None else memo
    description: Description = {}
    for number, (subject, predicate, iri, spelled) in enumerate(_split_lines(data, graph), start=1):
        term = terms.get(spelled or iri)
        if term is None:
            term = terms[spelled or iri] = Iri(iri) if iri else parse_term(spelled, number)
        predicates = description.get(subject)
        if predicates is None:
            predicates = description[subject] = {}
        objects = predicates.get(predicate)
        if objects is None:
            predicates[predicate] = [term]
        else:
            objects.append(term)
    return description


@functools.lru_cache(maxsize=64)
def _line_of(graph: str) -> re.Pattern[str]:
    end = re.escape(render_iri(graph))
    return re.compile(rf'^<({_IRI})> <({_IRI})> (?:<({_IRI})>|(".+)) {end} \.$', re.MULTILINE)


def _split_lines(data: bytes, graph: str) -> list[tuple[str, str, str, str]]:
    """Split into subject, predicate and object IRI, or the spelling of a literal object, for each line."""
    text = _decode(data)
    line_of = _line_of(graph)
    parts: list[tuple[str, str, str, str]] = line_of.findall(text)
    if len(parts) != text.count("\n"):
        bad = next(n for n, line in enumerate(text.split("\n"), start=1) if not line_of.fullmatch(line))
        raise Corrupt(f"line {bad}: expected a canonical line of the graph <{graph}>")
    return parts


def _decode(data: bytes) -> str:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise Corrupt("an entry is not valid UTF-8") from None
    if text and not text.endswith("\n"):
        raise Corrupt("the last line lacks a line feed at its end")
    return text


def parse_term(spelled: str, line: int = 1) -> Iri | Literal:
    """Read the canonical spelling of an IRI or a literal; raises Corrupt, naming ``line``, for any other.

    >>> parse_term('"2026-06-01"^^<http://www.w3.org/2001/XMLSchema#date>').lexical
    '2026-06-01'
    """
    match = _TERM.fullmatch(spelled)
    if match is None:
        raise Corrupt(f"line {line}: expected an IRI or a literal in its canonical spelling")
    iri, text, datatype, language = match.groups()
    if iri is not None:
        return Iri(iri)
    if "\\" not in text:
        if datatype != XSD_STRING:
            return Literal(text, datatype or XSD_STRING, language or "")
    else:
        term = Literal(_ESCAPE.sub(_unescape, text), datatype or XSD_STRING, language or "")
        if render_term(term) == spelled:
            return term
    raise Corrupt(f"line {line}: a literal is not in its canonical spelling")


def _unescape(match: re.Match[str]) -> str:
    return chr(int(match[1], 16)) if match[1] is not None else _UNESCAPED.get(match[2], "")


def check_canonical(data: bytes) -> int:
    """Count the lines; raises Corrupt when they are not sorted by code point or one occurs twice."""
    lines = _decode(data).split("\n")[:-1]
    for number, (one, two) in enumerate(itertools.pairwise(lines), start=2):
        if one >= two:
            raise Corrupt(f"line {number}: lines are not sorted and unique")
    return len(lines)
