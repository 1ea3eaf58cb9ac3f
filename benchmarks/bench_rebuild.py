"""The graph made anew from the journal, beside a bare bulk load of the same lines from a file."""

import shutil
from collections.abc import Iterator
from statistics import median

import pyoxigraph as ox

from benchmarks.claims_ledger import build_or_open
from benchmarks.table import Measured, Setting, seconds
from prov_ledger import Ledger

#: Up to so many claims it is done three times.
_OFTEN = 50_000


def measure(setting: Setting) -> Iterator[Measured]:
    folder, lines = setting.home / str(setting.claims), setting.scratch / "lines.nq"
    build_or_open(folder, setting.claims)
    ours, theirs, triples = [], [], 0
    with Ledger.open(folder) as ledger:
        with lines.open("wb") as file:
            for entry in ledger._tenant.journal.entries(0):
                file.write(entry.leaf)
        for _ in range(3 if setting.claims <= _OFTEN else 1):
            ours.append(seconds(ledger.rebuild))
            beside = setting.scratch / "loaded"
            theirs.append(seconds(lambda at=beside: _load(str(at), str(lines))))
            shutil.rmtree(beside)
        triples = ledger._tenant.graph.current().size()
    lines.unlink()
    note = f"{triples / 1e6:.2f} M triples"
    yield Measured("rebuild of the graph", median(ours), "s", median(theirs), 0.6, True, note)


def _load(directory: str, lines: str) -> None:
    store = ox.Store(directory)
    store.bulk_load(path=lines, format=ox.RdfFormat.N_QUADS, lenient=True)
    store.flush()
