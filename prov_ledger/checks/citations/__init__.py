"""Citations that others made: their forms, and where they point to in what was sent."""
