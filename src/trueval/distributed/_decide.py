"""``decide``: predictions for a target, by the threshold that one machine would pick."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.errors import Fix, InputError, ParameterError
from trueval.core.named import name_array
from trueval.core.params import RANDOM_STATE, check_self, constrained
from trueval.core.provenance import record, versions
from trueval.core.random import as_generator
from trueval.core.scores import Scores
from trueval.distributed._best import best_tables, counts_of_rows
from trueval.distributed._calibrate import cut_new, fitted_rankers, valued_tables
from trueval.distributed._engine import engine_of
from trueval.distributed._output import checked_output, write_tables
from trueval.distributed._rank import SCORED
from trueval.distributed._rows import arrow, stacked
from trueval.distributed._scored import Scored, gather_scores, open_scores
from trueval.rank._bayes import check_probabilities
from trueval.rank._choice import ThresholdChoice
from trueval.rank._insample import warn_in_sample
from trueval.rank._judged import CrossFitted
from trueval.rank._pairs import RankedPairs
from trueval.rank._precision import PrecisionRanker
from trueval.rank._rules import TARGETS, Rule, read_targets
from trueval.rank._target import _chosen, _selected

__all__ = ["decide"]

Float = NDArray[np.float64]


@constrained(**SCORED, **TARGETS, random_state=RANDOM_STATE)
def decide(
    scores: Any,
    labels: Any,
    *,
    out: Any,
    folds: Any,
    new: Any = None,
    ranker: Any = None,
    precision: float | None = None,
    recall: float | None = None,
    beta: float | None = None,
    n_calls: int | None = None,
    top_k: int | None = None,
    map: bool = False,  # noqa: A002 - the rule's name
    cost_ratio: float | None = None,
    confidence: float | None = None,
    guarantee: str | None = None,
    for_new: int | None = None,
    allow_unmet: bool = False,
    average: str = "pairs",
    row: str | None = None,
    classes: str | None = None,
    score: str = "score",
    engine: str = "stream",
    client: Any = None,
    random_state: Any = 0,
    progress: Callable[[int, int], None] | None = None,
) -> ThresholdChoice:
    """Select predictions of a Parquet dataset for one target.

    The threshold, and what is said of it, are those of :func:`trueval.rank.pick_threshold` with the
    same folds, rows in the order of their ids and classes in that of their names. The values of all
    scores are held in memory, in 13 bytes each (with ``guarantee="fdr"`` those of the new rows
    too); row ids too.

    Parameters
    ----------
    scores, labels, folds, new, ranker, row, classes, score, engine, client, progress
        As for :func:`rank`; the folds are needed in any case.
    out : path
        Parquet file to write, with the columns ``row``, ``class`` and ``value`` of the predictions:
        those of the rows of ``scores``, or of ``new``. ``out.json`` beside it says how they were
        made, and counts them.
    precision, recall, beta, n_calls, top_k, map, cost_ratio, confidence
        The target, as for :func:`~trueval.rank.pick_threshold`; one, not several.
    guarantee : {"exact", "simultaneous", "fdr"}, optional
        As for :func:`~trueval.rank.pick_threshold`. ``"fdr"`` selects among the rows of ``new``,
        which are those that have a score there.
    for_new, allow_unmet, average
        As for :func:`~trueval.rank.pick_threshold`.
    random_state : None, int, Generator or RandomState, default=0
        Of the intervals.

    Returns
    -------
    ThresholdChoice
        Its ``predict`` needs scores: those of the dataset are not kept.

    Warns
    -----
    TargetWarning
        If the target cannot be met; then nothing is predicted, unless ``allow_unmet``.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np, pyarrow as pa, pyarrow.parquet as pq
    >>> from trueval.distributed import decide
    >>> rows = np.arange(400)
    >>> is_a = np.random.default_rng(0).random(400) < 0.3
    >>> tables = {
    ...     "scores": pa.table({"row": rows, "class": ["a"] * 400, "score": is_a + rows % 7 / 5}),
    ...     "labels": pa.table({"row": rows, "class": [["a"] if a else [] for a in is_a]}),
    ...     "folds": pa.table({"row": rows, "fold": rows // 100}),
    ... }
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = {name: Path(folder, f"{name}.parquet") for name in tables}
    ...     for name, table in tables.items():
    ...         pq.write_table(table, files[name])
    ...     choice = decide(**files, out=Path(folder, "predictions.parquet"), recall=0.8)
    ...     predictions = pq.read_table(Path(folder, "predictions.parquet"))
    >>> choice.target_reached, predictions.column_names
    (True, ['row', 'class', 'value'])
    """
    (rule, *_), several = read_targets(
        precision=precision,
        recall=recall,
        beta=beta,
        n_calls=n_calls,
        top_k=top_k,
        by_map=map,
        cost_ratio=cost_ratio,
        confidence=confidence,
        guarantee=guarantee,
        for_new=for_new,
        average=average,
    )
    _refuse(rule, several, guarantee, new)
    ranker = PrecisionRanker() if ranker is None else ranker
    check_self(ranker)
    target = checked_output(out, scores, labels, folds, new)
    with engine_of(engine, client, target, progress) as carrier:
        names = (row, classes, score)
        scored = gather_scores(carrier, scores, labels, folds, names, with_rows=True)
        everything, by_fold = fitted_rankers(carrier, scored, ranker)
        if not by_fold:
            raise InputError("there is one fold only, which leaves nothing to train on.")
        values = valued_tables(carrier, scored.tables, scored, by_fold, None)
        evidence = _evidence(carrier, scored, values, everything, rule)
        generator = as_generator(random_state)
        choice = _choice(evidence, rule, guarantee, allow_unmet, generator)
        if new is not None:
            fresh = cut_new(carrier, open_scores(new, *names), scored)
            values = valued_tables(carrier, fresh, scored, [everything], None)
        threshold = _threshold(carrier, values, choice, new is not None)
        predicted = _predicted(carrier, values, scored, choice, threshold)
        facts = record(
            rows=int(scored.positives.sizes.sum()) if new is None else _n_rows(carrier, values),
            **_facts(carrier, predicted, threshold),
            parameters={"ranker": repr(ranker), rule.name: rule.wanted, "engine": engine},
            seed=random_state if isinstance(random_state, int) else None,
            versions=versions(("numpy", "scipy", "pyarrow")),
        )
        write_tables(target, carrier.values(predicted), facts, "predictions")
        carrier.finish()
    return choice


def _refuse(rule: Rule, several: bool, guarantee: str | None, new: Any) -> None:
    if several:
        raise ParameterError(rule.name, "one number", "several", "decide")
    if guarantee == "fdr" and new is None:
        raise InputError(
            "guarantee='fdr' selects among new rows; the rows of the labels are known.",
            fix=Fix("Give the scores of the new rows, all of them: pass {}.", "new"),
            parameter="new",
        )


@dataclass(frozen=True, eq=False)
class _Evidence(CrossFitted):
    """Values of all scores, those that the ranker of all rows gives, and the best of each row."""

    whole: RankedPairs
    best: tuple[Float, Float] | None  # hits and calls of each row

    def threshold(self, calibrated: float) -> float:
        """For other rows: where the ranker of all rows makes as many calls."""
        if not np.isfinite(calibrated):
            return calibrated
        n_calls = int((self.pairs.value >= calibrated).sum())
        ends = np.concatenate([[0], self.whole.ends()])
        return self.whole.threshold(int(ends[np.argmin(np.abs(ends - n_calls))]))

    def best_counts(self, k: int) -> tuple[Float, Float]:
        """Hits and calls of each row where its k best classes are called."""
        assert self.best is not None
        return self.best


def _choice(
    evidence: _Evidence,
    rule: Rule,
    guarantee: str | None,
    allow_unmet: bool,
    generator: np.random.Generator,
) -> ThresholdChoice:
    """The choice, without the values of all rows."""
    pairs = evidence.pairs
    if rule.cut is not None:
        asked = "map=True" if rule.name == "map" else "cost_ratio"
        check_probabilities(Scores(pairs.value[[-1, 0]][None]), evidence.ranker, asked)
    warn_in_sample(False, pairs.area(pairs.n_rows * evidence.scores.n_classes))
    if guarantee == "fdr":
        choice = _selected(evidence, rule, allow_unmet, generator)
    else:
        choice = _chosen(evidence, rule, allow_unmet, 1, generator)
    return replace(choice, calibrated_=None)


def _evidence(engine: Any, scored: Scored, values: list[Any], ranker: Any, rule: Rule) -> _Evidence:
    """Pairs in the order of their values, rows numbered in the order of their ids."""
    if scored.positives.counts.sum() == 0:
        raise InputError("no row has a class, so no target has a meaning.")
    rows = stacked(list(engine.values(scored.rows))).sort_by("row")
    ids = rows["row"].combine_chunks()
    whole, best = valued_tables(engine, scored.tables, scored, [ranker], None), None
    if rule.name == "top_k":
        tables = best_tables(engine, values, scored, int(rule.wanted))
        best = counts_of_rows(engine, tables, ids)
        engine.release(tables)
    n, dtype = scored.n_scores, np.int32 if len(ids) < 2**31 else np.int64
    value, other, hit = np.empty(n), np.empty(n), np.empty(n, bool)
    row: NDArray[np.integer] = np.empty(n, dtype)
    start = 0
    for table, again in zip(engine.values(values), engine.values(whole), strict=True):
        part = slice(start, start + len(table))
        value[part], other[part] = table["value"].to_numpy(), again["value"].to_numpy()
        hit[part] = table["hit"].to_numpy(zero_copy_only=False)
        place = arrow(".compute").index_in(table["row"], value_set=ids)
        row[part] = place.to_numpy()
        start += len(table)
    engine.release(whole)
    order = np.argsort(value)[::-1]
    positives = rows["positives"].to_numpy().astype(np.float64)
    pairs = RankedPairs(value[order], row[order], hit[order], positives, len(ids))
    names = name_array(scored.classes.to_pylist())
    shape = Scores(sp.csr_array((1, len(names))), names)
    none: Any = None
    folds: NDArray[np.int32] = rows["fold"].to_numpy()
    descending = RankedPairs(np.sort(other)[::-1], row[:0], hit[:0], positives, len(ids))
    return _Evidence(shape, none, none, pairs, folds, ranker, descending, best)


def _threshold(engine: Any, values: list[Any], choice: ThresholdChoice, new: bool) -> float:
    """Least value that is predicted."""
    if choice._selection is not None and not choice.abstains:
        return choice._selection.threshold_of(*_new_pairs(engine, values))
    return choice.threshold if new else choice.calibrated_threshold_


def _predicted(
    engine: Any, values: list[Any], scored: Scored, choice: ThresholdChoice, threshold: float
) -> list[Any]:
    """Handles of tables of the predictions."""
    if choice.target == "top_k":
        values, threshold = best_tables(engine, values, scored, int(choice.wanted)), -np.inf
    predicted: list[Any] = engine.map(partial(_above, threshold=threshold), values)
    return predicted


def _n_rows(engine: Any, tables: list[Any]) -> int:
    return len(engine.total(partial(_Distinct.of, name="row"), tables).values)


def _facts(engine: Any, predicted: list[Any], threshold: float) -> dict[str, Any]:
    """Classes and pairs that are predicted, and from which value on."""
    return {
        "classes": len(engine.total(partial(_Distinct.of, name="class"), predicted).values),
        "predictions": engine.total(len, predicted),
        "threshold": float(threshold) if np.isfinite(threshold) else None,
    }


@dataclass(frozen=True, eq=False)
class _Distinct:
    """Distinct values of a column, which add up."""

    values: Any

    @classmethod
    def of(cls, table: Any, name: str) -> "_Distinct":
        """Those of a table."""
        return cls(table[name].combine_chunks().unique())

    def __add__(self, other: "_Distinct") -> "_Distinct":
        return _Distinct(arrow().concat_arrays([self.values, other.values]).unique())


def _new_pairs(engine: Any, tables: list[Any]) -> tuple[NDArray[np.int32], Float, int]:
    """Row numbers and values of all scores of new rows, and the number of these rows."""
    pairs = stacked([table.select(["row", "value"]) for table in engine.values(tables)])
    rows = pairs["row"].combine_chunks().dictionary_encode()
    return rows.indices.to_numpy(), pairs["value"].to_numpy(), len(rows.dictionary)


def _above(table: Any, threshold: float) -> Any:
    called = table["value"].to_numpy() >= threshold
    return table.filter(arrow().array(called)).select(["row", "class", "value"])
