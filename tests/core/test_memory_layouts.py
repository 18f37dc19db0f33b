"""Every public call that reaches a kernel, on arrays as they may lie in memory.

The same numbers in another type, byte order, stride or alignment, read-only or not, dense or
sparse, give the same result, and are as they were afterwards.
"""

from functools import cache

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from trueval import (
    LocalPrecisionRate,
    ObjectKFold,
    OptimalThresholds,
    PrecisionRanker,
    as_labels,
    audit_pairs,
    average_precision,
    averaged_auc,
    make_consistent,
    pick_threshold,
    split_quality,
    stratified_folds,
)
from trueval.pairs import PairKNNClassifier, cross_val_scores_ridge
from trueval.rank import HalfNormalRanker, IsotonicRanker

RNG = np.random.default_rng(0)
Y = (RNG.random((40, 4)) < 0.4).astype(int)
Y[:2], Y[2:4] = 1, 0
SCORES = RNG.integers(0, 64, Y.shape) / 64 + Y / 4  # exact in 16 bits
FOLDS = np.arange(40) % 3
GROUPS = np.arange(40) // 2
FIXED = np.where(np.arange(40) < 6, FOLDS, -1)
PAIRS = np.array([(i, j) for i in range(9) for j in range(i)])[:30]
TARGET = (PAIRS.sum(axis=1) % 3 == 0).astype(int)
OBJECTS = RNG.integers(0, 16, (9, 3)) / 8
WHOLE = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")
SIGNED = ("i1", "i2", "i4", "i8")
FLAGS = ("?", *WHOLE, "f2", "f4", "f8")
REAL = ("f2", "f4", "f8")


@st.composite
def layouts(draw, array, types, orders="<>"):
    """The array with the same numbers, somewhere else in memory."""
    dtype = np.dtype(draw(st.sampled_from(types)))
    dtype = dtype.newbyteorder(draw(st.sampled_from(orders)))
    steps = [draw(st.sampled_from([1, 2, 3, -1, -2])) for _ in array.shape]
    room = tuple(n * abs(step) for n, step in zip(array.shape, steps, strict=True))
    shift = draw(st.integers(0, 7))
    memory = np.zeros(int(np.prod(room)) * dtype.itemsize + shift, np.uint8)
    order = draw(st.sampled_from("CF"))
    base = np.ndarray(room, dtype, memory.data, offset=shift, order=order)
    out = base[tuple(slice(None, None, step) for step in steps)]
    out[...] = array
    out.flags.writeable = draw(st.booleans())
    return out


@st.composite
def label_layouts(draw):
    """Dense labels in any layout, or sparse ones with such arrays inside."""
    if draw(st.booleans()):
        return draw(layouts(Y, FLAGS))
    kind = draw(st.sampled_from([sp.csr_array, sp.csr_matrix, sp.csc_array, sp.coo_array]))
    out = kind(sp.csr_array(Y))
    if out.format != "coo":
        # SciPy itself refuses the other byte order.
        out.data = draw(layouts(out.data, ("i1", "i4", "i8", "u1", "f4", "f8"), "="))
        out.indices = draw(layouts(out.indices, ("i4", "i8"), "="))
        out.indptr = draw(layouts(out.indptr, ("i4", "i8"), "="))
    return out


def _ranked(ranker, scores, y):
    return ranker.fit(scores, y).transform(scores)


def _pooled(y, scores):
    choice = pick_threshold(scores, y, precision=0.5)
    best = OptimalThresholds().fit(scores, y)
    return [choice.threshold, best.thresholds_, average_precision(scores, y)]


def _measured(y, folds, groups):
    found = split_quality(y, folds), split_quality(y, folds, groups=groups)
    labels = as_labels(y)
    return [*(q.rld for q in found), *(q.ld for q in found), labels.class_sizes, labels.indices]


def _consistent(scores):
    edges = [(1, 0), (2, 0), (3, 1)]
    return [make_consistent(scores, edges, rule=rule) for rule in ("max", "min", "project")]


def _folds_of_pairs(pairs):
    splits = ObjectKFold(3, random_state=1).split(pairs, groups=pairs)
    audit = audit_pairs(pairs, np.arange(10), np.arange(10, 30))
    return [*(part for split in splits for part in split), repr(audit)]


def _scored_pairs(pairs, target, objects, features):
    knn = PairKNNClassifier(objects, n_neighbors=2).fit(pairs, target)
    cv = ObjectKFold(3, random_state=1)
    return [knn.predict_proba(pairs), cross_val_scores_ridge(features, pairs, target, cv)]


def _stratified(method):
    return lambda y: [stratified_folds(y, 3, method=method, random_state=1)]


def _ranks(make):
    return lambda y, scores: [_ranked(make(), scores, y)]


Y_, FOLDS_, GROUPS_ = (Y, label_layouts()), (FOLDS, WHOLE), (GROUPS, WHOLE)
SCORES_, PAIRS_ = (SCORES, REAL), (PAIRS, WHOLE)
METHODS = ("anneal", "optisplit", "iterative", "iterative2", "sampling", "pmbsrs")
RANKERS = (IsotonicRanker, LocalPrecisionRate, PrecisionRanker, HalfNormalRanker)
#: A call, and its arrays with the types that may hold them.
CALLS = {
    **{method: (_stratified(method), Y_) for method in METHODS},
    **{make.__name__: (_ranks(make), Y_, SCORES_) for make in RANKERS},
    "groups": (lambda y, g: [stratified_folds(y, 3, groups=g, random_state=1)], Y_, GROUPS_),
    "fixed": (lambda y, f: [stratified_folds(y, 3, fixed=f, random_state=1)], Y_, (FIXED, SIGNED)),
    "measures": (_measured, Y_, FOLDS_, GROUPS_),
    "calls": (_pooled, Y_, SCORES_),
    "hierarchy": (_consistent, SCORES_),
    "pairs": (_folds_of_pairs, PAIRS_),
    "scored pairs": (
        _scored_pairs,
        PAIRS_,
        (TARGET, FLAGS),
        (OBJECTS, REAL),
        (SCORES[:30, :3], REAL),
    ),
    "auc": (lambda y, s: [float(averaged_auc([(y, s)]))], (TARGET, FLAGS), (SCORES[:30, 0], REAL)),
}


@cache
def expected(name):
    call, *arrays = CALLS[name]
    return call(*(array for array, _ in arrays))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CALLS)
@settings(max_examples=max(8, settings().max_examples // 8))
@given(data=st.data())
def test_the_layout_in_memory_changes_nothing(name, data):
    call, *arrays = CALLS[name]
    disguised = [
        data.draw(layouts(array, types) if isinstance(types, tuple) else types)
        for array, types in arrays
    ]
    before = [array.copy() for array in disguised]
    for ours, other in zip(call(*disguised), expected(name), strict=True):
        np.testing.assert_equal(ours, other)
    for now, then in zip(disguised, before, strict=True):
        difference = now != then
        assert not (difference.nnz if sp.issparse(difference) else difference.any())


@pytest.mark.parametrize("dtype", ["c16", "O", "U3", "M8[s]", "f8"])
def test_other_types_are_refused_or_read(dtype):
    """What is no 0/1 number ends in one documented error."""
    values = {"U3": "no", "M8[s]": 5, "O": None, "c16": 1j, "f8": 0.5}
    y = np.zeros((4, 2), dtype)
    y[...] = values[dtype]
    with pytest.raises((ValueError, TypeError)):
        stratified_folds(y, 2)
