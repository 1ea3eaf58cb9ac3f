"""A ledger and a pool of two workers for each test."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from asking import LONG_S, make_ledger

from prov_ledger import Ledger
from prov_ledger.analysing import wall
from prov_ledger.analysing.analysis import Analysis
from prov_ledger.analysing.question import Limits
from prov_ledger.analysing.workers import Workers


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with make_ledger(tmp_path / "ledger") as ledger:
        yield ledger


@pytest.fixture
def workers() -> Iterator[Workers]:
    if not wall.is_offered():
        pytest.skip("no filter of this system shuts a process off from the network")
    workers = Workers(size=2, limits=Limits(deadline_s=LONG_S))
    yield workers
    workers.close()


@pytest.fixture
def analysis(ledger: Ledger, workers: Workers) -> Analysis:
    return Analysis(ledger, workers)
