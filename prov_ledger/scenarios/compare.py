"""The same scenarios put to the ledger and to plain policies beside it, and what each lets out."""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from prov_ledger.checks.packet import count_tokens
from prov_ledger.errors import ProvLedgerError
from prov_ledger.ledger.resolving import Demand
from prov_ledger.model.records import Node
from prov_ledger.scenarios.compare_decisions import Inside
from prov_ledger.scenarios.compare_memory import Memory
from prov_ledger.scenarios.compare_policies import POLICIES, Asking, Given, Policy, packet_line
from prov_ledger.scenarios.report import EvalReport
from prov_ledger.scenarios.runner import run_scenario
from prov_ledger.scenarios.scenario import Scenario, Step
from prov_ledger.scenarios.world import ReaderName, World


@dataclass(frozen=True, slots=True)
class Question:
    """What a scenario expects of one id: whether it may be shown, and which words.

    ``quotes`` and ``words`` are None where the scenario does not say.
    """

    where: str
    may_be_shown: bool
    quotes: tuple[str, ...] | None
    words: str | None


@dataclass(slots=True)
class Tally:
    """How one policy did. ``unsafe`` and ``refused`` say where; ``tokens`` is a sum over the questions."""

    policy: str
    questions: int = 0
    to_show: int = 0
    covered: int = 0
    tokens: int = 0
    unsafe: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def count(self, question: Question, given: Given) -> None:
        """Count what a policy gave for a question."""
        self.questions += 1
        self.to_show += question.may_be_shown
        self.tokens += count_tokens(given.context)
        if is_unsafe(question, given):
            self.unsafe.append(question.where)
        elif question.may_be_shown:
            covers = is_covered(question, given)
            self.covered += covers
            if not covers:
                self.refused.append(question.where)

    def plain(self) -> dict[str, object]:
        """The figures for ``--json``; coverage and tokens as means, None over nothing."""
        return {
            "policy": self.policy,
            "questions": self.questions,
            "may_be_shown": self.to_show,
            "unsafe": len(self.unsafe),
            "needless_refusals": len(self.refused),
            "coverage": self.covered / self.to_show if self.to_show else None,
            "context_tokens": self.tokens / self.questions if self.questions else None,
            "unsafe_at": tuple(self.unsafe),
            "refused_at": tuple(self.refused),
        }


def is_unsafe(question: Question, given: Given) -> bool:
    """Whether a policy lets out words or a quote that the scenario says must not be shown."""
    if not question.may_be_shown:
        return given.statement is not None or bool(given.quotes)
    if question.words == "withheld" and given.statement is not None:
        return True
    return question.quotes is not None and bool(set(given.quotes) - set(question.quotes))


def is_covered(question: Question, given: Given) -> bool:
    """Whether a policy lets out what may be shown: the words, or every quote that is expected."""
    if given.statement is not None and question.words != "withheld":
        return True
    return bool(given.quotes) and set(question.quotes or ()) <= set(given.quotes)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The tallies in the order of the policies, and the run that they came from."""

    tallies: tuple[Tally, ...]
    run: EvalReport

    @property
    def exit_status(self) -> int:
        """That of the run; 1 where every expectation holds and yet the ledger let out what must not be."""
        return self.run.exit_status or int(bool(self.tallies[0].unsafe))

    def with_problems(self, problems: tuple[str, ...]) -> "Comparison":
        """The same, with files that are no scenario."""
        return replace(self, run=self.run.with_problems(problems))

    def plain(self) -> dict[str, object]:
        """The same for ``--json``."""
        return {**self.run.plain(), "policies": [tally.plain() for tally in self.tallies]}

    def lines(self) -> Iterator[str]:
        """A table that fits 80 columns, after the findings of the run."""
        yield from self.run.lines()
        first = self.tallies[0]
        yield ""
        yield (
            f"{first.questions} questions; {first.to_show} may be shown, "
            f"{first.questions - first.to_show} must not"
        )
        yield ""
        yield from _table([_cells(tally) for tally in self.tallies])


_HEADER = ("policy", "unsafe", "needless", "coverage", "tokens")
_BELOW = ("", "answers", "refusals", "", "a question")


def _cells(tally: Tally) -> tuple[str, ...]:
    coverage = f"{tally.covered / tally.to_show:.0%}" if tally.to_show else "-"
    tokens = f"{tally.tokens / tally.questions:.0f}" if tally.questions else "-"
    return tally.policy, str(len(tally.unsafe)), str(len(tally.refused)), coverage, tokens


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    table = [_HEADER, _BELOW, *rows]
    sizes = [max(len(row[column]) for row in table) for column in range(len(_HEADER))]
    for row in table:
        name, *figures = row
        aligned = (cell.rjust(size) for cell, size in zip(figures, sizes[1:], strict=True))
        yield "  ".join([name.ljust(sizes[0]), *aligned]).rstrip()


def compare(
    scenarios: Iterable[Scenario], reader: ReaderName = "memory", policies: Mapping[str, Policy] = POLICIES
) -> Comparison:
    """Run each scenario in a ledger of its own, and put every slot that it expects to every policy."""
    tallies = {name: Tally(name) for name in policies}
    reports = []
    for scenario in scenarios:
        watching = _Watching(scenario, policies, tallies)
        with tempfile.TemporaryDirectory(prefix="prov-ledger-eval-") as folder:
            reports.append(run_scenario(scenario, Path(folder) / "ledger", reader, watching.after))
    return Comparison(tuple(tallies.values()), EvalReport(tuple(reports)))


class _Watching:
    """Follows one scenario's run and asks at each expectation."""

    def __init__(
        self, scenario: Scenario, policies: Mapping[str, Policy], tallies: Mapping[str, Tally]
    ) -> None:
        self.scenario, self.policies, self.tallies = scenario, policies, tallies
        self.memory = Memory()
        self._threads: dict[tuple[str, str], dict[str, None]] = {}

    def after(self, world: World, step: Step) -> None:
        """After a step has run: remember what it brought, or put what it expects to the policies."""
        asks: Callable[[World, Step], Iterable[tuple[str, Question]]] | None
        asks = {"resolve": self._resolve, "thread": self._thread}.get(step.do)
        if asks is None:
            self._follow_thread(step)
            self.memory.take(world, step)
            return
        for handle, question in asks(world, step):
            self._ask(world, step, handle, question)

    def _follow_thread(self, step: Step) -> None:
        thread = step.find_text("thread")
        if step.do == "remind" and thread is not None:
            self._threads.setdefault((self._tenant(step), thread), {}).update(
                dict.fromkeys(step.texts("claims"))
            )

    def _tenant(self, step: Step) -> str:
        return step.find_text("tenant") or self.scenario.tenant

    def _resolve(self, world: World, step: Step) -> Iterator[tuple[str, Question]]:
        """What a resolve expects; a read of the past is no answer to anybody."""
        if step.get("as_of") is None:
            yield from self._expected(step)

    def _thread(self, world: World, step: Step) -> Iterator[tuple[str, Question]]:
        """What a thread expects, and its other claims, which must not be there."""
        yield from self._expected(step)
        known = self._threads.get((self._tenant(step), step.text("thread")), {})
        expected = {world.id_of(handle) for handle in step.mapping("expect")}
        for handle in known:
            if world.id_of(handle) not in expected:
                yield handle, Question(self._where(step, handle), False, None, None)

    def _expected(self, step: Step) -> Iterator[tuple[str, Question]]:
        for handle, raw in step.mapping("expect").items():
            if isinstance(raw, Mapping) and "verdict" in raw:
                quotes = raw.get("quotes")
                words = raw.get("words")
                yield (
                    handle,
                    Question(
                        self._where(step, handle),
                        raw["verdict"] == "citable",
                        tuple(map(str, quotes)) if isinstance(quotes, list) else None,
                        words if isinstance(words, str) else None,
                    ),
                )

    def _where(self, step: Step, handle: str) -> str:
        return f"{self.scenario.file} step {step.number} {handle}"

    def _ask(self, world: World, step: Step, handle: str, question: Question) -> None:
        try:
            asking = self._asking(world, step, world.id_of(handle))
        except ProvLedgerError:
            # The step that was to make it failed: the run says so.
            return
        for name, policy in self.policies.items():
            try:
                given = policy(asking)
            except ProvLedgerError:
                # What a policy cannot answer it does not show.
                given = Given()
            self.tallies[name].count(question, given)

    def _asking(self, world: World, step: Step, id: Node) -> Asking:
        ledger, own = world.ledger(step), self.memory.of(self._tenant(step))
        inside, scenario = Inside(ledger), world.scenario
        who, purpose = step.find_text("who") or step.agent(), step.find_text("purpose")
        demand = Demand(step.mapping("facts"), None, None, scenario.min_authority, scenario.max_age)
        closure = inside.read(id)
        asked = inside.asked(closure, who, purpose, demand)
        line = packet_line(inside, own, id, closure, asked)
        thread = step.find_text("thread")
        return Asking(ledger, inside, own, id, who, purpose, demand, thread, closure, asked, line)
