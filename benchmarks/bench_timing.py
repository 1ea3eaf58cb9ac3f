"""Whether time tells a refusal from another: absent, foreign, denied and not granted, interleaved.

Prints the area under the ROC curve for each cause against absent ids (0.5: indistinguishable), over
10,000 interleaved resolves of one id each, in process; the limit is 0.55 either way.

    python benchmarks/bench_timing.py [RESOLVES]
"""

import random
import sys
import tempfile
import time
from pathlib import Path

from prov_ledger import Ledger
from prov_ledger.model.ids import mint_id

LIMIT = 0.55
CLAIMS = 300


def fill(folder: Path) -> tuple[Ledger, dict[str, list[str]]]:
    ledger = Ledger.init(folder, tenant="acme")
    other = Ledger.init(folder, tenant="globex")
    ids: dict[str, list[str]] = {"granted": claims_on(ledger, "open"), "ungranted": claims_on(ledger, "closed")}
    ids["denied"] = claims_on(ledger, "denied", deny=True)
    ids["foreign"] = claims_on(other, "foreign")
    ids["absent"] = [mint_id("cl") for _ in range(CLAIMS)]
    other.close()
    return ledger, ids


def claims_on(ledger: Ledger, name: str, deny: bool = False) -> list[str]:
    made = []
    with ledger.batch():
        for number in range(CLAIMS):
            source = ledger.source(native=f"{name}-{number}", title=f"{name} {number}")
            if name in ("open", "denied"):
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
            if deny:
                ledger.deny(source, "a test")
    return made


def auc(first: list[float], second: list[float]) -> float:
    """The chance that a value of the first is above one of the second. Source: Mann and Whitney (1947)."""
    ranked = sorted([(v, 0) for v in first] + [(v, 1) for v in second])
    ranks = sum(rank for rank, (_, which) in enumerate(ranked, 1) if which == 0)
    count = len(first)
    return (ranks - count * (count + 1) / 2) / (count * len(second))


def main(resolves: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        ledger, ids = fill(Path(folder))
        with ledger:
            ledger.load()
            causes = ["absent", "foreign", "denied", "ungranted"]
            times: dict[str, list[float]] = {cause: [] for cause in causes}
            for cause in causes * 200:
                ledger.resolve([random.choice(ids[cause])], principal="reader")
            for _ in range(resolves):
                cause = random.choice(causes)
                id_ = random.choice(ids[cause])
                start = time.perf_counter()
                ledger.resolve([id_], principal="reader")
                times[cause].append(time.perf_counter() - start)
    worst = 0.5
    for cause in causes[1:]:
        area = auc(times[cause], times["absent"])
        worst = max(worst, area, 1 - area)
        median = sorted(times[cause])[len(times[cause]) // 2] * 1e6
        print(f"{cause:<10} AUC against absent {area:.3f}  median {median:.1f} us")
    print(f"worst {worst:.3f}, limit {LIMIT}: {'ok' if worst <= LIMIT else 'ABOVE'}")
    return 0 if worst <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000))
