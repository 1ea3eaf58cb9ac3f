"""Triples about the nodes of one entry, each term as canonical N-Quads spell it.

Source: RDF 1.1 N-Quads section 2.
"""

from collections.abc import Iterable
from datetime import date, datetime
from decimal import Decimal
from functools import cache, lru_cache

from prov_ledger.model import records as r
from prov_ledger.model.facts import FactValue, canonical
from prov_ledger.model.times import format_instant
from prov_ledger.rdf.terms import escape_literal
from prov_ledger.vocab import PL, PROV, RDF_TYPE, XSD

#: ``rdf:type``, rendered.
A = f"<{RDF_TYPE}>"
INTEGER = f"^^<{XSD}integer>"
TRUE = f'"true"^^<{XSD}boolean>'
DATE_TIME = f"^^<{XSD}dateTime>"


@cache
def pl(name: str) -> str:
    """Render one of our own terms as an N-Quads IRI."""
    return f"<{PL}{name}>"


@cache
def prov(name: str) -> str:
    """Render a PROV-O term as an N-Quads IRI."""
    return f"<{PROV}{name}>"


@lru_cache(maxsize=64)
def encode_instant(instant: datetime) -> str:
    """Render an instant as an xsd:dateTime in UTC; an entry says when it was recorded at each statement."""
    return f'"{format_instant(instant)}"{DATE_TIME}'


def encode_value(value: FactValue) -> str:
    """Render a typed value of a fact as a literal: date, dateTime, decimal or string."""
    if isinstance(value, datetime):
        return encode_instant(value)
    if isinstance(value, date):
        return f'"{value.isoformat()}"^^<{XSD}date>'
    if isinstance(value, Decimal):
        return f'"{canonical(value)}"^^<{XSD}decimal>'
    return f'"{escape_literal(value)}"'


IN = pl("recordedIn")
AT = pl("recordedAt")
ABOUT = pl("about")


#: Subject, predicate and object, rendered.
Rendered = tuple[str, str, str]


class Writer:
    """Collects the triples of one entry; nodes are given without the base, objects already rendered."""

    def __init__(self, base: str, entry: r.Entry) -> None:
        self.base = base
        self.entry = entry
        self.triples: list[Rendered] = []
        self._in = self.node(entry.id)
        self._at = encode_instant(entry.recorded)

    def node(self, name: r.Node) -> str:
        """Render a node of this tenant; ``*`` is the tenant itself."""
        return f"<{self.base}{'tenant' if name == '*' else name}>"

    def fact(self, name: str) -> str:
        """Render the IRI of a declared fact."""
        return f"<{self.base}fact/{name}>"

    def put(self, subject: str, *pairs: tuple[str, str]) -> None:
        """Add one triple per (predicate, object) about a rendered subject."""
        self.triples += [(subject, predicate, value) for predicate, value in pairs]

    def many(self, subject: str, predicate: str, values: Iterable[str]) -> None:
        """Add one triple per object."""
        self.triples += [(subject, predicate, value) for value in values]

    def state(self, subject: str, *pairs: tuple[str, str]) -> None:
        """Add a statement of this entry: its triples, where and when it was recorded."""
        self.put(subject, *pairs, (IN, self._in), (AT, self._at))

    def text(self, text: str) -> str:
        """Render a plain string literal."""
        return f'"{escape_literal(text)}"'
