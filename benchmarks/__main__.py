"""What the design promises, measured side by side with the bare thing in one run, in one table.

Ends with 1 when a limit is missed.
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from benchmarks import (
    bench_appends,
    bench_epochs,
    bench_erase,
    bench_invalidated,
    bench_postgres,
    bench_queries,
    bench_reader,
    bench_reaffirm,
    bench_rebuild,
    bench_resolve,
    bench_runaway,
    bench_service,
    bench_timing,
)
from benchmarks.table import Benchmark, Measured, Setting, as_json, head, line, peak_megabytes

#: In the order in which they run: what writes to the large ledger comes last.
BENCHMARKS: dict[str, Benchmark] = {
    "rebuild": bench_rebuild.measure,
    "resolve": bench_resolve.measure,
    "queries": bench_queries.measure,
    "reader": bench_reader.measure,
    "postgres": bench_postgres.measure,
    "invalidated": bench_invalidated.measure,
    "timing": bench_timing.measure,
    "runaway": bench_runaway.measure,
    "service": bench_service.measure,
    "reaffirm": bench_reaffirm.measure,
    "appends": bench_appends.measure,
    "epochs": bench_epochs.measure,
    "erase": bench_erase.measure,
}


def run(names: list[str], claims: int, home: Path) -> list[Measured]:
    """Measure and print, a line at a time."""
    print(f"{claims:,} claims with evidence, {os.cpu_count()} processors\n\n{head()}", flush=True)
    measured: list[Measured] = []
    for name in names:
        with tempfile.TemporaryDirectory() as scratch:
            for x in BENCHMARKS[name](Setting(home, Path(scratch), claims)):
                print(line(x), flush=True)
                measured.append(x)
    return measured


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--claims", type=int, default=200_000, help="how many the large ledger has")
    parser.add_argument("--only", nargs="+", choices=BENCHMARKS, metavar="NAME", help=", ".join(BENCHMARKS))
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was measured here too")
    parser.add_argument("--folder", type=Path, help="keep the ledgers here, and use them again")
    options = parser.parse_args()
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as temporary:
        home = options.folder or Path(temporary)
        home.mkdir(parents=True, exist_ok=True)
        measured = run(options.only or list(BENCHMARKS), options.claims, home)
    own, others = peak_megabytes()
    load = os.getloadavg()[0]
    print(f"\npeak memory {own:,.0f} MB, of a process beside it {others:,.0f} MB; load average {load:.1f};")
    missed = [x for x in measured if not x.holds]
    print(
        f"{len(missed)} of {len(measured)} above their limit, in {(time.monotonic() - started) / 60:.0f} min"
    )
    if options.json is not None:
        options.json.write_text(as_json(measured))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
