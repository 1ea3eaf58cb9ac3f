"""Every command explains itself in a narrow terminal."""

import functools

import pytest
import typer
from cli_process import Command
from typer.testing import CliRunner

from prov_ledger.cli.main import build
from prov_ledger.errors import STATUS

EXIT_STATUSES = {row.exit_code for row in STATUS.values()}


@functools.cache
def _commands() -> tuple[tuple[str, ...], ...]:
    """The words of every command, groups apart."""
    found: list[tuple[str, ...]] = []

    def walk(command: object, words: tuple[str, ...]) -> None:
        inner = getattr(command, "commands", None)
        if inner is None:
            found.append(words)
            return
        for name, each in inner.items():
            walk(each, (*words, name))

    walk(typer.main.get_command(build()), ())
    return tuple(found)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Command:
    return Command(tmp_path_factory.mktemp("help") / "nothing-here")


_VERBS = """init sync source revision evidence claim supersede retract scope grant revoke member check fact
agent remind packet resolve show sparql validate verify rebuild eval demo"""


def test_every_verb_has_a_command() -> None:
    assert {words[0] for words in _commands()} >= set(_VERBS.split())


@pytest.mark.parametrize("words", _commands(), ids=" ".join)
def test_help_has_an_example_and_fits_80_columns(words: tuple[str, ...]) -> None:
    shown = CliRunner().invoke(build(), [*words, "--help"], env={"COLUMNS": "80"}).output
    assert f"Example:\n    prov-ledger {' '.join(words)}" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_the_real_command_prints_its_help(run: Command) -> None:
    ran = run("resolve", "--help")
    assert (ran.status, ran.out.splitlines()[0]) == (0, "Usage: prov-ledger resolve [OPTIONS] {ID}...")


@pytest.mark.parametrize("words", [(), ("sync",)], ids=["prov-ledger", "sync"])
def test_a_group_alone_prints_its_help_with_whole_sentences(run: Command, words: tuple[str, ...]) -> None:
    ran = run(*words)
    assert ran.status == 0
    assert "Commands:" in ran.out
    assert "..." not in ran.out.split("Commands:")[1]


def test_every_exit_status_is_explained_with_its_codes(run: Command) -> None:
    ran = run("help", "exit-codes")
    explained = {int(line.split()[0]) for line in ran.out.splitlines() if line[:4].strip().isdigit()}
    assert explained >= EXIT_STATUSES
    assert all(code in ran.out for code in STATUS)


def test_completion_can_be_shown_for_a_shell(run: Command) -> None:
    shell = {"_PROV_LEDGER_COMPLETE": "complete_bash", "COMP_WORDS": "x reso", "COMP_CWORD": "1"}
    ran = run(environment=shell)
    assert ran.out.split() == ["resolve"]


def test_help_alone_names_its_topics(run: Command) -> None:
    ran = run("help")
    topics = [line.removeprefix("prov-ledger help ") for line in ran.out.splitlines()]
    assert topics == ["exit-codes", "scopes", "facts"]
    assert [run("help", topic).status for topic in topics] == [0, 0, 0]
