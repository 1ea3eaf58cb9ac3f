"""What the README shows is run, and what it says comes out."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

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
        timeout=120,
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
