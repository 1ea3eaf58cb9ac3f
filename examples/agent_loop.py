"""An agent loop across a compaction, with a scripted model and no network: python examples/agent_loop.py"""

import re
import tempfile
from collections.abc import Iterator

from prov_ledger import Ledger, Slot

READER, THREAD, CHANGE = "support-bot", "chat-7", "2026-06-01"


def model(prompt: str) -> str:
    """Stands for a language model: repeats the last quote of its prompt, else what the summary says."""
    cited = re.findall(r'\[(\w+)\] "within (\d+) days"', prompt)
    marker, days = cited[-1] if cited else ("c1", "60")
    return f"You have {days} days to return it [{marker}]."


def compact(context: str) -> str:
    """Stands for a provider's compaction: the gist stays, without dates, quotes and ids."""
    return "We spoke about returns; it was 60 days."


def capture(ledger: Ledger) -> str:
    """Two versions of a page as a tool read them, and what the agent concluded; gives the packet."""
    page = ledger.source(native="wiki:returns", title="Returns policy")
    for label, days, start, end in (("11", 30, "open", CHANGE), ("12", 60, CHANGE, "open")):
        scope = [{"fact": "purchase_date", "from": start, "until": end}]
        state = ledger.revision(page, data=f"Return it within {days} days.", label=label, scope=scope)
        evidence = ledger.evidence(state, quote=f"within {days} days")
    ledger.grant(READER, page)
    question = {"text": "How long may I return it?", "facts": {"purchase_date": "2026-07-02"}}
    how = {"kind": "select", "by": ["purchase_date"]}
    claim = ledger.claim(says="Returns: 60 days.", support=[evidence], transformation=how, question=question)
    return ledger.remind([claim], budget=120, thread=THREAD, readers=[READER]).text


def recall(ledger: Ledger, facts: dict[str, str]) -> Iterator[Slot]:
    """What the thread holds, resolved for these facts; where it does not fit, what it may be derived from."""
    for slot in ledger.thread(THREAD, principal=READER, facts=facts):
        yield slot
        yield from ledger.resolve([c.id for c in slot.candidates], principal=READER, facts=facts)


def converse(folder: str) -> Iterator[str]:
    with Ledger.init(f"{folder}/ledger", facts={"purchase_date": "date"}) as ledger:
        context = compact(capture(ledger))
        for facts in ({"purchase_date": "2026-07-02"}, {"purchase_date": "2026-04-12"}, {}):
            slots = list(recall(ledger, facts))
            memory = [f'[{slot.id}] "{c.quote}"' for slot in slots for c in slot.quotes]
            draft = model("\n".join([context, *memory]))
            answer = ledger.check_answer(draft, principal=READER, facts=facts, thread=THREAD)
            asked = ", ".join(name for slot in slots for name in slot.missing)
            yield answer.text if answer.allowed else f"({answer.codes[0]}) Please tell me your {asked}."


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        print(*converse(temporary), sep="\n")
