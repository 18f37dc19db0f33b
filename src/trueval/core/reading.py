"""``Reading``: how a file of labels was understood."""

from dataclasses import dataclass
from typing import Any

__all__ = ["Reading", "examples_of"]


@dataclass(frozen=True)
class Reading:
    """How a file of labels was understood, so that a wrong guess can be seen.

    Attributes
    ----------
    layout : {"wide", "long", "list"} or None
        Of a table; None for other formats.
    separator : str or None
        What separates the labels of a cell; None where a cell is one label, or a list.
    column : str, int or None
        The column with the labels.
    form : str
        The format.
    examples : tuple of str
        Some classes; those with spaces or punctuation first, which tell most.
    """

    layout: str | None = None
    separator: str | None = None
    column: str | int | None = None
    form: str = ""
    examples: tuple[str, ...] = ()


def examples_of(classes: Any, n: int = 3) -> tuple[str, ...]:
    """The class names that would look wrong first if the separator were.

    >>> from trueval.core.reading import examples_of
    >>> examples_of(["kinase", "ion", "lipid, transport", "membrane"])
    ('lipid, transport', 'kinase', 'ion')
    """
    odd: list[str] = []
    plain: list[str] = []
    for name in map(str, classes):
        (odd if any(mark in name for mark in ",;| ") else plain).append(name)
        if len(odd) == n:
            break
        del plain[n:]
    return tuple((odd + plain)[:n])
