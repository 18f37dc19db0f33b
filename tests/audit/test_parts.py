"""The pieces of an audit beside naive twins, and beside the distributions they rely on."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import NearestNeighbors

from tests.audit import naive
from trueval.audit._candidates import (
    BAND_SIZE,
    BANDS,
    band_keys,
    bucket_pairs,
    cell_keys,
    min_hashes,
)
from trueval.audit._columns import PERFECT, numbering_columns, target_columns
from trueval.audit._duplicates import equal_rows, row_hashes
from trueval.audit._inputs import as_target, read_rows
from trueval.audit._neighbours import COPIES, gap_p_values, nearest, space_of
from trueval.audit._shift import auc_with_error, train_test_auc

VALUES = st.sampled_from([0.0, -0.0, 1.0, 2.5, np.nan])


@st.composite
def split_matrices(draw):
    X = draw(hnp.arrays(float, st.tuples(st.integers(2, 12), st.integers(1, 4)), elements=VALUES))
    held_out = draw(hnp.arrays(bool, len(X)))
    return X, np.flatnonzero(~held_out), np.flatnonzero(held_out)


@given(split_matrices())
def test_equal_rows(problem):
    X, train, test = problem
    same = equal_rows(read_rows(X), train, test, np.random.default_rng(0))
    assert same.test.tolist() == naive.duplicates(X, train, test)
    for a, b in zip(same.test, same.train, strict=True):
        assert b in train
        assert naive.equal(X[a], X[b])


def test_missing_values_that_repeat_do_not_hide_copies():
    """Pairs without a value agree in halves of columns, and those halves are not rare."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(400, 2)), rng.integers(20, size=(400, 2))])
    X[:, :2][rng.random((400, 2)) < 0.1] = np.nan
    X[:3, :2] = rng.normal(size=(3, 2))
    train, test = np.arange(300), np.arange(300, 400)
    clean = equal_rows(read_rows(X), train, test, np.random.default_rng(0))
    assert clean.beyond_chance(0.001) is None
    X[300:303] = X[:3]
    same = equal_rows(read_rows(X), train, test, np.random.default_rng(0))
    assert same.test.tolist() == [300, 301, 302]
    for columns in ([0, 2], [0, 3], [1, 2], [1, 3]):
        pairs = [(a, b) for a in test for b in train if naive.equal(X[a, columns], X[b, columns])]
        assert len(pairs) - 3 > 3  # more than there are copies
    assert same.beyond_chance(0.001).n_pairs == 3


@given(split_matrices())
def test_equal_sparse_rows(problem):
    X, train, test = problem
    X = np.nan_to_num(X) + 0.0
    same = equal_rows(read_rows(sp.csr_array(X)), train, test, np.random.default_rng(0))
    filled = [t for t in naive.duplicates(X, train, test) if X[t].any()]
    assert same.test.tolist() == filled
    assert same.n_empty == sum(not X[t].any() for t in test)


@given(hnp.arrays(float, st.tuples(st.integers(1, 8), st.integers(1, 6)), elements=VALUES))
def test_rows_have_equal_hashes_where_equal(X):
    half = np.arange(X.shape[1]) % 2 == 0
    a, b = row_hashes(X, half, np.random.default_rng(1))
    whole = a + b
    for i in range(len(X)):
        for j in range(len(X)):
            assert (a[i] == a[j]) == naive.equal(X[i][half], X[j][half])
            assert (whole[i] == whole[j]) == naive.equal(X[i], X[j])


@given(hnp.arrays(bool, st.tuples(st.integers(1, 8), st.integers(1, 7))))
def test_min_hashes(mask):
    matrix = sp.csr_array(mask.astype(float))
    hashes = min_hashes(matrix, 5, np.random.default_rng(3))
    generator = np.random.default_rng(3)
    filled = mask.any()
    for row in hashes:
        places = generator.permutation(mask.shape[1]).tolist() if filled else []
        order = [places.index(rank) for rank in range(len(places))]
        wanted = [naive.min_hash(set(np.flatnonzero(members)), order) for members in mask]
        assert row.tolist() == wanted


def test_min_hashes_agree_with_the_jaccard_index():
    generator = np.random.default_rng(0)
    mask = generator.random((6, 60)) < 0.4
    mask[1] = mask[0] ^ (generator.random(60) < 0.05)
    hashes = min_hashes(sp.csr_array(mask.astype(float)), 4000, generator)
    sets = [set(np.flatnonzero(members)) for members in mask]
    for i in range(6):
        for j in range(i):
            index = naive.jaccard(sets[i], sets[j])
            assert (hashes[:, i] == hashes[:, j]).mean() == pytest.approx(index, abs=0.035)


def test_buckets_find_sets_as_often_as_banding_promises():
    generator = np.random.default_rng(5)
    n, shared, rest = 400, 24, 6  # Jaccard index 24 / 36
    rows = []
    for pair in range(n):
        members = pair * 100 + generator.permutation(100)
        rows += [members[: shared + rest], np.r_[members[:shared], members[-rest:]]]
    indptr = np.arange(0, 2 * n + 1) * (shared + rest)
    matrix = sp.csr_array((np.ones(indptr[-1]), np.concatenate(rows), indptr), (2 * n, 100 * n))
    train, test = np.arange(0, 2 * n, 2), np.arange(1, 2 * n, 2)
    a, b = bucket_pairs(band_keys(matrix, generator), train, test)
    assert (a == b + 1).all()
    promised = 1 - (1 - (24 / 36) ** BAND_SIZE) ** BANDS
    assert len(a) / n == pytest.approx(promised, abs=0.08)


def test_cells_find_near_points_and_few_others():
    generator = np.random.default_rng(2)
    points = generator.standard_normal((3000, 40)).astype(np.float32)
    radius = 0.5
    step = generator.standard_normal((500, 40))
    step *= radius / 2 / np.linalg.norm(step, axis=1, keepdims=True)
    points[2500:] = points[:500] + step
    a, b = bucket_pairs(
        cell_keys(points, radius, generator), np.arange(2500), np.arange(2500, 3000)
    )
    assert (a == b + 2500).sum() > 490
    assert len(a) < 600


@given(st.integers(0, 10_000), st.integers(1, 5), st.booleans())
@settings(max_examples=25)
def test_nearest(seed, k, sparse):
    generator = np.random.default_rng(seed)
    X = generator.integers(1, 6, size=(14, 3)) + generator.random((14, 3))
    rows = read_rows(sp.csr_array(X) if sparse else X)
    train = np.flatnonzero(generator.random(14) < 0.6)
    queries = np.arange(14)
    if len(train) < 2:
        return
    space = space_of(rows, train, generator)
    points = space.points.toarray() if sparse else space.points.astype(float)
    result = nearest(space, train, queries, k)
    for place, query in enumerate(queries):
        wanted = naive.nearest(points, train, query, result.rows.shape[1])
        np.testing.assert_allclose(result.distances[place], [d for d, _ in wanted], atol=1e-6)
        assert query not in result.rows[place]


def test_nearest_is_that_of_scikit_learn():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(500, 10)) * generator.uniform(1, 100, 10)
    train, test = np.arange(400), np.arange(400, 500)
    result = nearest(space_of(read_rows(X), train, generator), train, test, 7)
    scaled = (X - X[train].mean(axis=0)) / X[train].std(axis=0)
    distances, rows = NearestNeighbors(n_neighbors=7).fit(scaled[train]).kneighbors(scaled[test])
    assert (result.rows == rows).all()
    np.testing.assert_allclose(result.distances, distances, rtol=1e-5)


@given(st.lists(st.floats(0.01, 100), min_size=12, max_size=12, unique=True))
def test_gaps(distances):
    distances = sorted(distances)
    p, ratio = gap_p_values(np.array([distances]), 10_000)
    share, wanted = naive.gap(distances, COPIES)
    assert ratio[0] == pytest.approx(wanted, rel=1e-9) or share == 0
    assert p[0] == pytest.approx(min(1.0, COPIES * (1 - share) ** 10), rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("dimension", [2, 5, 20])
def test_gaps_of_points_at_random_are_as_rare_as_said(dimension):
    # Distances of a Poisson process: volumes are sums of exponentials.
    n = 50_000
    volumes = np.cumsum(np.random.default_rng(0).exponential(size=(n, 50)), axis=1)
    p, _ = gap_p_values(volumes ** (1 / dimension), 10_000)
    for level in (0.1, 0.01, 0.001):
        assert (p < level).mean() <= level + 3 * (level / n) ** 0.5
    assert (p < 0.1).mean() > 0.05  # and the bound is not far from it


@given(st.integers(0, 10_000))
def test_auc_with_error(seed):
    generator = np.random.default_rng(seed)
    positive = np.r_[True, False, generator.random(20) < 0.5]
    scores = generator.integers(6, size=22).astype(float)
    value, error = auc_with_error(positive, scores, np.arange(22))
    assert value == pytest.approx(naive.auc(positive, scores))
    assert value == pytest.approx(roc_auc_score(positive, scores))
    assert error > 0


def test_the_shift_of_random_splits_is_within_its_limit():
    above = 0
    for seed in range(40):
        generator = np.random.default_rng(seed)
        n = 120
        groups = generator.integers(30, size=n)
        X = generator.normal(size=(n, 4)) + 2 * generator.normal(size=(30, 4))[groups]
        side = generator.random(30)[groups] < 0.4  # by whole groups
        train, test = np.flatnonzero(~side), np.flatnonzero(side)
        shift = train_test_auc(read_rows(X), train, test, groups, generator, 0.05)
        above += shift is not None and shift.auc > shift.limit
    assert above <= 5  # 2 expected at most; more than 5 has a probability below 0.02


def test_columns_beside_scikit_learn():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(600, 6))
    Y = (X[:, :3] + generator.normal(size=(600, 3)) > 0.3).astype(int)
    wanted = max(max(a, 1 - a) for c in range(3) for a in [roc_auc_score(Y[:, c], x) for x in X.T])
    used = np.arange(600)
    for rows in (read_rows(X), read_rows(sp.csr_array(X))):
        derived, highest = target_columns(rows, as_target(Y, 600), used, generator, 0.001)
        assert derived == []
        assert highest == pytest.approx(wanted)


def test_a_present_word_is_a_column_of_its_class():
    generator = np.random.default_rng(0)
    X = (generator.random((800, 30)) < 0.1).astype(float)
    Y = (generator.random((800, 4)) < 0.2).astype(int)
    X[:, 7] = Y[:, 2]
    rows = read_rows(sp.csr_array(X))
    derived, highest = target_columns(rows, as_target(Y, 800), np.arange(800), generator, 0.001)
    assert [(d.column, d.class_name, d.auc) for d in derived] == [(7, "2", 1.0)]
    assert highest == 1.0


def test_a_class_that_several_columns_tell_is_easy_but_a_copy_is_named():
    generator = np.random.default_rng(0)
    y = (generator.random(600) < 0.5).astype(int)
    X = y[:, None] * [20.0, 20.0, 4.0] + generator.normal(size=(600, 3))
    target = as_target(y, 600)
    derived, _ = target_columns(read_rows(X), target, np.arange(600), generator, 0.001)
    assert derived == []
    copied = np.column_stack([X, 2.0 * y])
    derived, _ = target_columns(read_rows(copied), target, np.arange(600), generator, 0.001)
    assert {d.column for d in derived} == {3}


def test_few_positives_are_not_told_from_chance():
    generator = np.random.default_rng(0)
    y = np.zeros(500, int)
    y[:8] = 1
    X = np.column_stack([y, generator.normal(size=500)])
    derived, highest = target_columns(
        read_rows(X), as_target(y, 500), np.arange(500), generator, 0.001
    )
    assert derived == []
    assert highest < PERFECT


def test_numbers_to_predict():
    generator = np.random.default_rng(0)
    y = generator.normal(size=300)
    X = np.column_stack([generator.normal(size=300), np.exp(y)])
    derived, highest = target_columns(
        read_rows(X), as_target(y, 300), np.arange(300), generator, 0.001
    )
    assert [d.column for d in derived] == [1]
    assert highest == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("column", "numbers"),
    [
        (np.arange(200), True),
        (np.arange(200)[::-1] * 0.25 + 7, True),
        (np.random.default_rng(0).permutation(200) + 5000, True),
        (np.random.default_rng(0).permutation(300)[:200], True),
        (np.random.default_rng(0).integers(400, size=200), False),
        (np.sort(np.random.default_rng(0).normal(size=200)), False),
        (np.repeat(np.arange(100), 2), False),
        (np.ones(200), False),
    ],
)
def test_columns_that_number_rows(column, numbers):
    X = np.column_stack([np.random.default_rng(1).normal(size=200), column])
    assert numbering_columns(read_rows(X), None, 0.001) == ([1] if numbers else [])


def test_a_column_of_ids():
    ids = np.random.default_rng(0).integers(10**9, size=200)
    X = np.column_stack([np.random.default_rng(1).normal(size=200), ids])
    assert numbering_columns(read_rows(X), None, 0.001) == []
    assert numbering_columns(read_rows(X), ids, 0.001) == [1]
    assert numbering_columns(read_rows(X), ids.astype(str), 0.001) == [1]
