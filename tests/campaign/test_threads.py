"""Kernels in several threads at once, on shared data: the results of one thread alone."""

import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from trueval import ObjectKFold, as_labels, split_quality, stratified_folds
from trueval.rank import IsotonicRanker

RNG = np.random.default_rng(0)
Y = as_labels((RNG.random((300, 20)) < 0.1).astype(int))
SCORES = RNG.random((300, 20))
PAIRS = RNG.integers(0, 50, size=(400, 2))
WORK = {
    "anneal": lambda: stratified_folds(Y, 4, random_state=1),
    "optisplit": lambda: stratified_folds(Y, 4, method="optisplit", random_state=1),
    "iterative": lambda: stratified_folds(Y, 4, method="iterative", random_state=1),
    "quality": lambda: np.array([split_quality(Y, np.arange(300) % 4).rld]),
    "isotonic": lambda: IsotonicRanker(n_jobs=2).fit(SCORES, Y).transform(SCORES),
    "pairs": lambda: np.concatenate(
        [test for _, test in ObjectKFold(4, random_state=1).split(PAIRS, groups=PAIRS)]
    ),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", WORK)
def test_threads_do_not_meet(name):
    expected = WORK[name]()
    with warnings.catch_warnings(), ThreadPoolExecutor(4) as pool:
        warnings.simplefilter("ignore")
        for result in pool.map(lambda _: WORK[name](), range(8)):
            np.testing.assert_array_equal(result, expected)
