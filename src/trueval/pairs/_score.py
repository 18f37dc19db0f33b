"""``score_pairs``: AUC of held-out scores by setting, with intervals by resampling objects."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.arrays import as_binary, as_numbers, as_rows
from trueval.core.errors import InputError
from trueval.core.folds import Folds, as_folds
from trueval.core.ids import SYMMETRIC, PairIndex
from trueval.core.intervals import percentile_interval
from trueval.core.pairs import as_pairs
from trueval.core.params import CALLABLE, NONE, RANDOM_STATE, Interval, constrained
from trueval.core.presentable import Presentable
from trueval.core.random import as_generator
from trueval.core.table import Table
from trueval.pairs._auc import averaged_auc, pooled_auc
from trueval.pairs._audit import roles_of
from trueval.pairs._each_fold import each_fold
from trueval.pairs._object_bootstrap import (
    Comparison,
    ObjectResamples,
    pair_variance,
    shrinkage,
)
from trueval.pairs._settings import ALL, C_NAMES, SETTINGS

__all__ = ["PairScores", "score_pairs"]

_Rows = NDArray[np.intp]
_Floats = NDArray[np.float64]
_ESTIMATES = ("pooled", "averaged")
#: Resamples that must have an AUC for an interval; the others lack a class.
_ENOUGH = 0.5


@dataclass(frozen=True, eq=False, repr=False)
class PairScores(Presentable):
    """AUC of held-out scores of pairs, by what training has seen of their objects.

    Attributes
    ----------
    table : Table
        A line for all held-out pairs (``"all"``) and for each of AA, AB and BB that occurs:
        ``pairs`` and ``positives``; ``pooled``, with ``pooled_low`` and ``pooled_high``, and
        ``null``, the pooled AUC of a model without skill; ``averaged``, with its interval;
        ``folds`` that have an AUC, and ``excluded`` ones, of one class only. NaN where an AUC
        or its interval is not defined.
    folds : Table
        ``fold``, ``setting``, ``pairs``, ``positives`` and ``auc``.
    n_objects : int
        Objects of the held-out pairs, which are resampled.
    n_resamples : int
    confidence : float
    n_leaked : int
        Held-out pairs that occur in the training set of their fold.
    """

    table: Table
    folds: Table
    n_objects: int
    n_resamples: int
    confidence: float
    n_leaked: int

    def to_dict(self) -> dict[str, Any]:
        """All numbers, for JSON: ``settings`` by name, ``folds``, and how intervals were made."""
        c_names = {ours: theirs for theirs, ours in C_NAMES.items()}
        settings = {}
        for line in _lines(self.table):
            name = line.pop("setting")
            fields: dict[str, Any] = {"park_marcotte": c_names.get(name)}
            fields |= {key: line[key] for key in ("pairs", "positives")}
            for estimate in _ESTIMATES:
                low, high = line[f"{estimate}_low"], line[f"{estimate}_high"]
                fields[estimate] = {"auc": line[estimate], "low": low, "high": high}
            fields["pooled"]["null"] = line["null"]
            fields["averaged"] |= {key: line[key] for key in ("folds", "excluded")}
            settings[name] = fields
        names = ("n_objects", "n_resamples", "confidence", "n_leaked")
        return {
            "settings": settings,
            "folds": list(_lines(self.folds)),
            **{name: getattr(self, name) for name in names},
        }


def _lines(table: Table) -> Iterator[dict[str, Any]]:
    """Rows of a table as dictionaries, None for NaN."""
    columns = table.to_dict()
    for values in zip(*columns.values(), strict=True):
        known = (None if value != value else value for value in values)
        yield dict(zip(columns, known, strict=True))


@constrained(
    symmetric=SYMMETRIC,
    confidence=Interval(float, 0, 1, "neither"),
    n_resamples=Interval(int, 0),
    random_state=RANDOM_STATE,
    progress=(NONE, CALLABLE),
)
def score_pairs(
    pairs: Any,
    y: Any,
    scores: Any,
    folds: Any,
    *,
    symmetric: Any = True,
    confidence: float = 0.95,
    n_resamples: int = 1000,
    random_state: Any = 0,
    progress: Callable[[int, int], None] | None = None,
) -> PairScores:
    """Score held-out pairs by setting: pooled and averaged AUC with intervals.

    An interval is made by drawing *objects* with replacement, since pairs that share an object
    are not independent: a pair counts as often as its objects are drawn, multiplied. Columns of
    different kinds are drawn separately. The interval holds for the AUC of these models, as
    they are, on pairs of other objects from where the held-out ones come; that training on
    other objects would give other models is not part of it. Simulated intervals of 95 % hold
    in 92 % to 100 % of runs (``python -m benchmarks.pair_intervals``): too rarely where few
    objects decide everything, too often and too wide where objects matter little.

    Parameters
    ----------
    pairs : Pairs, PairIndex or array-like of shape (n_rows, 2)
        Object ids of each row.
    y : array-like of shape (n_rows,)
        Labels 0/1, -1/1 or bool.
    scores : array-like of shape (n_rows,), or one array for each fold
        The score of each row by a model that was not trained on it; NaN for rows that no fold
        holds out. Where folds hold out a row several times, give a list with the scores of
        the test rows of each fold; one score a row is used in all its folds.
    folds : splitter, (train, test) pairs, mapping of names to these, or a fold for each row
        Which rows each model was trained on, and which it scored. By number, a fold is
        scored by a model of all the others.
    symmetric : bool or sequence, default=True
        Whether both columns hold objects of one kind; see :class:`ObjectKFold`.
    confidence : float, default=0.95
    n_resamples : int, default=1000
        0 for no intervals.
    random_state : None, int, Generator or RandomState, default=0
    progress : callable, optional
        Called as ``progress(done, n_resamples)``.

    Returns
    -------
    PairScores

    Examples
    --------
    >>> import numpy as np
    >>> from itertools import combinations
    >>> from trueval.pairs import ObjectKFold, score_pairs
    >>> rng = np.random.default_rng(0)
    >>> pairs = np.array(list(combinations(range(40), 2)))
    >>> scores = rng.normal(size=len(pairs))
    >>> y = scores + rng.normal(size=len(pairs)) > 0
    >>> result = score_pairs(pairs, y, scores, ObjectKFold(4, random_state=0))
    >>> result.table["setting"].tolist(), result.table["pairs"].tolist()
    (['all', 'BB'], [180, 180])
    >>> bool(result.table["pooled_low"][1] < result.table["pooled"][1])
    True
    """
    index = as_pairs(pairs, symmetric=symmetric, y=y)
    held = _held_out(index, as_binary(y), scores, folds, pairs, y)
    resamples = ObjectResamples(index, held.row, as_generator(random_state))
    parts = {ALL: held} | {name: held.only(name) for name in SETTINGS}
    parts = {name: part for name, part in parts.items() if len(part.row)}
    done = 0

    def advance(some: int) -> None:
        nonlocal done
        done += some
        if progress is not None:
            progress(done // len(parts), n_resamples)

    lines, by_fold = [], []
    for name, part in parts.items():
        line, details, comparisons = _measured(part, resamples)
        draws = resamples.aucs(comparisons, n_resamples, advance)
        estimates = {
            "pooled": (draws[:, 0], comparisons[:1]),
            "averaged": (_mean(draws[:, 1:]), comparisons[1:]),
        }
        for estimate, (values, compared) in estimates.items():
            if line[estimate] == line[estimate] and _enough(values):
                by_pairs = pair_variance(compared, index.n_objects)
                ends = _interval(values, by_pairs, line[estimate], confidence, resamples.n_smallest)
                line[f"{estimate}_low"], line[f"{estimate}_high"] = ends
        lines.append({"setting": name, **line})
        by_fold += [{"fold": f, "setting": name, **fields} for f, fields in details.items()]
    return PairScores(
        _table(lines),
        _table(by_fold),
        resamples.n_objects,
        n_resamples,
        confidence,
        held.n_leaked,
    )


# --- helpers ---------------------------------------------------------------------


@dataclass(frozen=True)
class _HeldOut:
    """Every score of a held-out row: its fold, row, setting, label and score."""

    fold: _Rows
    row: _Rows
    setting: NDArray[np.str_]
    positive: NDArray[np.bool_]
    score: _Floats
    names: list[str]
    train_rates: _Floats
    n_leaked: int

    def only(self, setting: str) -> "_HeldOut":
        mask = self.setting == setting
        columns = {name: getattr(self, name)[mask] for name in _COLUMNS}
        return replace(self, **columns)


_COLUMNS = ("fold", "row", "setting", "positive", "score")


def _held_out(
    index: PairIndex, positive: NDArray[np.bool_], scores: Any, folds: Any, pairs: Any, y: Any
) -> _HeldOut:
    """Held-out rows of all folds, with the scores of their folds."""
    score_of = _reader(scores, index.n_rows)
    columns: dict[str, list[Any]] = {name: [] for name in _COLUMNS}
    names, rates, leaked = [], [], 0
    for number, (name, train, test) in enumerate(_each_split(folds, pairs, y, index)):
        if not len(train) or not len(test):
            raise InputError(f"{name} has no rows for {'test' if len(train) else 'training'}.")
        seen = np.zeros(index.n_objects, dtype=bool)
        seen[index.codes[train].reshape(-1)] = True
        known = np.zeros(index.n_pairs, dtype=bool)
        known[index.pair_number[train]] = True
        leaked += int(known[index.pair_number[test]].sum())
        columns["fold"].append(np.full(len(test), number))
        columns["row"].append(test)
        columns["setting"].append(roles_of(seen[index.codes[test]]))
        columns["positive"].append(positive[test])
        columns["score"].append(score_of(number, name, test))
        names.append(name)
        rates.append(positive[train].mean())
    if not names:
        raise InputError("there are no folds.", fix="Give at least one (train, test) pair.")
    _check_all_used(scores, len(names))
    joined = {name: np.concatenate(parts) for name, parts in columns.items()}
    return _HeldOut(**joined, names=names, train_rates=np.array(rates), n_leaked=leaked)


def _each_split(
    folds: Any, pairs: Any, y: Any, index: PairIndex
) -> Iterator[tuple[str, _Rows, _Rows]]:
    """Name, training and test rows of each fold, however the folds are given."""
    if isinstance(folds, Mapping):
        for name, (train, test) in folds.items():
            rows = as_rows(train, index.n_rows, f"train of {name}", repeats=True)
            yield str(name), rows, as_rows(test, index.n_rows, f"test of {name}")
        return
    if isinstance(folds, Folds) or _are_numbers(folds):
        numbers = as_folds(folds, index.n_rows)
        for number in np.unique(numbers):
            test = np.flatnonzero(numbers == number)
            yield f"fold {number}", np.flatnonzero(numbers != number), test
        return
    for number, fold in enumerate(each_fold(folds, pairs, y, index)):
        yield f"fold {number}", fold.train, fold.test


def _are_numbers(folds: Any) -> bool:
    if isinstance(folds, list | tuple):
        return bool(folds) and not isinstance(folds[0], tuple | list)
    return hasattr(folds, "__array__") and np.ndim(folds) == 1


def _reader(scores: Any, n_rows: int) -> Callable[[int, str, _Rows], _Floats]:
    """Scores of the test rows of a fold, checked."""
    by_fold = _is_by_fold(scores)
    whole = None if by_fold else as_numbers(scores, "scores")
    if whole is not None and whole.shape != (n_rows,):
        raise InputError(
            f"scores must be one for each of the {n_rows:,} rows, or a list with an array for "
            f"each fold. Got shape {whole.shape}."
        )

    def read(number: int, name: str, test: _Rows) -> _Floats:
        if whole is not None:
            values = whole[test]
        else:
            if number >= len(scores):
                raise InputError(f"scores has {len(scores):,} arrays, but there are more folds.")
            values = as_numbers(scores[number], f"scores of {name}")
            if values.shape != (len(test),):
                raise InputError(
                    f"{name} tests {len(test):,} rows but its scores have shape {values.shape}."
                )
        missing = np.flatnonzero(~np.isfinite(values))
        if len(missing):
            raise InputError(
                f"{len(missing):,} of the {len(test):,} test rows of {name} have no finite score, "
                f"the first row {test[missing[0]]}.",
                fix="Score every pair that is tested, or leave it out of the test rows.",
            )
        return values

    return read


def _is_by_fold(scores: Any) -> bool:
    return isinstance(scores, list | tuple) and all(np.ndim(part) == 1 for part in scores)


def _check_all_used(scores: Any, n_folds: int) -> None:
    if _is_by_fold(scores) and len(scores) != n_folds:
        raise InputError(f"scores has {len(scores):,} arrays for {n_folds:,} folds.")


def _measured(
    part: _HeldOut, resamples: ObjectResamples
) -> tuple[dict[str, Any], dict[str, dict[str, Any]], list[Comparison]]:
    """Figures of held-out rows and of each of their folds, and what to compare in resamples."""
    members = resamples.members(part.row)
    numbers = np.unique(part.fold)
    whole = Comparison(members, part.positive, part.score)
    folds, details, by_fold = [], {}, []
    for number in numbers:
        in_fold = part.fold == number
        fold = part.positive[in_fold], part.score[in_fold]
        value = _or_nan(averaged_auc, [fold])
        folds.append(fold)
        details[part.names[number]] = {
            "pairs": int(in_fold.sum()),
            "positives": int(fold[0].sum()),
            "auc": float(value),
        }
        if value == value:
            by_fold.append(whole if len(numbers) == 1 else Comparison(members[in_fold], *fold))
    rates = part.train_rates[numbers]
    pooled = _or_nan(lambda some: pooled_auc(some, null=True, train_rates=rates), folds)
    line = {
        "pairs": len(part.row),
        "positives": int(part.positive.sum()),
        "pooled": float(pooled),
        "pooled_low": np.nan,
        "pooled_high": np.nan,
        "null": getattr(pooled, "null", np.nan),
        "averaged": float(_or_nan(averaged_auc, folds)),
        "averaged_low": np.nan,
        "averaged_high": np.nan,
        "folds": len(by_fold),
        "excluded": len(numbers) - len(by_fold),
    }
    return line, details, [whole, *by_fold]


def _or_nan(measure: Callable[[Any], float], folds: Any) -> float:
    """A measure of folds; NaN where none has both classes."""
    both = np.unique(np.concatenate([fold[0] for fold in folds]))
    if len(both) < 2:
        return np.nan
    try:
        return measure(folds)
    except InputError:  # each fold has one class only
        return np.nan


def _mean(draws: _Floats) -> _Floats:
    """Mean over the folds that have an AUC in a resample; NaN where none has."""
    known = ~np.isnan(draws)
    n = known.sum(axis=1)
    total = np.where(known, draws, 0.0).sum(axis=1)
    return np.divide(total, n, out=np.full(len(draws), np.nan), where=n > 0)


def _enough(draws: _Floats) -> bool:
    """Whether enough resamples have an AUC."""
    return len(draws) > 0 and bool(np.mean(~np.isnan(draws)) >= _ENOUGH)


def _interval(
    draws: _Floats, by_pairs: float, value: float, confidence: float, n_objects: int
) -> tuple[float, float]:
    low, high = percentile_interval(draws, value, confidence, corrected=False, n_units=n_objects)
    kept = shrinkage(draws, by_pairs)
    return value + kept * (float(low) - value), value + kept * (float(high) - value)


def _table(lines: list[dict[str, Any]]) -> Table:
    return Table({name: np.array([line[name] for line in lines]) for name in lines[0]})
