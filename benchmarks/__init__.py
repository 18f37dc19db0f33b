"""Measurements against peers and papers; not part of the package."""
