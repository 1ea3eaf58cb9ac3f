"""A long answer takes its reader's own time, and nobody else's; and not the square of its length."""

import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from prov_ledger import Ledger
from prov_ledger.checks.answer.gate import Citable, Gate, Passage, parse_answer
from prov_ledger.ledger.answering import CheckedAnswer
from prov_ledger.model.ids import mint_id

QUOTE = "Goods may be returned within 60 days, from 2026-01-02."
ID = mint_id("cl")
#: Seconds of this thread: some times what it takes, and a small part of what the square of the length took.
LIMIT_S = 8.0


def _faults(text: str, passage: str, titles: dict[str, frozenset[str]]) -> tuple[set[str], float]:
    began = time.thread_time()
    draft = parse_answer(text).draft({})
    citable = Citable(ID, "citable", "60 days.", (Passage(passage, "src_x"),))
    found = Gate(draft, {ID: citable}, titles).faults()
    return set(found.values()), time.thread_time() - began


@pytest.mark.parametrize(
    ("unit", "length", "passage", "code"),
    [
        ("1.2.2026 ", 150_000, QUOTE, "value_not_in_evidence"),
        ("2026-01-02 ", 150_000, QUOTE, None),
        ("May 3 2026 ", 150_000, QUOTE, "value_not_in_evidence"),
        ("a1 ", 150_000, QUOTE, "value_not_in_evidence"),
        ("a ", 60_000, QUOTE, None),
        ("Refund Policy ", 150_000, QUOTE, None),
        ('"60 days a" ', 150_000, "within 60 days a", None),
        (f"60 days [{ID}]. ", 40_000, "60 days, " * 20_000, None),
        (f'"60 days z" [{ID}]. ', 40_000, "60 days, " * 20_000, "quote_not_in_evidence"),
    ],
    ids=["dates", "held", "months", "codes", "titles", "own", "quoted", "markers", "quotations"],
)
def test_what_an_answer_takes_grows_as_its_length(
    unit: str, length: int, passage: str, code: str | None
) -> None:
    titles = {"a": frozenset({"src_y"}), "Refund Policy": frozenset({"src_x"})}
    codes, seconds = _faults(unit * (length // len(unit)) + f"[{ID}].", passage, titles)
    assert code is None or codes == {code}
    assert seconds < LIMIT_S


@pytest.mark.parametrize("told", ["1 EUR", "31 days", "2026-07-02", "2027", "July 2026", "x7"])
def test_one_value_among_thousands_of_a_passage_bears_out(told: str) -> None:
    days = [f"2026-{month:02d}-{day:02d}" for month in range(1, 13) for day in range(1, 29)]
    passage = "; ".join((*(f"{n} days" for n in range(2, 2000)), *days, "x7", "1.00 EUR"))
    codes, _ = _faults(f"It is {told} [{ID}].", passage, {})
    assert codes == (set() if told != "2027" else {"value_not_in_evidence"})


class _Clock:
    """The time of day, and an event for when it was asked for."""

    def __init__(self) -> None:
        self.asked = threading.Event()

    def __call__(self) -> datetime:
        self.asked.set()
        return datetime.now(UTC)


class _Checking(threading.Thread):
    """A long answer that is checked beside the test."""

    def __init__(self, ledger: Ledger, claim: str) -> None:
        super().__init__()
        self._ledger, self._text = ledger, "It is 60, 60 days; " * 10_000 + f"[{claim}]."
        self.checked: CheckedAnswer | None = None

    def run(self) -> None:
        self.checked = self._ledger.check_answer(self._text, principal="bot")


@pytest.fixture
def clock() -> _Clock:
    return _Clock()


@pytest.fixture
def ledger(tmp_path: Path, clock: _Clock) -> Iterator[Ledger]:
    with Ledger.init(tmp_path / "ledger", clock=clock, reader="memory") as ledger:
        yield ledger


def _claimed(ledger: Ledger) -> tuple[str, str]:
    source = ledger.source(native="returns", title="Returns")
    evidence = ledger.evidence(ledger.revision(source, data=QUOTE, label="1"), quote=QUOTE)
    question = {"text": "How long?", "facts": {}}
    how = {"kind": "quote"}
    claim = ledger.claim(says="60 days.", support=[evidence], transformation=how, question=question)
    ledger.grant("bot", source)
    return source, claim


def test_others_read_while_a_long_answer_is_checked(ledger: Ledger) -> None:
    _, claim = _claimed(ledger)
    checking = _Checking(ledger, claim)
    checking.start()
    read = 0
    while checking.is_alive():
        read += ledger.resolve([claim], principal="bot")[0].verdict == "citable"
    checking.join()
    assert checking.checked is not None
    assert checking.checked.allowed
    assert read >= 10


def test_what_was_taken_away_while_a_long_answer_was_checked_is_not_shown(
    ledger: Ledger, clock: _Clock
) -> None:
    source, claim = _claimed(ledger)
    checking = _Checking(ledger, claim)
    clock.asked.clear()
    checking.start()
    clock.asked.wait()
    ledger.revoke("bot", source)
    revoked_meanwhile = checking.is_alive()
    checking.join()
    assert revoked_meanwhile
    assert checking.checked is not None
    assert checking.checked.codes == ("not_citable:withheld",)
    assert checking.checked.text == ""
