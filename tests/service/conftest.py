"""One shop for all tests that only read; a copy of it for each that writes."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from served import Served, Shop, make_shop


@pytest.fixture(scope="session")
def first_shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return make_shop(tmp_path_factory.mktemp("shop") / "ledger")


@pytest.fixture
def shop(first_shop: Shop, tmp_path: Path) -> Shop:
    shutil.copytree(first_shop.folder, tmp_path / "ledger")
    return replace(first_shop, folder=tmp_path / "ledger", keys=dict(first_shop.keys))


@pytest.fixture
def served(shop: Shop) -> Iterator[Served]:
    with shop.served() as served:
        yield served
