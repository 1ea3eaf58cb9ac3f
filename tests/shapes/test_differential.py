"""The write path's validator finds what pySHACL finds, on entries that are damaged at random."""

from entry_cases import Case, Triple, as_lines, valid_cases
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from prov_ledger.checks.conformance import validate_graph
from prov_ledger.checks.shapes import EntryValidator
from prov_ledger.vocab import PL, RDF_TYPE, XSD

VALID = valid_cases()
VALIDATOR = EntryValidator.load()
EVERY = sorted({triple for case in VALID for triple in case.triples})
STRANGE = [
    '"x"',
    '""',
    f'"-1"^^<{XSD}integer>',
    f'"2026-06-01"^^<{XSD}date>',
    f'"2026-06-01T00:00:00Z"^^<{XSD}dateTime>',
    f'"2026-06-01T00:00:00+02:00"^^<{XSD}dateTime>',
    f'"1.5"^^<{XSD}decimal>',
    f'"true"^^<{XSD}boolean>',
    f'"{"F" * 64}"',
    f"<{PL}nonsense>",
]


@st.composite
def damaged(draw: DrawFn) -> tuple[Case, str]:
    """A case and the lines of its entry after up to three deletions, alterations and additions."""
    case = draw(st.sampled_from(VALID))
    recorded_as = f"<{PL}recordedAs>"
    triples = sorted(t for t in case.triples if t[1] != recorded_as)
    for _ in range(draw(st.integers(1, 3))):
        triples = draw(st.sampled_from([_without, _altered, _added, _moved, _retyped]))(draw, triples)
    return case, as_lines(set(triples))


def _without(draw: DrawFn, triples: list[Triple]) -> list[Triple]:
    gone = draw(st.sampled_from(triples))
    return [t for t in triples if t != gone] or triples


def _altered(draw: DrawFn, triples: list[Triple]) -> list[Triple]:
    subject, predicate, _ = old = draw(st.sampled_from(triples))
    return [t for t in triples if t != old] + [(subject, predicate, _object(draw, triples))]


def _added(draw: DrawFn, triples: list[Triple]) -> list[Triple]:
    subject, predicate, _ = draw(st.sampled_from(triples))
    return [*triples, (subject, predicate, _object(draw, triples))]


def _moved(draw: DrawFn, triples: list[Triple]) -> list[Triple]:
    subject = draw(st.sampled_from(triples))[0]
    _, predicate, value = draw(st.sampled_from(EVERY))
    return [*triples, (subject, predicate, value)]


def _retyped(draw: DrawFn, triples: list[Triple]) -> list[Triple]:
    types = [t for t in triples if t[1] == f"<{RDF_TYPE}>"]
    subject, predicate, _ = old = draw(st.sampled_from(types))
    kind = draw(st.sampled_from([o for _, p, o in EVERY if p == predicate]))
    return [t for t in triples if t != old] + [(subject, predicate, kind)]


def _object(draw: DrawFn, triples: list[Triple]) -> str:
    near = st.sampled_from([o for _, _, o in triples])
    return draw(st.one_of(near, st.sampled_from(STRANGE), st.sampled_from([o for _, _, o in EVERY])))


@settings(max_examples=250, deadline=None)
@given(damaged())
def test_both_validators_find_the_same_constraints_at_the_same_nodes(entry: tuple[Case, str]):
    case, lines = entry
    fast = {(f.focus_node, f.constraint) for f in VALIDATOR.check(lines, case.known)}
    reference = validate_graph(lines, case.known)
    assert fast == {(f.focus_node, f.constraint) for f in reference.findings}
    assert reference.conforms == (not fast)
