"""Model to quads and back: canonical N-Quads only."""
