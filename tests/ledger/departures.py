"""A ledger about a parcel in which a page can go in many ways, its texts still lying there untouched."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from prov_ledger import Ledger
from prov_ledger.model import records as r
from prov_ledger.model.ids import mint_id
from tests.ledger.worlds import Clock

CASE = "Oda Quist reported a crushed parcel. The parcel had cost 40 EUR."
QUOTE = "Oda Quist reported a crushed parcel."
RULE = "A crushed parcel is replaced without further proof."
NOBODY = mint_id("cl")


@dataclass
class Parcel:
    """``both`` rests on the case and the guide, ``rule`` on the guide or on ``both``."""

    ledger: Ledger
    clock: Clock
    case: str
    case_page: str
    seen: str
    guide: str
    guide_page: str
    ruled: str
    both: str = ""
    rule: str = ""
    reminder: str = ""

    def pass_(self, days: float) -> None:
        self.clock.now += timedelta(days=days)


def conclude(ledger: Ledger, says: str, support: list[list[str]], **given: object) -> str:
    parts: dict[str, object] = {
        "transformation": {"kind": "combine"},
        "question": {"text": "What do we owe the caller?", "facts": {}},
        **given,
    }
    return ledger.claim(says=says, support=support, **parts)  # type: ignore[arg-type]


def make_parcel(folder: Path) -> Parcel:
    clock = Clock()
    ledger = Ledger.init(folder, clock=clock)
    case = ledger.source(native="crm:5520", title="Complaint file", collection="cases")
    page = ledger.revision(case, data=CASE, label="1")
    guide = ledger.source(native="wiki:complaints", title="Guide to parcels")
    guide_page = ledger.revision(guide, data=RULE, label="7")
    for source in (case, guide):
        ledger.grant("bot", source)
    seen = ledger.evidence(page, quote=QUOTE)
    ruled = ledger.evidence(guide_page, quote=RULE)
    parcel = Parcel(ledger, clock, case, page, seen, guide, guide_page, ruled)
    parcel.both = conclude(ledger, "Oda Quist gets another parcel.", [[seen, ruled]])
    parcel.rule = conclude(ledger, "Crushed parcels are replaced.", [[ruled], [parcel.both]])
    parcel.reminder = ledger.remind([parcel.both, parcel.rule], budget=400, thread="t", readers=["bot"]).id
    return parcel


def deny_for_good(ledger: Ledger, *ids: str) -> str:
    """The first step of an erasure and no other: it is recorded, and nothing is taken out yet."""
    with ledger._tenant.writing() as work:
        draft = work.draft("erase")
        id = draft.entity(mint_id("era"))
        draft.records.append(r.ErasureRecord(id, ids, frozenset(ids), "0" * 64))
        draft.about += ids
        work.append(draft, next(iter(work.state.entries_of("tenant"))).agent)
    return id


def _expire(parcel: Parcel, on: str, **limits: str) -> None:
    parcel.ledger.retention(on, **limits)
    parcel.pass_(30)


#: How the page of the case may go; after each, nobody may be shown anything of it.
WAYS: dict[str, Callable[[Parcel], object]] = {
    "its source is denied for good": lambda p: deny_for_good(p.ledger, p.case),
    "its source is erased": lambda p: p.ledger.erase([p.case]),
    "its revision is denied for good": lambda p: deny_for_good(p.ledger, p.case_page),
    "its revision is erased": lambda p: p.ledger.erase([p.case_page]),
    "its bytes expire": lambda p: _expire(p, p.case, bytes_for="P30D"),
    "its metadata expires": lambda p: _expire(p, p.case, metadata_for="P30D"),
    "its collection expires": lambda p: _expire(p, "collection:cases", bytes_for="P30D"),
    "it expires while it is held": lambda p: (p.ledger.hold(p.case), _expire(p, p.case, bytes_for="P30D")),
    "it expires and is swept": lambda p: (_expire(p, p.case, bytes_for="P30D"), p.ledger.sweep()),
    "it is pruned": lambda p: (_expire(p, p.case, metadata_for="P30D"), p.ledger.sweep()),
}
#: Those in which the source itself goes.
WITH_SOURCE = (
    "its source is denied for good",
    "its source is erased",
    "its metadata expires",
    "it is pruned",
)
