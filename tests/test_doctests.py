"""Every example in a docstring of the package does what it shows."""

import doctest
import importlib
import pkgutil

import pytest

import prov_ledger

MODULES = sorted(
    found.name
    for found in pkgutil.walk_packages(prov_ledger.__path__, "prov_ledger.")
    if not found.name.endswith("__main__")
)


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_hold(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0
