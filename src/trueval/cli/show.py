"""Tables and sentences for people. Text from data is never read as markup."""

import os
import sys
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

__all__ = ["WideTable", "console", "heading", "number", "table"]

_PLAIN_WIDTH = 110


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Leave it to the caller, who knows the exit code."""
        raise BrokenPipeError


def console(*, err: bool = False) -> Console:
    """A terminal; plain text of one width where none is connected."""
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
    """A table: the first column to the left, the others, numbers, to the right."""
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


class WideTable:
    """A table that is cut into blocks of columns where the screen is too narrow for it.

    Parameters
    ----------
    columns, rows
        As in :func:`table`; the rows must be a sequence.
    keys : int
        So many columns at the left name the row and are repeated in every block.
    together : collection of int, default=()
        Columns that stay in a block with the next one.

    Examples
    --------
    >>> from trueval.cli.show import WideTable
    >>> wide = WideTable(["data", "F", "error"], [["yeast", 0.5, 0.01]], keys=1)
    >>> wide.blocks(80), wide.blocks(15)
    ([[0, 1, 2]], [[0, 1], [0, 2]])
    """

    _GAP = 2

    def __init__(
        self,
        columns: Sequence[str],
        rows: Sequence[Sequence[Any]],
        keys: int,
        together: Collection[int] = (),
    ) -> None:
        self.columns, self.rows, self.keys, self.together = columns, rows, keys, together

    def blocks(self, width: int) -> list[list[int]]:
        """Column numbers of each block, at least one beside the keys."""
        cells = zip(*self.rows, strict=True) if self.rows else ([] for _ in self.columns)
        needed = [
            self._GAP
            + max(len(word) for word in (*name.removeprefix("<").split(), *map(number, column)))
            for name, column in zip(self.columns, cells, strict=True)
        ]
        keys = list(range(self.keys))
        room = width + self._GAP - sum(needed[: self.keys])
        made: list[list[int]] = []
        left, place = 0, self.keys
        while place < len(self.columns):
            end = place + 1
            while end - 1 in self.together:
                end += 1
            if not made or sum(needed[place:end]) > left:
                made.append(keys.copy())
                left = room
            made[-1] += range(place, end)
            left -= sum(needed[place:end])
            place = end
        return made or [keys]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for block, places in enumerate(self.blocks(options.max_width)):
            if block:
                yield Text()
            yield table(
                [self.columns[p] for p in places], [[row[p] for p in places] for row in self.rows]
            )


def number(value: Any) -> str:
    """A cell: numbers with separators and a sensible number of digits.

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
