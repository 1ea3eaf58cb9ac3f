"""Runs scenario files against a fresh ledger."""
