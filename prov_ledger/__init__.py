"""prov-ledger: evidence and claims of LLM agents, kept outside the model and resolved before use."""

from prov_ledger.client import Client
from prov_ledger.errors import ProvLedgerError, Refused
from prov_ledger.ledger.ledger import Ledger
from prov_ledger.model.slots import Candidate, Citation, Slot

__all__ = ["Candidate", "Citation", "Client", "Ledger", "ProvLedgerError", "Refused", "Slot"]
