"""A ledger that was filled by commands alone."""

import json
from collections.abc import Callable

import pytest
from cli_process import Command, Shop


@pytest.fixture(scope="session")
def new_command(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Command]:
    return lambda: Command(tmp_path_factory.mktemp("cli") / "ledger")


@pytest.fixture(scope="session")
def shop(new_command: Callable[[], Command]) -> Shop:
    run = new_command()
    run.made("init", "--zone", "Europe/Vienna", "--fact", "purchase_date=date", "--fact", "n={number: EUR}")
    source = run.made("source", "--native", "wiki:returns", "--title", "Returns policy")
    old = run.made(
        *("revision", source, "-", "--label", "11", "--media-type", "text/plain"),
        *("--scope", "purchase_date: 2026-01-01..2026-06-01"),
        stdin="Goods may be returned within 30 days.\n",
    )
    new = run.made(
        *("revision", source, "-", "--label", "12", "--media-type", "text/plain"),
        *("--scope", "purchase_date: 2026-06-01..open", "--replaces", old, "--from", "2026-06-01"),
        stdin="Goods may be returned within 60 days.\n",
    )
    evidence = run.made("evidence", new, "--quote", "within 60 days")
    run.made("evidence", old, "--quote", "within 30 days")
    claim = run.made(
        *("claim", "Goods bought from June on may be returned within 60 days.", "--support", evidence),
        *("--kind", "select", "--by", "purchase_date", "--question", "How long may I return it?"),
        *("-f", "purchase_date=2026-07-02"),
    )
    run.made("grant", "support-bot", source)
    ran = run("remind", claim, "--budget", "200", "--thread", "chat-7", "--json")
    assert ran.status == 0, ran.err
    return Shop(run, source, old, new, evidence, claim, json.loads(ran.out)["id"])
