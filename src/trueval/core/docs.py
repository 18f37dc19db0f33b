"""Sections that several docstrings share, written once."""

import re
import sys
import textwrap
from collections.abc import Callable
from typing import TypeVar

__all__ = ["N_SPLITS", "shared_sections"]

#: Of ``get_n_splits`` where no data are needed.
N_SPLITS = """
Parameters
----------
X, y, groups : object
    Ignored, for compatibility.

Returns
-------
int
"""

_Documented = TypeVar("_Documented", bound=Callable[..., object])


def shared_sections(**texts: str) -> Callable[[_Documented], _Documented]:
    """Put shared sections into a docstring: a line ``{name}`` becomes the text of that name.

    >>> @shared_sections(returns="Returns: a float.")
    ... def half(x):
    ...     '''Half of x.
    ...
    ...     {returns}
    ...     '''
    >>> print(half.__doc__.strip().splitlines()[-1].strip())
    Returns: a float.
    """

    def decorate(thing: _Documented) -> _Documented:
        if sys.flags.optimize > 1:  # python -OO: no docstring, or the signature of a dataclass
            return thing
        doc = thing.__doc__ or ""
        for name, text in texts.items():
            place = re.search(rf"^( *)\{{{name}\}}$", doc, re.MULTILINE)
            if place is None:
                raise ValueError(f"a docstring has no line {{{name}}}: {doc[:60]!r}")
            block = textwrap.indent(textwrap.dedent(text).strip("\n"), place[1])
            doc = doc[: place.start()] + block + doc[place.end() :]
        thing.__doc__ = doc
        return thing

    return decorate
