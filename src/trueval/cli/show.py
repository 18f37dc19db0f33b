"""Tables and sentences for people. Text from data is never read as markup."""

import os
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

__all__ = ["console", "heading", "number", "table"]

_PLAIN_WIDTH = 110


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Leave it to the caller, who knows the exit code."""
        raise BrokenPipeError


def console(*, err: bool = False) -> Console:
    """A terminal; plain text of one width where none is connected.

    Parameters
    ----------
    err : bool, default=False
        Write to stderr.

    Returns
    -------
    rich.console.Console
    """
    stream = sys.stderr if err else sys.stdout
    width = None
    if not stream.isatty() and not os.environ.get("COLUMNS"):
        width = _PLAIN_WIDTH
    return _Console(file=stream, width=width, highlight=False, emoji=False)


def heading(text: str) -> Text:
    """A line that stands out."""
    return Text(text, style="bold")


def table(
    columns: Sequence[str], rows: Iterable[Sequence[Any]], *, strong: Sequence[int] = ()
) -> Table:
    """A table: the first column to the left, the others, numbers, to the right.

    Parameters
    ----------
    columns : sequence of str
        A name that begins with ``<`` asks for the left.
    rows : iterable of sequences
        Numbers are shown by :func:`number`.
    strong : sequence of int
        Rows to show in bold.

    Returns
    -------
    rich.table.Table
    """
    made = Table(
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
        show_edge=False,
        show_header=any(name.removeprefix("<") for name in columns),
        header_style="bold cyan",
    )
    for place, name in enumerate(columns):
        left = place == 0 or name.startswith("<")
        made.add_column(name.removeprefix("<"), justify="left" if left else "right")
    for place, row in enumerate(rows):
        style = "bold" if place in strong else None
        made.add_row(*(Text(number(cell)) for cell in row), style=style)
    return made


def number(value: Any) -> str:
    """A cell: numbers with separators and a sensible number of digits.

    Parameters
    ----------
    value : object

    Returns
    -------
    str

    Examples
    --------
    >>> from trueval.cli.show import number
    >>> number(12345), number(0.91234), number(None), number("x"), number(3.2e-7)
    ('12,345', '0.912', '–', 'x', '3.2e-07')
    """
    if value is None or (isinstance(value, float) and value != value):
        return "–"
    if isinstance(value, bool | str):
        return str(value)
    if hasattr(value, "item"):
        return number(value.item())
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        if value == float("inf"):
            return "∞"
        return f"{value:.3f}" if value == 0 or 0.001 <= abs(value) < 1e5 else f"{value:.3g}"
    return str(value)
