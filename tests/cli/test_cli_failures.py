"""A command that fails says why in one line and ends with a status that means something."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cli_process import Command, Shop

from prov_ledger.errors import STATUS

WRONG_ID = "cl_0000000000000000zz"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("resolve", "-f", "purchse_date=2026-07-02"), "undeclared_fact"),
        (("resolve", "-f", "purchase_date=12/04/2026"), "bad_fact"),
        (("resolve", "-f", "purchase_date"), "bad_input"),
        (("resolve", "-f", "purchase_date=2026-07-02", "-f", "purchase_date=2026-07-03"), "bad_fact"),
        (("resolve", "--reader", "paper"), "bad_input"),
        (("resolve", "--as-of", "2999-01-01"), "bad_input"),
        (("resolve", "--min-authority", "highest"), "bad_input"),
        (("evidence", "--quote", "within 90 days"), "quote_not_found"),
        (("evidence", "--quote", ""), "empty_quote"),
        (("evidence", "--row", "1"), "bad_input"),
        (("claim", "--kind", "guess"), "bad_input"),
        (("claim", "--kind", "quote", "--narrow", "purchase_date: 2026-06-01..2026-06-01"), "bad_scope"),
        (("claim", "--kind", "quote", "--narrow", "purchase_date: 2026-01-01..open"), "widened_scope"),
        (("show", "--on", "2001-01-01"), "not_found"),
        (("sparql", "-q", "SELECT"), "bad_query"),
        (("sparql", "-q", "INSERT DATA { <urn:a> <urn:b> 1 }"), "bad_query"),
        (("sparql", "--list", "--frmat", "csv"), "bad_input"),
        (("fly",), "bad_input"),
        (("help", "everything"), "bad_input"),
        (("init",), "already_exists"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value[:2]),
)
def test_a_failure_is_one_line_and_its_status(shop: Shop, arguments: tuple[str, ...], code: str) -> None:
    first = {"resolve": [shop.claim], "evidence": [shop.new], "show": [shop.source]}
    first["claim"] = ["Sixty days.", "--support", shop.evidence, "--question", "How long?"]
    ran = shop.run(arguments[0], *first.get(arguments[0], []), *arguments[1:])
    assert ran.err.startswith(f"error [{code}]: ")
    assert len(ran.err.splitlines()) == 1
    assert (ran.status, ran.out) == (STATUS[code].exit_code, "")


def test_a_failure_is_an_object_where_json_is_asked_for(shop: Shop) -> None:
    ran = shop.run("retract", WRONG_ID, "--json")
    error = json.loads(ran.err)
    assert (error["error"], error["exit_status"], ran.status) == ("malformed_id", 2, 2)
    assert ran.out == ""


def test_a_ledger_that_is_not_there_is_not_found(tmp_path: Path) -> None:
    ran = Command(tmp_path / "nowhere")("verify")
    assert ran.err.startswith("error [not_found]: ")
    assert ran.status == 4


def test_a_file_that_is_not_there_is_not_found(shop: Shop) -> None:
    ran = shop.run("revision", shop.source, "nowhere.md", "--label", "1")
    assert ran.err == "error [not_found]: cannot read nowhere.md: No such file or directory"


def test_an_agent_without_the_role_is_denied(shop: Shop) -> None:
    ran = shop.run("retire", shop.source, "--from", "2026-09-01", "--as", "support-bot")
    assert (ran.err.partition(":")[0], ran.status) == ("error [denied]", 5)


def test_what_a_reader_may_not_see_is_unknown(shop: Shop) -> None:
    ran = shop.run("show", shop.source, "--as", "stranger")
    assert (ran.err.partition(":")[0], ran.status) == ("error [unknown_id]", 4)


def test_messages_hold_no_text_of_the_request(shop: Shop) -> None:
    ran = shop.run("evidence", shop.new, "--quote", "Oda Quist lives here")
    assert "Oda" not in ran.err


def test_a_query_that_runs_for_ever_ends_at_its_deadline(shop: Shop) -> None:
    endless = "SELECT (COUNT(*) AS ?n) { " + " . ".join(f"?a{i} ?b{i} ?c{i}" for i in range(9)) + " }"
    ran = shop.run("sparql", "--timeout", "0.5", "-q", endless)
    assert ran.status == STATUS["query_timeout"].exit_code
    assert ran.err.startswith("error [query_timeout]: the query took longer than 0.5 s")


_INTERRUPTED = """
import os, signal, sys
class Interrupts:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[1]:
            os.kill(os.getpid(), signal.SIGINT)
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Interrupts())
from prov_ledger.cli.start import main
main()
"""


@pytest.mark.parametrize("loading", ["prov_ledger.cli.main", "typer", "pyoxigraph"])
def test_an_interrupt_while_modules_are_loaded_is_one_line(loading: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _INTERRUPTED, loading], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


def test_a_tenant_that_is_here_is_not_imported_and_what_fits_is_said(tmp_path: Path) -> None:
    run, moving, apart = Command(tmp_path / "ledger"), tmp_path / "moving", tmp_path / "apart"
    assert run("init").status == 0
    assert run("tenant", "export", str(moving), "--keys-to", str(apart)).status == 0
    ran = run("tenant", "import", str(moving), "--keys-from", str(apart))
    assert (ran.status, ran.err.partition(":")[0]) == (2, "error [already_exists]")
    assert "import it into another ledger (--ledger), reopen it" in ran.err


def test_queries_at_once_wait_for_each_other(tmp_path: Path) -> None:
    run = Command(tmp_path / "ledger")
    run.made("init")
    with ThreadPoolExecutor(3) as pool:
        ran = list(pool.map(lambda query: run("sparql", "-q", query), ["ASK { ?s ?p ?o }"] * 3))
    assert [(one.status, one.out) for one in ran] == [(0, "true")] * 3, [one.err for one in ran]


def test_a_new_ledger_lets_nobody_else_look_into_it(tmp_path: Path) -> None:
    run = Command(tmp_path / "ledger")
    run.made("init")
    assert (run.ledger / "tenants" / "default").stat().st_mode & 0o777 == 0o700
    assert "chmod" not in run("doctor").out


def test_an_id_of_another_kind_is_told_from_its_prefix(shop: Shop) -> None:
    evidence = shop.run("evidence", shop.source, "--quote", "within 60 days").err
    assert evidence == "error [bad_input]: expected a revision's id (rev_...), got one of src_"
    explained = shop.run("explain", shop.evidence).err
    assert explained == "error [bad_input]: expected a claim's id (cl_...), got one of ev_"
