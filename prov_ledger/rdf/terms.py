"""RDF terms as values of our own, and their one canonical spelling.

Whatever is written goes through here, because a graph store may rewrite a literal ("1.50" comes
back as "1.5"): only forms that every store keeps are ever made.
"""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal

from prov_ledger.errors import Refused
from prov_ledger.vocab import XSD

XSD_STRING = XSD + "string"
XSD_INTEGER = XSD + "integer"
XSD_DECIMAL = XSD + "decimal"
XSD_BOOLEAN = XSD + "boolean"
XSD_DATE = XSD + "date"
XSD_DATE_TIME = XSD + "dateTime"

#: The largest integer part and the most fractional digits that stores compare as numbers.
DECIMAL_INTEGER_DIGITS = 18
DECIMAL_FRACTION_DIGITS = 18

_NOT_IN_IRI = re.compile(r"[\x00-\x20<>\"{}|^`\\\x7f]|%(?![0-9A-Fa-f]{2})")
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_TO_ESCAPE = re.compile(r'[\x00-\x1f"\\\x7f]')
_SHORT_ESCAPES = {"\b": r"\b", "\t": r"\t", "\n": r"\n", "\f": r"\f", "\r": r"\r", '"': r"\"", "\\": r"\\"}


@dataclass(frozen=True, slots=True)
class Iri:
    """An absolute IRI, without the angle brackets."""

    value: str


@dataclass(frozen=True, slots=True)
class Literal:
    """A literal: lexical form, datatype IRI, and a language tag that is empty unless there is one."""

    lexical: str
    datatype: str = XSD_STRING
    language: str = ""


@dataclass(frozen=True, slots=True)
class BlankNode:
    """A blank node of a query result; the ledger never writes one."""

    label: str


Term = Iri | Literal | BlankNode
Triple = tuple[Term, Term, Term]
#: What a literal of ours means in Python.
Value = str | int | bool | Decimal | date | datetime


def render_iri(iri: str) -> str:
    """Spell an IRI for N-Quads and SPARQL: ``<iri>``.

    Raises Refused ``bad_input`` when it is relative or holds a character that an IRI cannot.
    Source: RDF 1.1 N-Quads, production IRIREF.

    >>> render_iri("urn:x:a")
    '<urn:x:a>'
    """
    if _NOT_IN_IRI.search(iri) or not _ABSOLUTE.match(iri):
        raise Refused("bad_input", "an IRI must be absolute and hold no space, quote, bracket or backslash")
    return f"<{iri}>"


def render_string(text: str) -> str:
    """Spell a plain string literal, escaped as canonical N-Quads has it.

    Source: RDF Dataset Canonicalization 1.0 section 5 (canonical N-Quads).

    >>> print(render_string('say "hi"'))
    "say \\"hi\\""
    """
    return f'"{escape_literal(text)}"' if _TO_ESCAPE.search(text) else f'"{text}"'


def escape_literal(text: str) -> str:
    """Escape what canonical N-Quads escapes in a literal, and nothing else."""
    return _TO_ESCAPE.sub(lambda m: _SHORT_ESCAPES.get(m[0]) or f"\\u{ord(m[0]):04X}", text)


def render_term(term: Term) -> str:
    """Spell any term as N-Quads does; the same spelling is valid in a SPARQL query."""
    if isinstance(term, Iri):
        return render_iri(term.value)
    if isinstance(term, Literal):
        if term.language:
            return f"{render_string(term.lexical)}@{term.language}"
        if term.datatype == XSD_STRING:
            return render_string(term.lexical)
        return f"{render_string(term.lexical)}^^{render_iri(term.datatype)}"
    return f"_:{term.label}"


def string(text: str) -> Literal:
    """Make an xsd:string literal."""
    return Literal(text)


def boolean(value: bool) -> Literal:
    """Make an xsd:boolean literal, ``true`` or ``false``."""
    return Literal("true" if value else "false", XSD_BOOLEAN)


def integer(value: int) -> Literal:
    """Make an xsd:integer literal."""
    return Literal(str(value), XSD_INTEGER)


def decimal(value: Decimal | int) -> Literal:
    """Make an xsd:decimal literal without trailing zeros or an exponent.

    Raises Refused ``bad_fact`` beyond 18 digits on either side of the point: stores compare such
    numbers no more, and a filter would drop the row in silence.
    Source: XML Schema 1.1 part 2, section 3.3.3.

    >>> decimal(Decimal("1.50")).lexical, decimal(Decimal("1E+3")).lexical
    ('1.5', '1000')
    """
    exact = Decimal(value)
    if not exact.is_finite():
        raise Refused("bad_fact", "a number must be finite")
    text = format(exact, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    whole, _, fraction = text.lstrip("-").partition(".")
    if len(whole) > DECIMAL_INTEGER_DIGITS or len(fraction) > DECIMAL_FRACTION_DIGITS:
        raise Refused(
            "bad_fact", f"a number may have {DECIMAL_INTEGER_DIGITS} digits on either side of the point"
        )
    return Literal("0" if text in ("-0", "") else text, XSD_DECIMAL)


def civil_date(value: date) -> Literal:
    """Make an xsd:date literal without a zone; raises TypeError for a datetime."""
    if isinstance(value, datetime):
        raise TypeError("expected a date, got a datetime")
    return Literal(value.isoformat(), XSD_DATE)


def instant(value: datetime) -> Literal:
    """Make an xsd:dateTime literal in UTC with ``Z``, the fraction without trailing zeros.

    Raises TypeError when ``value`` has no zone. Source: XML Schema 1.1 part 2, section 3.3.7.

    >>> instant(datetime(2026, 1, 2, 3, 4, 5, 120000, UTC)).lexical
    '2026-01-02T03:04:05.12Z'
    """
    if value.tzinfo is None:
        raise TypeError("expected an instant with a zone")
    text = value.astimezone(UTC).replace(tzinfo=None).isoformat()
    return Literal((text.rstrip("0") if "." in text else text) + "Z", XSD_DATE_TIME)


def literal_of(value: Value) -> Literal:
    """Make the literal of a Python value: str, bool, int, Decimal, date or aware datetime."""
    if isinstance(value, str):
        return string(value)
    if isinstance(value, bool):
        return boolean(value)
    if isinstance(value, int):
        return integer(value)
    if isinstance(value, Decimal):
        return decimal(value)
    return instant(value) if isinstance(value, datetime) else civil_date(value)


def value_of(literal: Literal) -> Value:
    """Read a literal that one of the makers above made; any other datatype comes back as its text.

    >>> value_of(Literal("2026-06-01", XSD_DATE))
    datetime.date(2026, 6, 1)
    """
    text = literal.lexical
    if literal.datatype == XSD_DATE_TIME:
        return datetime.fromisoformat(text)
    if literal.datatype == XSD_DATE:
        return date.fromisoformat(text)
    if literal.datatype == XSD_INTEGER:
        return int(text)
    if literal.datatype == XSD_DECIMAL:
        return Decimal(text)
    return text == "true" if literal.datatype == XSD_BOOLEAN else text
