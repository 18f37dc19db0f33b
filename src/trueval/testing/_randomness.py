"""Checks of seeds, threads and pickles."""

import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from numbers import Integral
from typing import Any

import numpy as np

from trueval.core.errors import RareClassWarning
from trueval.testing._problem import (
    N_ROWS,
    assert_same,
    call,
    example_labels,
    folds_of,
)


def check_same_seed_same_splits(splitter: Any) -> None:
    """Two copies with one seed, and two calls of one object, agree."""
    twin = deepcopy(splitter)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RareClassWarning)
        first = list(call(twin, example_labels(), N_ROWS))
        again = list(call(twin, example_labels(), N_ROWS))
    assert_same(first, again, "a second call")
    assert_same(first, folds_of(splitter), "a copy with the same seed")


def check_other_seed_other_splits(splitter: Any) -> None:
    """The seed matters, where there is one."""
    if not isinstance(getattr(splitter, "random_state", None), Integral):
        return
    other = deepcopy(splitter)
    other.random_state = splitter.random_state + 1
    same = all(
        np.array_equal(a[1], b[1]) for a, b in zip(folds_of(splitter), folds_of(other), strict=True)
    )
    assert not same, "another seed gives the same test sets"


def check_global_random_state_untouched(splitter: Any) -> None:
    """The global random state of numpy is left alone."""
    before = np.random.get_state(legacy=False)["state"]["key"].copy()  # noqa: NPY002
    folds_of(splitter)
    after = np.random.get_state(legacy=False)["state"]["key"]  # noqa: NPY002
    assert np.array_equal(before, after), "the global random state was advanced"


def check_threads(splitter: Any) -> None:
    """Splitting in several threads at once gives the same splits."""
    alone = folds_of(splitter)
    with ThreadPoolExecutor(4) as pool:
        for folds in pool.map(lambda _: folds_of(splitter), range(4)):
            assert_same(alone, folds, "running in threads")


def check_pickle(splitter: Any) -> None:
    """A pickled splitter splits the same."""
    assert_same(folds_of(splitter), folds_of(pickle.loads(pickle.dumps(splitter))), "pickling")
