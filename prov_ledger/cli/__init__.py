"""The command ``prov-ledger``: thin twins of the ledger's verbs, one module per group of commands."""
