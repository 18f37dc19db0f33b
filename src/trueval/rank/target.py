"""``pick_threshold``: one threshold for a wanted precision, recall, F-beta or number.

A threshold chosen and judged on the same data promises too much. Here the values are
cross-fitted (a ranker never sees the labels of the objects it values), the promise comes
from thresholds chosen without the objects they are judged on, and its interval from
resampling objects, not pairs.
"""

import warnings
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.stats import norm
from sklearn.base import clone

from trueval import html
from trueval.errors import InputError
from trueval.labels import Labels
from trueval.random import as_generator
from trueval.rank.base import Ranker
from trueval.rank.curves import check_beta, f_beta, member_mask
from trueval.rank.insample import warn_in_sample
from trueval.rank.scores import Scores, as_scores, check_pair, check_same_classes
from trueval.rank.thresholds import calls_above, midpoint_below
from trueval.rank.warn import OneClassWarning, TargetWarning
from trueval.stratify import MultilabelStratifiedKFold

__all__ = ["ThresholdChoice", "pick_threshold"]

Float = NDArray[np.float64]
N_BOOTSTRAPS = 400
N_CANDIDATES = 256
_SHOWN = {
    "precision": "precision",
    "recall": "recall",
    "f": "F",
    "calls_per_object": "calls per object",
}


@dataclass(frozen=True, eq=False)
class ThresholdChoice:
    """A threshold and what it may be expected to do on new objects.

    Attributes
    ----------
    threshold : float
        Call the pairs whose value is at least this; ∞ calls none.
    target : str
        What was asked for, such as ``"precision"``.
    wanted : float
        How much of it (β for F-beta).
    precision, recall, f, calls_per_object : float
        Expected on new objects, by cross-fitting.
    intervals : dict of str to (float, float)
        Interval of each of these, at ``level``.
    level : float
        Confidence of the intervals.
    met : bool
        Whether the target was met on the given data.
    message : str
        One sentence that says all this.
    ranker : fitted ranker or None
        Turns new scores into the values that the threshold cuts.
    """

    threshold: float
    target: str
    wanted: float
    precision: float
    recall: float
    f: float
    calls_per_object: float
    intervals: dict[str, tuple[float, float]]
    level: float
    met: bool
    message: str
    n_classes: int
    names: NDArray[Any] | None = None
    ranker: Any = None

    def __float__(self) -> float:
        return self.threshold

    def __repr__(self) -> str:
        return f"ThresholdChoice({self.threshold:.6g}: {self.message})"

    def _repr_html_(self) -> str:
        rows = []
        for key, name in _SHOWN.items():
            low, high = self.intervals.get(key, (np.nan, np.nan))
            interval = "" if np.isnan(low) else f"{low:.3f} to {high:.3f}"
            rows.append((name, f"{getattr(self, key):.3f}", interval))
        values = "the scores" if self.ranker is None else f"values of {type(self.ranker).__name__}"
        return html.card(
            f"Threshold {self.threshold:.6g} on {values}",
            verdict=self.message[:1].upper() + self.message[1:],
            tone=html.GOOD if self.met else html.POOR,
            tables=[html.table(("on new objects", "expected", f"{self.level:.0%} interval"), rows)],
        )

    def predict(self, scores: Any) -> sp.csr_array:
        """Call the pairs at or above the threshold, through the ranker if there is one.

        Parameters
        ----------
        scores : array, DataFrame or sparse matrix of shape (n_rows, n_classes)

        Returns
        -------
        scipy.sparse.csr_array of int8
        """
        checked = as_scores(scores)
        check_same_classes(checked, self.n_classes, self.names, "the threshold")
        if self.ranker is not None:
            checked = as_scores(self.ranker.transform(_for_ranker(self.ranker, checked)))
        return calls_above(checked, self.threshold)


def pick_threshold(
    scores: Any,
    y: Any,
    *,
    precision: float | None = None,
    recall: float | None = None,
    beta: float | None = None,
    n_calls: int | None = None,
    confidence: float | None = None,
    ranker: Any = None,
    cv: Any = 5,
    random_state: Any = 0,
) -> ThresholdChoice:
    """Pick one threshold for all classes, with an honest word on what it will do.

    Parameters
    ----------
    scores : array, DataFrame or sparse matrix of shape (n_rows, n_classes)
        Scores of objects the model was *not* trained on.
    y : labels in any form :func:`trueval.as_labels` takes
    precision, recall, beta, n_calls : float or int
        The target, exactly one: as many calls as this pooled precision allows, as
        few as this recall allows, the best F-beta, or this number of calls on a set
        as large as the given one.
    confidence : float, optional
        Ask that precision (or recall) be reached with this confidence: its lower bound,
        by resampling objects, must reach the target, not only its estimate.
    ranker : ranker, optional
        Makes the scores of the classes comparable, such as
        :class:`~trueval.rank.PrecisionRanker`; cross-fitted here, so give it unfitted,
        with raw scores. Without one the scores are taken as comparable already.
    cv : int or splitter, default=5
        Folds of the cross-fitting; an int makes a
        :class:`~trueval.stratify.MultilabelStratifiedKFold`.
    random_state : None, int, Generator or RandomState, default=0

    Returns
    -------
    ThresholdChoice

    Warns
    -----
    TargetWarning
        If the target cannot be met; the threshold then comes as near as possible.
    InSampleWarning
        If the scores look as if the model, or a ranker, had seen these labels.

    Notes
    -----
    The threshold lies midway between two neighbouring values. Estimates keep what was
    asked on average: about half of new data sets of the same size fall below a target
    of precision, unless ``confidence`` is given.

    Examples
    --------
    >>> from trueval.data.simulate_scores import simulation_one
    >>> from trueval.rank import PrecisionRanker, pick_threshold
    >>> scores, y = simulation_one(500, 0.2, random_state=0)
    >>> choice = pick_threshold(scores, y, precision=0.9, ranker=PrecisionRanker())
    >>> choice.met, 0.85 < choice.precision < 0.95
    (True, True)
    >>> new_scores, new_y = simulation_one(500, 0.2, random_state=1)
    >>> choice.predict(new_scores).shape
    (500, 5)
    """
    rule = _read_target(precision, recall, beta, n_calls, confidence)
    checked, labels = check_pair(scores, y)
    if labels.nnz == 0:
        raise InputError("y has no positives, so no target has a meaning.")
    if checked.n_stored == 0:
        raise InputError("scores stores no score at all, so there is nothing to call.")
    if rule.name == "n_calls":  # as a rate, so that it has a meaning on part of the objects
        rule = replace(rule, wanted=rule.wanted / checked.n_rows)
    generator = as_generator(random_state)
    folds = _folds(cv, labels, generator)
    values, fitted = checked, None
    if ranker is not None:
        values, fitted = _cross_fit(ranker, checked, labels, folds)
    warn_in_sample(values, labels)
    pairs = _Pairs.of(values, labels)
    threshold, met = rule.choose(pairs, generator)
    hits, calls = _honest_counts(pairs, folds, rule, generator)
    if fitted is not None:
        # The ranker of all rows has values of its own: what carries over from the
        # cross-fitted ones is how many calls to make, not where they were cut.
        all_values = as_scores(fitted.transform(_for_ranker(fitted, checked)))
        n_calls = int((pairs.value >= threshold).sum())
        threshold = _with_as_many_calls(all_values, labels, n_calls)
    level = 0.9 if confidence is None else float(confidence)
    weight = 1.0 if rule.name != "beta" else rule.wanted
    choice = _report(rule, threshold, met, hits, calls, pairs, level, weight, generator, fitted)
    return replace(choice, n_classes=checked.n_classes, names=checked.names)


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Stored pairs, the highest value first, with their objects and labels."""

    value: Float
    row: NDArray[np.int64]
    hit: NDArray[np.bool_]
    positives: Float  # of each object, stored or not
    n_rows: int

    @classmethod
    def of(cls, values: Scores, labels: Labels) -> "_Pairs":
        rows, _, value = values.stored
        order = np.argsort(-value, kind="stable")
        hit = member_mask(values, labels)
        positives = np.diff(labels.indptr).astype(np.float64)
        return cls(value[order], rows[order], hit[order], positives, values.n_rows)

    def of_rows(self, keep: NDArray[np.bool_]) -> "_Pairs":
        mine = keep[self.row]
        positives = np.where(keep, self.positives, 0.0)
        return _Pairs(self.value[mine], self.row[mine], self.hit[mine], positives, int(keep.sum()))

    def ends(self) -> NDArray[np.int64]:
        """Number of calls at each distinct value."""
        if len(self.value) == 0:
            return np.empty(0, np.int64)
        return 1 + np.flatnonzero(np.append(self.value[1:] != self.value[:-1], True))

    def threshold(self, n_calls: int) -> float:
        """Value that calls exactly the first n_calls pairs."""
        if n_calls == 0:
            return np.inf
        if n_calls == len(self.value):
            return -np.inf
        return midpoint_below(self.value[[n_calls, n_calls - 1]], 1)


@dataclass(frozen=True)
class _Rule:
    """A target: which number of calls to make on given pairs."""

    name: str
    wanted: float
    confidence: float | None

    def choose(self, pairs: _Pairs, generator: np.random.Generator) -> tuple[float, bool]:
        """Threshold, and whether the target is met."""
        ends = pairs.ends()
        total = float(pairs.positives.sum())
        if len(ends) == 0 or (total == 0 and self.name != "n_calls"):
            return np.inf, False
        hits = np.cumsum(pairs.hit)[ends - 1].astype(np.float64)
        if self.name == "beta":
            at = int(np.argmax(f_beta(hits, ends.astype(float), total, self.wanted)))
            return pairs.threshold(int(ends[at])), True
        if self.name == "n_calls":
            wanted = self.wanted * pairs.n_rows
            enough = np.flatnonzero(ends <= wanted + 1e-9)
            n_calls = int(ends[enough[-1]]) if len(enough) else 0
            return pairs.threshold(n_calls), n_calls == round(wanted)
        reached = hits / (ends if self.name == "precision" else total)
        if self.confidence is not None:
            ends, reached = _lower_bounds(pairs, ends, reached, self, generator)
        good = np.flatnonzero(reached >= self.wanted - 1e-12)
        if self.name == "precision":  # as many calls as it allows
            at = int(good[-1]) if len(good) else int(len(reached) - 1 - np.argmax(reached[::-1]))
        else:  # as few calls as it takes
            at = int(good[0]) if len(good) else int(np.argmax(reached))
        return pairs.threshold(int(ends[at])), bool(len(good))


def _read_target(precision: Any, recall: Any, beta: Any, n_calls: Any, confidence: Any) -> _Rule:
    given = {"precision": precision, "recall": recall, "beta": beta, "n_calls": n_calls}
    chosen = [name for name, value in given.items() if value is not None]
    if len(chosen) != 1:
        said = "none" if not chosen else " and ".join(chosen)
        raise ValueError(
            "Exactly one target must be given: precision=, recall=, beta= or n_calls=. "
            f"Got {said} instead."
        )
    name = chosen[0]
    value = given[name]
    if name == "beta":
        check_beta(value)
    elif name == "n_calls":
        if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
            raise ValueError(
                f"The 'n_calls' parameter must be an int of at least 1. Got {value!r} instead."
            )
    elif not isinstance(value, Real) or isinstance(value, bool) or not 0 < float(value) <= 1:
        raise ValueError(
            f"The '{name}' parameter must be above 0 and at most 1. Got {value!r} instead."
        )
    if confidence is not None and (
        not isinstance(confidence, Real) or not 0.5 <= float(confidence) < 1
    ):
        raise ValueError(
            "The 'confidence' parameter must be from 0.5 to below 1, such as 0.9. "
            f"Got {confidence!r} instead."
        )
    return _Rule(name, float(value), None if confidence is None else float(confidence))


def _folds(cv: Any, labels: Labels, generator: np.random.Generator) -> NDArray[np.int32]:
    """Fold of each object; −1 where a splitter never tests it."""
    if isinstance(cv, Integral) and not isinstance(cv, bool):
        n_splits = int(cv)
        if not 2 <= n_splits <= labels.n_rows:
            raise ValueError(
                f"The 'cv' parameter must be a splitter or from 2 to the {labels.n_rows} objects. "
                f"Got {cv!r} instead."
            )
        cv = MultilabelStratifiedKFold(n_splits, random_state=generator)
    if isinstance(cv, str) or not hasattr(cv, "split"):
        raise TypeError(f"The 'cv' parameter must be an int or a splitter. Got {cv!r} instead.")
    folds = np.full(labels.n_rows, -1, dtype=np.int32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rare classes are said once, by the ranker
        for number, (_, test) in enumerate(cv.split(np.zeros((labels.n_rows, 1)), labels.matrix)):
            folds[test] = number
    if (folds < 0).any():
        raise InputError(
            f"the splitter never tests {int((folds < 0).sum())} of {labels.n_rows} objects; "
            "cross-fitting needs folds that cover all."
        )
    return folds


def _cross_fit(
    ranker: Any, scores: Scores, labels: Labels, folds: NDArray[np.int32]
) -> tuple[Scores, Any]:
    """Values of each object by a ranker fitted without it; and one fitted on all."""
    fitted = clone(ranker).fit(_for_ranker(ranker, scores), labels)
    parts, rows = [], []
    for number in np.unique(folds):
        test = np.flatnonzero(folds == number)
        train = np.flatnonzero(folds != number)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OneClassWarning)  # said by the fit on all
            own = clone(ranker).fit(_for_ranker(ranker, scores.take(train)), labels.matrix[train])
        parts.append(own.transform(_for_ranker(ranker, scores.take(test))))
        rows.append(test)
    back = np.argsort(np.concatenate(rows))
    stacked = sp.vstack(parts, format="csr")[back] if scores.is_sparse else np.vstack(parts)[back]
    return as_scores(stacked), fitted


def _for_ranker(ranker: Any, scores: Scores) -> Any:
    """Names go along to our rankers; others get what scikit-learn's take."""
    return scores if isinstance(ranker, Ranker) else scores.matrix


def _with_as_many_calls(values: Scores, labels: Labels, n_calls: int) -> float:
    """Threshold on these values that calls as many pairs, up to ties."""
    pairs = _Pairs.of(values, labels)
    ends = np.concatenate([[0], pairs.ends()])
    return pairs.threshold(int(ends[np.argmin(np.abs(ends - n_calls))]))


def _honest_counts(
    pairs: _Pairs, folds: NDArray[np.int32], rule: _Rule, generator: np.random.Generator
) -> tuple[Float, Float]:
    """Hits and calls of each object under thresholds chosen without its fold."""
    hits = np.zeros(pairs.n_rows)
    calls = np.zeros(pairs.n_rows)
    for number in np.unique(folds):
        judged = folds == number
        threshold, _ = rule.choose(pairs.of_rows(~judged), generator)
        called = judged[pairs.row] & (pairs.value >= threshold)
        calls += np.bincount(pairs.row[called], minlength=pairs.n_rows)
        hits += np.bincount(pairs.row[called & pairs.hit], minlength=pairs.n_rows)
    return hits, calls


def _lower_bounds(
    pairs: _Pairs,
    ends: NDArray[np.int64],
    reached: Float,
    rule: _Rule,
    generator: np.random.Generator,
) -> tuple[NDArray[np.int64], Float]:
    """Lower confidence bounds of precision or recall at up to 256 numbers of calls."""
    assert rule.confidence is not None
    if len(ends) > N_CANDIDATES:
        # Near the target, and evenly beyond it: the bound lies close to the estimate.
        near = np.argsort(np.abs(reached - rule.wanted), kind="stable")[: N_CANDIDATES // 2]
        even = np.linspace(0, len(ends) - 1, N_CANDIDATES // 2).astype(np.int64)
        picked = np.unique(np.concatenate([near, even]))
        ends, reached = ends[picked], reached[picked]
    bins = np.searchsorted(ends, np.arange(1, ends[-1] + 1))
    row, hit = pairs.row[: ends[-1]], pairs.hit[: ends[-1]]
    draws = np.empty((N_BOOTSTRAPS, len(ends)))
    objects = np.flatnonzero(np.bincount(row, minlength=len(pairs.positives)) + pairs.positives)
    for b in range(N_BOOTSTRAPS):
        weight = _resample(objects, len(pairs.positives), generator)
        hits = np.cumsum(np.bincount(bins[hit], weights=weight[row[hit]], minlength=len(ends)))
        if rule.name == "precision":
            total = np.cumsum(np.bincount(bins, weights=weight[row], minlength=len(ends)))
        else:
            total = np.full(len(ends), float(weight @ pairs.positives))
        draws[b] = np.where(total > 0, hits / np.where(total > 0, total, 1.0), 0.0)
    bound = np.quantile(draws, 1 - rule.confidence, axis=0)
    # A resample of nothing but hits knows no doubt; Wilson's bound does.
    n = ends if rule.name == "precision" else np.full(len(ends), pairs.positives.sum())
    return ends, np.minimum(bound, _wilson(reached, n.astype(np.float64), rule.confidence))


def _wilson(share: Float, n: Float, confidence: float) -> Float:
    z = float(norm.ppf(confidence))
    middle = share + z * z / (2 * n)
    spread = z * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return (middle - spread) / (1 + z * z / n)


def _resample(objects: NDArray[np.int64], n_rows: int, generator: np.random.Generator) -> Float:
    drawn = generator.integers(len(objects), size=len(objects))
    weight = np.zeros(n_rows)
    weight[objects] = np.bincount(drawn, minlength=len(objects))
    return weight


def _report(
    rule: _Rule,
    threshold: float,
    met: bool,
    hits: Float,
    calls: Float,
    pairs: _Pairs,
    level: float,
    beta: float,
    generator: np.random.Generator,
    ranker: Any,
) -> ThresholdChoice:
    def measures(weight: Float) -> dict[str, float]:
        h, c, p = float(weight @ hits), float(weight @ calls), float(weight @ pairs.positives)
        return {
            "precision": h / c if c else 0.0,
            "recall": h / p if p else 0.0,
            "f": float(f_beta(h, c, p, beta)),
            "calls_per_object": c / float(weight.sum()),
        }

    expected = measures(np.ones(pairs.n_rows))
    rows = np.arange(pairs.n_rows)
    draws = [measures(_resample(rows, pairs.n_rows, generator)) for _ in range(N_BOOTSTRAPS)]
    tails = [(1 - level) / 2, (1 + level) / 2]
    intervals = {}
    for name in expected:
        low, high = np.quantile([d[name] for d in draws], tails)
        intervals[name] = (float(low), float(high))
    message = _message(rule, met, expected, intervals, level, beta, pairs)
    if not met:
        warnings.warn(message, TargetWarning, stacklevel=4)
    wanted = rule.wanted * pairs.n_rows if rule.name == "n_calls" else rule.wanted
    return ThresholdChoice(
        threshold,
        rule.name,
        wanted,
        precision=expected["precision"],
        recall=expected["recall"],
        f=expected["f"],
        calls_per_object=expected["calls_per_object"],
        intervals=intervals,
        level=level,
        met=met,
        message=message,
        n_classes=0,
        ranker=ranker,
    )


def _message(
    rule: _Rule,
    met: bool,
    expected: dict[str, float],
    intervals: dict[str, tuple[float, float]],
    level: float,
    beta: float,
    pairs: _Pairs,
) -> str:
    def show(name: str) -> str:
        low, high = intervals[name]
        return f"{expected[name]:.3f} ({low:.3f} to {high:.3f})"

    said = (
        f"on new objects expect precision {show('precision')}, recall {show('recall')}, "
        f"F{beta:g} {show('f')}, {expected['calls_per_object']:.3g} calls for each object; "
        f"intervals at {level:.0%}"
    )
    if met:
        return said
    if rule.name == "n_calls":
        wanted = round(rule.wanted * pairs.n_rows)
        return (
            f"exactly {wanted:,} calls cannot be made: only {len(pairs.value):,} pairs have a "
            f"score, or equal scores straddle the cut; {said}"
        )
    sure = f" with confidence {rule.confidence:g}" if rule.confidence is not None else ""
    best = "highest" if rule.name == "precision" else "largest"
    return (
        f"a {rule.name} of {rule.wanted:g}{sure} cannot be met at any threshold; the {best} that "
        f"can be had was taken; {said}"
    )
