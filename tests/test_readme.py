"""What the README shows is run, and what it says comes out."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from prov_ledger.cli.failure import MEANINGS
from prov_ledger.ledger.session import VERB_ROLES
from prov_ledger.model.slots import VERDICTS

README = Path(__file__).resolve().parents[1] / "README.md"
_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ID = re.compile(r"\b([a-z]{2,3})_[0-9a-z]{18}\b")


def _fences(language: str) -> list[str]:
    return [text for kind, text in _FENCE.findall(README.read_text()) if kind == language]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder whose ``prov-ledger`` is the one under test."""
    shim = tmp_path / "bin" / "prov-ledger"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m prov_ledger "$@"\n')
    shim.chmod(0o755)
    return tmp_path


def test_the_commands_give_what_is_shown_below_them(folder: Path) -> None:
    commands = [text for text in _fences("sh") if not text.startswith("make ")]
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PROV_LEDGER")}
    done = subprocess.run(
        ["bash", "-c", "set -euo pipefail\n" + "\n".join(commands)],
        cwd=folder,
        env=clean | {"PATH": f"{folder / 'bin'}:{clean['PATH']}", "COLUMNS": "80"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    printed = _ID.sub(r"\1_...", done.stdout)
    assert next(text for text in _fences("text") if text.startswith("cl_")) in printed
    assert "You have 60 days to return it.,Returns policy" in printed
    assert printed.endswith("valid\n")


def test_the_python_runs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    blocks = _fences("python")
    for block in blocks:
        exec(compile(block, str(README), "exec"), {})
    assert (folder / "shop").is_dir()


@pytest.mark.parametrize("target", re.findall(r"\]\(([^)#:]+)\)", README.read_text()))
def test_every_link_leads_somewhere(target: str) -> None:
    assert (README.parent / target).exists()


@pytest.mark.parametrize("target", re.findall(r"^make (\w+)", README.read_text(), re.MULTILINE))
def test_every_make_target_is_there(target: str) -> None:
    assert re.search(rf"^{target}:", (README.parent / "Makefile").read_text(), re.MULTILINE)


def _rows(heading: str) -> list[list[str]]:
    """The cells of the table under a heading."""
    _, _, text = README.read_text().partition(f"\n## {heading}\n")
    lines = [line for line in text.partition("\n## ")[0].splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


#: Verbs that are checked for the role of another one.
_AS = {
    **dict.fromkeys(("verify", "validate", "rebuild"), "audit"),
    **dict.fromkeys(("restate", "reaffirm"), "supersede"),
    "sensitive": "collection",
    "rename": "source",
    "tool_result": "revision",
    "bind": "evidence",
    "allow": "deny",
    "release": "hold",
}


def test_every_verb_stands_beside_the_roles_that_it_needs() -> None:
    shown = {
        verb: set(re.findall(r"\w+", roles))
        for _, verbs, roles in _rows("Verbs and roles")
        for verb in re.findall(r"`(\w+)`", verbs)
        if not roles.startswith("no role")
    }
    assert {_AS.get(verb, verb) for verb in shown} == VERB_ROLES.keys()
    assert shown == {verb: {r.value for r in VERB_ROLES[_AS.get(verb, verb)]} for verb in shown}


def test_every_exit_status_and_every_verdict_is_there() -> None:
    assert [int(status) for status, _ in _rows("Exit statuses")] == list(MEANINGS)
    verdicts = [name for cell, *_ in _rows("What resolving says") for name in re.findall(r"`(\w+)`", cell)]
    assert sorted(verdicts) == sorted(VERDICTS)


def test_every_library_that_is_installed_has_its_reason() -> None:
    text = (README.parent / "pyproject.toml").read_text()
    project = tomllib.loads(text)["project"]
    extras = project["optional-dependencies"]
    wanted = [
        *project["dependencies"],
        *(x for e in extras if e not in ("dev", "sdks", "bench") for x in extras[e]),
    ]
    names = {re.split(r"[>=<]", each)[0].lower() for each in wanted} - {"tzdata"}
    table = " ".join(cell.lower() for row in _rows("Why these parts") for cell in row[:2])
    assert {name for name in names if name not in table} == set()
