"""Pure decisions, selectors and shapes."""
