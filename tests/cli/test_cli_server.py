"""Commands speak to a service: the same lines come out as from the ledger itself."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_process import Command
from served_ledgers import serving

from prov_ledger import Ledger
from prov_ledger.service.api_keys import ApiKeys


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str, str]]:
    folder = tmp_path_factory.mktemp("shop") / "ledger"
    with Ledger.init(folder, facts={"purchase_date": "date"}) as ledger:
        curator = str(ledger.find_agent("curator"))
    keys = ApiKeys(folder)
    token = keys.create("default", curator)[1]
    keys.close()
    with serving(folder) as address:
        yield folder, address, token


@pytest.fixture
def afar(shop: tuple[Path, str, str], tmp_path: Path) -> Command:
    return Command(tmp_path / "nothing-here")


def test_a_claim_is_made_and_resolved_through_a_service(afar: Command, shop: tuple[Path, str, str]) -> None:
    folder, address, token = shop
    there = {"PROV_LEDGER_SERVER": address, "PROV_LEDGER_TOKEN": token}

    def run(*words: str, stdin: str = "") -> str:
        ran = afar(*words, environment=there, stdin=stdin)
        assert (ran.status, ran.err) == (0, "")
        return ran.out.strip()

    source = run("source", "--native", "wiki:returns", "--title", "Returns policy")
    revision = run("revision", source, "-", "--label", "12", "--media-type", "text/plain", stdin="60 days.\n")
    evidence = run("evidence", revision, "--quote", "60 days")
    resolved = run("resolve", evidence)
    with Ledger.open(folder) as ledger:
        assert ledger.resolve([evidence])[0].verdict == "citable"
    assert resolved.startswith(f"{evidence}  citable -> show")


def test_a_refusal_has_the_same_code_and_exit_status(afar: Command, shop: tuple[Path, str, str]) -> None:
    _, address, token = shop
    there = {"PROV_LEDGER_TOKEN": token}
    ran = afar("--server", address, "explain", "cl_0000000000000000ab", environment=there)
    assert (ran.status, ran.err.partition("]")[0]) == (2, "error [malformed_id")


def test_without_a_token_nobody_is_let_in(afar: Command, shop: tuple[Path, str, str]) -> None:
    ran = afar("--server", shop[1], "resolve", "ev_x")
    assert (ran.status, ran.err.partition("]")[0]) == (5, "error [unauthenticated")


def test_an_empty_token_is_said_to_be_empty(afar: Command, shop: tuple[Path, str, str]) -> None:
    ran = afar("--server", shop[1], "list", "sources", environment={"PROV_LEDGER_TOKEN": ""})
    assert (ran.status, ran.err.partition(":")[0]) == (2, "error [bad_input]")
    assert "the token is empty" in ran.err


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--role", "admin"), "its roles: agent, analyst"),
        (("--until", "2020-01-01T00:00:00Z"), "is over"),
    ],
)
def test_a_key_that_could_do_nothing_is_not_made(
    shop: tuple[Path, str, str], options: tuple[str, str], why: str
) -> None:
    run = Command(shop[0])
    run.made("agent", "ben", "--role", "agent", "--role", "analyst")
    ran = run("key", "create", "ben", *options)
    assert (ran.status, ran.out, ran.err.partition(":")[0]) == (2, "", "error [bad_input]")
    assert why in ran.err
    assert run("key", "create", "ben", "--role", "analyst", "--until", "2999-01-01T00:00:00Z").status == 0


@pytest.mark.parametrize(
    "words",
    [
        ("--as", "amira", "resolve", "ev_x"),
        ("resolve", "ev_x", "--reader", "sparql"),
        ("init",),
        ("key", "list"),
        ("sync", "files", "."),
        ("serve",),
    ],
    ids=" ".join,
)
def test_what_a_service_decides_or_cannot_do_is_refused(afar: Command, words: tuple[str, ...]) -> None:
    ran = afar(*words, environment={"PROV_LEDGER_SERVER": "http://127.0.0.1:9"})
    assert ran.err.partition("]")[0] in ("error [bad_input", "error [not_supported", "error [busy")
