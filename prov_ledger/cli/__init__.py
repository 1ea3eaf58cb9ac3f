"""The command line: thin twins of the ledger's verbs."""
