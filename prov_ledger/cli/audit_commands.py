"""Commands that look at the ledger as a whole: ``validate``, ``verify``, ``rebuild``, ``eval``."""

import textwrap
from pathlib import Path
from typing import Annotated

import typer

from prov_ledger.cli.command import Commands
from prov_ledger.cli.session import Session
from prov_ledger.cli.values import parse_enumerated
from prov_ledger.errors import STATUS
from prov_ledger.ledger.ledger import READERS
from prov_ledger.scenarios.compare import compare as compare_policies
from prov_ledger.scenarios.compare_policies import ABOUT
from prov_ledger.scenarios.parser import find_scenario_files, load_scenario
from prov_ledger.scenarios.runner import run_scenarios
from prov_ledger.scenarios.scenario import NotAScenario, Scenario
from prov_ledger.scenarios.world import ReaderName

EXAMPLES = Path("examples/scenarios")


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
    taken = f"{report.erased} texts were erased, {report.pruned} entries pruned, as recorded"
    lines = [taken] if report.erased or report.pruned else []
    session.emit(report, [*lines, "valid"] if report.valid else [str(x) for x in report.findings])
    if not report.valid:
        raise typer.Exit(STATUS["corrupt"].exit_code)


@commands.add("rebuild", example="prov-ledger rebuild")
def rebuild(session: Session) -> None:
    """Make the graph anew from the journal."""
    with session.open() as ledger:
        entries = ledger.rebuild()
    session.done(f"rebuilt from {entries} entries")


def _policies() -> str:
    """What the help says of each policy, in lines that fit a terminal."""
    lines = ["Policies of --compare, each put to every slot that a scenario expects:"]
    for name, about in ABOUT.items():
        start = f"  {name}: "
        lines += textwrap.wrap(about, 76, initial_indent=start, subsequent_indent="    ")
    return "\n".join(lines)


@commands.add(
    "eval",
    example="prov-ledger eval examples/scenarios\nprov-ledger eval --compare examples/scenarios",
    notes=_policies(),
)
def evaluate(
    session: Session,
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="PATH", help=f"Scenario files, or folders of them; default {EXAMPLES}."),
    ] = None,
    reader: Annotated[str, typer.Option(metavar="READER", help=f"One of {', '.join(READERS)}.")] = "memory",
    compare: Annotated[
        bool, typer.Option("--compare", help="Beside the ledger, what plain policies would let out.")
    ] = False,
) -> None:
    """Run scenarios, each in a fresh ledger.

    Exit status: 0 all hold, 2 a file is no scenario, 1 some failed, 3 something is not supported yet. With
    --compare, a table counts for each policy the unsafe answers (words or quotes that the scenario says must
    not be shown), the needless refusals, the share that was shown of what may be, and the tokens of context.
    """
    parse_enumerated(reader, READERS, "--reader")
    name: ReaderName = "sparql" if reader == "sparql" else "memory"
    scenarios, problems = _load_all(paths or [EXAMPLES])
    report = compare_policies(scenarios, name) if compare else run_scenarios(scenarios, name)
    report = report.with_problems(tuple(problem.message for problem in problems))
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
