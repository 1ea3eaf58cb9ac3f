"""The commands of a privacy officer, as a person uses them."""

import json
from pathlib import Path

import pytest
from cli_process import Command

TEXT = "Caller Oda Quist reported that parcel 88-1417 arrived crushed.\n"


@pytest.fixture
def run(tmp_path: Path) -> Command:
    run = Command(tmp_path / "ledger")
    assert run("init").status == 0
    return run


@pytest.fixture
def case(run: Command, tmp_path: Path) -> dict[str, str]:
    page = tmp_path / "case.txt"
    page.write_text(TEXT)
    source = run.made("source", "--native", "crm:5520", "--title", "File of Quist")
    revision = run.made("revision", source, str(page), "--label", "1")
    evidence = run.made("evidence", revision, "--quote", "parcel 88-1417 arrived crushed")
    return {"source": source, "revision": revision, "evidence": evidence, "page": str(page)}


def plan_of(run: Command, *ids: str) -> str:
    ran = run("erase", "plan", *ids, "--json")
    assert ran.status == 0, ran.err
    plan = ran.json
    assert isinstance(plan, dict)
    return str(plan["hash"])


def test_a_plan_fits_a_terminal_and_ends_with_the_command_that_runs_it(
    run: Command, case: dict[str, str]
) -> None:
    ran = run("erase", "plan", case["source"])

    lines = ran.out.splitlines()
    assert max(map(len, lines[:-1])) <= 80
    assert lines[-1].strip() == f"prov-ledger erase run --plan {lines[0].split()[1]}"
    assert "goes     1 source, 1 revision, 1 evidence item, 5 sealed texts" in lines
    assert "Quist" not in ran.out


def test_a_run_prints_the_certificate_and_nothing_is_left(run: Command, case: dict[str, str]) -> None:
    assert run("erase", "check", "-", stdin="Oda Quist").status == 1

    ran = run("erase", "run", "--plan", plan_of(run, case["source"]), "--reason", "request 17 of Oda Quist")

    assert (ran.status, ran.out.splitlines()[0]) == (0, "CERTIFICATE OF ERASURE")
    assert max(map(len, ran.out.splitlines())) <= 80
    assert "Not covered:" in ran.out
    assert "Quist" not in ran.out
    left = run("erase", "check", "-", stdin="parcel 88-1417")
    assert (left.status, left.out) == (0, "nowhere")
    assert run("verify").out.splitlines() == ["5 texts were erased, 0 entries pruned, as recorded", "valid"]


def test_a_plan_that_no_longer_fits_is_refused(run: Command, case: dict[str, str]) -> None:
    hash = plan_of(run, case["source"])
    run.made("evidence", case["revision"], "--quote", "Oda Quist")

    ran = run("erase", "run", "--plan", hash)

    assert (ran.status, ran.err.split(":")[0]) == (6, "error [plan_changed]")
    assert run("show", case["revision"]).status == 0


def test_a_held_source_is_refused_until_it_is_released(run: Command, case: dict[str, str]) -> None:
    assert run("hold", case["source"], "--reason", "case 12").status == 0
    assert run("holds").out.splitlines()[-1].strip() == "case 12"
    hash = plan_of(run, case["source"])
    lines = run("erase", "plan", case["source"]).out.splitlines()
    assert f"held     {case['source']} is under a legal hold" in lines
    assert lines[-2] == "Under a legal hold this is refused. Once it is released:"

    refused = run("erase", "run", "--plan", hash)
    assert (refused.status, refused.err.split(":")[0]) == (5, "error [legal_hold]")

    assert run("release", case["source"]).status == 0
    assert run("erase", "run", "--plan", hash).status == 0


def test_a_certificate_is_checked_without_a_ledger(
    run: Command, case: dict[str, str], tmp_path: Path
) -> None:
    hash = plan_of(run, case["evidence"])
    made = run("erase", "run", "--plan", hash, "--keys-kept-for", "P30D", "--json")
    file = tmp_path / "certificate.json"
    file.write_text(made.out)
    body = json.loads(made.out)
    elsewhere = Command(tmp_path / "nothing")

    assert elsewhere("erase", "verify", str(file)).out.splitlines()[0] == "valid"
    key = body["signature"]["public_key"]
    assert elsewhere("erase", "verify", str(file), "--key", key).status == 0
    assert elsewhere("erase", "verify", str(file), "--key", "00" * 32).status == 9
    assert run("erase", "certificate", body["erasure"], "--keys-kept-for", "P30D", "--json").out == made.out
    body["erased"]["sealed_texts"] += 1
    file.write_text(json.dumps(body))
    assert elsewhere("erase", "verify", str(file)).status == 9


def test_what_was_erased_is_refused_when_it_comes_back(run: Command, case: dict[str, str]) -> None:
    run("erase", "run", "--plan", plan_of(run, case["source"]))
    other = run.made("source", "--native", "wiki:1", "--title", "Notes")

    ran = run("revision", other, case["page"], "--label", "1")

    assert (ran.status, ran.err.split(":")[0]) == (2, "error [erased_bytes]")
    assert "Quist" not in ran.err


def test_an_account_holds_everything_about_an_id(run: Command, case: dict[str, str]) -> None:
    ran = run("access", case["source"])

    assert ran.status == 0
    for text in ("native: crm:5520", "title: File of Quist", TEXT.strip(), case["evidence"]):
        assert text in ran.out


def test_a_text_leads_to_the_ids_that_hold_it(run: Command, case: dict[str, str]) -> None:
    found = run("access", "--text", "-", stdin="oda quist\n").out

    assert found.splitlines() == [f"{case['revision']}  content", f"{case['evidence']}  quote"]


def test_retention_is_listed_and_swept(run: Command, case: dict[str, str]) -> None:
    assert run("retention", case["source"], "--bytes", "6 months").status == 2
    assert run("retention", case["source"], "--bytes", "P6M", "--metadata", "P2Y").status == 0
    assert run("retention").out == f"{case['source']}  bytes P6M, metadata P2Y"
    assert run("sweep").out.splitlines()[0] == "nothing was due"


def test_an_agent_without_the_role_plans_nothing(run: Command, case: dict[str, str]) -> None:
    ran = run("--as", "support-bot", "erase", "plan", case["source"])

    assert (ran.status, ran.err.split(":")[0]) == (5, "error [denied]")
