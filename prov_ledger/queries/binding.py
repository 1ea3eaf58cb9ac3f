"""Query files: their headers, and how parameters get into them as typed terms.

A parameter is a ``VALUES`` block that ends in ``# $name``; binding replaces its rows. Nothing that a
caller passes is ever read as SPARQL.
"""

import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources

from prov_ledger.errors import QueryError
from prov_ledger.rdf.terms import Term, render_term

#: One row of a parameter: a term for each of its columns, None for "any".
Row = Sequence[Term | None]
#: The kinds of a parameter, as a header names them.
KINDS = frozenset({"ids", "instant", "interval", "days", "facts"})

_HEADER = re.compile(r"^# (title|params|returns|order|limit_ms|source): (.*)$", re.MULTILINE)
_PARAMETER = re.compile(r"(\w+) \((\w+)(, optional)?\)")
_BLOCK = re.compile(
    r"^(?P<indent>[ \t]*)VALUES[ \t]+(?P<columns>\?\w+|\((?:[ \t]*\?\w+)+[ \t]*\))[ \t]*"
    r"\{[^{}]*\}[ \t]*#[ \t]*\$(?P<name>\w+)[ \t]*$",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a query: its kind (one of ``KINDS``), its columns, whether it may be left out."""

    name: str
    kind: str
    columns: tuple[str, ...]
    optional: bool


@dataclass(frozen=True, slots=True)
class NamedQuery:
    """A query file: its header, and its text, valid SPARQL as it stands."""

    name: str
    title: str
    parameters: tuple[Parameter, ...]
    returns: tuple[str, ...]
    order: str
    limit_ms: int
    source: str
    text: str

    def bind(self, values: Mapping[str, Iterable[Row]]) -> str:
        """Write the query with its parameters' rows; the block of an optional one left out is dropped.

        No rows at all for a parameter means no answer. Raises QueryError for a parameter that the
        query lacks, one that is missing, or a row with too few or too many terms.
        """
        known = {parameter.name: parameter for parameter in self.parameters}
        for name in values:
            if name not in known:
                raise QueryError(f"{self.name} has no parameter {name}; it has {', '.join(known) or 'none'}")
        for parameter in self.parameters:
            if parameter.name not in values and not parameter.optional:
                raise QueryError(f"{self.name} needs the parameter {parameter.name}")
        rendered = {name: _render_rows(known[name], rows) for name, rows in values.items()}
        return _BLOCK.sub(lambda block: _fill(block, rendered), self.text)


def _render_rows(parameter: Parameter, rows: Iterable[Row]) -> str:
    width = len(parameter.columns)
    lines = []
    for row in rows:
        if len(row) != width:
            raise QueryError(f"a row of {parameter.name} has {len(row)} terms; expected {width}")
        cells = " ".join("UNDEF" if term is None else render_term(term) for term in row)
        lines.append(cells if width == 1 else f"({cells})")
    return " ".join(lines)


def _fill(block: re.Match[str], rendered: Mapping[str, str]) -> str:
    # A block of UNDEF would do too, but a variable that may be unbound keeps a store from hashing on it.
    if block["name"] not in rendered:
        return ""
    return f"{block['indent']}VALUES {block['columns']} {{ {rendered[block['name']]} }}"


def parse_query(name: str, text: str) -> NamedQuery:
    """Read a query file; raises QueryError when its header is not complete or does not fit its blocks."""
    header = dict(_HEADER.findall(text))
    missing = {"title", "params", "returns", "order", "limit_ms", "source"} - header.keys()
    if missing or not header["limit_ms"].isdigit():
        raise QueryError(
            f"the header of {name}.rq lacks {', '.join(sorted(missing)) or 'a number: limit_ms'}"
        )
    blocks = {match["name"]: _columns(match["columns"]) for match in _BLOCK.finditer(text)}
    parameters = tuple(
        Parameter(param, kind, blocks.pop(param, ()), bool(optional))
        for param, kind, optional in _PARAMETER.findall(header["params"])
    )
    if blocks or any(not p.columns or p.kind not in KINDS for p in parameters):
        raise QueryError(f"the parameters in the header of {name}.rq are not its VALUES blocks")
    returns = tuple(re.findall(r"\?(\w+)", header["returns"]))
    limit = int(header["limit_ms"])
    return NamedQuery(
        name, header["title"], parameters, returns, header["order"], limit, header["source"], text
    )


def _columns(columns: str) -> tuple[str, ...]:
    return tuple(re.findall(r"\?(\w+)", columns))


@functools.cache
def load_query(name: str) -> NamedQuery:
    """Load the query file ``name``; raises QueryError naming the ones there are."""
    if name not in query_names():
        raise QueryError(f"there is no query {name}; there are {', '.join(query_names())}")
    file = resources.files("prov_ledger.queries").joinpath(f"{name}.rq")
    return parse_query(name, file.read_text(encoding="utf-8"))


@functools.cache
def query_names() -> tuple[str, ...]:
    """The names of the query files, sorted."""
    files = resources.files("prov_ledger.queries").iterdir()
    return tuple(sorted(file.name.removesuffix(".rq") for file in files if file.name.endswith(".rq")))
