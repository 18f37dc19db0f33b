"""Splits of pairs, from a file of folds or a column: for audit and score."""

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from trueval.cli import read
from trueval.cli.files import FILE
from trueval.cli.run import Run
from trueval.cli.types import Function, Values
from trueval.core.errors import Fix, InputError, Place
from trueval.core.reading import PairReading

if TYPE_CHECKING:
    from trueval.core.folds import Folds
    from trueval.core.pairs import Pairs
    from trueval.data._source import Source
    from trueval.data._values._split_words import Sides

__all__ = ["pairs_to_split", "split_options", "splits_of_column", "splits_of_folds"]


def split_options(function: Function) -> Function:
    """The options that name a split."""
    column = click.option(
        "--split-column", metavar="NAME", help="Column of the table: train, valid, test; or folds."
    )
    text = "Folds of 'trueval pairs', or a table of row and fold."
    return click.option("--folds", type=FILE, help=text)(column(function))


def pairs_to_split(
    run: Run,
    path: str,
    ids: str | None,
    label_column: str | None,
    header: bool | None,
    bipartite: bool,
    split_column: str | None,
) -> "Pairs":
    """Pairs of a file; one whose split column is named has a header."""
    by_name = split_column is not None and not split_column.isdigit()
    return read.pairs(
        run,
        path,
        columns=ids,
        label_column=label_column,
        header=True if by_name else header,
        two_kinds=bipartite,
    )


def splits_of_folds(
    run: Run, path: str, n_rows: int, ids: "Values | None" = None, unit: str = "pairs"
) -> "Sides":
    """Training and test rows by the name of the fold, of a file of folds; in the order of ids."""
    import numpy as np

    from trueval.data import read_folds
    from trueval.data._values._split_words import word_sides
    from trueval.data._values.pair_folds import read_pair_folds

    source = run.source(path)
    folds = read_pair_folds(source, n_rows)
    if folds is None:
        file = read_folds(source)
        if unit == "rows" and file.index is not None:
            file = _in_order(file, ids, source)
        numbers = file.folds
        if len(numbers) != n_rows:
            raise InputError(f"{len(numbers):,} folds for {n_rows:,} {unit}.", place=Place(path))
        words = file.provenance.get("fold_names")
        if words:
            run.note_input(path, (n_rows, len(words)))
            return word_sides(words, numbers, source)
        assigned = numbers >= 0  # -1 is a row that the split left out
        folds = [
            (np.flatnonzero((numbers != number) & assigned), np.flatnonzero(numbers == number))
            for number in np.unique(numbers[assigned])
        ]
    run.note_input(path, (n_rows, len(folds)))
    usable = {f"fold {n}": fold for n, fold in enumerate(folds) if all(len(s) for s in fold)}
    if not usable:
        raise InputError(f"no fold has {unit} on both sides.", place=Place(path))
    return usable


def _in_order(file: "Folds", ids: "Values | None", source: "Source") -> "Folds":
    """Folds with ids in the order of the rows."""
    from trueval.core.named import as_text
    from trueval.core.names import with_rows

    if ids is None:
        raise source.fail(
            "the folds have ids, but the rows have none.",
            fix=Fix("Name the column of ids: pass {}.", "id_column"),
        )
    with source.placing():
        return with_rows(file, as_text(ids))


def splits_of_column(run: Run, path: str, name: str, n_rows: int) -> "Sides":
    """Training and test rows by name, of a column of the file of pairs."""
    from trueval.data._raw import AsCodes
    from trueval.data._values._split_words import split_sides
    from trueval.data._values.pairs import pairs_table

    table = pairs_table(run.again(path))
    with read.naming_options({"split_column": name}):
        at = table.position(read.column(name), "split_column")
    reading = run.readings[path]
    assert isinstance(reading, PairReading)
    used = table.names[at] if reading.header else at
    unused = tuple(other for other in reading.unused if other != used)
    run.note_reading(path, replace(reading, unused=unused))
    values = table.read(header=reading.header, values=AsCodes(at, None))["values"]
    assert len(values.codes) == n_rows
    usable = {
        name: sides
        for name, sides in split_sides(table, values, at).items()
        if all(map(len, sides))
    }
    if not usable:
        raise table.fail("all rows are in one fold, so nothing is tested.", column=at)
    return usable
