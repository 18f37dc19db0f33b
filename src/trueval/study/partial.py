"""Finished cells in a file, so that an interrupted study goes on where it stopped."""

import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from trueval.data.atomic import atomic_write

__all__ = ["Partial"]


class Partial:
    """Results of cells by key, kept in memory and, if there is a path, in a file.

    A file that cannot be read as such is taken as empty: its cells are done again.

    Parameters
    ----------
    path : Path or None
        The file to keep them in.
    others : iterable of Path
        Files of studies that have the same cells; read, never written.
    """

    # Writing may cost this share of the time, at most.
    _SHARE = 0.05

    def __init__(self, path: Path | None, others: Iterable[Path] = ()) -> None:
        self.path = path
        self._cells: dict[str, dict[str, Any]] = {}
        for file in (*others, *([path] if path is not None else [])):
            self._cells |= _read(file)
        self._unwritten = False
        self._next = 0.0

    def get(self, key: str) -> dict[str, Any] | None:
        """Result and seconds of a cell, or None."""
        return self._cells.get(key)

    def add(self, key: str, result: dict[str, Any], seconds: float) -> None:
        """Keep a result; writes unless that would take much of the time."""
        self._cells[key] = {"result": result, "seconds": seconds}
        self._unwritten = True
        if time.monotonic() >= self._next:
            self.write()

    def write(self) -> None:
        """Write what is not yet written."""
        if self.path is None or not self._unwritten:
            return
        start = time.monotonic()
        with atomic_write(self.path) as file:
            file.write(json.dumps({"cells": self._cells}).encode())
        self._unwritten = False
        end = time.monotonic()
        self._next = end + (end - start) / self._SHARE


def _read(path: Path) -> dict[str, dict[str, Any]]:
    try:
        cells = json.loads(path.read_bytes())["cells"]
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    if not isinstance(cells, dict):
        return {}
    return {
        key: cell
        for key, cell in cells.items()
        if isinstance(cell, dict)
        and isinstance(cell.get("result"), dict)
        and isinstance(cell.get("seconds"), int | float)
    }
