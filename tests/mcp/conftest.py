"""One shop for all tests; each gets a copy of its folder."""

import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from agents_shop import Shop, make_shop

from prov_ledger import Ledger


@pytest.fixture(scope="session")
def first_shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return make_shop(tmp_path_factory.mktemp("agents") / "ledger")


@pytest.fixture
def shop(first_shop: Shop, tmp_path: Path) -> Shop:
    shutil.copytree(first_shop.folder, tmp_path / "ledger")
    return replace(first_shop, folder=tmp_path / "ledger")


@pytest.fixture
def ledger(shop: Shop) -> Iterator[Ledger]:
    with shop.ledger() as ledger:
        yield ledger
