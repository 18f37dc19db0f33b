"""Summaries of values: tables and pair indices."""

import numpy as np

from trueval.core.ids import PairIndex
from trueval.core.table import Table
from trueval.show._numbers import count
from trueval.show._present import summarise
from trueval.show._summary import Column, Summary, SummaryTable

__all__ = ["MOST_ROWS", "table_block"]

MOST_ROWS = 20  # of a table that shows itself


def table_block(table: Table, n: int = MOST_ROWS) -> SummaryTable:
    """The first rows; whole numbers may be names, so they get no separators."""
    columns = [Column(name, digits=4, text=table[name].dtype.kind not in "biuf") for name in table]
    rows = [
        [
            cell if isinstance(cell, float) else str(cell)
            for cell in (table[name][row].item() for name in table)
        ]
        for row in range(min(n, table.n_rows))
    ]
    return SummaryTable(columns, rows)


@summarise.register
def _(table: Table) -> Summary:
    left_out = table.n_rows - MOST_ROWS
    notes = [f"… {left_out:,} more rows"] if left_out > 0 else []
    return Summary("", tables=[table_block(table)], notes=notes)


def index_notes(index: PairIndex) -> list[str]:
    """What is unusual about pairs."""
    notes = []
    if index.n_duplicates:
        notes.append(count(index.n_duplicates, "repeated row"))
    if index.n_mirrored:
        notes.append(f"{count(index.n_mirrored, 'mirrored pair')}, as (b, a) and (a, b)")
    if index.n_self:
        notes.append(f"{count(index.n_self, 'self pair')} (o, o)")
    return notes


def index_title(index: PairIndex) -> str:
    """How many rows, pairs and objects."""
    objects = " + ".join(f"{n:,}" for n in np.diff(index.first_of_kind))
    return f"{count(index.n_rows, 'row')}, {index.n_pairs:,} distinct pairs of {objects} objects"


@summarise.register
def _(index: PairIndex) -> Summary:
    return Summary(f"PairIndex: {index_title(index)}", notes=index_notes(index))
