"""Splits of rows for the audit: clean ones of many kinds of data, and the same with a leak."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.data import data_folder

__all__ = ["LEAKS", "Case", "clean_case", "leaky_case", "real_cases"]


@dataclass(frozen=True)
class Case:
    """A split of rows, what the audit is told of it, and the checks of which one must alarm."""

    name: str
    X: Any
    train: np.ndarray
    test: np.ndarray
    more: dict[str, Any] = field(default_factory=dict)
    wanted: tuple[str, ...] = ()


# --- data ----------------------------------------------------------------------------


def _gaussian(rng, n):
    d = int(rng.integers(3, 80))
    mix = rng.normal(size=(d, d)) if rng.random() < 0.5 else np.eye(d)
    return rng.normal(size=(n, d)) @ mix


def _heavy(rng, n):
    return rng.standard_t(3, size=(n, int(rng.integers(2, 30)))) * rng.lognormal(size=(n, 1))


def _mixture(rng, n):
    d, k = int(rng.integers(2, 40)), int(rng.integers(2, 6))
    centers = rng.normal(size=(k, d)) * 4
    scale = rng.uniform(0.2, 2, size=k)
    of = rng.integers(k, size=n)
    return centers[of] + rng.normal(size=(n, d)) * scale[of, None]


def _manifold(rng, n):
    """Few hidden dimensions, bent into many columns."""
    hidden = rng.uniform(-1, 1, size=(n, int(rng.integers(1, 4))))
    return np.tanh(hidden @ rng.normal(size=(hidden.shape[1], int(rng.integers(4, 40)))))


def _rounded(rng, n):
    return np.round(rng.normal(size=(n, int(rng.integers(1, 12)))), int(rng.integers(0, 3)))


def _dependent_levels(rng, n):
    """Few levels that depend on each other, so that whole rows repeat by chance."""
    d, k = int(rng.integers(2, 25)), int(rng.integers(2, 8))
    kinds = rng.integers(2, 5, size=d)
    profiles = [rng.dirichlet(np.full(m, 0.5), size=k) for m in kinds]
    of = rng.integers(k, size=n)
    columns = [(rng.random(n)[:, None] > np.cumsum(p[of], axis=1)).sum(axis=1) for p in profiles]
    return np.column_stack(columns).astype(float)


def _mixed(rng, n):
    """Numbers, words and missing values side by side."""
    d = int(rng.integers(2, 8))
    numbers = rng.normal(size=(n, d))
    numbers[rng.random((n, d)) < 0.05] = np.nan
    X = np.empty((n, d + 2), dtype=object)
    X[:, :d] = numbers
    for at in (d, d + 1):
        X[:, at] = rng.choice([f"w{k}" for k in range(int(rng.integers(2, 30)))], size=n)
    return X


def _text(rng, n):
    """Counts of words, a few of them in most rows."""
    d = int(rng.integers(300, 3000))
    share = 1 / np.arange(1, d + 1) ** rng.uniform(0.7, 1.2)
    topics = rng.dirichlet(share * 200, size=int(rng.integers(2, 8)))
    length = rng.integers(20, 150, size=n)
    of = rng.integers(len(topics), size=n)
    rows = [rng.multinomial(length[i], topics[of[i]]) for i in range(n)]
    return sp.csr_array(np.array(rows, dtype=float))


def _sets(rng, n, least=100):
    d = int(rng.integers(least, 1000))
    return sp.csr_array((rng.random((n, d)) < rng.beta(0.3, 8, size=d)).astype(float))


DATA: dict[str, Callable[..., Any]] = {
    "gaussian": _gaussian,
    "heavy tails": _heavy,
    "mixture": _mixture,
    "manifold": _manifold,
    "rounded": _rounded,
    "dependent levels": _dependent_levels,
    "words and numbers": _mixed,
    "text": _text,
    "sets": _sets,
}


def _labels(rng, X):
    """Classes that a column, or nothing, has something to do with."""
    n = X.shape[0]
    first = X[:, [0]].toarray()[:, 0] if sp.issparse(X) else X[:, 0]
    signal = np.nan_to_num(np.asarray(first, dtype=float))
    signal = (signal - signal.mean()) / (signal.std() or 1.0)
    noise = rng.normal(size=(n, int(rng.integers(1, 6))))
    score = noise + rng.uniform(0, 1.5, size=noise.shape[1]) * signal[:, None]
    Y = (score > np.quantile(score, rng.uniform(0.5, 0.95), axis=0)).astype(int)
    return Y if rng.random() < 0.5 else Y[:, 0]


def clean_case(seed: int) -> Case:
    """A split without a leak, of data drawn by the seed: at random, by group or by time."""
    rng = np.random.default_rng(seed)
    kind = list(DATA)[int(rng.integers(len(DATA)))]
    n = int(rng.choice([80, 200, 500, 1000, 3000]))
    X = DATA[kind](rng, n)
    more: dict[str, Any] = {"ids": rng.permutation(n) + 1000}
    if rng.random() < 0.7:
        more["y"] = _labels(rng, X)
    how = str(rng.choice(["random", "group", "time"], p=[0.6, 0.2, 0.2]))
    share = rng.uniform(0.1, 0.5)
    if how == "random":
        held_out = rng.permutation(n) < share * n
    elif how == "group":
        more["groups"] = rng.integers(max(n // 8, 2), size=n)
        if not sp.issparse(X) and X.dtype == float and kind not in ("rounded", "dependent levels"):
            # rows of a group are alike
            X = X + rng.normal(size=(n, X.shape[1]))[more["groups"]] * X.std(axis=0)
        held_out = more["groups"] < share * (n // 8)
    else:
        more["time"] = np.sort(rng.integers(0, 10 * n, size=n))
        held_out = more["time"] >= np.quantile(more["time"], 1 - share)
    if not 5 < held_out.sum() < n - 20:
        return clean_case(seed + 10_000_019)
    return Case(f"{kind}, {how}", X, np.flatnonzero(~held_out), np.flatnonzero(held_out), more)


# --- leaks ---------------------------------------------------------------------------


def _dense(rng, n=None):
    n = int(rng.choice([300, 800, 2000])) if n is None else n
    return DATA[str(rng.choice(["gaussian", "heavy tails", "mixture"]))](rng, n)


def _split(rng, X, **more):
    n = X.shape[0]
    order = rng.permutation(n)
    cut = int(n * rng.uniform(0.6, 0.85))
    return Case("", X, np.sort(order[:cut]), np.sort(order[cut:]), more)


def _copied(rng, case, change):
    """Some test rows become changed copies of training rows."""
    k = max(3, int(rng.uniform(0.01, 0.1) * len(case.test)))
    a, b = rng.choice(case.test, k, replace=False), rng.choice(case.train, k, replace=False)
    X = case.X.tolil() if sp.issparse(case.X) else case.X.copy()
    X[a] = change(X[b])
    return replace(case, X=sp.csr_array(X) if sp.issparse(case.X) else X)


def _copies(rng):
    return replace(_copied(rng, _split(rng, _dense(rng)), lambda x: x), wanted=("duplicates",))


def _copied_text(rng):
    # Sets of a handful of common items are equal by chance, and no copies.
    X = _text(rng, 600) if rng.random() < 0.5 else _sets(rng, 600, least=500)
    return replace(_copied(rng, _split(rng, X), lambda x: x), wanted=("duplicates",))


def _oversampled(rng):
    """Rows of a rare class repeated before the split."""
    X = _dense(rng)
    rare = rng.choice(len(X), len(X) // 20, replace=False)
    X = np.concatenate([X, np.repeat(X[rare], 5, axis=0)])
    return replace(_split(rng, X), wanted=("duplicates",))


def _copied_words(rng):
    case = _split(rng, _mixed(rng, 500))
    return replace(_copied(rng, case, lambda x: x), wanted=("duplicates",))


def _noise(rng):
    case = _split(rng, _gaussian(rng, 1500))
    scale = case.X.std(axis=0) * rng.uniform(1e-5, 3e-3)
    changed = _copied(rng, case, lambda x: x + rng.normal(size=x.shape) * scale)
    return replace(changed, wanted=("near_duplicates", "nearness"))


def _few_columns(rng):
    """Copies in which a few columns were changed."""
    case = _split(rng, rng.normal(size=(1000, int(rng.integers(20, 100)))))

    def change(x):
        x = x.copy()
        x[:, rng.choice(x.shape[1], 2, replace=False)] = rng.normal(size=(len(x), 2))
        return x

    return replace(_copied(rng, case, change), wanted=("near_duplicates", "nearness"))


def _augmented(rng):
    """Every row three times with noise, then split at random."""
    X = np.repeat(_gaussian(rng, 300), 3, axis=0)
    X = X + rng.normal(size=X.shape) * X.std(axis=0) * 0.001
    return replace(_split(rng, X), wanted=("near_duplicates",))


def _edited_text(rng):
    """Copies of texts with a few words more."""
    case = _split(rng, _text(rng, 700))

    def change(x):
        x = x.copy()
        rows = np.repeat(np.arange(x.shape[0]), 3)
        x[rows, rng.integers(x.shape[1], size=len(rows))] = 1.0
        return x

    return replace(_copied(rng, case, change), wanted=("near_duplicates", "duplicates"))


def _ids(rng):
    case = _split(rng, _dense(rng))
    ids = np.array([f"p{number}" for number in range(len(case.X))], dtype=object)
    ids[case.test[0]] = ids[case.train[0]]
    return replace(case, more={"ids": ids}, wanted=("ids",))


def _groups(rng):
    X = _dense(rng)
    return replace(_split(rng, X, groups=rng.integers(40, size=len(X))), wanted=("groups",))


def _time(rng):
    X = _dense(rng)
    days = np.datetime64("2024-01-01") + rng.integers(400, size=len(X))
    return replace(_split(rng, X, time=days), wanted=("time",))


def _edges(rng):
    case = _split(rng, _dense(rng))
    edges = [(case.train[0], case.test[0], 0.9), (case.train[1], case.train[2], 0.95)]
    return replace(case, more={"similarity": edges, "threshold": 0.8}, wanted=("similarity",))


def _with_column(rng, make, wanted):
    X = _gaussian(rng, int(rng.choice([500, 2000])))
    y = (X[:, 0] + rng.normal(size=len(X)) * X[:, 0].std() > 0).astype(int)
    column = np.asarray(make(rng, y), dtype=float)
    X = np.insert(X, int(rng.integers(X.shape[1] + 1)), column, axis=1)
    return replace(_split(rng, X, y=y), wanted=wanted)


def _target_copy(rng):
    return _with_column(rng, lambda rng, y: y * 3.5 - 1, ("target",))


def _target_noise(rng):
    return _with_column(rng, lambda rng, y: y + rng.normal(size=len(y)) * 0.15, ("target",))


def _target_codes(rng):
    """Codes in no order, each of one class."""
    return _with_column(rng, lambda rng, y: 2 * rng.integers(10, size=len(y)) + y, ("target",))


def _target_missing(rng):
    """Values that are missing where the class is 0."""
    return _with_column(
        rng, lambda rng, y: np.where(y == 1, rng.normal(size=len(y)), np.nan), ("target",)
    )


def _target_word(rng):
    """A word that a class always has."""
    X = _sets(rng, 1500)
    Y = (rng.random((1500, 8)) < 0.1).astype(int)
    X = sp.csr_array(sp.hstack([X, sp.csr_array(Y[:, [3]].astype(float))]))
    return replace(_split(rng, X, y=Y), wanted=("target",))


def _row_number(rng):
    return _with_column(rng, lambda rng, y: rng.permutation(len(y)) + 1, ("order",))


def _sorted_number(rng):
    return _with_column(rng, lambda rng, y: np.arange(len(y)) * 0.5, ("order",))


def _shifted(rng):
    case = _split(rng, _gaussian(rng, 1500))
    X = case.X.copy()
    X[case.test, 0] += X[:, 0].std()
    return replace(case, X=X, wanted=("shift",))


LEAKS: dict[str, Callable[..., Case]] = {
    "copies": _copies,
    "copies of texts and sets": _copied_text,
    "oversampling before the split": _oversampled,
    "copies with words": _copied_words,
    "copies with noise": _noise,
    "copies with changed columns": _few_columns,
    "augmented before the split": _augmented,
    "edited texts": _edited_text,
    "ids on both sides": _ids,
    "groups on both sides": _groups,
    "training after test": _time,
    "similar rows on both sides": _edges,
    "target as a column": _target_copy,
    "target with noise": _target_noise,
    "target as codes": _target_codes,
    "target by missing values": _target_missing,
    "target as a word": _target_word,
    "row number": _row_number,
    "row number in steps": _sorted_number,
    "shifted test set": _shifted,
}


def leaky_case(name: str, seed: int) -> Case:
    """A split with a leak of this kind."""
    return replace(LEAKS[name](np.random.default_rng(seed)), name=name)


def real_cases(seed: int) -> list[Case]:
    """Random splits of the data sets in ``TRUEVAL_DATA``, as far as they are there."""
    rng = np.random.default_rng(seed)
    cases: list[Case] = []
    folder = data_folder()
    if folder is None:
        return cases
    for name in ("emotions", "yeast", "scene", "bibtex", "rcv1sub1", "delicious"):
        files = [folder / f"{name}_{part}.npz" for part in "XY"]
        if not all(file.is_file() for file in files):
            continue
        X, Y = (sp.csr_array(sp.load_npz(file)) for file in files)
        X = X.toarray() if X.nnz > 0.5 * X.shape[0] * X.shape[1] else X
        cases.append(replace(_split(rng, X, y=Y), name=name))
    return cases
