"""A problem of random scores for tests of rankers."""

import numpy as np
from hypothesis import settings

QUICK = settings(derandomize=True, deadline=None, max_examples=25, database=None)


def problem(seed=0, n=80, k=3, decimals=None):
    rng = np.random.default_rng(seed)
    y = (rng.random((n, k)) < 0.3).astype(int)
    y[0], y[1] = 1, 0
    scores = rng.normal(size=(n, k)) + 1.5 * y
    return (scores if decimals is None else np.round(scores, decimals)), y
