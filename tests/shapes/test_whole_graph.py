"""A whole graph is validated by pySHACL, and an empty one is not valid."""

import pytest
from entry_cases import Case, valid_cases
from rdflib import Graph

from prov_ledger.checks.conformance import validate_graph
from prov_ledger.checks.shape_index import RECORDED_AS
from prov_ledger.errors import ProvLedgerError
from prov_ledger.vocab import PL


@pytest.fixture
def tenant() -> Case:
    return next(case for case in valid_cases() if case.name == "tenant")


def test_a_graph_whose_references_all_lead_somewhere_conforms(tenant: Case):
    report = validate_graph(tenant.lines)
    assert (report.conforms, report.findings) == (True, ())
    assert report.triples == len(tenant.lines.splitlines())


def test_a_graph_may_be_given_as_rdflib_has_it(tenant: Case):
    assert validate_graph(Graph().parse(data=tenant.lines, format="nt")).conforms


@pytest.mark.parametrize("data", ["", b"", Graph()])
def test_an_empty_graph_does_not_conform(data: Graph | str | bytes):
    report = validate_graph(data)
    assert (report.conforms, report.triples) == (False, 0)
    assert [finding.constraint for finding in report.findings] == ["has-entry"]


def test_a_named_graph_is_read_too(tenant: Case):
    lines = tenant.lines.replace(" .\n", " <https://ledger.example/acme/graph> .\n")
    without = "".join(line for line in lines.splitlines(True) if f"<{PL}zone>" not in line)
    assert validate_graph(lines).conforms
    assert {finding.constraint for finding in validate_graph(without).findings} == {"tenant-zone"}


def test_a_node_that_no_shape_looks_at_is_found(tenant: Case):
    lines = tenant.lines.replace(f"<{PL}Fact>", f"<{PL}Fakt>", 1)
    assert "described" in {finding.constraint for finding in validate_graph(lines).findings}


def test_a_stored_node_cannot_be_vouched_for_in_the_graph_itself(tenant: Case):
    lines = f"{tenant.lines}<https://ledger.example/acme/x> <{RECORDED_AS}> <{PL}Agent> .\n"
    assert {finding.constraint for finding in validate_graph(lines).findings} == {"described"}


def test_a_blank_node_is_found(tenant: Case):
    report = validate_graph(f"{tenant.lines}_:b <{PL}zone> _:c .\n")
    assert "canonical" in {finding.constraint for finding in report.findings}


def test_what_is_not_rdf_is_an_error(tenant: Case):
    with pytest.raises(ProvLedgerError, match="not N-Quads"):
        validate_graph("no statement\n")
