"""The backends that the contract suites run on."""

from backends import graph_store, new_store, sparql_server

__all__ = ["graph_store", "new_store", "sparql_server"]
