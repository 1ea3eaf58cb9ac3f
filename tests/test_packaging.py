"""A fresh installation has what the code needs, in the versions that the suite was run with."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PINS = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]


#: What is chosen by its name when the service is started.
_BY_NAME = ("httptools", "uvloop")
#: What the package itself never imports.
_TEST_EXTRAS = ("bench", "dev", "sdks")


def _name(requirement: str) -> str:
    found = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert found is not None
    return re.sub(r"[-_.]+", "-", found[0]).lower()


def _imported() -> set[str]:
    """The top-level names that the package imports and that are not Python's or its own."""
    found: set[str] = set()
    for file in (ROOT / "prov_ledger").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module.partition(".")[0])
    return found - set(sys.stdlib_module_names) - {"prov_ledger"}


def test_whatever_the_package_imports_is_a_declared_dependency() -> None:
    distributions = packages_distributions()
    needed = {_name(distributions[module][0]) for module in _imported()}
    plain = {_name(requirement) for requirement in PROJECT["dependencies"]}
    extras = PROJECT["optional-dependencies"].items()
    optional = {_name(each) for extra, all_ in extras if extra not in _TEST_EXTRAS for each in all_}
    assert needed - plain - optional == set()
    assert (plain | optional) - needed <= {"tzdata", *_BY_NAME}


def test_every_dependency_is_pinned_to_one_version() -> None:
    wanted = [*PROJECT["dependencies"], *chain(*PROJECT["optional-dependencies"].values())]
    pinned = {_name(line) for line in PINS}
    assert {_name(requirement) for requirement in wanted} - pinned == {"prov-ledger"}
    assert [line for line in PINS if not re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+", line)] == []
