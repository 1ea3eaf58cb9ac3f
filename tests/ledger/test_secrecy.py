"""What can be erased, and what names people, stands in no leaf, no graph, no log and no message."""

import logging
from collections.abc import Callable
from pathlib import Path

import pytest

from prov_ledger import Ledger
from prov_ledger.errors import ProvLedgerError
from tests.ledger.worlds import FACTS, Clock

WORDS = [
    "native", "title", "label", "content", "quote", "statement", "question", "note", "reason", "agent",
    "group", "purpose", "collection", "thread", "order", "scoped", "prefix", "retraction", "denial", "reader",
]  # fmt: skip


def mark(word: str) -> str:
    """A text that stands nowhere but where it was put."""
    return f"zqx{word}zqx"


def filled(folder: Path) -> Ledger:
    """A ledger in which every erasable and personal field has its mark, and one clear code has one."""
    ledger = Ledger.init(folder, facts=FACTS, clock=Clock(), agent=mark("agent"))
    source = ledger.source(native=mark("native"), title=mark("title"), collection=mark("collection"))
    text = f"{mark('prefix')} {mark('quote')} {mark('content')}"
    scope = [{"fact": "order", "in": [mark("scoped")]}, {"fact": "region", "in": [mark("clear")]}]
    revision = ledger.revision(source, data=text, label=mark("label"), scope=scope)
    evidence = ledger.evidence(revision, quote=mark("quote"))
    ledger.member(mark("reader"), f"group:{mark('group')}")
    ledger.grant(f"group:{mark('group')}", source, for_purpose=mark("purpose"))
    claim = ledger.claim(
        says=mark("statement"),
        support=[evidence],
        transformation={"kind": "select", "note": mark("note")},
        question={"text": mark("question"), "facts": {"order": mark("order")}},
    )
    ledger.remind([claim], 300, thread=mark("thread"))
    parts = {
        "support": [evidence],
        "transformation": {"kind": "select"},
        "question": {"text": mark("question")},
    }
    newer = ledger.supersede(claim, says=mark("statement"), reason=mark("reason"), **parts)  # type: ignore[arg-type]
    ledger.retract(newer, reason=mark("retraction"))
    ledger.deny(source, mark("denial"))
    ledger.sparql("ASK { ?s ?p ?o }")
    return ledger


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Ledger:
    return filled(tmp_path_factory.mktemp("secret") / "ledger")


def found_in(data: bytes) -> list[str]:
    return [word for word in [*WORDS, "clear"] if mark(word).encode() in data]


def test_no_leaf_holds_a_text_but_the_clear_code(ledger: Ledger) -> None:
    leaves = b"".join(entry.leaf for entry in ledger._tenant.journal.entries())
    assert found_in(leaves) == ["clear"]


def test_the_graph_holds_no_text_but_the_clear_code(ledger: Ledger) -> None:
    assert found_in(b"".join(ledger._tenant.graph.current().dump())) == ["clear"]


def test_no_file_holds_a_text_but_the_clear_code(ledger: Ledger) -> None:
    folder = ledger._tenant.ledger
    ledger._tenant.graph.current().flush()
    files = [file for file in folder.rglob("*") if file.is_file()]
    assert {word for file in files for word in found_in(file.read_bytes())} == {"clear"}
    assert any(found_in(file.read_bytes()) for file in files if "graph" in file.parts)


CALLS: list[Callable[[Ledger], object]] = [
    lambda on: on.show(mark("native")),
    lambda on: on.source(native=mark("native"), title=mark("title")),
    lambda on: on.source(native=mark("native"), title=mark("title"), connector=mark("Bad Name")),
    lambda on: on.source(native=mark("native"), title=mark("title"), authority=mark("authority")),
    lambda on: on.agent(mark("agent"), [mark("role")]),
    lambda on: on.resolve([], facts={"order": [mark("order")]}),
    lambda on: on.resolve([], facts={"order": 7, mark("fact"): mark("order")}),
    lambda on: on.revoke(mark("reader"), f"collection:{mark('collection')}"),
    lambda on: on.member(mark("reader"), mark("group")),
    lambda on: on.remind([mark("statement")], 10),
    lambda on: on.claim(
        says=mark("statement"),
        support=[mark("quote")],
        transformation={mark("note"): 1},
        question={"text": mark("question")},
    ),
    lambda on: on.check(mark("native"), mark("reason")),
]


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_no_message_and_no_log_repeats_a_text(
    ledger: Ledger, caplog: pytest.LogCaptureFixture, number: int
) -> None:
    caplog.set_level(logging.DEBUG)
    with pytest.raises(ProvLedgerError) as refusal:
        CALLS[number](ledger)
    assert "zqx" not in refusal.value.message
    assert "zqx" not in caplog.text


def test_a_key_does_not_stand_in_any_file_of_the_tenant(ledger: Ledger) -> None:
    folder = ledger._tenant.ledger
    (key,) = (folder / "keys").glob("*.key")
    text = key.read_text().strip()
    for file in (folder / "tenants").rglob("*"):
        if file.is_file():
            data = file.read_bytes()
            assert text.encode() not in data
            assert bytes.fromhex(text) not in data
