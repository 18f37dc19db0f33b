"""What a measuring process does for the rank benchmark."""

import importlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.process import Meter

__all__ = ["SMOOTHERS", "decide", "prepare", "rank", "scale", "smooth"]

BANDWIDTH = 0.1
NOISE = 0.3
SIMULATED = {
    "Simulation I, M 100, π 0.05": (100, 0.05, 0.0),
    "Simulation I, M 500, π 0.1": (500, 0.1, 0.0),
    "Simulation II, M 200, π 0.05 + 0.05": (200, 0.05, 0.05),
}
REAL = {"yeast": 10, "scene": 10, "rcv1sub1, rows 0-2999": 3}


# --- the smoother -------------------------------------------------------------------


def truth(u: Any) -> Any:
    """The curve behind the noise."""
    return 0.5 + 0.4 * np.sin(4 * u)


def _ours(u: Any, v: Any) -> Any:
    from trueval.rank._smoother import local_quadratic

    return local_quadratic(u, v, BANDWIDTH, even=True).value


def naive(u: Any, v: Any, rows: int = 500) -> Any:
    """The O(M²) fit, vectorised over blocks of rows."""
    out = np.empty(len(u))
    for i in range(0, len(u), rows):
        t = (u[None, :] - u[i : i + rows, None]) / BANDWIDTH
        w = np.maximum(1 - t * t, 0.0)
        S = np.stack([(w * t**j).sum(1) for j in range(5)])
        T = np.stack([(w * t**j) @ v for j in range(3)])
        A = np.moveaxis(S[np.add.outer(np.arange(3), np.arange(3))], 2, 0)
        out[i : i + rows] = np.linalg.solve(A, T.T[:, :, None])[:, 0, 0]
    return out


def _kernel_reg(u: Any, v: Any) -> Any:
    from statsmodels.nonparametric.kernel_regression import KernelReg

    # Gaussian; as wide as our kernel, whose standard deviation is h / √5.
    return KernelReg(v, u, "c", reg_type="ll", bw=[BANDWIDTH / np.sqrt(5)]).fit()[0]


def _lowess(u: Any, v: Any) -> Any:
    from statsmodels.nonparametric.smoothers_lowess import lowess

    return lowess(v, u, frac=2 * BANDWIDTH, it=0, is_sorted=True, return_sorted=False)


SMOOTHERS = {
    "trueval local_quadratic": ("trueval", "trueval.rank._smoother", _ours),
    "NumPy, the sums written out": ("numpy", "numpy", naive),
    "statsmodels KernelReg": (
        "statsmodels",
        "statsmodels.nonparametric.kernel_regression",
        _kernel_reg,
    ),
    "statsmodels lowess": ("statsmodels", "statsmodels.nonparametric.smoothers_lowess", _lowess),
}


def smooth(*, method: str, size: int) -> Iterator[dict[str, Any]]:
    """Smooth M points at all M points."""
    _, module, work = SMOOTHERS[method]
    importlib.import_module(module)
    generator = np.random.default_rng(0)
    u = np.arange(1, size + 1) / size
    v = truth(u) + generator.normal(0, NOISE, size)
    meter = Meter()
    value, cpu = meter.steady(lambda: work(u, v))
    row = {"cpu": cpu, "rmse": float(np.sqrt(np.mean((value - truth(u)) ** 2)))}
    yield row | meter.memory()


# --- rankers and deciders -------------------------------------------------------------


def prepare(*, name: str, path: str, runs: int, folder: str) -> Iterator[dict[str, Any]]:
    """Write problems: training scores and labels, new scores and labels."""
    made = _simulated(name, runs) if name in SIMULATED else _real(name, folder)
    np.savez(path, **{f"{part}{i}": array for i, p in enumerate(made) for part, array in p.items()})
    yield {"problems": len(made), "classes": made[0]["a"].shape[1], "rows": len(made[0]["a"])}


def _simulated(name: str, runs: int) -> list[dict[str, Any]]:
    from trueval.data.simulate import simulation_two, true_rates

    cell, made = SIMULATED[name], []
    for run in range(runs):
        generator = np.random.default_rng([7, run])
        (a, ya), (b, yb) = (simulation_two(*cell, random_state=generator) for _ in "ab")
        if ya.nnz and yb.nnz:
            best = true_rates(b, *cell[1:])
            made.append({"a": a, "y": ya.toarray(), "b": b, "z": yb.toarray(), "o": best})
    return made


def _real(name: str, folder: str) -> list[dict[str, Any]]:
    """Out-of-fold scores of a support vector machine; one problem for each fold left out."""
    from pathlib import Path

    import scipy.sparse as sp
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC, LinearSVC

    from trueval.stratify import stratified_folds

    stem = name.split(",")[0]
    y = sp.csr_array(sp.load_npz(Path(folder, f"{stem}_Y.npz")))
    try:
        X = sp.load_npz(Path(folder, f"{stem}_X.npz")).tocsr()
    except ValueError:
        X = np.load(Path(folder, f"{stem}_X.npz"))["X"]
    if stem.startswith("rcv1"):  # the label columns of the other half are in another order
        X, y, model = X[:3000], y[:3000], OneVsRestClassifier(LinearSVC())
        y = y[:, np.flatnonzero(np.bincount(y.indices, minlength=y.shape[1]) > 0)]
    else:
        X = X.toarray() if sp.issparse(X) else X
        model = make_pipeline(StandardScaler(), OneVsRestClassifier(SVC(C=2.0)))
    truths = y.toarray()
    folds = stratified_folds(y, REAL[name], random_state=0)
    scores = np.empty(y.shape)
    for k in range(REAL[name]):
        test = folds == k
        scores[test] = model.fit(X[~test], truths[~test]).decision_function(X[test])
    return [
        {"a": scores[folds != k], "y": truths[folds != k]}
        | {"b": scores[folds == k], "z": truths[folds == k]}
        for k in range(REAL[name])
    ]


def _problems(path: str) -> Iterator[tuple[Any, Any, Any, Any, Any]]:
    with np.load(path) as file:
        for i in range(sum(name.startswith("a") for name in file.files)):
            best = file[f"o{i}"] if f"o{i}" in file.files else None
            yield file[f"a{i}"], file[f"y{i}"], file[f"b{i}"], file[f"z{i}"], best


def _warm(way: Any, path: str) -> None:
    """One call that is not timed, for what is imported or compiled late."""
    if way is not None:
        a, y, b, _, _ = next(_problems(path))
        way.work(a, y, b)


def rank(*, method: str, path: str) -> Iterator[dict[str, Any]]:
    """Pooled average precision of the values of new scores, and log loss where they are rates."""
    from sklearn.metrics import average_precision_score

    from benchmarks.rank_peers import RANKERS

    way = RANKERS.get(method)
    if way is not None:
        importlib.import_module(way.module)
    _warm(way, path)
    areas, losses, spent, most = [], [], 0.0, 0.0
    for a, y, b, z, best in _problems(path):
        if way is None:  # the true rates, which nobody can know
            if best is None:
                return
            values, cpu = best, 0.0
        else:
            meter = Meter()  # loading and judging are not the method's
            values, cpu = meter.time(lambda a=a, y=y, b=b: way.work(a, y, b))
            most = max(most, meter.memory()["mb"])
        values = np.asarray(values)
        spent += cpu
        areas.append(float(average_precision_score(z.ravel(), values.ravel())))
        if values.min() >= 0 and values.max() <= 1 and method != "raw scores":
            p = np.clip(values, 1e-6, 1 - 1e-6)
            losses.append(float(-np.where(z > 0, np.log(p), np.log1p(-p)).mean()))
    yield {
        "area": float(np.mean(areas)),
        "area_se": float(np.std(areas, ddof=1) / np.sqrt(len(areas))),
        "loss": float(np.mean(losses)) if len(losses) == len(areas) else None,
        "cpu": spent if way is not None else None,
        "mb": most if way is not None else None,
    }


def decide(*, method: str, path: str) -> Iterator[dict[str, Any]]:
    """Micro and macro F1 of the calls on new data."""
    from sklearn.metrics import f1_score

    from benchmarks.rank_peers import DECIDERS

    way = DECIDERS[method]
    importlib.import_module(way.module)
    _warm(way, path)
    micro, macro, spent, most = [], [], 0.0, 0.0
    for a, y, b, z, _ in _problems(path):
        meter = Meter()
        calls, cpu = meter.time(lambda a=a, y=y, b=b: way.work(a, y, b))
        most = max(most, meter.memory()["mb"])
        spent += cpu
        made = (np.asarray(calls) > 0).astype(int)
        micro.append(f1_score(z, made, average="micro", zero_division=0))
        macro.append(f1_score(z, made, average="macro", zero_division=0))
    found = {"micro": micro, "macro": macro}
    means = {name: float(np.mean(values)) for name, values in found.items()}
    errors = {
        f"{name}_se": float(np.std(values, ddof=1) / np.sqrt(len(values)))
        for name, values in found.items()
        if len(values) > 1
    }
    yield means | errors | {"cpu": spent, "mb": most}


def scale(*, method: str, rows: int, classes: int) -> Iterator[dict[str, Any]]:
    """Fit and transform new scores of the same size, dense."""
    from benchmarks.rank_peers import RANKERS

    way = RANKERS[method]
    importlib.import_module(way.module)
    generator = np.random.default_rng(0)
    y = (generator.random((rows, classes)) < 0.05).astype(np.int8)
    scores = generator.normal(size=(rows, classes)) + 2.0 * y
    new = generator.normal(size=(rows, classes))
    way.work(scores[:100, :1], y[:100, :1], new[:100, :1])  # what is imported or compiled late
    meter = Meter()
    _, cpu = meter.steady(lambda: way.work(scores, y, new))
    yield {"cpu": cpu} | meter.memory()
