"""``code_digest``: what tells results of one state of the code from those of another."""

import hashlib
from functools import cache
from importlib.metadata import version
from pathlib import Path

import trueval
from trueval import _kernels

__all__ = ["code_digest"]

# Packages that only show results.
_SHOW = ("cli", "report", "show", "charts.py", "displays")


@cache
def code_digest() -> str:
    """A digest of all that a cell may compute with: this package's code, and NumPy and kin.

    >>> from trueval.study._code import code_digest
    >>> len(code_digest())
    16
    """
    root = Path(trueval.__file__).parent
    sources = [file.relative_to(root) for file in root.rglob("*.py")]
    digest = hashlib.sha256(Path(_kernels.__file__).read_bytes())
    for name in ("numpy", "scipy", "scikit-learn"):
        digest.update(f"{name} {version(name)}\n".encode())
    for file in sorted(sources, key=lambda file: file.parts):
        if file.parts[0] not in _SHOW:
            digest.update("/".join(file.parts).encode() + (root / file).read_bytes())
    return digest.hexdigest()[:16]
