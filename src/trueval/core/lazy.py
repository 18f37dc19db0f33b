"""Names of a package that are loaded on first use, so that importing the package is cheap."""

import sys
from importlib import import_module

TYPE_CHECKING = False  # as in ``trueval/__init__.py``
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

__all__ = ["load", "loader"]


def load(path: str) -> "Any":
    """The object at ``"module:name"``.

    >>> load("math:pi") > 3
    True
    """
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)


def loader(package: str, names: "Mapping[str, tuple[str, ...]]") -> "Callable[[str], Any]":
    """The ``__getattr__`` of a package: names by the module that has them, then its modules."""
    home = {name: module for module, of_module in names.items() for name in of_module}

    def get(name: str) -> "Any":
        from importlib.util import find_spec

        if name in home:
            value = getattr(import_module(home[name]), name)
        elif not name.startswith("_") and find_spec(f"{package}.{name}") is not None:
            value = import_module(f"{package}.{name}")
        else:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        setattr(sys.modules[package], name, value)
        return value

    return get
