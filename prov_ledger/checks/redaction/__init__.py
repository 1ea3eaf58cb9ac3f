"""Taking a span out of stored bytes so that every other position of their text stays valid."""
