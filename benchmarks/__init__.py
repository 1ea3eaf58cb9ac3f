"""What the design promises, measured: ``python -m benchmarks``."""
