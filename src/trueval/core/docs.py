"""Sections that several docstrings share, written once."""

import re
import textwrap
from collections.abc import Callable
from typing import TypeVar

__all__ = ["shared_sections"]

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
        for name, text in texts.items() if thing.__doc__ else ():  # none with python -OO
            line = re.compile(rf"^( *)\{{{name}\}}$", re.MULTILINE)
            place = line.search(str(thing.__doc__))
            if place is None:
                raise ValueError(f"the docstring of {thing.__qualname__} has no line {{{name}}}")
            block = textwrap.indent(textwrap.dedent(text).strip("\n"), place[1])
            thing.__doc__ = line.sub(lambda _, block=block: block, str(thing.__doc__))
        return thing

    return decorate
