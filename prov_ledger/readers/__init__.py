"""What a resolve reads: the closure of ids from the journal or a graph."""
