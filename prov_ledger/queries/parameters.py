"""From what a person types for a parameter to its rows of terms."""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime, timedelta

from prov_ledger.errors import QueryError, Refused
from prov_ledger.model.facts import FactTable, FactValue
from prov_ledger.model.ids import parse_id
from prov_ledger.model.times import civil_date, parse_instant
from prov_ledger.queries.binding import NamedQuery, Row
from prov_ledger.rdf.terms import XSD_DATE, XSD_DATE_TIME, Iri, literal_of

#: What follows the id of an entry in the name of a node of it, such as ``thread``.
_FRAGMENT = re.compile(r"[a-z0-9][a-z0-9/_-]*", re.ASCII)


def id_rows(base: str, ids: Iterable[str]) -> list[Row]:
    """One row for each id, as the IRI of its node."""
    return [(Iri(base + name),) for name in ids]


def instant_rows(at: datetime) -> list[Row]:
    """The one row of an instant."""
    return [(literal_of(at),)]


def interval_rows(first: datetime, last: datetime) -> list[Row]:
    """The one row of a half-open interval of instants."""
    return [(literal_of(first), literal_of(last))]


def fact_rows(base: str, facts: Mapping[str, FactValue]) -> list[Row]:
    """One row for each fact: its IRI and its typed value."""
    return [(Iri(f"{base}fact/{name}"), literal_of(value)) for name, value in facts.items()]


def day_rows(now: datetime, days: int, zone: str) -> list[Row]:
    """The window of the next ``days`` days from ``now``: one row for instants, one for civil dates.

    A date and an instant never compare in SPARQL; with one row alone, half the bounds would be lost
    in silence.
    """
    today = civil_date(now, zone)
    return [
        _window(XSD_DATE_TIME, now, now + timedelta(days=days)),
        _window(XSD_DATE, today, today + timedelta(days=days)),
    ]


def _window(datatype: str, first: date, last: date) -> Row:
    return Iri(datatype), literal_of(first), literal_of(last)


def parse_parameters(
    query: NamedQuery, typed: Mapping[str, str], *, base: str, table: FactTable, now: datetime
) -> dict[str, list[Row]]:
    """Read parameters as typed at a prompt; their kinds are in the query's header.

    ids: ``cl_a,cl_b``; instant: ISO 8601 with a zone; interval: ``START/END``; days: a number;
    facts: ``name=value,name=value``. Raises QueryError, or Refused for a value that is ill-typed:
    ``malformed_id``, ``bad_fact``, ``undeclared_fact``.
    """
    readers: dict[str, Callable[[str], list[Row]]] = {
        "ids": lambda text: id_rows(base, _listed(text)),
        "instant": lambda text: instant_rows(parse_instant(text)),
        "interval": lambda text: interval_rows(*_interval(text)),
        "days": lambda text: day_rows(now, _number(text), table.zone),
        "facts": lambda text: fact_rows(base, table.parse_facts(_pairs(text))),
    }
    kinds = {parameter.name: parameter.kind for parameter in query.parameters}
    for name in typed:
        if name not in kinds:
            raise QueryError(f"{query.name} has no parameter {name}; it has {', '.join(kinds)}")
    return {name: readers[kinds[name]](text) for name, text in typed.items()}


def _listed(text: str) -> list[str]:
    return [_node(part) for part in text.replace(",", " ").split()]


def _node(text: str) -> str:
    """An id, or a node of an entry (``ent_...#thread``), in its canonical spelling."""
    id, mark, fragment = text.partition("#")
    if mark and not _FRAGMENT.fullmatch(fragment):
        raise Refused("malformed_id", "not an id: what follows its # is no name of a node; copy the id again")
    return parse_id(id) + mark + fragment


def _interval(text: str) -> tuple[datetime, datetime]:
    first, slash, last = text.partition("/")
    if not slash:
        raise QueryError("an interval is written START/END, two instants")
    return parse_instant(first), parse_instant(last)


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise QueryError("days is a whole number")
    return int(text)


def _pairs(text: str) -> dict[str, object]:
    pairs: dict[str, object] = {}
    for part in text.split(","):
        name, equals, value = part.strip().partition("=")
        if not equals:
            raise QueryError("facts are written name=value,name=value")
        if name.strip() in pairs:
            raise Refused("bad_fact", f"{name.strip()} is given twice: give it once")
        pairs[name.strip()] = value.strip()
    return pairs
