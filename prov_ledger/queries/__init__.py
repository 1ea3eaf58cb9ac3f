"""SPARQL query files and one typed function for each."""
