"""Fuzz targets for the readers: ``python -m tests.fuzz READER --seconds N``."""
