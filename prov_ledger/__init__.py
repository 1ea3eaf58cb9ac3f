"""prov-ledger: evidence and claims of LLM agents, kept outside the model and resolved before use."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from prov_ledger.client import Client
    from prov_ledger.errors import ProvLedgerError, Refused
    from prov_ledger.ledger.ledger import Ledger
    from prov_ledger.model.slots import Candidate, Citation, Slot

__all__ = ["Candidate", "Citation", "Client", "Ledger", "ProvLedgerError", "Refused", "Slot"]

_HOMES = {
    "Client": "prov_ledger.client",
    "ProvLedgerError": "prov_ledger.errors",
    "Refused": "prov_ledger.errors",
    "Ledger": "prov_ledger.ledger.ledger",
    "Candidate": "prov_ledger.model.slots",
    "Citation": "prov_ledger.model.slots",
    "Slot": "prov_ledger.model.slots",
}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        # Loaded at their first use: the command line has its handler of interrupts in place before that.
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
