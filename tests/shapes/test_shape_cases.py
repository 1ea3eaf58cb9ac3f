"""Every shape has a valid and an invalid case, and the two validators agree on all of them."""

import pytest
from entry_cases import Case, invalid_cases, valid_cases
from rdflib import Graph
from rdflib.namespace import SH

from prov_ledger.checks.conformance import validate_graph
from prov_ledger.checks.shapes import EntryValidator

VALID = valid_cases()
INVALID = invalid_cases()


@pytest.fixture(scope="module")
def validator() -> EntryValidator:
    return EntryValidator.load()


@pytest.mark.parametrize("case", VALID, ids=lambda case: case.name)
def test_a_complete_entry_conforms(case: Case, validator: EntryValidator):
    assert validator.check(case.lines, case.known) == ()


@pytest.mark.parametrize("case", VALID, ids=lambda case: case.name)
def test_a_complete_entry_conforms_by_the_reference(case: Case):
    assert validate_graph(case.lines, case.known).findings == ()


@pytest.mark.parametrize("case", INVALID, ids=lambda case: case.name)
def test_an_edit_breaks_the_one_constraint_that_it_names(case: Case, validator: EntryValidator):
    found = {(f.focus_node, f.constraint) for f in validator.check(case.lines, case.known)}
    assert [constraint for _, constraint in found] == [case.constraint]


@pytest.mark.parametrize("case", INVALID, ids=lambda case: case.name)
def test_an_edit_breaks_that_constraint_by_the_reference_too(case: Case):
    found = {(f.focus_node, f.constraint) for f in validate_graph(case.lines, case.known).findings}
    assert [constraint for _, constraint in found] == [case.constraint]


def test_every_constraint_that_can_be_reported_has_an_invalid_case(shapes: Graph):
    targeted = {*shapes.subjects(SH.targetClass), *shapes.subjects(SH.targetSubjectsOf)}
    reported = targeted.union(*(shapes.objects(shape, SH.property) for shape in targeted))
    names = {str(shapes.value(shape, SH.name)) for shape in reported}
    assert {case.constraint for case in INVALID} == names


def test_every_class_that_a_shape_looks_at_has_a_valid_case(shapes: Graph):
    described = {o[1:-1] for case in VALID for _, p, o in case.triples if p.endswith("#type>")}
    assert {str(kind) for kind in shapes.objects(None, SH.targetClass)} <= described
