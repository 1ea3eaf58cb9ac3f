"""The ledger for models: a few tools and resources by the Model Context Protocol, behind the same gate."""
