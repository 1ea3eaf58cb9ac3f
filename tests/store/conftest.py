"""The backends of the graph store, for what is particular to one or common to all."""

from backends import graph_store, new_store, sparql_server

__all__ = ["graph_store", "new_store", "sparql_server"]
