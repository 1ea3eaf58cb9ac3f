"""Plain policies beside the ledger: each unsafe just where its missing check would have decided."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from prov_ledger.cli.main import build
from prov_ledger.scenarios.compare import Comparison, Question, Tally, compare, is_covered, is_unsafe
from prov_ledger.scenarios.compare_decisions import ABLATIONS
from prov_ledger.scenarios.compare_policies import ABOUT, POLICIES, Asking, Given, ledger, whole_decision
from prov_ledger.scenarios.parser import find_scenario_files, load_scenario, parse_scenario

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "scenarios"

BEGINNING = """
facts: {bought: date, day: date}
max_age: P30D
min_authority: delegated
steps:
- {at: 2026-03-02T09:00:00Z, do: source, as: s, title: Returns, native: returns}
- {do: source, as: n, title: Notes, native: notes}
- {do: revision, as: r, of: s, label: "1", text: "Returns within 30 days. Books too."}
- {do: revision, as: m, of: n, label: "1", text: "Books count as goods."}
- {do: evidence, as: e, of: r, quote: Returns within 30 days., indifferent_to: [bought, day]}
- {do: evidence, as: b, of: m, quote: Books count as goods., indifferent_to: [bought, day]}
- {do: grant, who: bot, read: s}
- {do: grant, who: bot, read: n}
- do: claim
  as: c
  says: Goods go back within 30 days.
  support: [e]
  transformation: {kind: quote}
  question: {text: How long?, facts: {}}
- {do: remind, as: p, claims: [c], budget: 200, thread: t}
"""
#: What happens after the compaction, so that one check alone has to say no.
FALLS = {
    "permission": "- {do: revoke, who: bot, read: s}",
    "scope": "- {do: scope, of: r, scope: [{fact: bought, from: 2026-01-01, until: 2026-02-01}]}",
    "conflict": """
- {do: scope, of: r, scope: [{fact: question_date, from: 2026-01-01, until: open}]}
- do: revision
  of: s
  label: "2"
  text: Returns within 60 days.
  scope: [{fact: question_date, from: 2026-02-01, until: open}]
""",
    "correction": "- {do: retract, claim: c, reason: wrong}",
    "authority": "- {do: authority, source: s, level: informal}",
    "currency": "- {do: check, source: s, outcome: changed}",
}
OTHER = "transformation: {kind: combine}, question: {text: And books?, facts: {day: 2026-03-01}}"
#: As above, with another claim asked about.
OTHERS = {
    "undercut": (
        f"- {{do: claim, as: d, says: Books go back too., support: [c, b], {OTHER}}}\n"
        "- {do: retract, claim: c}"
    ),
    "bound facts": f"- {{do: claim, as: d, says: Today is the day., support: [e], bound_to: [day], {OTHER}}}",
    "exposure": (
        f"- {{do: claim, as: d, says: As the notes say., support: [e], exposure: [b], {OTHER}}}\n"
        "- {do: revoke, who: bot, read: n}"
    ),
}
ASKS = """
- do: resolve
  who: bot
  ids: [%(id)s]
  facts: {bought: 2026-03-01, day: 2026-03-09}
  expect: {%(id)s: {%(expected)s}}
"""


def compared(*parts: str, **given: object) -> Comparison:
    text = "\n".join(part.strip("\n") for part in (BEGINNING, *parts))
    return compare([parse_scenario(text.encode(), "story.yaml")], **given)  # type: ignore[arg-type]


def asking(expected: str, id: str = "c") -> str:
    return ASKS % {"id": id, "expected": expected}


def unsafe(comparison: Comparison) -> set[str]:
    return {tally.policy for tally in comparison.tallies if tally.unsafe}


VERDICTS = {
    "permission": "withheld",
    "scope": "ended",
    "conflict": "conflict",
    "correction": "retracted",
    "authority": "not_authoritative",
    "currency": "unchecked",
    "undercut": "undercut",
    "bound facts": "other_question",
}
PLAIN = {"summary only", "whole transcript", "digest only"}


@pytest.mark.parametrize("check", VERDICTS)
def test_what_one_check_alone_withholds_is_let_out_without_it(check: str) -> None:
    id = "d" if check in OTHERS else "c"
    found = compared(FALLS.get(check) or OTHERS[check], asking(f"verdict: {VERDICTS[check]}", id))
    assert found.run.exit_status == 0, list(found.run.lines())
    ablated = {name for name in unsafe(found) if name.startswith("without ")}
    # What rests on a retracted claim falls with the retraction, too.
    also = {"without correction"} if check == "undercut" else set()
    assert ablated == {f"without {check}"} | also
    assert unsafe(found) >= PLAIN
    assert "ledger" not in unsafe(found)


def test_words_that_rest_on_more_than_the_reader_may_read_are_let_out_without_exposure() -> None:
    found = compared(OTHERS["exposure"], asking("verdict: citable, words: withheld", "d"))
    assert found.run.exit_status == 0
    assert {"without exposure", "without permission"} == {x for x in unsafe(found) if x.startswith("without")}


def test_every_check_of_the_decision_is_switched_off_once() -> None:
    assert set(VERDICTS) | {"exposure"} == set(ABLATIONS)


def test_nobody_is_unsafe_where_everything_may_be_shown() -> None:
    found = compared(asking('verdict: citable, quotes: ["Returns within 30 days."], words: shown'))
    assert unsafe(found) == set()
    assert {tally.covered for tally in found.tallies} == {1}


def test_an_old_rule_asked_about_is_refused_by_who_reads_the_latest_text() -> None:
    replaced = """
- {do: scope, of: r, scope: [{fact: bought, from: 2026-01-01, until: 2026-04-01}]}
- do: revision
  of: s
  label: "2"
  text: Returns within 60 days.
  scope: [{fact: bought, from: 2026-04-01, until: open}]
"""
    found = compared(replaced, asking("verdict: citable"))
    refused = {tally.policy for tally in found.tallies if tally.refused}
    assert refused == {"latest text"}


def test_ids_resolved_when_they_were_packed_miss_what_was_recorded_later() -> None:
    found = compared("- {at: 2026-03-09T09:00:00Z, do: retract, claim: c}", asking("verdict: retracted"))
    assert "stale ids" in unsafe(found)


def test_a_thread_lets_out_no_claim_that_it_does_not_list() -> None:
    found = compared("- {do: revoke, who: bot, read: s}", "- {do: thread, thread: t, who: bot, expect: {}}")
    assert found.run.exit_status == 0
    assert found.tallies[0].questions == 1
    assert unsafe(found) == PLAIN | {"latest text", "without permission"}


def test_a_read_of_the_past_is_no_question() -> None:
    past = asking("verdict: citable").rstrip() + "\n  as_of: 2026-03-02T10:00:00Z\n"
    assert compared(past).tallies[0].questions == 0


def test_the_copied_decision_with_nothing_off_is_the_ledgers_own() -> None:
    differing: list[str] = []

    def both(asking: Asking) -> Given:
        one, other = ledger(asking), whole_decision(asking)
        if one != other:
            differing.append(asking.id)
        return one

    found = compare(
        [load_scenario(file) for file in find_scenario_files([EXAMPLES])], policies={"both": both}
    )
    assert found.tallies[0].questions > 100
    assert (differing, found.tallies[0].unsafe, found.tallies[0].refused) == ([], [], [])


@pytest.mark.parametrize(
    ("may", "quotes", "words", "given", "expected"),
    [
        (False, None, None, Given(), (False, False)),
        (False, None, None, Given("says"), (True, True)),
        (False, None, None, Given(None, ("q",)), (True, True)),
        (True, None, None, Given("says"), (False, True)),
        (True, ("q",), "withheld", Given("says", ("q",)), (True, True)),
        (True, ("q",), "withheld", Given(None, ("q",)), (False, True)),
        (True, ("q", "r"), None, Given(None, ("q",)), (False, False)),
        (True, ("q",), None, Given(None, ("q", "r")), (True, True)),
        (True, None, None, Given(), (False, False)),
    ],
)
def test_what_counts_as_unsafe_and_as_covered(
    may: bool, quotes: tuple[str, ...] | None, words: str | None, given: Given, expected: tuple[bool, bool]
) -> None:
    question = Question("here", may, quotes, words)
    assert (is_unsafe(question, given), is_covered(question, given)) == expected


def test_a_tally_counts_tokens_and_says_where() -> None:
    tally = Tally("x")
    tally.count(Question("a", True, None, None), Given(None, (), "four" * 3))
    tally.count(Question("b", False, None, None), Given("says", (), "four"))
    plain = tally.plain()
    assert (plain["context_tokens"], plain["coverage"]) == (2.0, 0.0)
    assert (plain["unsafe_at"], plain["refused_at"]) == (("b",), ("a",))


def test_the_command_prints_a_table_of_80_columns(tmp_path: Path) -> None:
    file = tmp_path / "story.yaml"
    file.write_text(BEGINNING + asking("verdict: citable"))
    shown = CliRunner().invoke(build(), ["eval", "--compare", str(file)])
    assert shown.exit_code == 0
    lines = shown.output.splitlines()
    assert max(map(len, lines)) <= 80
    rows = [line for line in lines if line.startswith(tuple(POLICIES))]
    assert len(rows) == len(POLICIES)
    as_json = CliRunner().invoke(build(), ["eval", "--compare", "--json", str(file)]).output
    assert '"policy": "without bound facts"' in as_json


def test_the_help_states_each_policy() -> None:
    shown = " ".join(CliRunner().invoke(build(), ["eval", "--help"]).output.split())
    assert all(f"{name}: {about}" in shown for name, about in ABOUT.items())
    assert all(name in ABOUT or name.startswith("without ") for name in POLICIES)
