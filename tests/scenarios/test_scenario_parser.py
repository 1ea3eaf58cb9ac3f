"""A file is a scenario only where every step and key of it is known."""

from pathlib import Path

import pytest

from prov_ledger.scenarios.parser import find_scenario_files, load_scenario, parse_scenario
from prov_ledger.scenarios.scenario import NotAScenario
from prov_ledger.scenarios.schema import ANY_STEP, CHANGES, EXPECTATIONS


def _problem(text: str) -> str:
    with pytest.raises(NotAScenario) as caught:
        parse_scenario(text.encode(), "story.yaml")
    return caught.value.message


def test_an_unknown_step_is_named_with_its_number() -> None:
    message = _problem("steps:\n- {do: restart}\n- {do: fly}\n")
    assert message.startswith("story.yaml step 2: unknown step 'fly'")


@pytest.mark.parametrize("do", sorted({*CHANGES, *EXPECTATIONS} - {"refused"}))
def test_every_step_refuses_a_key_that_is_not_its_own(do: str) -> None:
    assert f"step 1 ({do}): unknown key 'colour'" in _problem(f"steps: [{{do: {do}, colour: red}}]")


@pytest.mark.parametrize("key", sorted(ANY_STEP))
def test_every_step_may_have_the_keys_of_any_step(key: str) -> None:
    value = "2026-01-01T00:00:00Z" if key == "at" else "x"
    by = "" if key == "by" else "by: ann, "
    step = parse_scenario(f"steps: [{{do: restart, {by}{key}: {value}}}]".encode(), "f").steps[0]
    assert key in step


def test_a_purpose_needs_somebody_who_has_it() -> None:
    assert "key 'purpose': only beside 'who' or 'by'" in _problem("steps: [{do: restart, purpose: audit}]")


@pytest.mark.parametrize(
    ("step", "path"),
    [
        ("{do: claim, support: [a, {b: c}]}", "support[1]"),
        ("{do: claim, support: [a, [b]]}", "support[0]"),
        ("{do: claim, transformation: {kind: guess}}", "transformation.kind"),
        ("{do: claim, question: {text: t, facts: {f: [1]}}}", "question.facts.f"),
        ("{do: claim, narrow: [{fact: f, least: 1}]}", "narrow[0].least"),
        ("{do: revision, scope: {fact: f}}", "scope"),
        ("{do: revision, relation: {follows: r}}", "relation.follows"),
        ("{do: resolve, ids: [c], expect: {c: {verdict: maybe}}}", "expect.c.verdict"),
        (
            "{do: resolve, ids: [c], expect: {c: {candidates: [{as: r, quote: like}]}}}",
            "expect.c.candidates[0].quote",
        ),
        ("{do: evidence, cell: {row: x, column: c}}", "cell.row"),
        ("{do: remind, budget: -1}", "budget"),
        ("{do: restart, at: 2026-01-01T00:00:00}", "at"),
        ("{do: retention, bytes_for: a year}", "bytes_for"),
    ],
)
def test_a_malformed_value_is_named_by_its_path(step: str, path: str) -> None:
    assert f"key '{path}':" in _problem(f"steps: [{step}]")


def test_a_step_inside_refused_is_read_as_strictly() -> None:
    message = _problem("steps: [{do: refused, error: incomplete, step: {do: claim, sys: x}}]")
    assert "step 1 (claim): unknown key 'sys'" in message


def test_a_refused_step_needs_a_known_code() -> None:
    assert "key 'error' is missing" in _problem("steps: [{do: refused, step: {do: restart}}]")
    message = _problem("steps: [{do: refused, error: wrong, step: {do: restart}}]")
    assert "key 'error': expected one of" in message


def test_a_missing_key_is_left_for_the_ledger_to_refuse() -> None:
    scenario = parse_scenario(b"steps: [{do: refused, error: incomplete, step: {do: claim, says: x}}]", "f")
    inner = scenario.steps[0].inner()
    assert inner is not None
    assert inner.texts("support") == ()


def test_an_expected_handle_must_be_asked_for() -> None:
    message = _problem("steps: [{do: resolve, who: a, ids: [c], expect: {d: {verdict: citable}}}]")
    assert "key 'expect.d': not among its ids" in message


@pytest.mark.parametrize(
    ("head", "problem"),
    [
        ("zone: Mars/Olympus", "is not a zone"),
        ("facts: {total: {amount: EUR}}", "fact 'total'"),
        ("colour: red", "head: unknown key 'colour'"),
        ("governed_by: purchase_date", "head: "),
        ("facts: {region: code}\ngoverned_by: region", "head: fact 'region'"),
        ("tenant: ../elsewhere", "head: "),
        ("max_age: soon", "head: key 'max_age'"),
        ("min_authority: highest", "head: key 'min_authority'"),
    ],
)
def test_a_malformed_head_is_no_scenario(head: str, problem: str) -> None:
    assert problem in _problem(f"{head}\nsteps: [{{do: restart}}]")


@pytest.mark.parametrize("text", ["[]", "a", "scenario: x", "steps: []", "steps: {do: x}", ""])
def test_a_document_without_steps_is_no_scenario(text: str) -> None:
    assert _problem(text).startswith(("story.yaml has no head: ", "story.yaml head: key 'steps': "))


def test_unquoted_numbers_and_dates_are_text_where_text_is_due() -> None:
    step = parse_scenario(b"steps: [{do: revision, label: 11, text: 2026-06-01}]", "f").steps[0]
    assert (step.text("label"), step.text("text")) == ("11", "2026-06-01")


def test_principals_are_those_who_ask_not_groups() -> None:
    refused = "{do: refused, error: denied, step: {do: resolve, who: ann}}"
    text = f"steps: [{{do: grant, who: 'group:staff', read: s}}, {refused}]"
    assert parse_scenario(text.encode(), "f").principals() == {"ann"}


def test_a_folder_gives_its_scenario_files_in_order(tmp_path: Path) -> None:
    for name in ("b.yaml", "a.yml", "notes.txt"):
        (tmp_path / name).write_text("steps: [{do: restart}]")
    assert [path.name for path in find_scenario_files([tmp_path])] == ["a.yml", "b.yaml"]


def test_an_empty_folder_is_no_scenario(tmp_path: Path) -> None:
    with pytest.raises(NotAScenario, match="holds no scenario"):
        find_scenario_files([tmp_path])


def test_a_missing_file_is_no_scenario(tmp_path: Path) -> None:
    with pytest.raises(NotAScenario, match="cannot be read"):
        load_scenario(tmp_path / "nowhere.yaml")


def test_every_published_scenario_is_read(shared: Path) -> None:
    files = find_scenario_files([shared / "scenarios"])
    assert len([load_scenario(file) for file in files]) == len(files) > 40
