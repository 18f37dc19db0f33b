"""How results get their notebook card and their picture without importing either.

A result says what is in its card, as data; the packages that draw import the packages
that compute, never the other way round. This module is the one exception: it looks the
drawing code up by name, and only when a card or picture is asked for.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

__all__ = ["Card", "CardTable", "Presentable", "card_html", "draw"]

#: Where cards become HTML, and where pictures are drawn.
_CARDS, _CHARTS = "trueval.html", "trueval.charts"


@dataclass(frozen=True)
class CardTable:
    """A table of a card: names of the columns, cells, and which columns are numbers."""

    head: Sequence[str]
    rows: Sequence[Sequence[Any]]
    numeric: Sequence[bool] | None = None


@dataclass(frozen=True)
class Card:
    """What a result shows of itself: a title, a verdict, tables, remarks.

    ``good`` colours the verdict: True for good news, False for bad, None for neither.
    """

    title: str = ""
    verdict: str = ""
    good: bool | None = None
    tables: Sequence[CardTable] = ()
    notes: Sequence[str] = ()


def card_html(card: Card) -> str:
    """The card as HTML."""
    return str(import_module(_CARDS).card(card))


def draw(chart: str, *args: Any, **options: Any) -> Any:
    """The picture that a function of ``trueval.charts`` draws."""
    return getattr(import_module(_CHARTS), chart)(*args, **options)


class Presentable:
    """A result with a card: a subclass says what is in it."""

    def _card(self) -> Card:
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return card_html(self._card())
