"""The documented home of :class:`Table`; it lives in :mod:`trueval.core.table`."""

from trueval.core.table import Table

__all__ = ["Table"]
