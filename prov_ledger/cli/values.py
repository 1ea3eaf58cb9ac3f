"""Compact spellings on the command line: facts, scopes, support and parameters.

Anything that begins with ``[`` or ``{`` is JSON or YAML; anything that begins with ``@`` is read from
the file named after it.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from prov_ledger.errors import Refused
from prov_ledger.model.ids import looks_like_id, prefix_of
from prov_ledger.scenarios.document import parse_document
from prov_ledger.scenarios.scenario import NotAScenario

_PAIR = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)\s*=(.*)", re.DOTALL)
_CONDITION = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)\s*:(.*)", re.DOTALL)
_NUMBER = re.compile(r"[-+]?[0-9]+(?:\.[0-9]+)?")
_COMPARISON = re.compile(r"(>=|<=|>|<)\s*(" + _NUMBER.pattern + r")")
#: What comes with these is a fact.
_FACT_OPTIONS = ("-f", "--fact")
_KEYS = {">=": "min", "<=": "max", ">": "above", "<": "below"}


def read_bytes(path: str) -> bytes:
    """The bytes of a file, or of the standard input for ``-``. Raises Refused ``not_found``."""
    try:
        return Path("/dev/stdin").read_bytes() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise Refused("not_found", f"cannot read {path}: {error.strerror}") from error


def parse_pairs(pairs: Iterable[str], option: str) -> dict[str, object]:
    """``name=value`` pairs, or whole mappings in JSON or YAML; each name once.

    Raises Refused ``bad_input``; ``bad_fact`` for a fact that is given twice.

    >>> parse_pairs(["purchase_date=2026-07-02", "{total: 99.5}"], "-f")
    {'purchase_date': '2026-07-02', 'total': Decimal('99.5')}
    """
    result: dict[str, object] = {}
    for pair in pairs:
        if pair.lstrip().startswith(("{", "@")):
            given = _mapping(_structured(pair, option), option)
        else:
            found = _PAIR.fullmatch(pair)
            if found is None:
                raise Refused("bad_input", f"{option} expects NAME=VALUE or a mapping in JSON")
            given = {found[1]: found[2].strip()}
        for name in given:
            if name in result:
                code = "bad_fact" if option in _FACT_OPTIONS else "bad_input"
                raise Refused(code, f"{option}: {name} is given twice: give it once")
        result |= given
    return result


def parse_scope_option(
    conditions: Iterable[str], option: str = "--scope"
) -> list[Mapping[str, object]] | None:
    """A scope as the ledger takes it, one condition per option; None where none was given.

    >>> parse_scope_option(["purchase_date: 2026-06-01..open", "total: >=100 <200", "region: DE, FR"])
    [{'fact': 'purchase_date', 'from': '2026-06-01', 'until': 'open'}, \
{'fact': 'total', 'min': '100', 'below': '200'}, {'fact': 'region', 'in': ['DE', 'FR']}]
    """
    scope: list[Mapping[str, object]] = []
    for condition in conditions:
        if condition.lstrip().startswith(("[", "{", "@")):
            read = _structured(condition, option)
            scope += [_mapping(each, option) for each in (read if isinstance(read, list) else [read])]
        else:
            scope.append(_condition(condition, option))
    return scope or None


def _condition(text: str, option: str) -> dict[str, object]:
    found = _CONDITION.fullmatch(text)
    if found is None or not found[2].strip():
        expected = "'FACT: FROM..UNTIL', 'FACT: >=MIN <=MAX' or 'FACT: VALUE, VALUE'"
        raise Refused("bad_scope", f"{option} expects {expected}")
    fact, rest = found[1], found[2].strip()
    comparisons = _COMPARISON.findall(rest)
    if comparisons and not _COMPARISON.sub("", rest).strip(" ,"):
        return {"fact": fact} | {_KEYS[sign]: number for sign, number in comparisons}
    if ".." in rest:
        low, _, high = (part.strip() for part in rest.partition(".."))
        if all(not part or _NUMBER.fullmatch(part) for part in (low, high)):
            return {"fact": fact} | _given({"min": low, "max": high})
        return {"fact": fact} | _given({"from": low, "until": high})
    return {"fact": fact, "in": [value.strip() for value in rest.split(",")]}


def _given(bounds: dict[str, str]) -> dict[str, object]:
    return {key: value for key, value in bounds.items() if value}


def parse_support(alternatives: Iterable[str]) -> list[list[str]]:
    """Justifications, one per option, each a comma-separated set of ids.

    >>> parse_support(["ev_a, ev_b", "cl_c"])
    [['ev_a', 'ev_b'], ['cl_c']]
    """
    return [[id_.strip() for id_ in text.split(",") if id_.strip()] for text in alternatives]


def parse_row(text: str) -> object:
    """A row of a table: a number counted from 1, or ``COLUMN=VALUE``, several parted by commas.

    >>> parse_row("3"), parse_row("tier=plus")
    (3, {'tier': 'plus'})
    """
    if text.isdecimal():
        return int(text)
    pairs = [part.partition("=") for part in text.split(",")]
    if any(not sign for _, sign, _ in pairs):
        raise Refused("bad_cell", "--row expects a number or COLUMN=VALUE")
    return {column.strip(): value.strip() for column, _, value in pairs}


def _structured(text: str, option: str) -> object:
    stripped = text.strip()
    data = read_bytes(stripped[1:]) if stripped.startswith("@") else stripped.encode()
    try:
        return parse_document(data, option)
    except NotAScenario as error:
        raise Refused("bad_input", error.message) from error


def _mapping(value: object, option: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise Refused("bad_input", f"{option} expects a mapping of names to values")
    return {str(key): item for key, item in value.items()}


def expect_kind(id: str, prefix: str, what: str) -> str:
    """The id as it is, unread. Raises Refused ``bad_input`` where its prefix is of another kind."""
    if looks_like_id(id) and prefix_of(id).lower() != prefix:
        raise Refused("bad_input", f"expected {what} id ({prefix}_...), got one of {prefix_of(id).lower()}_")
    return id


def parse_enumerated(text: str, allowed: Iterable[str], option: str) -> str:
    """One of some words. Raises Refused ``bad_input``."""
    words = tuple(allowed)
    if text not in words:
        raise Refused("bad_input", f"{option} expects one of {', '.join(words)}; got {text!r}")
    return text
