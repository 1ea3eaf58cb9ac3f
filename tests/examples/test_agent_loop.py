"""The agent loop that a new user copies does what its text says, in a process of its own."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

LOOP = Path(__file__).parents[2] / "examples" / "agent_loop.py"


@pytest.fixture(scope="module")
def said() -> list[str]:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(LOOP)], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stderr == ""
    return [re.sub(r"\b(cl|ev)_\w{18}\b", r"\1_...", line) for line in done.stdout.splitlines()]


def test_the_claim_is_cited_where_the_facts_are_those_it_was_made_for(said: list[str]) -> None:
    assert said[0] == "You have 60 days to return it [cl_...]."


def test_for_changed_facts_the_answer_is_derived_anew_from_other_evidence(said: list[str]) -> None:
    assert said[1] == "You have 30 days to return it [ev_...]."


def test_what_the_summary_alone_says_is_blocked_and_the_missing_fact_is_asked_for(said: list[str]) -> None:
    assert said[2:] == ["(not_citable:unknown) Please tell me your purchase_date."]


def test_it_is_short_enough_to_copy() -> None:
    assert len(LOOP.read_text().splitlines()) < 60
