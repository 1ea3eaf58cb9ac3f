"""The command ``demo``: the story of the problem, in one screen of 80 columns."""

import tempfile
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from prov_ledger.cli.command import Commands
from prov_ledger.cli.session import Session
from prov_ledger.cli.story import (
    ASKED,
    BUDGET,
    CAPTURED,
    CHANGE,
    READER,
    StoryClock,
    Told,
    correct,
    new_ledger,
    tell,
)
from prov_ledger.ledger.ledger import Ledger
from prov_ledger.model.slots import Slot

WIDTH = 80

commands = Commands()


@dataclass(frozen=True, slots=True)
class Question:
    """One question after the compaction: how it reads, which claim of the packet it is put to, and why.

    ``why`` completes the verdict where the slot alone does not say which date it was.
    """

    text: str
    label: str
    id: str
    facts: Mapping[str, object]
    why: str = ""


@commands.add("demo", example="prov-ledger demo")
def demo(session: Session) -> None:
    """Tell the story of the problem in one screen.

    In a ledger of its own, which is gone afterwards.
    """
    clock = StoryClock()
    with tempfile.TemporaryDirectory(prefix="prov-ledger-demo-") as folder, _ledger(folder, clock) as ledger:
        told = tell(ledger)
        packet = ledger.packet(told.reminder, principal=READER)
        clock.now = ASKED
        questions = _questions(told, correct(ledger, told))
        slots = [_ask(ledger, question) for question in questions]
        quotes = _quotes(ledger, slots)
    lines = (*_before(packet.text, packet.tokens), *_after(questions, slots, quotes))
    session.emit({"packet": packet, "slots": slots}, lines)


def _ledger(folder: str, clock: StoryClock) -> Ledger:
    return new_ledger(Path(folder) / "ledger", clock)


def _questions(told: Told, successor: str) -> tuple[Question, ...]:
    july, april = {"purchase_date": "2026-07-02"}, {"purchase_date": "2026-04-12"}
    begins, no_period = f"the rule begins {CHANGE}", "nobody gave the page a period"
    return (
        Question("I bought it on 2 July. How long may I return it?", "c1", told.sixty_days, july),
        Question("I bought it on 12 April. How long may I return it?", "c1", told.sixty_days, april, begins),
        Question("How long may I return it?", "c1", told.sixty_days, {}),
        Question("Is my zip mended for free?", "c2", told.zip, {}),
        Question("I bought it on 12 April. Is my zip mended for free?", "c2", told.zip, april, no_period),
        Question("I bought it on 2 July. Who pays the postage?", "c3", told.postage, july),
        Question("I bought it on 2 July. Who pays the postage?", "the correction of c3", successor, july),
    )


def _ask(ledger: Ledger, question: Question) -> Slot:
    return ledger.resolve([question.id], principal=READER, facts=question.facts)[0]


def _quotes(ledger: Ledger, slots: list[Slot]) -> dict[str, str]:
    """The quotes of the candidates, each with where it stands, by id."""
    ids = list(dict.fromkeys(candidate.id for slot in slots for candidate in slot.candidates))
    found: dict[str, str] = {}
    for id_ in ids:
        for facts in ({"purchase_date": "2026-04-12"}, {"purchase_date": "2026-07-02"}):
            for citation in ledger.resolve([id_], principal=READER, facts=facts)[0].quotes:
                found[id_] = f'"{citation.quote}" ({citation.title}, {citation.label})'
    return found


def _before(packet: str, tokens: int) -> Iterator[str]:
    yield f"Two policies of a shop, captured on {CAPTURED.date()} (texts: examples/demo)"
    yield f'  Returns policy, version 11   "within 30 days"  if bought before {CHANGE}'
    yield f'  Returns policy, version 12   "within 60 days"  if bought from {CHANGE} on'
    yield '  Repairs                      "free of charge"  nobody stated a period'
    yield ""
    yield "An agent concluded three things, each with its evidence. Then its context was"
    yield f"compacted. This reminder is all that is left of it ({tokens} of {BUDGET} tokens):"
    for line in packet.splitlines():
        yield from textwrap.wrap(line, WIDTH, initial_indent="  ", subsequent_indent="    ")
    yield f"{' compaction ':-^{WIDTH}}"
    yield f"{ASKED.date()}: what may be said now? Every id is resolved before anything is shown."


def _after(
    questions: tuple[Question, ...], slots: list[Slot], quotes: Mapping[str, str]
) -> Iterator[str]:
    for number, (question, slot) in enumerate(zip(questions, slots, strict=True), 1):
        yield ""
        yield f"{number}. {question.text} [{question.label}]"
        yield from textwrap.wrap(
            f"{slot.verdict.upper()}: {_reason(question, slot, quotes)}",
            WIDTH,
            initial_indent="   ",
            subsequent_indent="      ",
        )


def _reason(question: Question, slot: Slot, quotes: Mapping[str, str]) -> str:
    parts = [f'"{citation.quote}" ({citation.title}, {citation.label})' for citation in slot.quotes]
    if slot.same_question and slot.quotes:
        parts.append("made for these facts")
    if slot.assumed_open and slot.last_confirmed:
        parts.append(f"no end stated, last confirmed {slot.last_confirmed.date()}")
    if slot.decided_by:
        parts.append(f"decided by {slot.decided_by}")
    parts += [f"{name} is missing, so ask" for name in slot.missing]
    parts += [f"the page does not look at {name}, so ask" for name in slot.unconsidered]
    if slot.superseded_by:
        parts.append("a correction replaced it")
    if question.why:
        parts.append(question.why)
    if slot.candidates:
        parts.append("derive anew from " + ", ".join(quotes.get(c.id, c.id) for c in slot.candidates))
    return "; ".join(parts)
