"""Erasing a source under ten thousand derived claims, beside making the graph anew from the journal."""

from collections.abc import Iterator
from datetime import timedelta

from benchmarks.claims_ledger import LATER, Stepping, build_or_open
from benchmarks.table import Measured, Setting, seconds
from prov_ledger import Ledger

DERIVED = 10_000
#: Of the time that the graph takes.
LIMIT = 0.1


def measure(setting: Setting) -> Iterator[Measured]:
    folder = setting.home / str(setting.claims)
    build_or_open(folder, setting.claims)
    clock = Stepping(LATER + timedelta(days=1))
    with Ledger.open(folder, clock=clock) as ledger:
        journal = ledger._tenant.journal
        clock.now = max(clock.now, journal.recorded_at(journal.size()))
        source = _derived(ledger, DERIVED)
        rebuilt = seconds(ledger.rebuild)
        head = ledger.tree_head()
        erased = seconds(lambda: ledger.erase([source], reason="measured"))
        (record,) = (
            x.record for x in ledger._tenant.state.removals.erasures.values() if source in x.record.targets
        )
        assert len(record.outcomes) == DERIVED
        note = f"{DERIVED:,} derived claims, beside {head.size:,} entries"
        yield Measured("erasing a source", erased, "s", rebuilt, LIMIT, note=note)


def _derived(ledger: Ledger, count: int) -> str:
    """A source with one quote, under so many claims."""
    size = ledger.tree_head().size
    with ledger.batch():
        source = ledger.source(native=f"case {size}", title="A case")
        # What was erased by an earlier run would be refused when it comes back.
        page = f"A parcel arrived crushed on 14 January: case {size}."
        revision = ledger.revision(source, data=page, label="1")
        evidence = ledger.evidence(revision, quote="A parcel arrived crushed")
        for number in range(count):
            ledger.claim(
                says=f"Because of the parcel, item {number} is replaced.",
                support=[evidence],
                transformation={"kind": "combine", "note": "read together"},
                question={"text": "What is replaced?", "facts": {}},
            )
    return source
