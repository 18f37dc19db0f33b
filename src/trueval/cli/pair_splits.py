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
    from trueval.core.pairs import Pairs
    from trueval.data._values._split_words import Sides

__all__ = [
    "pair_splits_of_folds",
    "pairs_to_split",
    "refuse_one_sided",
    "row_splits_of_folds",
    "split_options",
    "splits_of_column",
]


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


def pair_splits_of_folds(
    run: Run, path: str, pairs: "Pairs", pairs_path: str, bipartite: bool
) -> "Sides":
    """Training and test rows of pairs by the name of the fold, of a file of folds."""
    from trueval.data._values.pair_folds import read_pair_folds

    reading = run.readings[pairs_path]
    assert isinstance(reading, PairReading)
    folds = read_pair_folds(run.source(path), pairs, reading.columns, symmetric=not bipartite)
    return _usable(run, path, folds, len(pairs), "pairs")


def row_splits_of_folds(run: Run, path: str, n_rows: int, ids: "Values | None") -> "Sides":
    """Training and test rows by the name of the fold, of a file of folds; in the order of ids."""
    import numpy as np

    from trueval.core.named import as_text
    from trueval.core.names import with_rows
    from trueval.data import read_folds
    from trueval.data._values._split_words import sides_of_folds
    from trueval.data._values.columns import read_table

    source = run.source(path)
    file = read_folds(source)
    numbered = "row" in read_table(run.again(path)).names
    if file.index is not None and ids is not None:
        with source.placing():
            file = with_rows(file, as_text(ids))
    elif not numbered:
        refuse_one_sided(path, "folds", file.index is not None, ids is not None)
    if len(file) != n_rows:
        raise InputError(f"{len(file):,} folds for {n_rows:,} rows.", place=Place(path))
    sides = sides_of_folds(np.asarray(file.folds), file.provenance.get("fold_names"), source)
    return _usable(run, path, sides, n_rows, "rows")


def _usable(run: Run, path: str, folds: "Sides", n_rows: int, unit: str) -> "Sides":
    """The folds with rows on both sides."""
    run.note_input(path, (n_rows, len(folds)))
    usable = {name: fold for name, fold in folds.items() if all(map(len, fold))}
    if not usable:
        raise InputError(f"no fold has {unit} on both sides.", place=Place(path))
    return usable


def refuse_one_sided(path: str, what: str, have_ids: bool, rows_have_ids: bool) -> None:
    """Refuse to go by the order of the lines where only the file or only the rows have ids."""
    if have_ids == rows_have_ids:
        return
    if have_ids:
        fix = Fix("Name the column of ids: pass {}.", "id_column")
        raise InputError(
            f"the {what} have ids, but the rows have none.", place=Place(path), fix=fix
        )
    fix = Fix("Add the ids, or pass {} if both are in one order.", "ignore", "id")
    raise InputError(
        f"the rows have ids, but the {what} have none, so their order is not known to agree.",
        place=Place(path),
        fix=fix,
    )


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
