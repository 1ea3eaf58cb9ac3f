"""The ledger over HTTP: every verb, and nothing that decides anything."""
