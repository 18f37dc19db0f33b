"""Where a result comes from: what was read, how, with which seed and versions."""

import platform
from collections.abc import Iterable, Mapping
from importlib import metadata
from typing import Any

from trueval._version import __version__

__all__ = ["LIBRARIES", "record", "versions"]

#: Libraries that a result may depend on.
LIBRARIES = ("numpy", "scipy", "scikit-learn")


def versions(packages: Iterable[str] = LIBRARIES) -> dict[str, str | None]:
    """Versions of trueval, Python and some packages; None for one that is not installed.

    >>> versions(["no-such-package"])["no-such-package"] is None
    True
    """
    installed: dict[str, str | None] = {
        "trueval": __version__,
        "python": platform.python_version(),
    }
    for package in dict.fromkeys(packages):
        try:
            installed.setdefault(package, metadata.version(package))
        except metadata.PackageNotFoundError:
            installed[package] = None
    return installed


def record(*, parameters: Mapping[str, Any], seed: int | None, **facts: Any) -> dict[str, Any]:
    """What must be known to make a result again, beside the facts of its kind."""
    seed = None if seed is None else int(seed)
    return {**facts, "parameters": dict(parameters), "seed": seed, "version": __version__}
