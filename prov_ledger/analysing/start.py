"""The program of a worker, run by its path: it loads a twentieth of the package, in 40 ms instead of 500."""

import sys
from pathlib import Path
from types import ModuleType


def main() -> None:
    """Put an empty package in the place of the facade, and serve."""
    package = ModuleType("prov_ledger")
    package.__path__ = [str(Path(__file__).resolve().parents[1])]
    sys.modules["prov_ledger"] = package
    from prov_ledger.analysing.program import main as serve

    serve()


if __name__ == "__main__":
    main()
