"""What a run of scenarios gives: a finding per expectation that failed or could not be judged."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

FindingKind = Literal["failed", "not_supported"]

EXIT_HOLDS = 0
EXIT_FAILED = 1
EXIT_NO_SCENARIO = 2
EXIT_NOT_SUPPORTED = 3


@dataclass(frozen=True, slots=True)
class Finding:
    """One expectation or step that did not pass; ``step`` counts from 1."""

    kind: FindingKind
    step: int
    do: str
    what: str
    expected: str = ""
    got: str = ""


@dataclass(frozen=True, slots=True)
class ScenarioReport:
    """One scenario: how many of its expectations held, and a finding for each of the others.

    ``failed`` and ``not_supported`` count steps, of which one may have several findings.
    """

    file: str
    scenario: str
    held: int
    failed: int
    not_supported: int
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class EvalReport:
    """All scenarios of a run, in order; ``no_scenario`` says of each file that is none, why."""

    scenarios: tuple[ScenarioReport, ...]
    no_scenario: tuple[str, ...] = ()

    def with_problems(self, problems: tuple[str, ...]) -> "EvalReport":
        """The same, with files that are no scenario."""
        return replace(self, no_scenario=problems)

    @property
    def exit_status(self) -> int:
        """0 all hold, 2 a file is no scenario, else 1 some failed, else 3 something is not supported."""
        if self.no_scenario:
            return EXIT_NO_SCENARIO
        if any(report.failed for report in self.scenarios):
            return EXIT_FAILED
        return EXIT_NOT_SUPPORTED if any(report.not_supported for report in self.scenarios) else EXIT_HOLDS

    def lines(self) -> Iterator[str]:
        """A line per file that is no scenario, a line per finding and a summary."""
        yield from (f"no scenario: {problem}" for problem in self.no_scenario)
        for report in self.scenarios:
            yield from (_line(report.file, finding) for finding in report.findings)
        yield self.summary()

    def summary(self) -> str:
        """One line with all the counts."""
        held, failed, unsupported = (
            _total(getattr(report, name) for report in self.scenarios)
            for name in ("held", "failed", "not_supported")
        )
        return (
            f"{len(self.scenarios)} scenarios: {held} expectations hold, {failed} failed, "
            f"{unsupported} not supported yet"
        )

    def plain(self) -> dict[str, object]:
        """The same for ``--json``."""
        return {
            "scenarios": self.scenarios,
            "no_scenario": self.no_scenario,
            "summary": self.summary(),
            "exit_status": self.exit_status,
        }


def _total(counts: Iterable[int]) -> int:
    return sum(counts)


def _line(file: str, finding: Finding) -> str:
    where = f"{file} step {finding.step} {finding.do}"
    if finding.kind == "not_supported":
        return f"not supported yet: {where}: {finding.what}"
    differs = f": expected {finding.expected}, got {finding.got}" if finding.expected else ""
    return f"failed: {where}: {finding.what}{differs}"
