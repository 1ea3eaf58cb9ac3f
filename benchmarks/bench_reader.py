"""The memory reader made anew, and what it and its labels take of memory."""

import gc
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from benchmarks.claims_ledger import build_or_open
from benchmarks.table import Measured, Setting
from prov_ledger import Ledger
from prov_ledger.readers.labels import Labels

_MEBI = 1 << 20


def resident_bytes() -> int:
    """The memory that this process has now."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


def load(folder: Path) -> dict[str, float]:
    """Load a ledger, then make every label once more: seconds and bytes of both."""
    with Ledger.open(folder) as ledger:
        before, start = resident_bytes(), perf_counter()
        ledger.load()
        took, loaded = perf_counter() - start, resident_bytes()
        reader = ledger._tenant.reading.reader
        again, start = Labels(reader._fold, reader._need), perf_counter()
        again.gates([*reader._fold.evidence, *reader._fold.claims], None)
        labelled = perf_counter() - start
        labels = resident_bytes() - loaded
        return {
            "seconds": took,
            "bytes": loaded - before,
            "label_seconds": labelled,
            "label_bytes": labels,
            "claims": len(reader._fold.claims),
        }


def measure(setting: Setting) -> Iterator[Measured]:
    folder = setting.home / str(setting.claims)
    build_or_open(folder, setting.claims)
    # In a process of its own: what others freed there would count as nothing.
    done = subprocess.run([sys.executable, "-m", __name__, str(folder)], capture_output=True, check=True)
    found = json.loads(done.stdout)
    million = 1e6 / found["claims"] / _MEBI
    whole, labels = (f"extrapolated from {found[x] / _MEBI:.0f} MB" for x in ("bytes", "label_bytes"))
    yield Measured("memory reader made anew", found["seconds"], "s", note="with its labels")
    yield Measured("  its labels alone", found["label_seconds"], "s")
    yield Measured("  memory, a million claims", found["bytes"] * million, "MB", note=whole)
    yield Measured("  of it for labels", found["label_bytes"] * million, "MB", note=labels)


if __name__ == "__main__":
    print(json.dumps(load(Path(sys.argv[1]))))
