"""Stored text never steers the terminal; what a program reads is exact."""

import json
from collections.abc import Callable

import pytest
from cli_process import Command, Shop

from prov_ledger.checks.packet import flat
from prov_ledger.cli.render import table_lines, visible, visible_page, wrapped
from prov_ledger.cli.results import format_answer
from prov_ledger.rdf.terms import Iri, string
from prov_ledger.store.port import Triples

RED = "\x1b[31m"
PAGE = f"Goods\tmay be {RED}returned\x9b within\x07 60 days.\n"


@pytest.fixture(scope="module")
def hostile(new_command: Callable[[], Command]) -> Shop:
    run = new_command()
    run.made("init")
    source = run.made("source", "--native", "wiki:r", "--title", f"Returns {RED}policy")
    new = run.made(
        *("revision", source, "-", "--label", f"1{RED}2", "--media-type", "text/plain"),
        *("--scope", "question_date: open..open"),
        stdin=PAGE,
    )
    evidence = run.made("evidence", new, "--quote", PAGE.strip())
    claim = run.made(
        *("claim", f"Sixty{RED}\x9d days.", "--support", evidence, "--kind", "quote"),
        *("--question", "How long?"),
    )
    reminder = json.loads(run("remind", claim, "--budget", "300", "--json").out)["id"]
    return Shop(run, source, new, new, evidence, claim, reminder)


def _controls(text: str) -> set[str]:
    return {c for c in text if ord(c) < 32 or 127 <= ord(c) < 160} - {"\n"}


@pytest.mark.parametrize("verb", ["resolve", "explain", "find", "packet"])
def test_text_for_people_holds_no_control_character(hostile: Shop, verb: str) -> None:
    asked = {"find": "goods days", "packet": hostile.reminder}.get(verb, hostile.claim)
    ran = hostile.run(verb, asked)
    assert ran.status == 0, ran.err
    assert not _controls(ran.out)
    assert (r"\x1b" in ran.out) == (verb != "packet")


def test_a_page_keeps_its_lines_and_tabs_alone(hostile: Shop) -> None:
    out = hostile.run("show", hostile.source).out
    assert _controls(out) == {"\t"}
    assert "Goods\tmay be \\x1b[31mreturned\\x9b within\\x07 60 days.\n" in out


def test_what_a_program_reads_is_exact(hostile: Shop) -> None:
    assert hostile.run("show", hostile.source, "--raw").data == PAGE.encode()
    assert json.loads(hostile.run("show", hostile.source, "--json").out)["text"] == PAGE
    [slot] = json.loads(hostile.run("resolve", hostile.claim, "--json").out)
    assert slot["statement"] == f"Sixty{RED}\x9d days."


def test_a_failure_escapes_what_it_repeats(hostile: Shop) -> None:
    ran = hostile.run("revision", hostile.source, f"no{RED}where.md", "--label", "1")
    assert r"no\x1b[31mwhere.md" in ran.err
    assert not _controls(ran.err)


def test_each_shape_of_text_is_escaped() -> None:
    assert visible("a\nb\t\x7f\x85c") == r"a\x0ab\x09\x7f\x85c"
    assert visible_page("a\r\nb\rc\td\x1b") == "a\r\nb\\x0dc\td\\x1b"
    assert wrapped("a\nb\x1bc", 40) == [r"  a b\x1bc"]
    assert list(table_lines(["x"], [["a\nb\x9b"]], 40))[1] == r"a b\x9b"
    answer = Triples(((Iri("urn:x:a"), Iri("urn:x:b"), string("c\x9bd")),))
    assert r'"c\u009Bd"' in "\n".join(format_answer(answer, "turtle", 80))
    assert flat("a\x1b[31m\nb `\x00`` \x9b") == "a[31m b '''"
