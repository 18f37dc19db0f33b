"""What the checks are made of: labels, groups, and calls of splitters."""

import warnings
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.errors import RareClassWarning
from trueval.data import simulate
from trueval.stratify import split_quality

__all__ = [
    "N_ROWS",
    "Folds",
    "assert_same",
    "call",
    "example_groups",
    "example_labels",
    "folds_of",
    "is_partition",
    "mean_rld",
    "refuses",
    "rounds",
    "takes_groups",
]

N_ROWS = 203  # not a multiple of any usual number of folds

Folds = list[tuple[NDArray[np.intp], NDArray[np.intp]]]


def example_labels(n_rows: int = N_ROWS, n_classes: int = 12) -> sp.csr_array:
    """Correlated labels, some rows without any, all classes of at least 15 members."""
    y = simulate.label_matrix(n_rows, n_classes, cardinality=2.5, tail=0.5, random_state=7)
    return y[:, y.sum(axis=0) >= 15]


def takes_groups(splitter: Any) -> bool:
    request = getattr(splitter, "get_metadata_routing", None)
    if request is None:
        return False
    return request().split.requests.get("groups") is True


def example_groups(n_rows: int) -> NDArray[np.int64]:
    return np.random.default_rng(3).integers(n_rows // 4, size=n_rows)


def call(splitter: Any, y: Any, n_rows: int) -> Iterator[Any]:
    """Split as scikit-learn would, with X only for its length."""
    X = np.zeros((n_rows, 1))
    if takes_groups(splitter):
        return splitter.split(X, y, example_groups(n_rows))
    return splitter.split(X, y)


def folds_of(splitter: Any, y: Any = None, n_rows: int | None = None) -> Folds:
    y = example_labels() if y is None else y
    n_rows = (y.shape[0] if hasattr(y, "shape") else len(y)) if n_rows is None else n_rows
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RareClassWarning)
        return list(call(deepcopy(splitter), y, n_rows))


def assert_same(first: Folds, second: Folds, what: str) -> None:
    assert len(first) == len(second), f"{what} changed the number of splits"
    for i, (a, b) in enumerate(zip(first, second, strict=True)):
        for side, x, z in (("train", a[0], b[0]), ("test", a[1], b[1])):
            assert np.array_equal(x, z), f"{what} changed the {side} set of split {i}"


def is_partition(splitter: Any) -> bool:
    """Whether the test sets of one round should cover all rows."""
    return not hasattr(splitter, "test_size")


def rounds(splitter: Any, folds: Folds) -> list[Folds]:
    per_round = int(splitter.n_splits) if hasattr(splitter, "n_repeats") else len(folds)
    return [folds[i : i + per_round] for i in range(0, len(folds), per_round)]


def mean_rld(splitter: Any, folds: Folds, y: Any) -> float:
    """Mean rLD of the test sets; against the rest where they are no partition."""
    if is_partition(splitter):
        return float(np.mean([split_quality(y, r).rld_wanted for r in rounds(splitter, folds)]))
    values = []
    for train, test in folds:
        numbers = np.zeros(y.shape[0], dtype=int)
        numbers[test] = 1
        share = [(y.shape[0] - len(test)), len(test)]
        values.append(split_quality(y, numbers, parts=share).rld_wanted)
        del train
    return float(np.mean(values))


def refuses(splitter: Any, y: Any, n_rows: int, what: str) -> None:
    try:
        list(call(deepcopy(splitter), y, n_rows))
    except (ValueError, TypeError) as error:
        message = str(error).strip()
    else:
        raise AssertionError(f"{what} is accepted")
    assert message, f"{what} is refused without a message"
