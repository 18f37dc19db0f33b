"""Data to measure on: simulators.

``simulate`` makes small, seeded data for tests, examples and documents.
"""

from trueval.data import simulate

__all__ = ["simulate"]
