"""A blank name is a mistake to mend, never the agent that made the ledger nor a default."""

from pathlib import Path

import pytest
from cli_process import Shop

from prov_ledger.errors import Refused
from prov_ledger.ledger.ledger import Ledger


@pytest.mark.parametrize("blank", ["", " "], ids=["empty", "space"])
@pytest.mark.parametrize("option", ["--as", "--tenant", "--purpose", "--ledger", "--policies"])
def test_a_blank_option_is_refused_by_name(shop: Shop, option: str, blank: str) -> None:
    for arguments in (("resolve", shop.claim, option, blank), (option, blank, "resolve", shop.claim)):
        ran = shop.run(*arguments)
        assert ran.err.startswith(f"error [bad_input]: {option} is empty: ")
        assert (ran.status, ran.out) == (2, "")


@pytest.mark.parametrize("part", ["AGENT", "TENANT", "PATH", "POLICIES"])
def test_a_variable_that_is_set_but_empty_is_refused(shop: Shop, part: str) -> None:
    ran = shop.run("resolve", shop.claim, environment={f"PROV_LEDGER_{part}": ""})
    assert ran.err.startswith(f"error [bad_input]: PROV_LEDGER_{part} is empty: ")
    assert (ran.status, ran.out) == (2, "")


def test_an_option_counts_before_an_empty_variable(shop: Shop) -> None:
    for arguments in (
        ("resolve", shop.claim, "--as", "stranger"),
        ("--as", "stranger", "resolve", shop.claim),
    ):
        ran = shop.run(*arguments, environment={"PROV_LEDGER_AGENT": ""})
        assert ran.out == f"{shop.claim}  withheld -> search"


@pytest.mark.parametrize("blank", ["", " \t"], ids=["empty", "space"])
def test_a_blank_name_is_refused_in_python(tmp_path: Path, blank: str) -> None:
    Ledger.init(tmp_path / "ledger").close()
    for given in ({"agent": blank}, {"purpose": blank}):
        with pytest.raises(Refused, match="is empty") as refusal:
            Ledger.open(tmp_path / "ledger", **given)  # type: ignore[arg-type]
        assert refusal.value.code == "bad_input"
    with Ledger.open(tmp_path / "ledger") as ledger:
        attempts = (
            lambda: ledger.source(native="wiki:a", title="A", by=blank),
            lambda: ledger.source(native="wiki:a", title="A", purpose=blank),
            lambda: ledger.resolve([], principal=blank),
            lambda: ledger.resolve([], purpose=blank),
        )
        for attempt in attempts:
            with pytest.raises(Refused, match="is empty") as refusal:
                attempt()
            assert refusal.value.code == "bad_input"
        assert ledger.resolve([], principal=None) == []
        assert ledger.source(native="wiki:a", title="A", by=None)
