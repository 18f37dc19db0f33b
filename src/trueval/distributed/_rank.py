"""``rank``: scores that compare across classes, exactly as one machine makes them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from trueval.core.errors import InputError, ParameterError
from trueval.core.params import NONE, PATH, STRING, Interval, Where, check_self, constrained
from trueval.core.provenance import record, versions
from trueval.distributed._calibrate import (
    average_precision,
    cut_new,
    fitted_rankers,
    valued_tables,
)
from trueval.distributed._engine import engine_of
from trueval.distributed._output import checked_output, write_tables
from trueval.distributed._quality import SOURCE
from trueval.distributed._scored import gather_scores, open_scores
from trueval.rank._base import IntervalRanker, Ranker
from trueval.rank._precision import PrecisionRanker

__all__ = ["SCORED", "Ranked", "rank"]

_SEPARATE = Where(
    lambda ranker: isinstance(ranker, Ranker) and type(ranker).fit is Ranker.fit,
    "a ranker of separate classes, such as PrecisionRanker()",
)
#: Constraints of the parameters that scores, labels and a ranker have.
SCORED: dict[str, Any] = {
    **{name: SOURCE[name] for name in ("row", "classes", "engine", "client", "progress")},
    "scores": PATH,
    "labels": PATH,
    "out": PATH,
    "folds": (NONE, PATH),
    "new": (NONE, PATH),
    "ranker": (NONE, _SEPARATE),
    "score": STRING,
}


@dataclass(frozen=True, eq=False)
class Ranked:
    """A ranker of all rows, and how well cross-fitted values rank.

    Attributes
    ----------
    ranker : Ranker
        Fitted on all rows.
    average_precision : float
        Of all (row, class) pairs by the values written; NaN where these are of new rows.
    n_rows, n_classes, n_positives, n_scores : int
    """

    ranker: Any
    average_precision: float
    n_rows: int
    n_classes: int
    n_positives: int
    n_scores: int


@constrained(**SCORED, confidence=(NONE, Interval(float, 0, 1, "neither")))
def rank(
    scores: Any,
    labels: Any,
    *,
    out: Any,
    folds: Any = None,
    new: Any = None,
    ranker: Any = None,
    confidence: float | None = None,
    row: str | None = None,
    classes: str | None = None,
    score: str = "score",
    engine: str = "stream",
    client: Any = None,
    progress: Callable[[int, int], None] | None = None,
) -> Ranked:
    """Calibrate the scores of a Parquet dataset so that they compare across classes.

    Scores and labels meet by row, then all scores of a class meet: what a ranker learns from, the
    distinct scores of a class with their objects and positives, is a sum. So the values are those
    of one machine with the classes in the order of their names, to the last bit.

    Parameters
    ----------
    scores : path
        Parquet file or folder of scores of rows the model was *not* trained on: a record is a row,
        a class and a score, or a row with a list of classes and one of scores. A score that is not
        there lies below all that are.
    labels : path
        As the source of :func:`split`; all rows that have scores, those without positives as well.
    out : path
        Parquet file to write, with the columns ``row``, ``class`` and ``value``, sorted by class.
    folds : path, optional
        Parquet with the columns ``row`` and ``fold``, as :func:`split` writes it. Every row is
        valued by a ranker that never saw the labels of its fold.
    new : path, optional
        Scores of other rows, to be valued by the ranker of all rows instead.
    ranker : ranker, optional
        Unfitted; :class:`~trueval.rank.PrecisionRanker` if not given.
    confidence : float, optional
        Also write ``low`` and ``high``, the interval for P(class | score) with this confidence.
    row, classes, score : str, optional
        Names of the columns.
    engine, client, progress
        As for :func:`split`.

    Returns
    -------
    Ranked

    Raises
    ------
    InputError
        For repeated or missing ids, two scores of one pair, or a file that cannot be read.
        Nothing is written then.

    Warns
    -----
    OneClassWarning
        If some classes cannot be ranked: they get one value each.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import pyarrow as pa, pyarrow.parquet as pq
    >>> from trueval.distributed import rank
    >>> from trueval.rank import IsotonicRanker
    >>> rows = list(range(8))
    >>> tables = {
    ...     "scores": pa.table({"row": rows, "class": ["a"] * 8, "score": rows}),
    ...     "labels": pa.table({"row": rows, "class": [None, "a", None, "a", None, "a", "a", "a"]}),
    ...     "folds": pa.table({"row": rows, "fold": [0, 0, 1, 1] * 2}),
    ... }
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = {name: Path(folder, f"{name}.parquet") for name in tables}
    ...     for name, table in tables.items():
    ...         pq.write_table(table, files[name])
    ...     result = rank(**files, out=Path(folder, "values.parquet"), ranker=IsotonicRanker())
    ...     values = pq.read_table(Path(folder, "values.parquet"))
    >>> values.column_names, len(values), result.n_positives
    (['row', 'class', 'value'], 8, 5)
    """
    if (folds is None) == (new is None):
        raise InputError(
            "values of the rows that a ranker learned from flatter it.",
            fix="Pass folds=, to value each row by the others, or new=, to value other rows.",
        )
    ranker = PrecisionRanker() if ranker is None else ranker
    check_self(ranker)
    if confidence is not None and not isinstance(ranker, IntervalRanker):
        expected = f"None for {type(ranker).__name__}, which has no intervals"
        raise ParameterError("confidence", expected, confidence, "rank")
    target = checked_output(out, scores, labels, folds, new)
    with engine_of(engine, client, target, progress) as carrier:
        names = (row, classes, score)
        scored = gather_scores(carrier, scores, labels, folds, names)
        everything, by_fold = fitted_rankers(carrier, scored, ranker)
        tables, rankers = scored.tables, by_fold
        if new is not None:
            tables = cut_new(carrier, open_scores(new, *names), scored)
            rankers = [everything]
        values = valued_tables(carrier, tables, scored, rankers, confidence)
        area = np.nan if new is not None else average_precision(carrier, values, scored)
        facts = record(
            parameters={"ranker": repr(ranker), "confidence": confidence, "engine": engine},
            seed=None,
            versions=versions(("numpy", "scipy", "pyarrow")),
        )
        written = (table.drop_columns(["hit", "fold"]) for table in carrier.values(values))
        write_tables(target, written, facts, "values")
        carrier.finish()
    totals = scored.positives
    return Ranked(
        everything,
        float(area),
        int(totals.sizes.sum()),
        len(scored.classes),
        int(totals.counts.sum()),
        scored.n_scores,
    )
