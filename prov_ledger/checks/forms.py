"""The form of an entry: what the shapes can tell of it, so that a verdict holds for all that are alike.

Entries of one kind differ in ids, commitments, times, numbers and texts of facts; the shapes look at none
of these but for what a form keeps: which are the same, which were recorded before, how bounds are ordered.
To exchange the rest one for one changes no verdict, by the kinds of constraints that there are.

Source: SHACL section 4 (each core constraint component says what it looks at).
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise

from prov_ledger.checks.shape_reading import BODY, ShapesSeen
from prov_ledger.vocab import XSD

#: Subject, predicate and object as they are spelled in a line of canonical N-Quads.
Spelled = tuple[str, str, str]
#: Compared as a whole; None where an entry has none and its verdict is no other's.
Form = tuple[str, ...]

_ID = re.compile(rf"<[^<>#\s]*/([a-z]+_{BODY})")
#: A node whose id is exchanged: the base, the id, and the fragment, which stays.
NODE = re.compile(rf"(<[^<>#\s]*/)([a-z]+_{BODY})((?:#[A-Za-z0-9_.-]+)?>)")
_FRAGMENT = re.compile(r"[A-Za-z0-9_.-]+>")
_COMMITMENT = re.compile(r'"[0-9a-f]{64}"')
_COMMITMENT_LENGTH = 66
_DAY = (
    r"[1-9][0-9]{3}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
    r"|02-(?:0[1-9]|1[0-9]|2[0-8]))"
)
_TIME, _DATE, _INTEGER, _DECIMAL = (f"^^<{XSD}{name}>" for name in ("dateTime", "date", "integer", "decimal"))
#: Of each datatype the spellings that are valid and the only one of their value: nothing else is exchanged.
_EXCHANGED = {
    _TIME: re.compile(rf"{_DAY}T(?:[01][0-9]|2[0-3])(?::[0-5][0-9]){{2}}(?:\.[0-9]{{0,11}}[1-9])?Z"),
    _DATE: re.compile(_DAY),
    # The shapes know of 0 and 1, which stay what they are.
    _INTEGER: re.compile(r"[2-9]|[1-9][0-9]{1,17}"),
    _DECIMAL: re.compile(r"-?[1-9][0-9]{0,17}(?:\.[0-9]{0,11}[1-9])?|-?0\.[0-9]{0,11}[1-9]|0"),
}
_NUMBERS = (_INTEGER, _DECIMAL)
_KEPT = frozenset({f'"0"{_INTEGER}', f'"1"{_INTEGER}'})


class _Alone(Exception):
    """This entry has no form."""


def is_exchanged(literal: str) -> bool:
    """Whether a form leaves out which one a literal of a datatype is."""
    text, _, datatype = literal.rpartition('"')
    pattern = _EXCHANGED.get(datatype)
    return pattern is not None and literal not in _KEPT and pattern.fullmatch(text, 1) is not None


class Forms:
    """Gives the form of entries; of none at all where a shape looks at what a form leaves out."""

    def __init__(self, shapes: ShapesSeen) -> None:
        self.usable = shapes.allow_forms
        #: Predicates of commitments, of any text, and of values that are compared.
        self.commitments, self.texts, self.ordered = shapes.commitments, shapes.texts, shapes.ordered
        self._terms = {term: term for term in shapes.terms}

    def of(self, triples: Iterable[Spelled], minted: Collection[str]) -> Form | None:
        """The form of an entry, or None; ``minted`` are the ids that it brings into being.

        Two entries of one form are found to conform, or neither is; other ids that they name must be
        known to the check by what the form keeps of them: their prefix and their fragment.
        """
        if not self.usable:
            return None
        terms, exchange = self._terms, _Exchange(minted)
        tokens, node, ordered = exchange.tokens, exchange.node, self.ordered
        form: list[str] = []
        # One node after another is spoken of, so that what stands for it is looked up once.
        last = of_last = ""
        try:
            for subject, predicate, value in triples:
                if subject is not last:
                    last, of_last = subject, tokens.get(subject) or node(subject)
                token = terms.get(value) or tokens.get(value)
                # What stands for a bound may be known; its place among the bounds of this node is not.
                if token is None or (value[0] == '"' and predicate in ordered):
                    literal = value[0] == '"'
                    token = self._literal(exchange, subject, predicate, value) if literal else node(value)
                form += (of_last, predicate, token)
            # As many texts have to be the same for all entries of the form.
            if not exchange.texts.isdisjoint(exchange.kept):
                return None
            return (*form, *exchange.order())
        except _Alone:
            return None

    def _literal(self, exchange: "_Exchange", subject: str, predicate: str, value: str) -> str:
        text, _, datatype = value.rpartition('"')
        pattern = _EXCHANGED.get(datatype)
        if pattern is None:
            return self._text(exchange, predicate, value, not datatype)
        if value in _KEPT:
            token = value
        elif pattern.fullmatch(text, 1):
            token = exchange.number(datatype, value)
        else:
            raise _Alone
        if predicate in self.ordered:
            exchange.bounds.setdefault(subject, {})[token] = (datatype, text[1:])
        exchange.tokens[value] = token
        return token

    def _text(self, exchange: "_Exchange", predicate: str, value: str, plain: bool) -> str:
        if predicate in self.ordered:
            raise _Alone
        if plain and predicate in self.texts:
            exchange.texts.add(value)
            return exchange.number('"', value)
        if len(value) != _COMMITMENT_LENGTH or not _COMMITMENT.fullmatch(value):
            exchange.kept.add(value)
            return value
        if predicate not in self.commitments:
            raise _Alone
        return exchange.number("#", value)


@lru_cache(maxsize=1024)
def _is_plain(fragment: str) -> bool:
    return _FRAGMENT.fullmatch(fragment) is not None


class _Exchange:
    """Gives numbers to what is exchanged, in the order in which it occurs."""

    def __init__(self, minted: Collection[str]) -> None:
        #: What stands for an IRI, or for a literal of those datatypes.
        self.tokens: dict[str, str] = {}
        #: Literals whose order a shape looks at: subject to token to datatype and spelling.
        self.bounds: dict[str, dict[str, tuple[str, str]]] = {}
        #: Texts that are exchanged, and those that stay.
        self.texts: set[str] = set()
        self.kept: set[str] = set()
        self._minted = minted
        self._numbers: dict[str, int] = {}
        self._ids: dict[str, str | None] = {}

    def number(self, mark: str, value: str) -> str:
        return f"{mark}{self._numbers.setdefault(value, len(self._numbers))}"

    def node(self, term: str) -> str:
        """An id keeps its base, its prefix and the fragment; any other IRI stays what it is."""
        name, part, fragment = term.partition("#")
        if not part:
            name = term[:-1]
        token = self._ids[name] if name in self._ids else self._id(name)
        if token is None or (part and not _is_plain(fragment)):
            token = term
        else:
            token += part + fragment
        self.tokens[term] = token
        return token

    def _id(self, name: str) -> str | None:
        match = _ID.fullmatch(name)
        mark = "" if match is None else "new " if match[1] in self._minted else "old "
        token = self._ids[name] = self.number(mark + name[:-18], name) if mark else None
        return token

    def order(self) -> Iterator[str]:
        """The bounds of each node from the least to the greatest."""
        for bounds in self.bounds.values():
            yield from _placed(bounds)


def _placed(bounds: Mapping[str, tuple[str, str]]) -> Iterator[str]:
    """Tokens by the value of their literals, which must be of one kind, and none like another."""
    if len(bounds) == 1:
        return iter(bounds)
    kinds = {"" if datatype in _NUMBERS else datatype for datatype, _ in bounds.values()}
    if len(kinds) > 1:
        raise _Alone
    # Times sort as their texts do, a fraction of a second after none: without the letter of the zone.
    read = Decimal if kinds == {""} else _without_zone
    placed = sorted((read(text), token) for token, (_, text) in bounds.items())
    if any(one[0] == two[0] for one, two in pairwise(placed)):
        raise _Alone
    return (token for _, token in placed)


def _without_zone(text: str) -> str:
    return text.removesuffix("Z")
