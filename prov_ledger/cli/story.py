"""The story behind ``demo``: a shop's pages, six conclusions, and what changed after the compaction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path

from prov_ledger.ledger.ledger import Ledger
from prov_ledger.resources import demo_dir

CAPTURED = datetime(2026, 6, 10, 9, tzinfo=UTC)
ASKED = datetime(2026, 7, 20, 9, tzinfo=UTC)
CHANGE = date(2026, 6, 1)
READER = "support-bot"
THREAD = "chat-7"
BUDGET = 360


class StoryClock:
    """A clock that stands where the story is."""

    def __init__(self) -> None:
        self.now = CAPTURED

    def __call__(self) -> datetime:
        """The present instant of the story."""
        return self.now


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What the agent concluded from which quote of which page, and the question that it answered."""

    says: str
    page: str
    quote: str
    question: str
    facts: Mapping[str, object] = field(default_factory=dict)
    by: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """A source and the revision of it that is quoted."""

    source: str
    revision: str


@dataclass(frozen=True, slots=True)
class Told:
    """What the ledger holds before the compaction; ``claims`` are in the order of ``CONCLUSIONS``."""

    pages: Mapping[str, Page]
    claims: tuple[str, ...]
    reminder: str


_JULY = {"purchase_date": date(2026, 7, 2)}
_TITLES = {
    "repairs": "Repairs",
    "returns-outlet": "Returns policy (outlet)",
    "goodwill": "Goodwill guide",
    "summer-offer": "Summer offer",
}
CONCLUSIONS = (
    Conclusion(
        "Goods may be returned within 60 days.",
        "returns-12",
        "within 60 days",
        "How long may I return it?",
        _JULY,
        ["purchase_date"],
    ),
    Conclusion(
        "A broken zip is mended free of charge.",
        "repairs",
        "A broken zip is mended free of charge.",
        "Is my zip mended for free?",
    ),
    Conclusion(
        "The customer pays the postage.",
        "returns-12",
        "The customer pays the postage",
        "Who pays the postage?",
        _JULY,
    ),
    Conclusion("Outlet goods have 7 days.", "returns-outlet", "within 7 days", "How long for outlet goods?"),
    Conclusion("Regulars have 90 days.", "goodwill", "within 90 days", "How long have regulars?"),
    Conclusion("Returns are collected.", "summer-offer", "are collected at your door", "Will you fetch it?"),
)


def demo_text(name: str) -> str:
    """The text of one of the demo's pages."""
    return (demo_dir() / f"{name}.md").read_text(encoding="utf-8")


def new_ledger(folder: Path, clock: StoryClock) -> Ledger:
    """A fresh ledger whose one declared fact is the date of purchase."""
    return Ledger.init(folder, zone="Europe/Vienna", facts={"purchase_date": "date"}, clock=clock)


def tell(ledger: Ledger) -> Told:
    """Capture the pages, conclude, and write the reminder that survives the compaction."""
    pages = {"returns-12": _returns_policy(ledger)}
    pages |= {name: _page(ledger, name, title) for name, title in _TITLES.items()}
    for page in pages.values():
        ledger.grant(READER, page.source)
    claims = tuple(_conclude(ledger, pages, conclusion) for conclusion in CONCLUSIONS)
    reminder = ledger.remind(claims, budget=BUDGET, thread=THREAD, readers=[READER])
    return Told(pages, claims, reminder.id)


def _page(ledger: Ledger, name: str, title: str) -> Page:
    """A page for which nobody stated a period."""
    source = ledger.source(native=f"shop:{name}", title=title)
    data = demo_text(name)
    return Page(source, ledger.revision(source, data=data, media_type="text/markdown", label="10 June"))


def _returns_policy(ledger: Ledger) -> Page:
    """The page of which both versions say for which purchases they hold."""
    source = ledger.source(native="shop:returns", title="Returns policy")
    old = ledger.revision(
        source,
        data=demo_text("returns-11"),
        media_type="text/markdown",
        label="version 11",
        scope=[{"fact": "purchase_date", "from": "open", "until": CHANGE}],
    )
    new = ledger.revision(
        source,
        data=demo_text("returns-12"),
        media_type="text/markdown",
        label="version 12",
        scope=[{"fact": "purchase_date", "from": CHANGE, "until": "open"}],
        relation={"replaces": old, "from": CHANGE},
    )
    ledger.evidence(old, quote="within 30 days")
    return Page(source, new)


def _conclude(ledger: Ledger, pages: Mapping[str, Page], conclusion: Conclusion) -> str:
    return ledger.claim(
        says=conclusion.says,
        support=[ledger.evidence(pages[conclusion.page].revision, quote=conclusion.quote)],
        transformation={"kind": "select" if conclusion.by else "quote", "by": conclusion.by},
        question={"text": conclusion.question, "facts": conclusion.facts},
    )


def change(ledger: Ledger, told: Told) -> None:
    """What happened meanwhile: a claim was corrected, access ended, a page was taken down."""
    ledger.supersede(
        told.claims[2],
        says="Above 40 euros the shop pays the postage of a return.",
        support=[ledger.evidence(told.pages["returns-12"].revision, quote="Above 40 euros we pay it.")],
        transformation={"kind": "quote"},
        question={"text": CONCLUSIONS[2].question, "facts": _JULY},
        reason="the second sentence was overlooked",
    )
    ledger.revoke(READER, told.pages["goodwill"].source)
    ledger.deny(told.pages["summer-offer"].source, "taken down")
