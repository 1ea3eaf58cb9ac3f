"""Scope statements and their conditions as RDF."""

from datetime import date, datetime

from prov_ledger.model import records as r
from prov_ledger.model.facts import SealedValue
from prov_ledger.model.scopes import Among, Edge, Period, Range, Scope
from prov_ledger.rdf.writer import ABOUT, A, Writer, encode_value, pl


def put_scope(w: Writer, name: r.Node, about: r.Node, scope: Scope) -> None:
    """Write a scope statement at a node, about another."""
    subject = w.node(name)
    w.state(subject, (A, pl("ScopeStatement")), (ABOUT, w.node(about)))
    for number, condition in enumerate(scope.conditions, 1):
        inner = f"{name}.{number}"
        node = w.node(inner)
        w.put(subject, (pl("condition"), node))
        w.put(node, (pl("onFact"), w.fact(condition.fact)))
        if isinstance(condition, Period):
            w.put(
                node,
                (A, pl("Period")),
                (pl("from"), encode_bound(condition.from_)),
                (pl("until"), encode_bound(condition.until)),
            )
        elif isinstance(condition, Range):
            w.put(node, (A, pl("Range")), *_range(condition))
        else:
            w.put(node, (A, pl("Among")))
            _put_among(w, inner, condition)


def encode_bound(bound: date | datetime | Edge) -> str:
    """Render a bound: a literal, or the IRI of an edge."""
    if isinstance(bound, Edge):
        return pl({Edge.OPEN: "open", Edge.UNKNOWN: "unknown", Edge.ASSUMED_OPEN: "assumedOpen"}[bound])
    return encode_value(bound)


def _range(condition: Range) -> list[tuple[str, str]]:
    pairs = []
    if condition.low is not None:
        pairs.append((pl("min" if condition.low_inclusive else "above"), encode_value(condition.low)))
    if condition.high is not None:
        pairs.append((pl("max" if condition.high_inclusive else "below"), encode_value(condition.high)))
    return pairs


def _put_among(w: Writer, name: r.Node, condition: Among) -> None:
    node = w.node(name)
    for value in condition.values:
        if isinstance(value, SealedValue):
            w.put(node, (pl("sealedValue"), w.node(value.node)))
            w.put(w.node(value.node), (A, pl("SealedValue")), (pl("commitment"), w.text(value.commitment)))
        else:
            w.put(node, (pl("value"), encode_value(value)))
