"""The story behind ``demo``: two policies, three conclusions, and a correction, in a fresh ledger."""

from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

from prov_ledger.ledger.ledger import Ledger
from prov_ledger.resources import demo_dir

CAPTURED = datetime(2026, 6, 10, 9, tzinfo=UTC)
ASKED = datetime(2026, 7, 20, 9, tzinfo=UTC)
CHANGE = date(2026, 6, 1)
READER = "support-bot"
BUDGET = 200


class StoryClock:
    """A clock that stands where the story is."""

    def __init__(self) -> None:
        self.now = CAPTURED

    def __call__(self) -> datetime:
        """The present instant of the story."""
        return self.now


@dataclass(frozen=True, slots=True)
class Told:
    """The ids of the story's claims, its reminder, and the present revision of the returns policy."""

    sixty_days: str
    zip: str
    postage: str
    reminder: str
    present_revision: str


def demo_text(name: str) -> str:
    """The text of one of the demo's pages."""
    return (demo_dir() / name).read_text(encoding="utf-8")


def new_ledger(folder: Path, clock: StoryClock) -> Ledger:
    """A fresh ledger whose one declared fact is the date of purchase."""
    return Ledger.init(folder, zone="Europe/Vienna", facts={"purchase_date": "date"}, clock=clock)


def tell(ledger: Ledger) -> Told:
    """Capture the pages, conclude, and write the reminder that survives the compaction."""
    returns = ledger.source(native="shop:returns", title="Returns policy")
    repairs = ledger.source(native="shop:repairs", title="Repairs")
    old = ledger.revision(
        returns,
        data=demo_text("returns-11.md"),
        media_type="text/markdown",
        label="version 11",
        scope=[{"fact": "purchase_date", "from": "open", "until": CHANGE}],
    )
    new = ledger.revision(
        returns,
        data=demo_text("returns-12.md"),
        media_type="text/markdown",
        label="version 12",
        scope=[{"fact": "purchase_date", "from": CHANGE, "until": "open"}],
        relation={"replaces": old, "from": CHANGE},
    )
    page = ledger.revision(
        repairs, data=demo_text("repairs.md"), media_type="text/markdown", label="page of 10 June"
    )
    ledger.grant(READER, returns)
    ledger.grant(READER, repairs)
    ledger.evidence(old, quote="within 30 days")
    july = {"purchase_date": date(2026, 7, 2)}
    sixty_days = ledger.claim(
        says="Goods bought from June on may be returned within 60 days.",
        support=[ledger.evidence(new, quote="within 60 days")],
        transformation={"kind": "select", "by": ["purchase_date"]},
        question={"text": "How long may I return it?", "facts": july},
    )
    mended = ledger.claim(
        says="A broken zip is mended free of charge.",
        support=[ledger.evidence(page, quote="A broken zip is mended free of charge.")],
        transformation={"kind": "quote"},
        question={"text": "Is my zip mended for free?", "facts": {}},
    )
    postage = ledger.claim(
        says="The customer pays the postage of a return.",
        support=[ledger.evidence(new, quote="The customer pays the postage")],
        transformation={"kind": "quote"},
        question={"text": "Who pays the postage?", "facts": july},
    )
    reminder = ledger.remind([sixty_days, mended, postage], budget=BUDGET, thread="chat-7")
    return Told(sixty_days, mended, postage, reminder.id, new)


def correct(ledger: Ledger, told: Told) -> str:
    """Supersede the claim that overlooked a sentence; the id of its successor."""
    return ledger.supersede(
        told.postage,
        says="Above 40 euros the shop pays the postage of a return.",
        support=[ledger.evidence(told.present_revision, quote="Above 40 euros we pay it.")],
        transformation={"kind": "quote"},
        question={"text": "Who pays the postage?", "facts": {"purchase_date": date(2026, 7, 2)}},
        reason="the second sentence was overlooked",
    )
