"""What better folds do to a model's estimates: section 3's second family of quality measures.

From a set with features a sample is drawn; the rest, several times as large, is held out. A ridge
regression of all labels is cross-validated on the sample with the folds of a method, many times
with other seeds, and compared with the held-out score of the model of the whole sample.
"""

import warnings
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.stats import rankdata

from trueval.core.errors import RareClassWarning
from trueval.core.table import Table
from trueval.data import simulate
from trueval.stratify import split_quality, stratified_folds
from trueval.study import _published_000 as published
from trueval.study import _sources as sources
from trueval.study._cells import Cell, Done, Outcome, Plan, Study, Work, stream
from trueval.study._tables import columns_of, mean_and_error

__all__ = ["STUDIES", "class_scores"]

_SETS = ("bibtex+X", "delicious+X")
_METHODS = ("anneal", "optisplit", "iterative", "sampling", "evosplit", "pmbsrs", "random")
_N_FOLDS, _N_SAMPLE, _N_HELD_OUT = 5, 1000, 6000
_LEAST, _RARE = 5, 10  # positives in the sample of classes that count, and of rare ones
_RIDGE = 1.0
_MEASURES = ("AP", "AUC")

_Floats = NDArray[np.float64]


def class_scores(y: NDArray[np.bool_], scores: _Floats) -> tuple[_Floats, _Floats]:
    """Average precision and AUC of each column; NaN without positives or negatives.

    >>> ap, auc = class_scores(np.array([[True], [False], [True]]), np.array([[3.0], [2.0], [1.0]]))
    >>> ap, auc  # (1 + 2/3) / 2, and one of two pairs
    (array([0.83333333]), array([0.5]))
    """
    n_rows, positives = len(y), y.sum(axis=0)
    defined = (positives > 0) & (positives < n_rows)
    order = np.argsort(-scores, axis=0, kind="stable")
    ranked = np.take_along_axis(y, order, axis=0)
    precision = np.cumsum(ranked, axis=0) / np.arange(1, n_rows + 1)[:, None]
    at_least = np.maximum(positives, 1)
    ap = (precision * ranked).sum(axis=0) / at_least
    sums = (rankdata(scores, axis=0) * y).sum(axis=0)
    pairs = np.maximum(positives * (n_rows - positives), 1)
    auc = (sums - positives * (positives + 1) / 2) / pairs
    return np.where(defined, ap, np.nan), np.where(defined, auc, np.nan)


def _data(seed: int, data: str, sample: int) -> tuple[_Floats, NDArray[np.bool_], _Floats, Any]:
    """Kernel and labels of a sample; kernel of the held-out rows against it, and their labels."""
    if data == sources.SIMULATED:
        y = simulate.label_matrix(4000, 100, random_state=0).toarray().astype(bool)
        random = stream(0, "features of simulated labels")
        x = y @ random.normal(size=(y.shape[1], 40)) + 2 * random.normal(size=(len(y), 40))
    else:
        x, labels = sources.features_and_labels(data.removesuffix("+X"))
        y = labels.toarray().astype(bool)
    order = stream(seed, data, "sample", sample).permutation(len(y))
    rows, others = order[:_N_SAMPLE], order[_N_SAMPLE : _N_SAMPLE + _N_HELD_OUT]
    enough = y[rows].sum(axis=0) >= _LEAST
    x = np.asarray(x if isinstance(x, np.ndarray) else x.toarray(), dtype=float)
    x = x - x[rows].mean(axis=0)
    x = x / np.maximum(np.sqrt((x[rows] ** 2).sum(axis=1)).mean(), 1e-300)
    return (
        x[rows] @ x[rows].T,
        y[rows][:, enough],
        x[others] @ x[rows].T,
        y[others][:, enough],
    )


def _weights(kernel: _Floats, y: NDArray[np.bool_]) -> _Floats:
    """Ridge regression in its dual form."""
    target = y - y.mean(axis=0)
    factor = cho_factor(kernel + _RIDGE * np.eye(len(kernel)))
    return np.asarray(cho_solve(factor, target))


def estimates(seed: int, data: str, method: str, sample: int, runs: int) -> dict[str, Any]:
    """Cross-validated scores of some runs, and the held-out score of the sample's model."""
    kernel, y, held_out, truth = _data(seed, data, sample)
    rare = y.sum(axis=0) <= _RARE
    ap, auc = class_scores(truth, held_out @ _weights(kernel, y))
    result: dict[str, Any] = {
        "AP held out": float(np.nanmean(ap)),
        "AUC held out": float(np.nanmean(auc[rare])) if rare.any() else np.nan,
        "AP": [], "AUC": [], "rLD": [], "undefined": [],
    }  # fmt: skip
    for run in range(runs):
        state = stream(seed, data, method, sample, run)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RareClassWarning)
            folds = stratified_folds(y, _N_FOLDS, method=method, random_state=state)
        of_folds = []
        for fold in range(_N_FOLDS):
            test, train = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
            weights = _weights(kernel[np.ix_(train, train)], y[train])
            of_folds.append(class_scores(y[test], kernel[np.ix_(test, train)] @ weights))
        aps, aucs = (np.array(values) for values in zip(*of_folds, strict=True))
        result["AP"].append(float(np.mean([np.nanmean(a) for a in aps])))
        defined = aucs[:, rare][np.isfinite(aucs[:, rare])]
        result["AUC"].append(float(defined.mean()) if len(defined) else np.nan)
        result["undefined"].append(float(np.isnan(aps).mean()))
        result["rLD"].append(split_quality(y, folds).rld)
    return result


def models_work(plan: Plan) -> Work:
    present = [name for name in _SETS if not sources.absent(name)]
    if plan.quick:
        present = [sources.SIMULATED]
    elif not present:
        raise sources.refuse(_SETS)
    samples, runs = 1 if plan.quick else 5, plan.n(10, 4)
    cells = [
        Cell(
            estimates,
            {"data": data, "method": method, "sample": sample, "runs": runs},
            sources.digests(data),
        )
        for data in present
        for method in _METHODS
        for sample in range(samples)
    ]
    notes = [] if plan.quick else sources.left_out([name for name in _SETS if name not in present])
    return Work(cells, [sources.describe(name) for name in present], notes, runs)


def models(done: Sequence[Done]) -> Outcome:
    groups: dict[tuple[str, str], list[Any]] = {}
    for cell in done:
        key = cell.parameters["data"].removesuffix("+X"), cell.parameters["method"]
        groups.setdefault(key, []).append(cell.result)
    lines = [{"data": d, "method": m} | _line(results) for (d, m), results in groups.items()]
    notes = [
        f"Samples of {_N_SAMPLE:,} rows; classes with at least {_LEAST} positives in the sample; "
        f"AUC is of those with at most {_RARE}. Bias: mean of the cross-validated score minus "
        "the held-out score of the model of the whole sample. Spread: standard deviation over "
        "seeds of the folds, within a sample. Undefined: (class, fold) cells without a positive, "
        "left out of the means as scikit-learn's users do.",
    ]
    for data in dict.fromkeys(line["data"] for line in lines):
        by_method = {line["method"]: line for line in lines if line["data"] == data}
        best, plain = by_method["anneal"], by_method["random"]
        notes.append(
            f"{data}: from random to anneal folds the spread of macro AP goes from "
            f"{plain['AP spread']:.4f} to {best['AP spread']:.4f}, its bias from "
            f"{plain['AP bias']:+.4f} to {best['AP bias']:+.4f}; of the rare classes' AUC from "
            f"{plain['AUC spread']:.4f} to {best['AUC spread']:.4f} and "
            f"{plain['AUC bias']:+.4f} to {best['AUC bias']:+.4f}."
        )
    return Outcome(Table(columns_of(lines)), None, notes)


def _line(results: Sequence[Any]) -> dict[str, float]:
    line: dict[str, float] = {}
    for column in ("rLD", "undefined"):
        line[column] = float(np.mean([np.mean(r[column]) for r in results]))
    for name in _MEASURES:
        line[f"{name} held out"] = float(np.mean([r[f"{name} held out"] for r in results]))
        gaps = [np.nanmean(r[name]) - r[f"{name} held out"] for r in results]
        line[f"{name} bias"], line[f"{name} bias se"] = mean_and_error(gaps)
        variances = [np.nanvar(r[name], ddof=1) for r in results if len(r[name]) > 1]
        line[f"{name} spread"] = float(np.sqrt(np.mean(variances))) if variances else np.nan
    return line


_study = partial(Study, paper=published.CITATION)
STUDIES = (
    _study(
        name="000-models",
        title="What better folds do to a model's estimates",
        data="bibtex, delicious (with features)",
        about="Bias and spread of cross-validated scores against a large held-out set, by method.",
        work=models_work,
        conclude=models,
    ),
)
