"""The verbs of a ledger over HTTP, with the names and types of ``Ledger``."""
