"""Area under the ROC curve over folds: averaged, pooled, and pooled without its bias.

Ties count one half. Counts are whole numbers, so that an AUC is exact to one
rounding.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.arrays import as_binary, as_numbers
from trueval.core.errors import Fix, InputError, quote
from trueval.core.params import BOOL, constrained

__all__ = ["AUC", "AUCWithNull", "auc", "averaged_auc", "concordance", "pooled_auc"]


class AUC(float):
    """An AUC that knows how it came about; otherwise a plain float.

    Attributes
    ----------
    n_folds : int
        Folds given.
    n_excluded : int
        Folds left out because their validation set is empty or of one class.
    """

    n_folds: int
    n_excluded: int

    def __new__(cls, value: float, n_folds: int = 1, n_excluded: int = 0) -> "AUC":
        """Make the float and note the folds."""
        self = super().__new__(cls, value)
        self.n_folds = n_folds
        self.n_excluded = n_excluded
        return self

    def __getnewargs__(self) -> tuple[Any, ...]:
        return float(self), self.n_folds, self.n_excluded

    def _note(self) -> str:
        if self.n_excluded:
            return f"{self.n_excluded} of {self.n_folds} folds excluded: one class only"
        return f"{self.n_folds} fold{'s' if self.n_folds != 1 else ''}"

    def __repr__(self) -> str:
        return f"{float(self):.4f} ({self._note()})"

    __str__ = __repr__


class AUCWithNull(AUC):
    """A pooled AUC beside the value that a model without any skill would have.

    Unpacks into the two: ``value, null = pooled_auc(folds, null=True)``.

    Attributes
    ----------
    null : float
        Pooled AUC of a predictor that outputs the positive rate of its training
        set and nothing else.
    assumed : bool
        Whether training rates were taken from all other folds together, because
        none were given.
    """

    null: float
    assumed: bool

    def __new__(
        cls,
        value: float,
        n_folds: int = 1,
        n_excluded: int = 0,
        null: float = 0.5,
        assumed: bool = False,
    ) -> "AUCWithNull":
        """Make the float and note its null value."""
        self = super().__new__(cls, value, n_folds, n_excluded)
        assert isinstance(self, AUCWithNull)
        self.null = float(null)
        self.assumed = assumed
        return self

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (*super().__getnewargs__(), self.null, self.assumed)

    def __iter__(self) -> Iterator[float]:
        yield float(self)
        yield self.null

    def _note(self) -> str:
        how = ", training taken to be all other folds" if self.assumed else ""
        return f"null {self.null:.4f}{how}; {super()._note()}"


def auc(y_true: Any, y_score: Any, sample_weight: Any = None) -> float:
    """Area under the ROC curve, ties counting one half; refused where one class is missing.

    >>> auc([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8])
    0.875
    """
    fold = _read_fold(
        (y_true, y_score) if sample_weight is None else (y_true, y_score, sample_weight), 0
    )
    positive, score, weight = fold
    concordant, comparisons = concordance(positive, score, weight)
    if comparisons == 0:
        raise InputError(
            "the AUC of one class only is not defined; y_true needs positives and negatives."
        )
    return concordant / comparisons


def averaged_auc(folds: Iterable[Any]) -> AUC:
    """Mean AUC over folds: the averaging AUC of the paper.

    Parameters
    ----------
    folds : iterable of (y_true, y_score) or (y_true, y_score, sample_weight)
        One entry for each fold; or the result of
        :func:`~trueval.pairs.pooled_scores`.

    Returns
    -------
    AUC
        A float with ``n_folds`` and ``n_excluded``: folds with one class only
        have no AUC and are left out.

    Examples
    --------
    >>> from trueval.pairs import averaged_auc
    >>> averaged_auc([([0, 1], [0.2, 0.7]), ([0, 1, 1], [0.5, 0.5, 0.4]), ([1, 1], [0.1, 0.2])])
    0.6250 (1 of 3 folds excluded: one class only)
    """
    values = fold_aucs(folds)
    known = [value for value in values if value is not None]
    if not known:
        raise _none_scorable(len(values))
    return AUC(float(np.mean(known)), len(values), len(values) - len(known))


def fold_aucs(folds: Iterable[Any]) -> list[float | None]:
    """The AUC of each fold; None of one class only."""
    values: list[float | None] = []
    for positive, score, weight in _read_folds(folds):
        concordant, comparisons = concordance(positive, score, weight)
        values.append(concordant / comparisons if comparisons > 0 else None)
    return values


@constrained(null=BOOL, within=BOOL)
def pooled_auc(
    folds: Iterable[Any],
    *,
    null: bool = False,
    within: bool = False,
    train_rates: Any = None,
) -> AUC:
    """AUC of the scores of all folds thrown together.

    Pooling compares scores of different models, and so has a bias: a model trained
    without a positive pair has seen a lower positive rate. A predictor that outputs
    nothing but its training rate should have 0.5; pooled, it has far less. Look at
    this *null* value beside every pooled AUC.

    Parameters
    ----------
    folds : iterable of (y_true, y_score) or (y_true, y_score, sample_weight)
        One entry for each fold; or the result of
        :func:`~trueval.pairs.pooled_scores`, which knows its training rates.
    null : bool, default=False
        Also give the pooled AUC of the training rates.
    within : bool, default=False
        Compare positives and negatives of the same fold only, all comparisons
        counting equally. No bias; but folds of one class, and so leave-two-out,
        have nothing to compare.
    train_rates : array-like of shape (n_folds,), optional
        Positive rate of each training set. If not given, training sets are taken
        to be all other folds together, by their weights if there are any, which
        holds for a partition but not for the strict scheme, whose training sets
        drop more.

    Returns
    -------
    AUC or AUCWithNull
        A float; with ``null=True`` it has ``.null`` and unpacks into the two.

    Examples
    --------
    >>> from trueval.pairs import pooled_auc
    >>> folds = [([0, 1], [0.2, 0.7]), ([0, 1, 1], [0.5, 0.6, 0.4])]
    >>> pooled_auc(folds)
    0.8333 (2 folds)
    >>> pooled_auc(folds, within=True)
    0.6667 (2 folds)
    >>> value, null = pooled_auc(folds, null=True, train_rates=[0.7, 0.5])
    >>> round(null, 4)
    0.4167
    """
    if train_rates is None:
        train_rates = getattr(folds, "train_rates", None)
    read = list(_read_folds(folds))
    if not read:
        raise _none_scorable(0)
    if within:
        result = _within(read)
    else:
        positive = np.concatenate([fold[0] for fold in read])
        score = np.concatenate([fold[1] for fold in read])
        concordant, comparisons = concordance(positive, score, _joined_weights(read))
        if comparisons == 0:
            raise InputError(
                f"the pairs of all {len(read)} folds are of one class, so there is nothing to "
                "compare."
            )
        result = AUC(concordant / comparisons, len(read))
    if not null:
        return result
    if within:  # a constant inside each fold: all ties
        return AUCWithNull(float(result), result.n_folds, result.n_excluded, 0.5)
    rates, assumed = _rates(read, train_rates)
    constant = np.repeat(rates, [len(fold[0]) for fold in read])
    concordant, comparisons = concordance(positive, constant, _joined_weights(read))
    return AUCWithNull(
        float(result), result.n_folds, result.n_excluded, concordant / comparisons, assumed
    )


# --- helpers ---------------------------------------------------------------------

_Fold = tuple[NDArray[np.bool_], NDArray[np.float64], NDArray[np.float64] | None]


def _within(read: list[_Fold]) -> AUC:
    counts = [concordance(*fold) for fold in read]
    comparisons = sum(c[1] for c in counts)
    if comparisons == 0:
        raise _none_scorable(len(read))
    excluded = sum(c[1] == 0 for c in counts)
    return AUC(sum(c[0] for c in counts) / comparisons, len(read), excluded)


def concordance(
    positive: NDArray[np.bool_], score: NDArray[np.float64], weight: NDArray[np.float64] | None
) -> tuple[float, float]:
    """Positives above negatives, ties one half, and all comparisons."""
    order = np.argsort(score, kind="stable")
    ranked, is_positive = score[order], positive[order]
    # Runs of equal scores: negatives below the run count one, inside it one half.
    first = np.flatnonzero(np.concatenate([[True], ranked[1:] != ranked[:-1]])[: len(ranked)])
    if weight is None:
        ups = np.add.reduceat(is_positive.astype(np.int64), first)
        downs = np.add.reduceat((~is_positive).astype(np.int64), first)
        below = np.cumsum(downs) - downs
        doubled = int((ups * (2 * below + downs)).sum())
        return doubled / 2, int(ups.sum()) * int(downs.sum())
    w = weight[order]
    up = np.add.reduceat(np.where(is_positive, w, 0.0), first)
    down = np.add.reduceat(np.where(is_positive, 0.0, w), first)
    lower = np.cumsum(down) - down
    return float((up * (lower + 0.5 * down)).sum()), float(up.sum() * down.sum())


def _read_folds(folds: Iterable[Any]) -> Iterator[_Fold]:
    if not isinstance(folds, Iterable):
        raise InputError(
            "folds must be a sequence of (y_true, y_score), one for each fold. "
            f"Got {quote(folds)} instead."
        )
    for number, fold in enumerate(folds):
        yield _read_fold(fold, number)


def _read_fold(fold: Any, number: int) -> _Fold:
    arrays = isinstance(fold, tuple | list) and len(fold) in (2, 3)
    if not arrays or any(np.ndim(part) == 0 for part in fold[:2]):
        raise InputError(
            f"fold {number} must be (y_true, y_score) or (y_true, y_score, sample_weight)."
        )
    positive = (
        as_binary(np.asarray(fold[0]), f"y_true of fold {number}")
        if len(fold[0])
        else (np.zeros(0, dtype=bool))
    )
    score = as_numbers(fold[1], f"scores of fold {number}")
    if score.shape != positive.shape:
        raise InputError(
            f"fold {number} has {len(positive)} labels but scores of shape {score.shape}."
        )
    if np.isnan(score).any():
        row = int(np.flatnonzero(np.isnan(score))[0])
        raise InputError(
            f"fold {number} has no score (NaN) at position {row}; leave such pairs out, they were "
            "never validated."
        )
    weight = None
    if len(fold) == 3 and fold[2] is not None:
        weight = as_numbers(fold[2], f"weights of fold {number}")
        if weight.shape != positive.shape or not ((weight >= 0) & np.isfinite(weight)).all():
            raise InputError(
                f"fold {number} needs one weight, finite and not negative, for each of its "
                f"{len(positive)} labels."
            )
    return positive, score, weight


def _joined_weights(read: list[_Fold]) -> NDArray[np.float64] | None:
    if all(fold[2] is None for fold in read):
        return None
    return np.concatenate([np.ones(len(f[0])) if f[2] is None else f[2] for f in read])


def _rates(read: list[_Fold], train_rates: Any) -> tuple[NDArray[np.float64], bool]:
    if train_rates is not None:
        rates = as_numbers(train_rates, "train_rates")
        if rates.shape != (len(read),):
            raise InputError(
                f"train_rates has shape {rates.shape} but there are {len(read)} folds."
            )
        bad = np.flatnonzero(~((rates >= 0) & (rates <= 1)))
        if len(bad):
            raise InputError(
                f"train_rates has {rates[bad[0]]} for fold {bad[0]}; it must be the share of "
                "positives in that fold's training set, from 0 to 1."
            )
        return rates, False
    weight, positive = _joined_weights(read), np.concatenate([fold[0] for fold in read])
    fold = np.repeat(np.arange(len(read)), [len(f[0]) for f in read])
    of_positives = None if weight is None else weight[positive]
    rest = _of_others(np.bincount(fold, weight, len(read)))
    positives = _of_others(np.bincount(fold[positive], of_positives, len(read)))
    if (rest <= 0).any():
        raise InputError(
            "the null value needs train_rates, the positive rate of each training set, or at "
            "least two folds with pairs."
        )
    rates = positives / rest
    # Sums of weights in another order differ in the last digits, and equal rates are ties.
    return rates if weight is None else np.round(rates, 12), True


def _of_others(values: NDArray[Any]) -> NDArray[Any]:
    """Sum of all values but each one; without differences, which would lose small values."""
    before, after = np.cumsum(values[:-1]), np.cumsum(values[:0:-1])[::-1]
    return np.concatenate([[0], before]) + np.concatenate([after, [0]])


def _none_scorable(n_folds: int) -> InputError:
    if n_folds == 0:
        return InputError(
            "folds is empty; give (y_true, y_score) for each fold. A generator is empty after its "
            "first use."
        )
    return InputError(
        f"none of the {n_folds} folds has both positives and negatives, so there is nothing to "
        "compare. Leave-two-out has one pair a fold: use pooled_auc.",
        fix=Fix(
            "Otherwise use fewer parts, {} or {}.",
            "stratify",
            True,
            more=(("overlapping", True),),
        ),
    )
