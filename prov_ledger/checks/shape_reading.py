"""What the shapes look at in the terms of an entry, read from the shapes themselves.

Nothing is taken for granted of a constraint that is not known here: a shape with one allows no forms.

Source: SHACL section 4 (each core constraint component says what it looks at).
"""

import re
from collections import defaultdict
from collections.abc import Iterable

import pyoxigraph as ox

from prov_ledger.vocab import DCTERMS, RDF, RDF_TYPE, SH, XSD

#: 18 Crockford characters, as a pattern of a shape spells them.
BODY = "[0-9a-hjkmnp-tv-z]{18}"
COMMITMENT = "^[0-9a-f]{64}$"
#: Patterns that look at an IRI's base, prefix and fragment alone, for whatever 18 characters.
_OF_IRIS = re.compile(
    rf"/(?:[a-z]+|\[a-z\]\+)_{re.escape(BODY)}(?:#\[A-Za-z0-9_\.-\]\+)?\$"
    r"|/fact/\[a-z\]\[a-z0-9_\]\*\$|/fact/question_date\$|/tenant\$"
)
_NODE = re.compile(f"/[a-z]+_{BODY}")
_IN_UTC = r"(Z|\+00:00)$"
_ORDER = frozenset({SH + "lessThan", SH + "lessThanOrEquals"})
_LIMITS = frozenset(SH + name for name in ("minInclusive", "maxInclusive", "minExclusive", "maxExclusive"))
_LENGTHS = frozenset({SH + "minLength", SH + "maxLength"})
#: They look at which terms are the same, at terms that the shapes name, and at kinds and datatypes.
_STRUCTURAL = frozenset(
    SH + name
    for name in (
        *("alternativePath", "class", "closed", "datatype", "disjoint", "equals", "hasValue", "in"),
        *("ignoredProperties", "inversePath", "maxCount", "message", "minCount", "name", "node", "nodeKind"),
        *("not", "or", "path", "property", "qualifiedMaxCount", "qualifiedMinCount", "qualifiedValueShape"),
        *("targetClass", "targetSubjectsOf", "xone"),
    )
)
_KNOWN = frozenset(
    {*_STRUCTURAL, *_ORDER, *_LIMITS, *_LENGTHS, SH + "pattern", RDF_TYPE}
    | {RDF + "first", RDF + "rest", DCTERMS + "source"}
)
#: They look at no more of a value than whether it is a literal, and at how many there are.
_BLIND = frozenset(
    {SH + "path", SH + "nodeKind", SH + "minCount", SH + "maxCount", SH + "name", SH + "message"}
    | {RDF_TYPE, DCTERMS + "source"}
)
_SAME = frozenset({SH + "equals", SH + "disjoint"})
_LISTED = frozenset({SH + "hasValue", RDF + "first"})
_IRI = SH + "IRI"

_Term = ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple
_Shape = dict[str, list[_Term]]


class ShapesSeen:
    """What a form has to keep of an entry so that its verdict is that of all entries of the form."""

    def __init__(self, triples: Iterable[ox.Triple]) -> None:
        self._about: dict[object, _Shape] = defaultdict(lambda: defaultdict(list))
        for triple in triples:
            self._about[triple.subject][triple.predicate.value].append(triple.object)
        shapes = list(self._about.values())
        #: IRIs that the shapes name, in angle brackets.
        self.terms = frozenset(
            str(term) for shape in shapes for terms in shape.values() for term in terms if _is_iri(term)
        )
        #: Properties, in angle brackets, of which a shape asks for a commitment and none for another pattern.
        self.commitments = _on(shapes, True) - _on(shapes, False)
        #: Properties, in angle brackets, whose values may be any text as far as shapes look at them.
        self.texts = self._texts(shapes)
        #: Properties, in angle brackets, whose values some shape compares.
        self.ordered = frozenset(
            str(term) for shape in shapes if _ORDER & shape.keys() for term in _compared(shape)
        )
        #: Whether forms say all that the shapes look at.
        self.allow_forms = all(map(_allows, shapes))

    def _texts(self, shapes: Iterable[_Shape]) -> frozenset[str]:
        blind: set[str] = set()
        looked_at: set[str] = set()
        for shape in shapes:
            looked_at |= {str(term) for name in _SAME | _ORDER for term in shape.get(name, ())}
            (blind if shape.keys() <= _BLIND else looked_at).update(self._on_path(shape))
        return frozenset(blind - looked_at)

    def _on_path(self, shape: _Shape) -> set[str]:
        """The properties that occur anywhere in the path of a shape, in angle brackets."""
        found: set[str] = set()
        waiting = list(shape.get(SH + "path", ()))
        while waiting:
            term = waiting.pop()
            if isinstance(term, ox.NamedNode):
                found.add(str(term))
            else:
                waiting += [part for parts in self._about.get(term, {}).values() for part in parts]
        return found


def _is_iri(term: _Term) -> bool:
    return isinstance(term, ox.NamedNode)


def _is_exchanged(term: _Term) -> bool:
    """Whether a form might leave out which term it is."""
    if isinstance(term, ox.Literal):
        return term.datatype.value != XSD + "boolean"
    return _NODE.search(str(term)) is not None


def _path(shape: _Shape) -> ox.NamedNode | None:
    """The property that a property shape looks at; None for other paths, and for node shapes."""
    paths = [path for path in shape.get(SH + "path", ()) if isinstance(path, ox.NamedNode)]
    return paths[0] if len(paths) == 1 else None


def _patterns(shape: _Shape) -> list[str]:
    return [term.value for term in shape.get(SH + "pattern", ()) if isinstance(term, ox.Literal)]


def _on(shapes: Iterable[_Shape], committed: bool) -> frozenset[str]:
    return frozenset(
        str(_path(shape))
        for shape in shapes
        if any((pattern == COMMITMENT) is committed for pattern in _patterns(shape))
    )


def _compared(shape: _Shape) -> Iterable[_Term]:
    return [*shape.get(SH + "path", ()), *(term for name in _ORDER for term in shape.get(name, ()))]


def _allows(shape: _Shape) -> bool:
    """Whether nothing of one shape looks at more than a form keeps."""
    named = [term for name in _LISTED for term in shape.get(name, ())]
    return (
        shape.keys() <= _KNOWN
        and not any(map(_is_exchanged, named))
        and all(_allows_pattern(shape, pattern) for pattern in _patterns(shape))
        and (not _ORDER & shape.keys() or all(map(_is_iri, _compared(shape))))
        and (not _LENGTHS & shape.keys() or _datatype(shape) == XSD + "string")
        and (not _LIMITS & shape.keys() or (_datatype(shape) == XSD + "integer" and _is_limited(shape)))
    )


def _datatype(shape: _Shape) -> str:
    return "".join(term.value for term in shape.get(SH + "datatype", ()) if isinstance(term, ox.NamedNode))


def _allows_pattern(shape: _Shape, pattern: str) -> bool:
    """A value of another kind or datatype breaks the shape whatever its pattern says."""
    if _datatype(shape) == XSD + "string":
        return _path(shape) is not None
    if _datatype(shape) == XSD + "dateTime":
        return pattern == _IN_UTC
    kinds = [term.value for term in shape.get(SH + "nodeKind", ()) if isinstance(term, ox.NamedNode)]
    return kinds == [_IRI] and _OF_IRIS.fullmatch(pattern) is not None


def _is_limited(shape: _Shape) -> bool:
    """Whether its limits are 0 or 1, below all numbers that are exchanged."""
    return all(
        isinstance(term, ox.Literal) and term.value in ("0", "1")
        for name in _LIMITS
        for term in shape.get(name, ())
    )
