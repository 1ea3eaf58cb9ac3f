"""Fixtures that every folder of tests may use."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of published suites and real input beside the checkout; absent on most machines."""
    if not SHARED.is_dir():
        pytest.skip(f"no folder of published test data beside the checkout ({SHARED.name}/)")
    return SHARED
