"""The form of an entry: what the shapes can tell of it, so that a verdict holds for all that are alike.

Entries of one kind differ in ids, commitments, times and numbers, and the shapes look at none of
these but for what a form keeps: which are the same, which were recorded before, how bounds are ordered.
To exchange the rest one for one changes no verdict, by the kinds of constraints that there are.

Source: SHACL section 4 (each core constraint component says what it looks at).
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from decimal import Decimal
from itertools import pairwise

from prov_ledger.checks.shape_reading import BODY, ShapesSeen
from prov_ledger.vocab import XSD

#: Subject, predicate and object as they are spelled in a line of canonical N-Quads.
Spelled = tuple[str, str, str]
#: Compared as a whole; None where an entry has none and its verdict is no other's.
Form = tuple[str, ...]

_NODE = re.compile(rf"<((?:[^<>\s]*/)([a-z]+_{BODY}))((?:#[A-Za-z0-9_.-]+)?)>")
_COMMITMENT = re.compile(r'"[0-9a-f]{64}"')
_TYPED = re.compile(rf'"([^"\\]*)"\^\^<{re.escape(XSD)}(dateTime|date|integer|decimal)>')
_DAY = (
    r"[1-9][0-9]{3}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
    r"|02-(?:0[1-9]|1[0-9]|2[0-8]))"
)
#: Of each datatype the spellings that are valid and the only one of their value: nothing else is exchanged.
_EXCHANGED = {
    "dateTime": re.compile(rf"{_DAY}T(?:[01][0-9]|2[0-3])(?::[0-5][0-9]){{2}}(?:\.[0-9]{{0,11}}[1-9])?Z"),
    "date": re.compile(_DAY),
    # The shapes know of 0 and 1, which stay what they are.
    "integer": re.compile(r"[2-9]|[1-9][0-9]{1,17}"),
    "decimal": re.compile(r"-?(?:[1-9][0-9]{0,17}|0)(?:\.[0-9]{0,11}[1-9])?"),
}
_NUMBERS = ("integer", "decimal")
_KEPT = frozenset({f'"0"^^<{XSD}integer>', f'"1"^^<{XSD}integer>'})


class _Alone(Exception):
    """This entry has no form."""


class Forms:
    """Gives the form of entries; of none at all where a shape looks at what a form leaves out."""

    def __init__(self, shapes: ShapesSeen) -> None:
        self.usable = shapes.allow_forms
        self._commitments, self._ordered = shapes.commitments, shapes.ordered
        self._terms = {term: term for term in shapes.terms}

    def of(self, triples: Iterable[Spelled], minted: Collection[str]) -> Form | None:
        """The form of an entry, or None; ``minted`` are the ids that it brings into being.

        Two entries of one form are found to conform, or neither is; other ids that they name must be
        known to the check by what the form keeps of them: their prefix and their fragment.
        """
        if not self.usable:
            return None
        terms, exchange = self._terms, _Exchange(minted)
        tokens = exchange.tokens
        form: list[str] = []
        try:
            for subject, predicate, value in triples:
                if value[0] == "<":
                    token = terms.get(value) or tokens.get(value) or exchange.node(value)
                else:
                    token = self._literal(exchange, subject, predicate, value)
                form += (tokens.get(subject) or exchange.node(subject), predicate, token)
            return (*form, *exchange.order())
        except _Alone:
            return None

    def _literal(self, exchange: "_Exchange", subject: str, predicate: str, value: str) -> str:
        if predicate in self._commitments and _COMMITMENT.fullmatch(value):
            return exchange.number("#", value)
        typed = _TYPED.fullmatch(value)
        if typed is None:
            if predicate in self._ordered or _COMMITMENT.fullmatch(value):
                raise _Alone
            return value
        token = exchange.typed(value, typed[1], typed[2])
        if predicate in self._ordered:
            exchange.bounds.setdefault(subject, {})[token] = (typed[2], typed[1])
        return token


class _Exchange:
    """Gives numbers to what is exchanged, in the order in which it occurs."""

    def __init__(self, minted: Collection[str]) -> None:
        self.tokens: dict[str, str] = {}
        #: Literals whose order a shape looks at: subject to token to datatype and spelling.
        self.bounds: dict[str, dict[str, tuple[str, str]]] = {}
        self._minted = minted
        self._numbers: dict[str, int] = {}

    def number(self, mark: str, value: str) -> str:
        return f"{mark}{self._numbers.setdefault(value, len(self._numbers))}"

    def node(self, term: str) -> str:
        """An id keeps its base, its prefix and the fragment; any other IRI stays what it is."""
        match = _NODE.fullmatch(term)
        if match is None:
            token = term
        else:
            node, id, fragment = match.groups()
            mark = "new " if id in self._minted else "old "
            token = self.number(mark + node[:-18], node) + fragment
        self.tokens[term] = token
        return token

    def typed(self, value: str, text: str, datatype: str) -> str:
        if value in _KEPT:
            return value
        if not _EXCHANGED[datatype].fullmatch(text) or text == "-0":
            raise _Alone
        return self.number(datatype, value)

    def order(self) -> Iterator[str]:
        """The bounds of each node from the least to the greatest."""
        for bounds in self.bounds.values():
            yield from _placed(bounds)


def _placed(bounds: Mapping[str, tuple[str, str]]) -> Iterator[str]:
    """Tokens by the value of their literals, which must be of one kind, and none like another."""
    kinds = {"number" if datatype in _NUMBERS else datatype for datatype, _ in bounds.values()}
    if len(kinds) > 1:
        raise _Alone
    # Times sort as their texts do, a fraction of a second after none: without the letter of the zone.
    read = Decimal if kinds == {"number"} else _without_zone
    placed = sorted((read(text), token) for token, (_, text) in bounds.items())
    if any(one[0] == two[0] for one, two in pairwise(placed)):
        raise _Alone
    return (token for _, token in placed)


def _without_zone(text: str) -> str:
    return text.removesuffix("Z")
