"""The command ``demo``: the story of the problem on one page of 80 columns."""

import tempfile
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from prov_ledger.cli.command import Commands
from prov_ledger.cli.session import Session
from prov_ledger.cli.story import (
    ASKED,
    BUDGET,
    CAPTURED,
    CHANGE,
    CONCLUSIONS,
    READER,
    THREAD,
    StoryClock,
    Told,
    change,
    new_ledger,
    tell,
)
from prov_ledger.ledger.answering import CheckedAnswer
from prov_ledger.ledger.ledger import Ledger
from prov_ledger.model.slots import Citation, Slot

WIDTH = 80

commands = Commands()


@dataclass(frozen=True, slots=True)
class Question:
    """One question after the compaction, put to a claim by its number; ``why`` completes the verdict."""

    text: str
    claim: int
    facts: Mapping[str, object] = field(default_factory=dict)
    why: str = ""


_JULY, _APRIL = {"purchase_date": "2026-07-02"}, {"purchase_date": "2026-04-12"}
_FACTS = (_JULY, _APRIL)
_NOTHING = "no text and no reason, so search for other evidence"
CASES: tuple[tuple[str, tuple[Question, ...]], ...] = (
    (
        "A rule with dates",
        (
            Question("I bought it on 2 July. How long may I return it?", 1, _JULY),
            Question("I bought it on 12 April. How long?", 1, _APRIL, f"the rule begins {CHANGE}"),
            Question("How long may I return it?", 1),
            Question("Bought 12 April: is my zip mended?", 2, _APRIL, "nobody gave the page a period"),
        ),
    ),
    ("A correction", (Question("I bought it on 2 July. Who pays the postage?", 3, _JULY),)),
    ("Access that was revoked", (Question("I am a regular. How long have I?", 5, why=_NOTHING),)),
    ("A page that is gone (its source denied)", (Question("Will you fetch it?", 6, why=_NOTHING),)),
)
TITLES = "Two titles that are nearly the same"
#: The same sentence under the title that the summary mixed up, and under its own.
DRAFTS = (
    "According to the Returns policy, outlet goods have 7 days [c4].",
    "According to the Returns policy (outlet), outlet goods have 7 days [c4].",
)


@commands.add("demo", example="prov-ledger demo")
def demo(session: Session) -> None:
    """Tell the story of the problem on one page.

    In a ledger of its own, which is gone afterwards. Beside each decision stands what an agent says who
    has nothing but the summary.
    """
    clock = StoryClock()
    with tempfile.TemporaryDirectory(prefix="prov-ledger-demo-") as folder, _ledger(folder, clock) as ledger:
        told = tell(ledger)
        packet = ledger.packet(told.reminder, principal=READER)
        clock.now = ASKED
        change(ledger, told)
        slots = [_ask(ledger, told, question) for _, questions in CASES for question in questions]
        answers = [ledger.check_answer(draft, principal=READER, thread=THREAD) for draft in DRAFTS]
        quotes = _quotes(ledger, slots)
    lines = (*_before(packet.text, packet.tokens), *_after(slots, quotes), *_gate(answers))
    session.emit({"packet": packet, "slots": slots, "answers": answers}, lines)


def _ledger(folder: str, clock: StoryClock) -> Ledger:
    return new_ledger(Path(folder) / "ledger", clock)


def _ask(ledger: Ledger, told: Told, question: Question) -> Slot:
    id_ = told.claims[question.claim - 1]
    return ledger.resolve([id_], principal=READER, facts=question.facts, thread=THREAD)[0]


def _quotes(ledger: Ledger, slots: list[Slot]) -> dict[str, str]:
    """The quotes of the candidates, each with where it stands, by id."""
    ids = list(dict.fromkeys(candidate.id for slot in slots for candidate in slot.candidates))
    found: dict[str, str] = {}
    for facts in _FACTS:
        for slot in ledger.resolve(ids, principal=READER, facts=facts):
            for citation in slot.quotes:
                found[slot.id] = _cited(citation)
    return found


def _cited(citation: Citation) -> str:
    return f'"{citation.quote}" ({citation.title}, {citation.label})'


def _before(packet: str, tokens: int) -> Iterator[str]:
    yield f"Pages of a shop, captured on {CAPTURED.date()} (texts: examples/demo)"
    yield f'  Returns policy, version 11    "within 30 days"   if bought before {CHANGE}'
    yield f'  Returns policy, version 12    "within 60 days"   if bought from {CHANGE} on'
    yield "  and four pages for which nobody stated a period"
    yield ""
    yield "An agent concluded six things, each with its evidence. Then its context was"
    yield f"compacted. This reminder is all that is left of it ({tokens} of {BUDGET} tokens):"
    for line in packet.splitlines():
        yield from _wrapped(line, "  ", "    ")
    yield f"{' compaction ':-^{WIDTH}}"
    yield f"{ASKED.date()}. Meanwhile c3 was corrected, {READER} lost access to the Goodwill"
    yield "guide, and the Summer offer was taken down. What may be said now?"


def _after(slots: Sequence[Slot], quotes: Mapping[str, str]) -> Iterator[str]:
    answers = iter(slots)
    for title, questions in CASES:
        yield ""
        yield f"{title.upper()}"
        for question in questions:
            slot = next(answers)
            yield f"  {question.text} [c{question.claim}]"
            yield from _compared(
                CONCLUSIONS[question.claim - 1].says,
                f"{slot.verdict.upper()}: {_reason(question, slot, quotes)}",
            )


def _gate(answers: Sequence[CheckedAnswer]) -> Iterator[str]:
    yield ""
    yield f"{TITLES.upper()}"
    yield "  How long may I return outlet goods? [c4]"
    mixed, right = answers
    shown = f"shown is: {mixed.text}" if mixed.text else "nothing is shown"
    yield from _compared(DRAFTS[0], f"{', '.join(mixed.codes).upper()}: blocked, {shown}")
    yield from _wrapped(f"shown under its own title: {right.text}", "    ", "      ")


def _compared(summary: str, decision: str) -> Iterator[str]:
    yield from _wrapped(f"summary alone: {summary}", "    ", "      ")
    yield from _wrapped(f"ledger: {decision}", "    ", "      ")


def _wrapped(text: str, first: str, rest: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)


def _reason(question: Question, slot: Slot, quotes: Mapping[str, str]) -> str:
    parts = [_cited(citation) for citation in slot.quotes]
    if slot.same_question and slot.quotes:
        parts.append("made for these facts")
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
