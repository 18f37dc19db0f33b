"""Summaries of values: labels, scores, folds, pairs, tables and pair indices."""

import numpy as np

from trueval.core.folds import Folds
from trueval.core.ids import PairIndex
from trueval.core.labels import Labels
from trueval.core.named import Named
from trueval.core.pairs import Pairs
from trueval.core.presentable import HtmlCard
from trueval.core.scores import Scores
from trueval.core.table import Table
from trueval.show._numbers import count
from trueval.show._present import summarise
from trueval.show._summary import Cell, Column, Summary, SummaryTable
from trueval.show._values import first, span, value_summary

__all__ = ["MOST_ROWS", "table_block"]

MOST_ROWS = 20  # of a table that shows itself


def table_block(table: Table, n: int = MOST_ROWS) -> SummaryTable:
    """The first rows; whole numbers may be names, so they get no separators."""
    columns = [Column(name, digits=4, text=table[name].dtype.kind not in "biuf") for name in table]
    cells = [table[name][:n].tolist() for name in table]  # of Python's types, objects included
    rows = [
        [cell if isinstance(cell, float) else str(cell) for cell in row]
        for row in zip(*cells, strict=True)
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


# --- labels, scores, folds, pairs ----------------------------------------------------

_Line = tuple[str, Cell, str]


def _named_lines(value: Named) -> list[_Line]:
    """Rows and classes with their first names."""
    return [
        ("rows", value.n_rows, first(value.index)),
        ("classes", value.n_classes, first(value.classes)),
    ]


def _lines_of(value: HtmlCard) -> list[_Line]:
    """What a value says of itself."""
    lines = value._card_lines()
    return [
        (what, n, names if isinstance(names, str) else first(names)) for what, n, names in lines
    ]


@summarise.register
def _(value: HtmlCard) -> Summary:
    return value_summary(value, _lines_of(value))


@summarise.register
def _(labels: Labels) -> Summary:
    sizes = labels.class_sizes
    lines = _named_lines(labels)
    lines.append(("positives", labels.nnz, f"{labels.nnz / labels.n_rows:.3g} a row"))
    lines.append(("positives of a class", span(sizes), f"median {np.median(sizes):g}"))
    empty = int((sizes == 0).sum())
    lines += [("classes without positives", empty, "")] if empty else []
    return value_summary(labels, [*lines, *_lines_of(labels)])


@summarise.register
def _(scores: Scores) -> Summary:
    data = scores.matrix.data if scores.is_sparse else scores.matrix.ravel()
    share = f"{100 * scores.n_stored / (scores.n_rows * scores.n_classes):.3g} % of all pairs"
    lines = [*_named_lines(scores), ("scores", scores.n_stored, share)]
    return value_summary(scores, [*lines, ("range of the scores", span(data), "")])


@summarise.register
def _(folds: Folds) -> Summary:
    sizes = np.bincount(folds.folds[folds.folds >= 0], minlength=folds.n_parts)
    facts = {**folds.provenance.get("parameters", {}), **folds.provenance}
    known = [f"{name} {facts[name]}" for name in ("method", "seed", "version") if name in facts]
    lines: list[_Line] = [
        ("rows", len(folds), first(folds.index)),
        ("folds", folds.n_parts, f"{span(sizes)} rows each"),
    ]
    return value_summary(folds, [*lines, ("made by", "", ", ".join(known))] if known else lines)


@summarise.register
def _(pairs: Pairs) -> Summary:
    ids = pairs.numbered().ids
    some = (f"({first(row)})" for row in pairs.pairs)
    lines: list[_Line] = [("pairs", len(pairs), first(some)), ("ids", len(ids), first(ids))]
    if pairs.y is not None:
        values, counts = np.unique(pairs.y, return_counts=True)
        each = zip(values.tolist(), counts.tolist(), strict=True)
        said = ", ".join(f"{value}: {n:,}" for value, n in each)
        lines.append(("labels", len(pairs.y), said if len(values) < 5 else span(pairs.y)))
    if pairs.weight is not None:
        lines.append(("weights", len(pairs.weight), span(pairs.weight)))
    return value_summary(pairs, lines)
