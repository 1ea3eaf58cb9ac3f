"""The journal, sealed payloads and their keys in SQLite."""
