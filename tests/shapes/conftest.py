"""The shapes as one graph."""

import pytest
from rdflib import Graph

from prov_ledger.resources import load_topics, shapes_dir


@pytest.fixture(scope="session")
def shapes() -> Graph:
    graph = Graph()
    for text in load_topics(shapes_dir()).values():
        graph.parse(data=text, format="turtle")
    return graph
