"""Analysts' queries: in processes of their own that can be killed, over a snapshot of the graph."""
