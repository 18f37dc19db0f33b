"""What a table of text says beside its cells: in ``folds.csv.json``; ``folds.csv`` is plain.

The side file has the checksum of its table. One that does not belong to the table any more, as
after another program wrote it, is not used, and a warning says so.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from trueval.core.errors import InputError, InputWarning, Place, warn_user
from trueval.core.files import atomic_write
from trueval.data._source import Source

__all__ = [
    "check_side",
    "is_side_file",
    "read_side",
    "side_path",
    "write_facts",
    "write_side",
]

_MARK = "trueval_side_file"
_LARGEST = 2**24


def side_path(path: Any) -> Path:
    """The name of the side file: that of the table, and ``.json``."""
    return Path(f"{os.fsdecode(path)}.json")


def check_side(path: Any) -> None:
    """Refuse to write where a file of somebody else has the name of the side file."""
    side = side_path(path)
    problem = "it is something else"
    try:
        if not side.exists() or is_side_file(side):
            return
    except OSError as error:
        problem = f"it cannot be read ({error.strerror})"
    raise InputError(
        f"this file is where the provenance goes, and {problem}.",
        place=Place(str(side)),
        fix="Move it away, or choose another name to write.",
    )


def write_side(path: Any, metadata: Mapping[str, str], sha256: str) -> None:
    """Write what is said beside a table of a checksum.

    Of the table that was written: by now the name may be that of another.
    """
    content = {"file": Path(os.fsdecode(path)).name, "sha256": sha256}
    write_facts(path, content | {key: json.loads(text) for key, text in metadata.items()})


def write_facts(path: Any, facts: Mapping[str, Any]) -> None:
    """Write a side file of facts."""
    content = {_MARK: 1, **facts}
    with atomic_write(side_path(path)) as file:
        file.write(json.dumps(content, indent=1, sort_keys=True, allow_nan=False).encode() + b"\n")


def is_side_file(path: Path) -> bool:
    """Whether a file is one of :func:`write_side`."""
    return _content(path) is not None


def read_side(source: Source) -> dict[str, str]:
    """What is said beside the table of a source; nothing if there is no side file."""
    if not source.is_path:
        return {}
    try:
        content = _content(side_path(source.path))
    except OSError as error:
        problem = f"cannot be read ({error.strerror})"
    else:
        if content is None:
            return {}
        if content.pop("sha256", None) == source.sha256():
            return _facts(content)
        problem = "was written for another version of this file"
    warn_user(
        f"{side_path(source.path).name} {problem}, so what it says (what was split, and how) is "
        "not used.",
        InputWarning,
        place=Place(source.name),
        fix="Delete it, or write the folds again.",
    )
    return {}


def _facts(content: dict[str, Any]) -> dict[str, str]:
    return {key: json.dumps(value) for key, value in content.items() if key not in (_MARK, "file")}


def _content(side: Path) -> dict[str, Any] | None:
    """What a side file says; None if there is none, OSError if it cannot be read."""
    try:
        if not side.is_file() or side.stat().st_size > _LARGEST:
            return None
        content = json.loads(side.read_bytes())
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) and _MARK in content else None
