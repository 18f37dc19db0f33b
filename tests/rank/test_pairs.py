"""Ranked pairs against plain lists, dense and sparse, with ties and pairs without a score."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from trueval.core.scores import check_pair
from trueval.rank import _pairs as module
from trueval.rank._insample import repeats_labels
from trueval.rank._pairs import RankedPairs

QUICK = settings(derandomize=True, deadline=None, max_examples=60, database=None)


def problem(seed, n, k, kinds, density):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, kinds, (n, k)) / kinds - 0.3
    y = (rng.random((n, k)) < 0.3).astype(int)
    y[0, 0] = 1
    stored = rng.random((n, k)) < density
    stored[-1, -1] = True
    return values, y, stored


def as_sparse(values, stored):
    rows, columns = np.nonzero(stored)
    return sp.csr_array((values[stored], (rows, columns)), shape=values.shape)


@QUICK
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 30),
    k=st.integers(1, 6),
    kinds=st.sampled_from([2, 7, 10**6]),
    density=st.sampled_from([0.2, 0.7, 1.0]),
    chunk=st.sampled_from([1, 5, 1 << 22]),
)
def test_pairs_are_those_of_plain_lists(seed, n, k, kinds, density, chunk):
    values, y, stored = problem(seed, n, k, kinds, density)
    given_ = values if density == 1.0 else as_sparse(values, stored)
    if density == 1.0:
        stored[:] = True
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "CHUNK", chunk)
        pairs = RankedPairs.of(*check_pair(given_, y))
    expected = sorted(
        (-values[i, j], i, bool(y[i, j])) for i in range(n) for j in range(k) if stored[i, j]
    )
    found = sorted(zip(-pairs.value, pairs.row.tolist(), pairs.hit.tolist(), strict=True))
    assert found == expected
    assert (np.diff(pairs.value) <= 0).all()
    cuts = sorted({v for v, _, _ in expected})
    assert pairs.ends().tolist() == [sum(v <= cut for v, _, _ in expected) for cut in cuts]
    assert pairs.hits().tolist() == [sum(h for v, _, h in expected if v <= cut) for cut in cuts]
    below = np.where(stored, values, -9.0)  # without a score: a tie below all others
    area = average_precision_score(y.ravel(), below.ravel())
    assert pairs.area(n * k) == pytest.approx(area, abs=1e-12)
    some = np.random.default_rng(seed).random(n) < 0.5
    part = pairs.of_rows(some)
    assert part.n_rows == some.sum()
    assert sorted(part.row.tolist()) == sorted(i for _, i, _ in expected if some[i])


@pytest.mark.parametrize("sparse", [False, True])
def test_values_that_repeat_the_labels_are_found(sparse):
    y = np.array([[1, 0], [0, 1], [0, 0], [1, 1], [1, 0], [0, 0], [1, 1], [0, 0]] * 3)
    values = np.empty(y.shape)
    low = np.arange(len(y)) % 8 < 4
    for k in range(2):
        values[low, k], values[~low, k] = y[low, k].mean(), y[~low, k].mean()
    values += 1e-9 * np.arange(len(y))[:, None]  # broken ties
    stored = np.ones(y.shape, dtype=bool)
    for number, expected in ((values, True), (0.9 * values, False), (2 * values, False)):
        given_ = as_sparse(number, stored) if sparse else number
        assert repeats_labels(*check_pair(given_, y)) is expected
