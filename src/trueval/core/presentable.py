"""How results show themselves without importing what shows them.

The packages that compute never import those that present. This module is the one
exception: it looks :mod:`trueval.show` and :mod:`trueval.displays` up by name, and only
when a text, a card or a picture is asked for.
"""

from importlib import import_module
from typing import Any

__all__ = ["AX", "HtmlCard", "Presentable", "card_html", "draw", "text_of"]

_SHOW, _DISPLAYS = "trueval.show", "trueval.displays"
#: Section of the docstring of each ``plot``.
AX = """
Parameters
----------
ax : matplotlib Axes, optional
    A new figure if not given.
"""


def text_of(result: object) -> str:
    """A result as plain text."""
    show = import_module(_SHOW)
    return str(show.to_text(show.summary(result)))


def card_html(result: object) -> str:
    """A result as HTML for a notebook."""
    show = import_module(_SHOW)
    return str(show.to_html(show.summary(result)))


def draw(maker: str, *args: Any, ax: Any = None, **options: Any) -> Any:
    """The display that ``maker`` makes, such as ``"CoverageDisplay.from_coverage"``, drawn."""
    name, _, method = maker.partition(".")
    display = getattr(import_module(_DISPLAYS), name)
    return getattr(display, method)(*args, **options).plot(ax)


class HtmlCard:
    """A value with a summary in :mod:`trueval.show`, which notebooks show; its text is its own."""

    def _repr_html_(self) -> str:
        return card_html(self)


class Presentable(HtmlCard):
    """A result with a summary in :mod:`trueval.show`."""

    def __repr__(self) -> str:
        return text_of(self)
