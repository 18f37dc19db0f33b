"""Folders: made for results, and listed with nothing left out."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from trueval.core.errors import InputError, Place

__all__ = ["files_in", "make_folder"]


def make_folder(path: Any) -> Path:
    """Make a folder, and those above it, unless it is there.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     make_folder(Path(folder, "a", "b")).is_dir()
    True
    """
    folder = Path(os.fsdecode(path))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise InputError(
            "this is a file, not a folder.", place=Place(str(folder)), fix="Name a folder."
        ) from None
    except OSError as error:
        raise InputError(
            f"the folder cannot be made: {error.strerror}.",
            place=Place(str(folder)),
            fix="Check the path and its permissions.",
        ) from None
    return folder


def files_in(folder: Path, *, below: bool = True) -> Iterator[Path]:
    """Files of a folder, and with ``below`` those of the folders in it, in no order.

    A folder that cannot be read is an error: its files would be missed.
    """
    for inside, folders, names in os.walk(folder, onerror=_refuse):
        for name in names:
            yield Path(inside, name)
        if not below:
            folders.clear()


def _refuse(error: OSError) -> NoReturn:
    raise InputError(
        f"the folder cannot be read: {error.strerror}.",
        place=Place(os.fsdecode(error.filename)),
        fix="Check its permissions.",
    ) from None
