"""The ledger's verbs."""
