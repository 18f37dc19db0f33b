"""Values in a notebook: what they are, how large, and their first names."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from trueval.core.errors import quote
from trueval.show._numbers import number
from trueval.show._summary import Cell, Column, Summary, SummaryTable

__all__ = ["first", "span", "value_summary"]

MOST_NAMES = 5
_COLUMNS = (Column("", text=True), Column(""), Column("", text=True))


def value_summary(
    value: object, lines: Sequence[tuple[str, Cell, str]], notes: Sequence[str] = ()
) -> Summary:
    """The summary of a value: its text, and a line for each thing that it holds.

    A line is (what, how many, which of them).
    """
    return Summary(repr(value), tables=[SummaryTable(_COLUMNS, lines)], notes=notes)


def first(names: Iterable[Any] | None) -> str:
    """The first of some names, or nothing.

    >>> first(["a", "b"]), first(range(9)), first(None)
    ('a, b', '0, 1, 2, 3, 4, …', '')
    """
    some = list(islice(names, MOST_NAMES + 1)) if names is not None else []
    quoted = [quote(str(name), 40).strip("'\"") for name in some[:MOST_NAMES]]
    return ", ".join([*quoted, *(["…"] if len(some) > MOST_NAMES else [])])


def span(values: Any) -> str:
    """The least and the largest of some numbers.

    >>> import numpy as np
    >>> span(np.array([3, 1, 2])), span(np.array([4, 4])), span(np.array([]))
    ('1 to 3', '4', '')
    """
    if len(values) == 0:
        return ""
    ends = dict.fromkeys(number(end) for end in (values.min(), values.max()))
    return " to ".join(ends)
