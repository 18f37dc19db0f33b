"""Finished repeats of a deviation study in a file, so that a stopped one goes on."""

import hashlib
import os
import zipfile
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import InputError, Place
from trueval.core.files import Checkpoint

__all__ = ["label_digest", "other_study", "repeats_in"]

_COLUMNS = ("estimates", "truths", "influence", "nulls", "excluded", "rate", "labels")
_FIX = "Give another file, or delete it."
_Repeats = dict[int, dict[str, Any]]


def label_digest(y: NDArray[np.bool_]) -> str:
    """A fingerprint of the labels of a draw."""
    return hashlib.sha256(np.packbits(y).tobytes()).hexdigest()[:16]


def other_study(path: str, what: str) -> InputError:
    """The refusal of a file whose study was another."""
    problem = f"the checkpoint belongs to a study with other {what}."
    return InputError(problem, place=Place(path), fix=_FIX)


def repeats_in(path: str | os.PathLike[str] | None, digest: str) -> Checkpoint[int, dict[str, Any]]:
    """Repeats by number; a file of a study with another digest is refused."""

    def read(file: Path) -> _Repeats:
        return _read(file, digest)

    def write(file: BinaryIO, results: _Repeats) -> None:
        repeats = sorted(results)
        columns: dict[str, Any] = {
            name: np.array([results[r][name] for r in repeats]) for name in _COLUMNS
        }
        np.savez(file, digest=np.array(digest), repeat=np.array(repeats), **columns)

    return Checkpoint(path, read, write)


def _read(path: Path, expected: str) -> _Repeats:
    place = Place(str(path))
    try:
        # Opened here: NumPy leaves a file that is cut short open.
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            digest = str(file["digest"])
            ours = digest == expected  # a file of another version may lack columns
            repeats = file["repeat"].tolist() if ours else []
            columns = {name: file[name] for name in _COLUMNS} if ours else {}
        results = {
            repeat: {name: columns[name][at] for name in _COLUMNS}
            for at, repeat in enumerate(repeats)
        }
    except (
        OSError, ValueError, TypeError, KeyError, IndexError, EOFError, zipfile.BadZipFile,
    ) as error:  # fmt: skip
        raise InputError(
            f"the checkpoint cannot be read ({error}).", place=place, fix=_FIX
        ) from error
    if digest != expected:
        raise other_study(str(path), "data, arguments or seed")
    return results
