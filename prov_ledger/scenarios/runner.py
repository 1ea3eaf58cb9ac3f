"""Runs a scenario in a fresh ledger, step by step, and reports every expectation that does not hold."""

import tempfile
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path

from prov_ledger.errors import ProvLedgerError
from prov_ledger.scenarios.changes import CHANGES_SUPPORTED
from prov_ledger.scenarios.expectations import EXPECTATIONS_SUPPORTED, Difference, is_supported
from prov_ledger.scenarios.report import EvalReport, Finding, FindingKind, ScenarioReport
from prov_ledger.scenarios.scenario import Scenario, Step
from prov_ledger.scenarios.schema import CHANGES
from prov_ledger.scenarios.world import ReaderName, World


def run_scenarios(
    scenarios: Iterable[Scenario],
    reader: ReaderName = "memory",
    progress: Callable[[ScenarioReport], None] | None = None,
) -> EvalReport:
    """Run each scenario in a ledger of its own, which is gone afterwards."""
    reports: list[ScenarioReport] = []
    for scenario in scenarios:
        with tempfile.TemporaryDirectory(prefix="prov-ledger-eval-") as folder:
            report = run_scenario(scenario, Path(folder) / "ledger", reader)
        reports.append(report)
        if progress is not None:
            progress(report)
    return EvalReport(tuple(reports))


def run_scenario(
    scenario: Scenario,
    folder: Path,
    reader: ReaderName = "memory",
    after: Callable[[World, Step], None] | None = None,
) -> ScenarioReport:
    """Run one scenario in a new ledger at ``folder``; ``after`` is called after each supported step.

    After a step that would change the world and is not supported yet, nothing can be judged: the rest is
    reported as not supported, and never run.
    """
    findings: list[Finding] = []
    held = 0
    with closing(World(scenario, folder, reader)) as world:
        for position, step in enumerate(scenario.steps):
            found = _run_step(world, step)
            findings += found
            held += not found and step.do not in CHANGES
            if after is not None and is_supported(step) and step.do != "refused":
                after(world, step)
            if found and found[0].kind == "not_supported" and step.do in CHANGES:
                findings += _not_run(scenario.steps[position + 1 :], step)
                break
    return ScenarioReport(
        file=scenario.file,
        scenario=scenario.name,
        held=held,
        failed=_steps(findings, "failed"),
        not_supported=_steps(findings, "not_supported"),
        findings=tuple(findings),
    )


def _steps(findings: list[Finding], kind: str) -> int:
    failed = {finding.step for finding in findings if finding.kind == "failed"}
    if kind == "failed":
        return len(failed)
    return len({finding.step for finding in findings} - failed)


def _not_run(steps: Iterable[Step], because: Step) -> list[Finding]:
    reason = f"depends on step {because.number} ({because.do})"
    skipped = (step for step in steps if step.do not in CHANGES)
    return [Finding("not_supported", step.number, step.do, reason) for step in skipped]


def _run_step(world: World, step: Step) -> list[Finding]:
    at = step.instant("at")
    if at is not None:
        world.now = at
    if not is_supported(step):
        inner = step.inner()
        return [Finding("not_supported", step.number, step.do, f"the step '{(inner or step).do}'")]
    if step.do == "refused":
        return _run_refused(world, step)
    try:
        return [_finding(step, difference) for difference in _differences(world, step)]
    except ProvLedgerError as error:
        return [Finding("failed", step.number, step.do, f"refused with {error.code} ({error.message})")]
    except Exception as error:
        # A defect that one step meets must not hide what the other steps and scenarios say.
        return [Finding("failed", step.number, step.do, _defect(error))]


def _differences(world: World, step: Step) -> list[Difference]:
    change = CHANGES_SUPPORTED.get(step.do)
    if change is None:
        return list(EXPECTATIONS_SUPPORTED[step.do](world, step))
    change(world, step)
    return []


def _run_refused(world: World, step: Step) -> list[Finding]:
    """Run the step inside, which must be refused with the code named, and leave every journal as it was."""
    inner, expected = step.inner(), step.text("error")
    assert inner is not None  # the parser gives every refused step one
    at = inner.instant("at")
    if at is not None:
        world.now = at
    world.ledger(inner)
    before = world.heads()
    what, got = f"refusal of '{inner.do}'", "no refusal"
    try:
        _differences(world, inner)
    except ProvLedgerError as error:
        got = error.code
    except Exception as error:
        got = _defect(error)
    findings = [] if got == expected else [_failed(step, what, expected, got)]
    if world.heads() != before:
        findings.append(_failed(step, "the ledger after a refusal", "unchanged", "changed"))
    return findings


def _defect(error: Exception) -> str:
    return f"a defect of prov-ledger ({type(error).__name__})"


def _failed(step: Step, what: str, expected: str, got: str) -> Finding:
    return Finding("failed", step.number, step.do, what, expected, got)


def _finding(step: Step, difference: Difference) -> Finding:
    kind: FindingKind = "not_supported" if difference.unsupported else "failed"
    return Finding(kind, step.number, step.do, difference.what, difference.expected, difference.got)
