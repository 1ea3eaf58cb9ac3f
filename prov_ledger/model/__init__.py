"""Frozen values: ids, times, facts, scopes and records. No RDF, no storage."""
