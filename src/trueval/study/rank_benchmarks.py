"""Table 8 of the local-precision-rate paper: OT and LPR on Yeast, Scene and RCV1v2."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from trueval.core.errors import RareClassWarning
from trueval.core.table import Table
from trueval.data.simulate_scores import simulation_two
from trueval.rank import OneClassWarning, OptimalThresholds
from trueval.rank.curves import f_beta
from trueval.stratify import MultilabelStratifiedKFold
from trueval.study import published_002 as published
from trueval.study import sources
from trueval.study.cells import Cell, Done, Outcome, Plan, Study, Work, stream
from trueval.study.rank_measures import RANKERS, best_threshold
from trueval.study.tables import columns_of, mean_and_error

__all__ = ["STUDIES"]

_BETAS = (0.5, 1.0, 2.0)
_RANKERS: dict[str, Callable[[], Any]] = {name: RANKERS[name] for name in ("LPR", "ours")}
_METHODS = ("OT", *_RANKERS)
_MEASURES = ("precision", "recall", "F")
_SUBSETS = tuple(f"rcv1sub{part}" for part in range(1, 6))
_HALF = 3000


def judge(seed: int, data: str, half: int, n_folds: int) -> dict[str, Any]:
    """Precision, recall and F of each fold, by beta and method."""
    scores, y, fold = _out_of_fold(seed, data, half, n_folds)
    out: dict[str, list[float]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OneClassWarning)
        for k in range(n_folds):
            train, test = fold != k, fold == k
            truth = y[test].toarray() > 0
            for (beta, name), made in _calls(scores, y, train, test).items():
                hits, n_calls, n_true = (made & truth).sum(), made.sum(), truth.sum()
                found = (hits / max(n_calls, 1), hits / n_true, f_beta(hits, n_calls, n_true, beta))
                for measure, value in zip(_MEASURES, found, strict=True):
                    out.setdefault(f"{beta} {name} {measure}", []).append(round(float(value), 7))
    return out


def _calls(
    scores: NDArray[np.float64], y: sp.csr_array, train: NDArray[np.bool_], test: NDArray[np.bool_]
) -> dict[tuple[float, str], NDArray[np.bool_]]:
    """Calls on the test rows by beta and method, everything fitted on the training rows."""
    best = OptimalThresholds().fit(scores[train], y[train])
    calls = {(beta, "OT"): scores[test] >= best.thresholds_for(beta) for beta in _BETAS}
    for name, make in _RANKERS.items():
        ranker = make().fit(scores[train], y[train])
        own, new = ranker.transform(scores[train]), ranker.transform(scores[test])
        for beta in _BETAS:
            calls[beta, name] = new >= best_threshold(own, y[train], beta)[0]
    return calls


def _out_of_fold(
    seed: int, data: str, half: int, n_folds: int
) -> tuple[NDArray[np.float64], sp.csr_array, NDArray[np.int64]]:
    """Scores of classifiers that did not see the row, labels, and the fold of each row."""
    state = int(stream(seed, data, half).integers(2**31))
    if data == sources.SIMULATED:
        scores, y = simulation_two(1500, 0.07, 0.03, random_state=state)
        return scores, y, np.arange(len(scores)) % n_folds
    X, y = sources.features_and_labels(data)
    if data in _SUBSETS:
        rows = np.arange(half * _HALF, (half + 1) * _HALF)
        X, y = X[rows], y[rows]
        y = y[:, np.flatnonzero(np.bincount(y.indices, minlength=y.shape[1]) > 0)]
        model: Any = OneVsRestClassifier(LinearSVC())
    else:
        X = X.toarray() if sp.issparse(X) else X
        model = make_pipeline(StandardScaler(), OneVsRestClassifier(SVC(C=2.0)))
    scores = np.empty(y.shape)
    fold = np.empty(y.shape[0], dtype=np.int64)
    with warnings.catch_warnings():
        # A class with fewer members than folds is absent from a training set; its
        # constant score is what it deserves.
        warnings.simplefilter("ignore", RareClassWarning)
        warnings.filterwarnings("ignore", message="Label .* is present in all training")
        warnings.filterwarnings("ignore", message="Label not .* is present in all training")
        folds = MultilabelStratifiedKFold(n_folds, random_state=state)
        for k, (train, test) in enumerate(folds.split(X, y)):
            fitted = model.fit(X[train], y[train].toarray())
            scores[test] = fitted.decision_function(X[test])
            fold[test] = k
    return scores, y, fold


def work(plan: Plan) -> Work:
    wanted = ("yeast", "scene", *_SUBSETS)
    here = [name for name in wanted if not sources.absent(f"{name}+X")]
    notes: list[str] = []
    if plan.quick:
        here = [name for name in here if name in ("yeast", "rcv1sub1")] or [sources.SIMULATED]
        notes.append("Quick: only some of the data.")
    elif not here:
        raise sources.refuse([f"{name}+X" for name in wanted])
    else:
        notes += sources.left_out([f"{name}+X" for name in wanted if name not in here])
    cells = []
    for name in here:
        halves = (0, 1) if name in _SUBSETS and not plan.quick else (0,)
        n_folds = 3 if plan.quick or name in _SUBSETS else 10
        reads = [] if name == sources.SIMULATED else sources.digests(f"{name}+X")
        cells += [
            Cell(judge, {"data": name, "half": half, "n_folds": n_folds}, reads) for half in halves
        ]
    data = [
        {"name": "Simulation II", "from": "trueval.data.simulate_scores"}
        if name == sources.SIMULATED
        else sources.describe(f"{name}+X")
        for name in here
    ]
    return Work(cells, data, notes)


def table_8(done: Sequence[Done]) -> Outcome:
    groups: dict[str, list[Done]] = {}
    for cell in done:
        name = cell.parameters["data"]
        groups.setdefault("rcv1v2" if name in _SUBSETS else name, []).append(cell)
    lines, notes = [], []
    for data, cells in groups.items():
        for beta in _BETAS:
            for measure in _MEASURES:
                line: dict[str, Any] = {"data": data, "β": beta, "measure": measure}
                paper = published.TABLE_8.get((data, str(beta), measure), {})
                for method in _METHODS:
                    values = [v for c in cells for v in c.result[f"{beta} {method} {measure}"]]
                    if method != "ours":
                        line[f"{method} paper"] = paper.get(method, np.nan)
                    line[method], line[f"{method} se"] = mean_and_error(values)
                lines.append(line)
        f = [line for line in lines if line["data"] == data and line["measure"] == "F"]
        if np.isfinite(f[0]["OT paper"]):
            gaps = [line[m] - line[f"{m} paper"] for line in f for m in ("OT", "LPR")]
            notes.append(f"{data}: F − paper from {min(gaps):+.3f} to {max(gaps):+.3f}.")
    notes += [
        "The paper does not state its classifier, so levels differ. Here: for Yeast and Scene one "
        "RBF support vector machine a class (C = 2, features standardised), ten stratified folds; "
        "for RCV1v2 a linear one (C = 1), three folds. Quick runs have three folds throughout.",
        "Decisions of a fold are fitted on the out-of-fold scores of the others; thresholds never "
        "see the fold they are judged on; Tables 3 and 5 of the paper choose those of LPR on the "
        "test data, and it does not say which Table 8 does. Standard errors are over folds.",
        "RCV1v2: in the subsets at hand the label columns of the first and the second 3,000 rows "
        "do not match, so each half is cross-validated by itself; the paper trains on one set "
        "of 3,000 and tests on the other.",
    ]
    return Outcome(Table(columns_of(lines)), None, notes)


STUDIES = (
    Study(
        name="002-table8",
        paper=published.CITATION,
        title="Precision, recall and F on benchmark data",
        data="yeast, scene, rcv1sub1 to rcv1sub5",
        about="Optimal thresholds (OT), local precision rates (LPR) and our default, β = ½, 1, 2.",
        work=work,
        conclude=table_8,
    ),
)
