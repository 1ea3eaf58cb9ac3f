"""Who may read which source now."""
