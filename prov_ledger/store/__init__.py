"""The graph store port and its backends."""
