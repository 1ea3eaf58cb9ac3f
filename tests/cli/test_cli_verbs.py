"""The commands do what the ledger's verbs do, and print what a script can use."""

import csv
import io
import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_process import Command, Ran, Shop

ID = re.compile(r"^[a-z]{2,3}_[0-9a-hjkmnp-tv-z]{18}$")


def test_what_is_made_is_printed_as_a_bare_id(shop: Shop) -> None:
    assert all(ID.match(id_) for id_ in (shop.source, shop.new, shop.evidence, shop.claim, shop.reminder))


def test_the_same_evidence_again_is_the_same_id(shop: Shop) -> None:
    assert shop.run.made("evidence", shop.new, "--quote", "within 60 days") == shop.evidence


def test_resolve_prints_verdict_statement_and_quote(shop: Shop) -> None:
    ran = shop.run("resolve", shop.claim, "-f", "purchase_date=2026-07-02", "--as", "support-bot")
    assert ran.out.splitlines() == [
        f"{shop.claim}  citable -> show",
        "  Goods bought from June on may be returned within 60 days.",
        f'  "within 60 days" -- Returns policy, 12 [{shop.evidence}]',
    ]


@pytest.mark.parametrize(
    ("given", "status"),
    [
        (["-f", "purchase_date=2026-07-02"], 0),
        (["-f", "purchase_date=2026-07-02", "--require", "citable"], 0),
        (["-f", "purchase_date=2026-04-12"], 0),
        (["-f", "purchase_date=2026-04-12", "--require", "citable"], 1),
        (["-f", "purchase_date=2026-04-12", "--require", "not_yet"], 0),
        (["--require", "citable"], 1),
        (["--require", "citeable"], 2),
    ],
)
def test_resolve_fails_on_a_verdict_only_where_one_is_required(
    shop: Shop, given: list[str], status: int
) -> None:
    assert shop.run("resolve", shop.claim, *given).status == status


def test_resolve_decides_alike_from_memory_and_by_sparql(shop: Shop) -> None:
    given = ("resolve", shop.claim, "-f", "purchase_date=2026-07-02", "--as", "support-bot", "--reader")
    from_memory, by_sparql = shop.run(*given, "memory"), shop.run(*given, "sparql")
    assert (by_sparql.out, by_sparql.err) == (from_memory.out, "")
    assert by_sparql.out.startswith(f"{shop.claim}  citable")


def test_resolve_says_what_to_give_where_a_fact_is_missing(shop: Shop) -> None:
    ran = shop.run("resolve", shop.claim)
    assert ran.out.splitlines() == [
        f"{shop.claim}  unknown (purchase_date is missing) -> ask",
        "  ask, and give -f purchase_date=VALUE",
    ]


def test_resolve_says_how_to_settle_what_nobody_stated(new_command: Callable[[], Command]) -> None:
    run = new_command()
    run.made("init", "--fact", "sent=date")
    source = run.made("source", "--native", "a", "--title", "A")
    revision = run.made("revision", source, "-", "--label", "1", "--media-type", "text/plain", stdin="Yes.")
    evidence = run.made("evidence", revision, "--quote", "Yes.")
    out = " ".join(run("resolve", evidence, "-f", "sent=2026-07-02").out.split())
    assert "unknown (sent is not considered) -> ask" in out
    assert "nobody said whether it depends on sent: state its scope, or that it is --indifferent-to it" in out


def test_resolve_says_what_decided_and_what_to_derive_from(shop: Shop) -> None:
    ran = shop.run("resolve", shop.claim, "-f", "purchase_date=2026-04-12", "--json")
    [slot] = json.loads(ran.out)
    assert (slot["verdict"], slot["decided_by"], slot["statement"]) == ("not_yet", "purchase_date", None)
    assert len(slot["candidates"]) == 1


def test_options_of_every_command_may_stand_before_its_name(shop: Shop) -> None:
    before = shop.run("--as", "stranger", "--json", "resolve", shop.claim)
    assert json.loads(before.out)[0]["verdict"] == "withheld"


def test_the_agent_may_come_from_the_environment(shop: Shop) -> None:
    ran = shop.run("resolve", shop.claim, environment={"PROV_LEDGER_AGENT": "stranger"})
    assert ran.out == f"{shop.claim}  withheld -> search"


def test_a_packet_is_rendered_for_its_reader(shop: Shop) -> None:
    assert shop.claim in shop.run("packet", shop.reminder, "--as", "support-bot").out
    assert shop.claim not in shop.run("packet", shop.reminder, "--as", "stranger").out


def test_a_thread_is_resolved_for_its_readers_alone(shop: Shop) -> None:
    july = ("-f", "purchase_date=2026-07-02")
    assert shop.run("thread", "chat-7", *july).out.startswith(f"{shop.claim}  citable -> show")
    assert shop.run("thread", "chat-7", *july, "--as", "stranger").err.startswith("error [unknown_id]: ")


def test_changes_tell_which_claims_of_a_thread_have_fallen(tmp_path: Path) -> None:
    run = Command(tmp_path / "ledger")
    run.made("init")
    source = run.made("source", "--native", "n", "--title", "T")
    page = run.made("revision", source, "-", "--label", "1", stdin="One.")
    evidence = run.made("evidence", page, "--quote", "One")
    claim = run.made("claim", "It is one.", "--support", evidence, "--kind", "quote", "--question", "Which?")
    run.made("remind", claim, "--budget", "100", "--thread", "t")
    before = json.loads(run("sparql", "-q", "SELECT ?at { ?c a pl:Claim ; pl:recordedAt ?at }", "--json").out)
    since = before["results"]["bindings"][0]["at"]["value"]
    assert run("changes", "t", "--since", since).out == ""
    run.made("retract", claim)
    assert run("changes", "t", "--since", since).out == f"{claim}  citable -> retracted"


def test_an_account_of_a_claim_fits_80_columns(shop: Shop) -> None:
    lines = shop.run("explain", shop.claim).out.splitlines()
    assert max(map(len, lines)) <= 80
    assert any(line.startswith("checks: permission passed, integrity passed, ") for line in lines)


def test_show_gives_the_state_of_a_day(shop: Shop) -> None:
    ran = shop.run("show", "wiki:returns", "--json")
    shown = json.loads(ran.out)
    assert (shown["revision"], shown["label"]) == (shop.new, "12")
    assert shown["text"] == "Goods may be returned within 60 days.\n"


def test_show_raw_gives_exactly_the_bytes(shop: Shop) -> None:
    assert shop.run("show", shop.old, "--raw").data == b"Goods may be returned within 30 days.\n"


def test_bytes_that_are_no_text_come_back_too(tmp_path: Path) -> None:
    run = Command(tmp_path / "ledger")
    run.made("init")
    picture = tmp_path / "logo.png"
    picture.write_bytes(bytes(range(256)))
    source = run.made("source", "--native", "logo", "--title", "Logo")
    revision = run.made("revision", source, str(picture), "--label", "1")
    assert run("show", revision, "--raw").data == bytes(range(256))
    assert "(not text; --raw gives the bytes)" in run("show", revision).out


QUERY = "SELECT ?claim ?at { ?claim a pl:Claim ; pl:recordedAt ?at } ORDER BY ?claim"


def test_sparql_prints_a_table(shop: Shop) -> None:
    header, row = shop.run("sparql", "-q", QUERY).out.splitlines()
    assert header.split() == ["claim", "at"]
    assert row.split()[0] == shop.claim


def test_sparql_joins_text_for_a_reader_who_may_see_it(shop: Shop) -> None:
    ran = shop.run("sparql", "-q", QUERY, "--text", "claim", "--format", "csv")
    [row] = csv.DictReader(io.StringIO(ran.out))
    assert row["claim"].endswith(shop.claim)
    assert row["claim_text"] == "Goods bought from June on may be returned within 60 days."


def test_sparql_prints_json_results(shop: Shop) -> None:
    results = json.loads(shop.run("sparql", "-q", QUERY, "--json").out)
    assert results["head"]["vars"] == ["claim", "at"]
    [binding] = results["results"]["bindings"]
    assert binding["at"]["datatype"].endswith("#dateTime")


def test_sparql_prints_turtle_that_reads_back(shop: Shop) -> None:
    rdflib = pytest.importorskip("rdflib")
    construct = "CONSTRUCT { ?c a pl:Claim ; pl:recordedAt ?at } WHERE { ?c a pl:Claim ; pl:recordedAt ?at }"
    ran = shop.run("sparql", "-q", construct, "--format", "turtle")
    graph = rdflib.Graph().parse(data=ran.out, format="turtle")
    assert len(graph) == 2


def test_sparql_answers_a_question(shop: Shop) -> None:
    assert shop.run("sparql", "-q", "ASK { ?c a pl:Claim }").out == "true"


def test_a_query_may_come_from_a_file(shop: Shop, tmp_path: Path) -> None:
    file = tmp_path / "query.rq"
    file.write_text(QUERY)
    assert shop.claim in shop.run("sparql", "--query-file", str(file)).out
    assert shop.claim in shop.run("sparql", "--query-file", "-", stdin=QUERY).out


def test_the_library_is_listed_and_each_query_runs_by_name(shop: Shop) -> None:
    listed = json.loads(shop.run("sparql", "--list", "--json").out)
    assert len(listed) >= 10
    assert "rests_on" in {query["name"] for query in listed}
    ran = shop.run("sparql", "--name", "rests_on", "-p", f"node={shop.new}", "--format", "csv")
    assert ran.status == 0, ran.err
    assert shop.claim in ran.out
    assert shop.claim not in shop.run("sparql", "--name", "rests_on", "-p", f"node={shop.old}").out


def test_the_whole_is_valid_before_and_after_a_rebuild(shop: Shop) -> None:
    for verb in ("verify", "validate", "rebuild", "verify"):
        ran = shop.run(verb)
        assert ran.status == 0, ran.out + ran.err
    assert json.loads(shop.run("verify", "--json").out)["findings"] == []


def test_a_correction_a_retraction_and_a_contradiction(tmp_path: Path) -> None:
    run = Command(tmp_path / "ledger")
    run.made("init")
    source = run.made("source", "--native", "n", "--title", "T")
    page = run.made("revision", source, "-", "--label", "1", stdin="One. Two. Three.")
    one, two = (run.made("evidence", page, "--quote", quote) for quote in ("One", "Two"))
    asked = ("--kind", "quote", "--question", "Which?")
    first = run.made("claim", "It is one.", "--support", one, *asked)
    other = run.made("claim", "It is two.", "--support", one, "--support", two, *asked)
    run.made("contradict", first, other)
    second = run.made("supersede", first, "It is not one.", "--support", two, *asked, "--reason", "misread")
    [slot] = json.loads(run("resolve", first, "--json").out)
    assert (slot["verdict"], slot["superseded_by"]) == ("superseded", second)
    run.made("retract", second, "--reason", "neither")
    slots = json.loads(run("resolve", first, second, "--json").out)
    assert [slot["verdict"] for slot in slots] == ["retracted", "retracted"]


def test_grants_groups_and_denials(tmp_path: Path) -> None:
    run = Command(tmp_path / "ledger")
    run.made("init")
    source = run.made("source", "--native", "n", "--title", "T", "--collection", "handbook")
    page = run.made("revision", source, "-", "--label", "1", stdin="One.")
    evidence = run.made("evidence", page, "--quote", "One")

    def verdict(*options: str) -> str:
        ran = run("resolve", evidence, "--as", "ida", "--json", *options)
        return str(json.loads(ran.out)[0]["verdict"])

    run.made("grant", "group:staff", "collection:handbook", "--for", "training")
    run.made("member", "ida", "group:staff")
    assert (verdict(), verdict("--purpose", "training")) == ("withheld", "citable")
    run.made("deny", source, "--reason", "complaint")
    assert verdict("--purpose", "training") == "withheld"
    run.made("allow", source, "--reason", "settled")
    assert verdict("--purpose", "training") == "citable"
    run.made("member", "ida", "group:staff", "--left")
    assert verdict("--purpose", "training") == "withheld"


def test_tenants_of_one_ledger_are_apart(tmp_path: Path) -> None:
    run = Command(tmp_path / "ledger")
    run.made("init")
    run.made("init", "--tenant", "south")
    source = run.made("source", "--native", "n", "--title", "T", "--tenant", "south")
    assert run("show", source).err.startswith("error [unknown_id]: ")


def test_sync_of_a_folder_takes_what_is_new_only(tmp_path: Path) -> None:
    run = Command(tmp_path / "ledger")
    run.made("init")
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "returns.md").write_text("# Returns\n")
    first = json.loads(run("sync", "files", str(folder), "--json").out)
    again = json.loads(run("sync", "files", str(folder), "--json").out)
    assert (first["revisions"], again["revisions"]) == (1, 0)
    assert run("show", "returns.md", "--raw").data == b"# Returns\n"


def test_sync_of_a_git_history_gives_the_bytes_of_any_day(tmp_path: Path) -> None:
    run, repository = Command(tmp_path / "ledger"), tmp_path / "repository"
    run.made("init")

    def git(*arguments: str, day: str = "2026-01-01") -> None:
        dates = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), f"{day}T12:00:00Z")
        who = ["-c", "user.name=Ida", "-c", "user.email=ida@example.org"]
        words = ["git", "-C", str(repository), *who, *arguments]
        subprocess.run(words, env=dates, check=True, capture_output=True)

    repository.mkdir()
    git("init", "--initial-branch", "main")
    for day, text in (("2026-01-10", "thirty\n"), ("2026-06-10", "sixty\n")):
        (repository / "returns.md").write_text(text)
        git("add", ".")
        git("commit", "-m", text, day=day)
    ran = run("sync", "git", str(repository), "--branch", "main")
    assert ran.out == "1 new sources, 2 revisions"
    assert run("sync", "git", str(repository), "--branch", "main").out == "nothing new"
    assert run("show", "returns.md", "--on", "2026-03-01", "--raw").data == b"thirty\n"
    assert run("show", "returns.md", "--on", "2026-06-10", "--raw").data == b"sixty\n"


def test_progress_is_shown_on_a_terminal_and_stays_out_of_logs(tmp_path: Path) -> None:
    run, folder = Command(tmp_path / "ledger"), tmp_path / "pages"
    run.made("init")
    folder.mkdir()
    (folder / "a.md").write_text("A.\n")
    terminal = _errors_on_a_terminal(run, "sync", "files", str(folder))
    assert "1/1" in terminal
    (folder / "b.md").write_text("B.\n")
    assert run("sync", "files", str(folder)).err == ""


def _errors_on_a_terminal(run: Command, *arguments: str) -> str:
    main, other = pty.openpty()
    environment = os.environ | {"PROV_LEDGER_PATH": str(run.ledger), "TERM": "xterm", "COLUMNS": "80"}
    words = [sys.executable, "-m", "prov_ledger", *arguments]
    done = subprocess.run(words, stderr=other, stdout=subprocess.PIPE, env=environment, check=True)
    os.close(other)
    shown = os.read(main, 1 << 16).decode()
    os.close(main)
    assert b"1 revisions" in done.stdout
    return shown


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    ledger = tmp_path_factory.mktemp("demo") / "untouched"
    ran = Command(ledger)("demo")
    assert (ran.status, ledger.exists()) == (0, False)
    return ran


def test_the_demo_fits_one_page_of_80_columns(demo: Ran) -> None:
    lines = demo.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 70


def test_the_demo_decides_each_question_beside_what_the_summary_says(demo: Ran) -> None:
    answers = re.findall(r"^    (summary alone|ledger): ([A-Z_]+|.)", demo.out, re.MULTILINE)
    assert [who for who, _ in answers] == ["summary alone", "ledger"] * 8
    decided = [verdict for who, verdict in answers if who == "ledger"]
    by_date = ["CITABLE", "NOT_YET", "UNKNOWN", "UNKNOWN"]
    assert decided == [*by_date, "SUPERSEDED", "WITHHELD", "WITHHELD", "WRONG_TITLE"]


def test_the_demo_gives_no_word_of_what_is_withheld_after_the_boundary(demo: Ran) -> None:
    _, _, after = demo.out.partition(" compaction ")
    decided = "\n".join(line for line in after.splitlines() if not line.startswith("    summary alone:"))
    assert "90 days" not in decided
    assert "collected" not in decided


@pytest.mark.parametrize(
    ("steps", "status"),
    [
        ("[{do: verify, expect: valid}]", 0),
        ("[{do: verify, expect: corrupt}]", 1),
        ("[{do: verify, expect: perhaps}]", 2),
        ("[{do: sweep}, {do: verify, expect: valid}]", 0),
        ("[{do: verify, expect: corrupt}, {do: sweep}]", 1),
    ],
)
def test_eval_ends_with_a_status_that_says_which(tmp_path: Path, steps: str, status: int) -> None:
    file = tmp_path / "story.yaml"
    file.write_text(f"scenario: s\nsteps: {steps}\n")
    run = Command(tmp_path / "untouched")
    ran = run("eval", str(file), "--json")
    assert (ran.status, json.loads(ran.out)["exit_status"]) == (status, status)


def test_eval_runs_what_is_a_scenario_and_names_what_is_none(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("steps: [{do: verify, expect: valid}, {do: fly}]")
    (tmp_path / "b.yaml").write_text("steps: [{do: verify, expect: valid}]")
    ran = Command(tmp_path / "untouched")("eval", str(tmp_path))
    first, last = ran.out.splitlines()
    assert first.startswith(f"no scenario: {tmp_path}/a.yaml step 2: unknown step 'fly'")
    assert last == "1 scenarios: 1 expectations hold, 0 failed, 0 not supported yet"
    assert ran.status == 2
