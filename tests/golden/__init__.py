"""Hashes of folds: the same seed gives the same folds on every machine and version."""
