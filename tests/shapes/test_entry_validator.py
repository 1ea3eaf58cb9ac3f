"""What the write path's check refuses that no single shape can, and how it is called."""

import pytest
from entry_cases import Case, as_lines, valid_cases

from prov_ledger.checks.shape_index import RECORDED_AS
from prov_ledger.checks.shapes import EntryValidator
from prov_ledger.vocab import PL

VALID = {case.name: case for case in valid_cases()}
GRAPH = "<https://ledger.example/acme/graph>"


@pytest.fixture(scope="module")
def validator() -> EntryValidator:
    return EntryValidator.load()


@pytest.fixture
def claim() -> Case:
    return VALID["claim"]


def constraints(validator: EntryValidator, lines: str, case: Case) -> set[str]:
    return {finding.constraint for finding in validator.check(lines, case.known)}


def test_nothing_at_all_does_not_conform(validator: EntryValidator):
    assert [finding.constraint for finding in validator.check("")] == ["has-entry"]


def test_the_context_alone_does_not_conform(validator: EntryValidator, claim: Case):
    assert constraints(validator, "", claim) == {"has-entry"}


@pytest.mark.parametrize("kind", ["Evidense", "evidence", "Klaim"])
def test_a_node_of_a_misspelt_class_does_not_conform(validator: EntryValidator, claim: Case, kind: str):
    node = f"<https://ledger.example/acme/ev_{'3' * 18}>"
    lines = claim.lines + f"{node} <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{PL}{kind}> .\n"
    assert constraints(validator, lines, claim) == {"described"}


def test_a_misspelt_class_in_place_of_the_right_one_does_not_conform(validator: EntryValidator, claim: Case):
    lines = claim.lines.replace(f"<{PL}Claim>", f"<{PL}Klaim>")
    assert "described" in constraints(validator, lines, claim)


def test_a_misspelt_property_does_not_conform(validator: EntryValidator, claim: Case):
    lines = claim.lines.replace(f"<{PL}boundTo>", f"<{PL}boundto>")
    assert constraints(validator, lines, claim) == {"claim"}


def test_a_node_with_a_property_and_no_class_does_not_conform(validator: EntryValidator, claim: Case):
    lines = claim.lines + f'<https://ledger.example/acme/x> <{PL}reason> "x" .\n'
    assert constraints(validator, lines, claim) == {"described"}


def test_an_entry_cannot_vouch_for_a_node_itself(validator: EntryValidator, claim: Case):
    node = f"<https://ledger.example/acme/ev_{'3' * 18}>"
    lines = claim.lines + f"{node} <{RECORDED_AS}> <{PL}Evidence> .\n"
    assert constraints(validator, lines, claim) == {"described"}


def test_a_made_up_support_does_not_conform(validator: EntryValidator, claim: Case):
    known = [(node, kind) for node, kind in claim.known if not node.endswith("ev_" + "1" * 18)]
    found = {finding.constraint for finding in validator.check(claim.lines, known)}
    assert found == {"claim-support", "conclusion-used"}


@pytest.mark.parametrize("kind", ["Reminder", "Source", "Revision"])
def test_support_that_is_neither_evidence_nor_claim_does_not_conform(
    validator: EntryValidator, claim: Case, kind: str
):
    known = [(node, PL + kind if "/ev_1" in node else k) for node, k in claim.known]
    found = {finding.constraint for finding in validator.check(claim.lines, known)}
    assert found == {"claim-support", "conclusion-used"}


@pytest.mark.parametrize(
    "line",
    [
        f'_:b <{PL}reason> "x" .\n',
        f"<https://ledger.example/acme/x> <{PL}about> _:b .\n",
        f'<https://ledger.example/acme/x>  <{PL}reason> "x" .\n',
        "no statement\n",
        "\n",
        f'<https://ledger.example/acme/x> <{PL}reason> "x\n',
    ],
)
def test_a_line_that_is_not_canonical_or_has_a_blank_node_is_refused(
    validator: EntryValidator, claim: Case, line: str
):
    assert constraints(validator, claim.lines + line, claim) == {"canonical"}


def test_a_literal_with_a_line_separator_is_one_line(validator: EntryValidator):
    case = VALID["evidence"]
    lines = case.lines.replace('"grants 1"', '"grants\u2028_: 1"')
    assert validator.check(lines, case.known) == ()


@pytest.mark.parametrize("name", VALID)
def test_the_lines_may_name_their_graph(validator: EntryValidator, name: str):
    case = VALID[name]
    lines = case.lines.replace(" .\n", f" {GRAPH} .\n")
    assert validator.check(lines, case.known) == ()


def test_what_the_lines_describe_anew_may_be_among_the_known(validator: EntryValidator):
    case = VALID["agents"]
    again = [*case.known, (f"https://ledger.example/acme/agt_{'1' * 18}", PL + "Agent")]
    assert validator.check(case.lines, again) == ()


def test_several_entries_are_checked_at_once_and_may_refer_to_each_other(validator: EntryValidator):
    tenant, agents = VALID["tenant"], VALID["agents"]
    second = {tuple(term.replace("ent_0", "ent_1") for term in t) for t in agents.triples}
    lines = tenant.lines + as_lines(t for t in second if t[1] != f"<{RECORDED_AS}>")
    region = [(node, kind) for node, kind in agents.known if node.endswith("region")]
    assert validator.check(lines, region) == ()


def test_findings_say_where_which_and_what_is_needed(validator: EntryValidator, claim: Case):
    lines = "".join(x for x in claim.lines.splitlines(True) if f"<{PL}statementCommitment>" not in x)
    (finding,) = validator.check(lines, claim.known)
    assert (finding.focus_node, finding.path, finding.constraint) == (
        f"https://ledger.example/acme/cl_{'0' * 18}",
        PL + "statementCommitment",
        "claim-statement",
    )
    assert finding.message.startswith("A claim needs exactly one commitment (pl:statementCommitment)")


def test_more_sets_of_classes_than_are_kept_are_still_checked(validator: EntryValidator, monkeypatch):
    monkeypatch.setattr("prov_ledger.checks.shapes._KEPT", 1)
    for case in (*VALID.values(), *VALID.values()):
        assert validator.check(case.lines, case.known) == ()
