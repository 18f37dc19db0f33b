"""Measurements against peers and papers; run a module with ``python -m benchmarks.<name>``."""
