"""Benchmarks: quality, time and memory beside the peers, on the same data and rules."""
