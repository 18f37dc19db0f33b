"""``trueval score``: AUC of held-out scores of pairs, with intervals over objects."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from trueval.cli import read
from trueval.cli.files import FILE, Input
from trueval.cli.options import (
    bipartite_option,
    command,
    exactly_one,
    header_option,
    output_option,
)
from trueval.cli.pair_splits import (
    pair_splits_of_folds,
    pairs_to_split,
    split_options,
    splits_of_column,
)
from trueval.cli.run import Outcome, Run
from trueval.core.errors import Fix, InputError, InputWarning, Place, warn_user
from trueval.core.reading import PairReading

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from trueval.core.pairs import Pairs
    from trueval.core.table import Table
    from trueval.data._values._split_words import Sides

    Numbers = NDArray[np.float64]

__all__ = ["score"]


@command(
    "score",
    short="Score held-out pairs by setting, with intervals.",
    examples=(
        "trueval score trueval-demo/pairs.csv trueval-demo/pair_scores.csv"
        " --folds trueval-demo/pair_folds.csv",
    ),
)
@click.argument("pairs", type=FILE)
@click.argument("scores", type=Input(shared=True))
@split_options
@click.option("--score-column", metavar="NAME", help="Column of SCORES, if not found by itself.")
@click.option(
    "--resamples",
    type=click.IntRange(0),
    default=1000,
    show_default=True,
    help="Resamples of the objects for the intervals; 0 for none.",
)
@click.option(
    "--confidence",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Of the intervals.",
)
@bipartite_option
@click.option("--ids", metavar="A,B", help="The two id columns, if not the first two.")
@click.option("--label-column", metavar="NAME", help="Column with the label of each pair.")
@header_option
@output_option("Write the figures of all settings (CSV, TSV, Parquet).")
def score(
    run: Run,
    *,
    pairs: str,
    scores: str,
    folds: str | None,
    split_column: str | None,
    score_column: str | None,
    resamples: int,
    confidence: float,
    bipartite: bool,
    ids: str | None,
    label_column: str | None,
    header: bool | None,
    output: str | None,
) -> Outcome:
    """Measure the AUC of SCORES that a model gave to held-out PAIRS.

    Pooled over folds and averaged, for pairs whose objects training has all seen (AA, C1), in
    part (AB, C2) or not at all (BB, C3). SCORES has a column of scores, with the ids of the
    pairs, a column 'row', or one line for each line of PAIRS; a column 'fold' where several
    folds score one pair. PAIRS may itself have the scores: give it twice.

    Intervals are made by drawing objects, not pairs, with replacement, and hold for these
    models on pairs of other objects.
    """
    exactly_one(folds=folds, split_column=split_column)
    if output is not None:
        from trueval.data._formats import output_format

        output_format("figures.csv" if output == "-" else output, None, ("table",))
    all_pairs = pairs_to_split(run, pairs, ids, label_column, header, bipartite, split_column)
    _check_labels(all_pairs, pairs)
    if folds is not None:
        splits = pair_splits_of_folds(run, folds, all_pairs, pairs, bipartite)
    else:
        splits = splits_of_column(run, pairs, str(split_column), len(all_pairs))
    splits, hints = _for_test(splits)
    by_fold = _scores(run, scores, pairs, all_pairs, bipartite, score_column)

    from trueval.pairs import score_pairs
    from trueval.show import summary

    with run.meter("Resampling objects") as meter:
        result = score_pairs(
            all_pairs,
            all_pairs.y,
            _in_folds(by_fold, splits, scores),
            splits,
            symmetric=not bipartite,
            confidence=confidence,
            n_resamples=resamples,
            random_state=run.seed,
            progress=meter,
        )
    run.write(output, lambda path: _write(path, result.table))
    return Outcome(result.to_dict(), hints, summary=summary(result))


def _check_labels(pairs: "Pairs", path: str) -> None:
    from trueval.core.arrays import is_binary

    fix = Fix("Name the column with 0 and 1: pass {}.", "label_column")
    if pairs.y is None:
        raise InputError("the pairs have no label.", place=Place(path), fix=fix)
    if not is_binary(pairs.y):
        raise InputError("the labels are not 0 and 1.", place=Place(path), fix=fix)


def _for_test(splits: "Sides") -> "tuple[Sides, list[str]]":
    """The splits to score: where words say which pairs are for test, not those for validation."""
    from trueval.data._values._split_words import role_of

    test = {name: split for name, split in splits.items() if role_of(name) == "test"}
    left = [name for name in splits if test and name not in test]
    if not left:
        return splits, []
    n = sum(len(splits[name][1]) for name in left)
    said = f"{n:,} pairs for validation ({', '.join(left)}) are not scored: models were chosen by "
    return test, [f"{said}them."]


def _scores(
    run: Run, path: str, pairs_path: str, pairs: "Pairs", bipartite: bool, column: str | None
) -> "dict[str | None, Numbers]":
    from trueval.data._values.pair_scores import read_pair_scores

    reading = run.readings[pairs_path]
    assert isinstance(reading, PairReading)
    source = run.source(path)
    with run.reading(path, source), read.naming_options({"score_column": column}):
        values, understood = read_pair_scores(
            source,
            pairs,
            reading.columns,
            symmetric=not bipartite,
            score_column=read.column(column),
        )
    run.note_input(path, (len(pairs),))
    run.note_reading(path if path != pairs_path else f"{path} (scores)", understood)
    return values


def _in_folds(
    by_fold: "dict[str | None, Numbers]", splits: "Sides", path: str
) -> "Numbers | list[Numbers]":
    """Scores as the library takes them: one for each row, or an array for each fold."""
    import numpy as np

    if None in by_fold:
        tested = np.concatenate([test for _, test in splits.values()])
        again = len(tested) - len(np.unique(tested))
        if again:
            warn_user(
                f"{again:,} times a pair is tested by a further fold; its one score is used in "
                "each of them.",
                InputWarning,
                place=Place(path),
                fix="If each fold has its own, add a column 'fold'.",
            )
        return by_fold[None]
    named = {f"fold {name}" if f"fold {name}" in splits else name: name for name in by_fold}
    lacking = [name for name in splits if name not in named]
    if lacking:
        raise InputError(
            f"the column of folds has no scores of {lacking[0]}.",
            place=Place(path),
            fix="Number folds as in the split, or drop the column.",
        )
    return [by_fold[named[name]][test] for name, (_, test) in splits.items()]


def _write(path: Path, table: "Table") -> None:
    from trueval.data._formats import output_format, write_raw
    from trueval.data._raw import RawTable

    write_raw(path, output_format(path, None, ("table",)), RawTable(dict(table)))
