"""Commands that look at the ledger as a whole: ``validate``, ``verify``, ``rebuild``, ``eval``."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from prov_ledger.cli.command import Commands
from prov_ledger.cli.session import Session
from prov_ledger.cli.values import parse_enumerated
from prov_ledger.errors import STATUS
from prov_ledger.scenarios.parser import find_scenario_files, load_scenario
from prov_ledger.scenarios.runner import run_scenarios
from prov_ledger.scenarios.scenario import NotAScenario, Scenario

READERS = ("memory", "sparql")


commands = Commands()


@commands.add("validate", example="prov-ledger validate --json")
def validate(session: Session) -> None:
    """Check the whole graph against the shapes, with pySHACL.

    Exit status 1 where it does not conform.
    """
    with session.open() as ledger:
        report = ledger.validate()
    findings = [f"{each.focus_node}: {each.message}" for each in report.findings]
    session.emit(report, ["conforms"] if report.conforms else findings or ["there is no entry to check"])
    if not report.conforms:
        raise typer.Exit(1)


@commands.add("verify", example="prov-ledger verify && echo valid")
def verify(session: Session) -> None:
    """Recompute everything stored and compare it with its record.

    That is every leaf, the tree, every payload's commitment and the graph against the journal; exit
    status 9 where anything differs, with what and where.
    """
    with session.open() as ledger:
        report = ledger.verify()
    session.emit(report, ["valid"] if report.valid else [str(finding) for finding in report.findings])
    if not report.valid:
        raise typer.Exit(STATUS["corrupt"].exit_code)


@commands.add("rebuild", example="prov-ledger rebuild")
def rebuild(session: Session) -> None:
    """Make the graph anew from the journal."""
    with session.open() as ledger:
        ledger.rebuild()
    session.done("rebuilt")


@commands.add("eval", example="prov-ledger eval examples/scenarios")
def evaluate(
    session: Session,
    paths: Annotated[list[Path], typer.Argument(metavar="PATH", help="Scenario files, or folders of them.")],
    reader: Annotated[str, typer.Option(metavar="READER", help=f"One of {', '.join(READERS)}.")] = "memory",
) -> None:
    """Run scenarios, each in a fresh ledger.

    Exit status: 0 all hold, 2 a file is no scenario, 1 some failed, 3 something is not supported yet.
    """
    parse_enumerated(reader, READERS, "--reader")
    scenarios, problems = _load_all(paths)
    report = run_scenarios(scenarios, "sparql" if reader == "sparql" else "memory")
    report = replace(report, no_scenario=tuple(problem.message for problem in problems))
    session.emit(report.plain(), report.lines())
    if report.exit_status:
        raise typer.Exit(report.exit_status)


def _load_all(paths: list[Path]) -> tuple[list[Scenario], list[NotAScenario]]:
    scenarios: list[Scenario] = []
    problems: list[NotAScenario] = []
    for path in paths:
        try:
            files = find_scenario_files([path])
        except NotAScenario as problem:
            problems.append(problem)
            continue
        for file in files:
            try:
                scenarios.append(load_scenario(file))
            except NotAScenario as problem:
                problems.append(problem)
    return scenarios, problems
