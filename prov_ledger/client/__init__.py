"""The verbs of a ledger over HTTP, with the names and types of ``Ledger``."""

from prov_ledger.client.client import Client

__all__ = ["Client"]
