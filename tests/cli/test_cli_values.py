"""Compact spellings of the command line mean what the ledger takes."""

from decimal import Decimal
from pathlib import Path

import pytest

from prov_ledger.cli.values import parse_pairs, parse_row, parse_scope_option
from prov_ledger.errors import Refused


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("d: 2026-06-01..2027-01-01", {"from": "2026-06-01", "until": "2027-01-01"}),
        ("d: 2026-06-01..open", {"from": "2026-06-01", "until": "open"}),
        ("d: ..2026-06-01", {"until": "2026-06-01"}),
        ("d: open..unknown", {"from": "open", "until": "unknown"}),
        ("d: 2026-03-08T05:00:00Z..open", {"from": "2026-03-08T05:00:00Z", "until": "open"}),
        ("d: 100..200.5", {"min": "100", "max": "200.5"}),
        ("d: -5..", {"min": "-5"}),
        ("d: >=100 <200", {"min": "100", "below": "200"}),
        ("d: > 0, <= 20", {"above": "0", "max": "20"}),
        ("d: DE, FR", {"in": ["DE", "FR"]}),
        ("d: 88-1417", {"in": ["88-1417"]}),
        ("d: a:b", {"in": ["a:b"]}),
    ],
)
def test_a_condition(text: str, condition: dict[str, object]) -> None:
    assert parse_scope_option([text]) == [{"fact": "d", **condition}]


def test_a_scope_may_be_yaml_or_a_file(tmp_path: Path) -> None:
    file = tmp_path / "scope.yaml"
    file.write_text("- {fact: region, in: [NO, SE]}\n")
    expected = [{"fact": "region", "in": ["NO", "SE"]}]
    assert parse_scope_option(["[{fact: region, in: [NO, SE]}]"]) == expected
    assert parse_scope_option(['{"fact": "region", "in": ["NO", "SE"]}']) == expected
    assert parse_scope_option([f"@{file}"]) == expected


def test_no_condition_is_no_scope() -> None:
    assert parse_scope_option([]) is None


@pytest.mark.parametrize("text", ["purchase_date", "purchase_date:", ": 1..2"])
def test_a_malformed_condition_is_refused(text: str) -> None:
    with pytest.raises(Refused, match=r"--scope expects 'FACT: FROM\.\.UNTIL'") as caught:
        parse_scope_option([text])
    assert caught.value.code == "bad_scope"


def test_pairs_keep_everything_after_the_first_sign() -> None:
    assert parse_pairs(["a=b=c", "n = 1 "], "-f") == {"a": "b=c", "n": "1"}


def test_a_mapping_may_stand_among_pairs() -> None:
    assert parse_pairs(['{"total": 99.50, "region": "NO"}', "a=1"], "-f") == {
        "total": Decimal("99.50"),
        "region": "NO",
        "a": "1",
    }


@pytest.mark.parametrize("pair", ["total", "=1", "{total"])
def test_malformed_pairs_are_refused(pair: str) -> None:
    with pytest.raises(Refused) as caught:
        parse_pairs([pair], "-f")
    assert caught.value.code == "bad_input"


@pytest.mark.parametrize(
    ("option", "code"), [("-f", "bad_fact"), ("--fact", "bad_fact"), ("--about", "bad_input")]
)
@pytest.mark.parametrize("second", ["total=11", "total=10", "{total: 11}"])
def test_a_name_that_is_given_twice_is_refused(option: str, code: str, second: str) -> None:
    with pytest.raises(Refused, match="total is given twice") as caught:
        parse_pairs(["total=10", second], option)
    assert caught.value.code == code


def test_a_row_is_a_number_or_a_key() -> None:
    assert parse_row("12") == 12
    assert parse_row("tier=plus, region=DE") == {"tier": "plus", "region": "DE"}


def test_a_malformed_row_is_refused() -> None:
    with pytest.raises(Refused, match="--row expects"):
        parse_row("plus")
