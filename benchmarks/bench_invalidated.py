"""Ten thousand claims on one page, and whether the very next resolve sees that the page was replaced."""

from collections.abc import Iterator
from datetime import UTC, datetime

from benchmarks.claims_ledger import sentence
from benchmarks.table import Measured, Setting, seconds
from prov_ledger import Ledger
from prov_ledger.model.slots import Slot

CLAIMS = 10_000
LINES = 100
FACTS = {"purchase_date": "2026-03-01"}


def filled(ledger: Ledger) -> tuple[str, str, list[str]]:
    """The page, its revision, and the claims that rest on it."""
    source = ledger.source(native="returns.md", title="Returns")
    text = "\n".join(sentence(0, line, 0) for line in range(LINES))
    published = datetime(2025, 1, 1, tzinfo=UTC)
    revision = ledger.revision(source, data=text, label="1", published=published)
    claims: list[str] = []
    with ledger.batch():
        evidence = [ledger.evidence(revision, quote=sentence(0, line, 0)) for line in range(LINES)]
        for number in range(CLAIMS):
            claims.append(
                ledger.claim(
                    says=f"Conclusion {number}",
                    support=[evidence[number % LINES]],
                    transformation={"kind": "quote"},
                    question={"text": "How long may it be returned?", "facts": FACTS},
                )
            )
    return source, revision, claims


def measure(setting: Setting) -> Iterator[Measured]:
    facts = {"purchase_date": "date"}
    with Ledger.init(setting.scratch / "one", facts=facts, governed_by="purchase_date") as ledger:
        source, revision, claims = filled(ledger)
        ledger.load()
        stood = sum(slot.verdict == "citable" for slot in ledger.resolve(claims, facts=FACTS))
        changed = "\n".join(sentence(0, line, 1) for line in range(LINES))
        relation = {"replaces": revision, "from": "2026-01-01"}
        ledger.revision(source, data=changed, label="2", relation=relation)
        slots: list[Slot] = []
        took = seconds(lambda: slots.extend(ledger.resolve(claims, facts=FACTS)))
    fell = sum(slot.verdict == "ended" for slot in slots)
    note = f"of {stood:,}, in {took:.1f} s"
    yield Measured("claims ended by one revision", fell, "", limit=CLAIMS, faster=True, note=note)
