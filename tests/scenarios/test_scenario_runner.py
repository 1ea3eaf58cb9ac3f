"""A scenario passes only where the ledger does what it says, step by step."""

from pathlib import Path

import pytest

from prov_ledger.scenarios.changes import CHANGES_SUPPORTED
from prov_ledger.scenarios.expectations import EXPECTATIONS_SUPPORTED
from prov_ledger.scenarios.parser import find_scenario_files, load_scenario, parse_scenario
from prov_ledger.scenarios.report import ScenarioReport
from prov_ledger.scenarios.runner import run_scenario
from prov_ledger.scenarios.schema import CHANGES, EXPECTATIONS
from prov_ledger.scenarios.world import ReaderName

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "scenarios"

PAGE = """
- {at: 2026-01-05T09:00:00Z, do: source, as: s, title: Hours, native: hours}
- {do: revision, as: r, of: s, label: "1", text: We open at nine.}
- {do: evidence, as: e, of: r, quote: open at nine}
- {do: grant, who: bot, read: s}
"""
QUESTION = "transformation: {kind: quote}, question: {text: When?, facts: {}}"


def run(tmp_path: Path, *steps: str, head: str = "facts: {region: code}") -> ScenarioReport:
    text = "\n".join([head, "steps:", PAGE.strip(), *(f"- {step}" for step in steps)])
    return run_scenario(parse_scenario(text.encode(), "story.yaml"), tmp_path / "ledger")


def lines(report: ScenarioReport) -> list[tuple[str, str, str]]:
    return [(finding.what, finding.expected, finding.got) for finding in report.findings]


@pytest.mark.parametrize("reader", ["memory", "sparql"])
@pytest.mark.parametrize("file", find_scenario_files([EXAMPLES]), ids=lambda path: path.stem)
def test_our_own_scenarios_hold_with_either_reader(tmp_path: Path, file: Path, reader: ReaderName) -> None:
    report = run_scenario(load_scenario(file), tmp_path / "ledger", reader)
    assert (report.findings, report.failed, report.not_supported) == ((), 0, 0)
    assert report.held > 2


@pytest.mark.parametrize("number", ["01", "05", "06", "07", "08"])
def test_the_published_scenarios_hold_but_for_answers(tmp_path: Path, shared: Path, number: str) -> None:
    [file] = (shared / "scenarios").glob(f"{number}-*.yaml")
    report = run_scenario(load_scenario(file), tmp_path / "ledger")
    assert report.failed == 0
    assert {finding.what for finding in report.findings} <= {"the step 'answer'"}


def test_every_dated_answer_holds_for_its_own_period_only(tmp_path: Path, shared: Path) -> None:
    files = find_scenario_files([shared / "scenarios" / "timeqa"])
    reports = [run_scenario(load_scenario(file), tmp_path / file.stem) for file in files]
    assert [finding for report in reports for finding in report.findings] == []


def test_each_difference_of_a_slot_is_a_finding(tmp_path: Path) -> None:
    wanted = "{verdict: ended, quotes: [at ten], decided_by: region, missing: [region], candidates: [e]}"
    report = run(tmp_path, f"{{do: resolve, who: bot, ids: [e], expect: {{e: {wanted}}}}}")
    assert lines(report) == [
        ("e.verdict", '"ended"', '"citable"'),
        ("e.quotes", '["at ten"]', '["open at nine"]'),
        ("e.decided_by", '"region"', "null"),
        ("e.missing", '["region"]', "[]"),
        ("e.candidates", '["e"]', "[]"),
    ]
    assert (report.held, report.failed) == (0, 1)


def test_quotes_hold_in_any_order(tmp_path: Path) -> None:
    report = run(
        tmp_path,
        "{do: evidence, as: e2, of: r, quote: We}",
        f"{{do: claim, as: c, says: Nine., support: [e, e2], {QUESTION}}}",
        "{do: resolve, who: bot, ids: [c], expect: {c: {quotes: [We, open at nine]}}}",
        "{do: resolve, who: bot, ids: [c], expect: {c: {quotes: [open at nine, We]}}}",
    )
    assert (report.findings, report.held) == ((), 2)


def test_a_refusal_with_another_code_fails(tmp_path: Path) -> None:
    step = "{do: evidence, as: x, of: r, quote: at ten}"
    report = run(tmp_path, f"{{do: refused, error: empty_quote, step: {step}}}")
    assert lines(report) == [("refusal of 'evidence'", "empty_quote", "quote_not_found")]


def test_a_step_that_is_not_refused_fails_and_has_changed_the_ledger(tmp_path: Path) -> None:
    report = run(tmp_path, "{do: refused, error: empty_quote, step: {do: evidence, as: x, of: r, quote: We}}")
    assert lines(report) == [
        ("refusal of 'evidence'", "empty_quote", "no refusal"),
        ("the ledger after a refusal", "unchanged", "changed"),
    ]
    assert report.failed == 1


def test_a_claim_without_a_required_key_is_refused_as_incomplete(tmp_path: Path) -> None:
    question = "question: {text: When?, facts: {}}"
    keys = ["says: Nine.", "support: [e]", "transformation: {kind: quote}", question]
    steps = [
        f"{{do: refused, error: incomplete, step: {{do: claim, as: x, {', '.join(set(keys) - {left_out})}}}}}"
        for left_out in keys
    ]
    report = run(tmp_path, *steps)
    assert (report.findings, report.held) == ((), len(keys))


def test_an_unexpected_refusal_is_a_failure_and_what_needed_it_too(tmp_path: Path) -> None:
    report = run(
        tmp_path,
        "{do: evidence, as: x, of: r, quote: at ten}",
        "{do: resolve, who: bot, ids: [x], expect: {x: {verdict: citable}}}",
    )
    refused, not_made = report.findings
    assert refused.what.startswith("refused with quote_not_found")
    assert not_made.what.startswith("refused with not_found ('x' was not made")
    assert (report.held, report.failed) == (0, 2)


def test_a_name_that_no_step_makes_stands_for_itself(tmp_path: Path) -> None:
    expect = "{cl_garbled: {verdict: malformed}}"
    report = run(tmp_path, f"{{do: resolve, who: bot, ids: [cl_garbled], expect: {expect}}}")
    assert report.findings == ()


def test_nobody_is_like_what_a_reader_may_not_see(tmp_path: Path) -> None:
    report = run(
        tmp_path,
        "{do: alike, who: stranger, ids: [e, nobody]}",
        "{do: alike, who: bot, ids: [e, nobody]}",
    )
    assert report.held == 1
    [(what, _, _)] = lines(report)
    assert what == "nobody alike e"


def test_a_packet_is_looked_at_with_its_ids_filled_in(tmp_path: Path) -> None:
    report = run(
        tmp_path,
        f"{{do: claim, as: c, says: Nine., support: [e], {QUESTION}}}",
        "{do: remind, as: p, claims: [c], budget: 100}",
        '{do: packet, of: p, who: bot, expect: {has: ["{c}", Nine], lacks: [ten], tokens_at_most: 100}}',
        '{do: packet, of: p, who: bot, expect: {has: [ten], lacks: ["{c}"], tokens_at_most: 1}}',
    )
    assert report.held == 1
    assert [what for what, _, _ in lines(report)] == ["text", "text", "packet tokens"]


def test_a_thread_holds_exactly_what_is_expected(tmp_path: Path) -> None:
    thread = "{do: thread, thread: t, who: bot, expect: {%s}}"
    report = run(
        tmp_path,
        f"{{do: claim, as: c, says: Nine., support: [e], {QUESTION}}}",
        f"{{do: claim, as: d, says: At nine., support: [e], {QUESTION}}}",
        "{do: remind, claims: [c], budget: 100, thread: t}",
        thread % "c: {verdict: citable}",
        thread % "c: {verdict: ended}",
        thread % "c: {verdict: citable}, d: {verdict: citable}",
    )
    assert lines(report) == [
        ("c.verdict", '"ended"', '"citable"'),
        ("the claims of the thread", '["c", "d"]', '["c"]'),
    ]
    assert (report.held, report.failed) == (1, 2)


def test_packets_of_a_sensitive_collection_carry_no_statement(tmp_path: Path) -> None:
    report = run(
        tmp_path,
        "{do: source, as: s2, title: Staff, native: staff, collection: personnel}",
        "{do: revision, as: r2, of: s2, label: '1', text: Ida leaves in May.}",
        "{do: evidence, as: e2, of: r2, quote: Ida leaves}",
        f"{{do: claim, as: c, says: Ida leaves in May., support: [e2], {QUESTION}}}",
        "{do: grant, who: bot, read: 'collection:personnel'}",
        "{do: remind, as: p, claims: [c], budget: 100}",
        '{do: packet, of: p, who: bot, expect: {has: ["{c}", Ida]}}',
        "{do: sensitive, collection: personnel}",
        '{do: packet, of: p, who: bot, expect: {has: ["{c}"], lacks: [Ida]}}',
    )
    assert (report.findings, report.held) == ((), 2)


def test_two_handles_of_one_evidence_are_one_candidate(tmp_path: Path) -> None:
    report = run(
        tmp_path,
        "{do: evidence, as: again, of: r, quote: open at nine}",
        f"{{do: claim, as: c, says: Nine., support: [e], narrow: [{{fact: region, in: [DE]}}], {QUESTION}}}",
        "{do: resolve, who: bot, ids: [c], facts: {region: FR}, expect: {c: {candidates: [again]}}}",
        "{do: resolve, who: bot, ids: [c], facts: {region: FR}, expect: {c: {candidates: [e, again]}}}",
        "{do: resolve, who: bot, ids: [c], facts: {region: FR}, expect: {c: {candidates: []}}}",
    )
    assert lines(report) == [("c.candidates", "[]", '["e"]')]


def test_rows_are_counted_with_the_prefixes_preset(tmp_path: Path) -> None:
    query = '{do: select, query: "SELECT ?e { ?e a pl:Evidence ; prov:wasQuotedFrom ?r }", rows: %d}'
    report = run(tmp_path, query % 1, query % 2)
    assert lines(report) == [("rows", "2", "1")]


def test_the_clock_is_the_scenarios(tmp_path: Path) -> None:
    report = run(
        tmp_path,
        "{do: grant, who: ida, read: s, until: 2026-01-06T00:00:00Z}",
        "{at: 2026-01-05T23:59:59Z, do: resolve, who: ida, ids: [e], expect: {e: {verdict: citable}}}",
        "{at: 2026-01-06T00:00:00Z, do: resolve, who: ida, ids: [e], expect: {e: {verdict: withheld}}}",
    )
    assert report.findings == ()


def test_the_heads_demands_hold_for_every_resolve(tmp_path: Path) -> None:
    head = "facts: {}\nmax_age: P1D\nmin_authority: official"
    report = run(
        tmp_path,
        "{do: resolve, who: bot, ids: [e], expect: {e: {verdict: citable}}}",
        "{at: 2026-01-07T09:00:00Z, do: resolve, who: bot, ids: [e], expect: {e: {verdict: unchecked}}}",
        "{do: authority, source: s, level: informal}",
        "{do: resolve, who: bot, ids: [e], expect: {e: {verdict: not_authoritative}}}",
        head=head,
    )
    assert report.findings == ()


def test_everything_is_there_after_a_restart_and_a_rebuild(tmp_path: Path) -> None:
    report = run(
        tmp_path,
        "{do: restart}",
        "{do: rebuild}",
        "{do: resolve, who: bot, ids: [e], expect: {e: {verdict: citable}}}",
        "{do: verify, expect: valid}",
    )
    assert report.findings == ()


def test_after_an_unsupported_change_nothing_is_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(CHANGES_SUPPORTED, "sweep")
    report = run(tmp_path, "{do: sweep}", "{do: verify, expect: valid}", "{do: verify, expect: corrupt}")
    depends = "depends on step 5 (sweep)"
    assert [finding.what for finding in report.findings] == ["the step 'sweep'", depends, depends]
    assert (report.held, report.failed, report.not_supported) == (0, 0, 3)


def test_an_unsupported_look_does_not_stop_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(EXPECTATIONS_SUPPORTED, "absent")
    report = run(tmp_path, "{do: absent, text: Oda}", "{do: verify, expect: valid}")
    assert (report.held, report.failed, report.not_supported) == (1, 0, 1)


@pytest.mark.parametrize("do", sorted({*CHANGES, *EXPECTATIONS} - {"refused"}))
def test_no_step_passes_without_having_looked(tmp_path: Path, do: str) -> None:
    """Every step alone is supported or said to be not; none is passed over in silence."""
    report = run(tmp_path, f"{{do: {do}}}")
    looked = report.held or report.findings or do in {"restart", "rebuild", "backup", "sweep"}
    assert looked
