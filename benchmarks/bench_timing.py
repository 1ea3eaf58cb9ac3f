"""Whether time tells a refusal from another: absent, foreign, denied, erased, expired, not granted;
interleaved.

The area under the ROC curve of each cause against absent ids (0.5: indistinguishable), either way, over
interleaved resolves of one id each, in process.
"""

import random
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

from benchmarks.table import Measured, Setting
from prov_ledger import Ledger
from prov_ledger.model.ids import mint_id

LIMIT = 0.55
CLAIMS = 300
RESOLVES = 10_000
CAUSES = ["absent", "foreign", "denied", "erased", "expired", "ungranted"]


class Calendar:
    """A clock that runs, and can be put forward."""

    def __init__(self) -> None:
        self.ahead = timedelta()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.ahead


def fill(folder: Path) -> tuple[Ledger, dict[str, list[str]]]:
    clock = Calendar()
    ledger = Ledger.init(folder, tenant="acme", clock=clock)
    other = Ledger.init(folder, tenant="globex")
    ids: dict[str, list[str]] = {
        "granted": claims_on(ledger, "open"),
        "ungranted": claims_on(ledger, "closed"),
    }
    ids["denied"] = claims_on(ledger, "denied", deny=True)
    ids["erased"] = claims_on(ledger, "erased", erase=True)
    ids["expired"] = claims_on(ledger, "expired")
    ids["foreign"] = claims_on(other, "foreign")
    ids["absent"] = [mint_id("cl") for _ in range(CLAIMS)]
    other.close()
    clock.ahead = timedelta(days=30)
    return ledger, ids


def claims_on(ledger: Ledger, name: str, deny: bool = False, erase: bool = False) -> list[str]:
    made, sources = [], []
    with ledger.batch():
        for number in range(CLAIMS):
            source = ledger.source(native=f"{name}-{number}", title=f"{name} {number}")
            sources.append(source)
            if name in ("open", "denied", "erased", "expired"):
                ledger.grant("reader", source)
            revision = ledger.revision(source, data=f"Rule {number} of {name} holds.", label="1")
            evidence = ledger.evidence(revision, quote=f"Rule {number}")
            made.append(
                ledger.claim(
                    says=f"rule {number}",
                    support=[evidence],
                    transformation={"kind": "quote"},
                    question={"text": "which rule?", "facts": {}},
                )
            )
            if name == "expired":
                ledger.retention(source, bytes_for="P30D")
            if deny:
                ledger.deny(source, "a test")
    if erase:
        ledger.erase(sources)
    return made


def auc(first: list[float], second: list[float]) -> float:
    """The chance that a value of the first is above one of the second. Source: Mann and Whitney (1947)."""
    ranked = sorted([(v, 0) for v in first] + [(v, 1) for v in second])
    ranks = sum(rank for rank, (_, which) in enumerate(ranked, 1) if which == 0)
    count = len(first)
    return (ranks - count * (count + 1) / 2) / (count * len(second))


def times(ledger: Ledger, ids: dict[str, list[str]]) -> dict[str, list[float]]:
    """Seconds of each resolve by its cause, after as many as warm everything up."""
    found: dict[str, list[float]] = {cause: [] for cause in CAUSES}
    for cause in CAUSES * 200:
        ledger.resolve([random.choice(ids[cause])], principal="reader")
    for _ in range(RESOLVES):
        cause = random.choice(CAUSES)
        id_ = random.choice(ids[cause])
        start = time.perf_counter()
        ledger.resolve([id_], principal="reader")
        found[cause].append(time.perf_counter() - start)
    return found


def measure(setting: Setting) -> Iterator[Measured]:
    ledger, ids = fill(setting.scratch)
    with ledger:
        ledger.load()
        found = times(ledger, ids)
    for cause in CAUSES[1:]:
        area = auc(found[cause], found["absent"])
        middle = median(found[cause]) * 1e6
        note = f"against absent, {middle:.0f} us"
        yield Measured(f"told by time: {cause}", max(area, 1 - area), "AUC", limit=LIMIT, note=note)
