"""The backends that every query is run on."""

from backends import graph_store, new_store, sparql_server

__all__ = ["graph_store", "new_store", "sparql_server"]
