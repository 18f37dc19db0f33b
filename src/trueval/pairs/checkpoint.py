"""Finished repeats of a deviation study in a file, so that a stopped one goes on."""

import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from trueval.errors import InputError

__all__ = ["Checkpoint"]

_COLUMNS = ("estimates", "truths", "nulls", "excluded", "rate")


class Checkpoint:
    """Finished repeats in a file, written beside and renamed.

    Parameters
    ----------
    path : path or None
        None keeps them in memory only.
    digest : str
        What the study is made of; a file of another one is refused.
    """

    _EVERY = 20

    def __init__(self, path: str | os.PathLike[str] | None, digest: str) -> None:
        self.path = None if path is None else Path(path)
        self.digest = digest
        self.results: dict[int, dict[str, Any]] = {}
        self._unwritten = 0
        if self.path is not None and self.path.exists():
            self._read(self.path)

    def _read(self, path: Path) -> None:
        try:
            # Opened here: NumPy leaves a file that is cut short open.
            with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
                digest = str(file["digest"])
                repeats = file["repeat"].tolist()
                columns = {name: file[name] for name in _COLUMNS}
        except (OSError, ValueError, TypeError, KeyError, EOFError, zipfile.BadZipFile) as error:
            raise InputError(
                f"checkpoint {path} cannot be read ({error}); give another file, or delete it."
            ) from error
        if digest != self.digest:
            raise InputError(
                f"checkpoint {path} belongs to a study with other data, arguments or seed; "
                "give another file, or delete it."
            )
        for place, repeat in enumerate(repeats):
            self.results[repeat] = {name: columns[name][place] for name in _COLUMNS}

    def add(self, repeat: int, result: dict[str, Any]) -> None:
        """Keep a repeat; writes now and then."""
        self.results[repeat] = result
        self._unwritten += 1
        if self._unwritten >= self._EVERY:
            self.write()

    def write(self) -> None:
        """Write what is not yet written."""
        if self.path is None or not self._unwritten:
            return
        repeats = sorted(self.results)
        columns: dict[str, Any] = {
            name: np.array([self.results[r][name] for r in repeats]) for name in _COLUMNS
        }
        beside = self.path.with_name(self.path.name + ".part")
        with beside.open("wb") as file:
            np.savez(file, digest=np.array(self.digest), repeat=np.array(repeats), **columns)
        os.replace(beside, self.path)
        self._unwritten = 0
