"""Finished cells in a file, so that an interrupted study goes on where it stopped."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO

from trueval.core.files import Checkpoint

__all__ = ["cells_in"]


def cells_in(path: Path | None, others: Iterable[Path] = ()) -> Checkpoint[str, dict[str, Any]]:
    """Cells by key, each with its ``result`` and ``seconds``, kept in a file if there is a path.

    A file that cannot be read as such is taken as empty: its cells are done again.
    """
    return Checkpoint(path, _read, _write, others)


def _write(file: BinaryIO, cells: dict[str, dict[str, Any]]) -> None:
    file.write(json.dumps({"cells": cells}).encode())


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
