"""``train_test_split``: labels by position, and three parts."""

import numpy as np
import pytest
import scipy.sparse as sp

from trueval import Labels, train_test_split
from trueval.core.errors import InputError
from trueval.data import Folds, Pairs, Scores, Similarity, simulate
from trueval.pairs import as_pairs
from trueval.table import Table

Y = simulate.label_matrix(200, 5, random_state=0)
X = np.random.default_rng(0).normal(size=(200, 3))


def test_labels_by_position_are_those_by_name():
    ids = [f"row {n}" for n in range(200)]
    by_name = train_test_split(X, ids, y=Y, random_state=0)
    for arrays, order in (((X, ids, Y), (0, 1, 2)), ((X, Y, ids), (0, 2, 1)), ((Y,), (2,))):
        parts = train_test_split(*arrays, random_state=0)
        assert len(parts) == 2 * len(arrays)
        expected = [by_name[2 * place + side] for place in order for side in (0, 1)]
        for mine, theirs in zip(parts, expected, strict=True):
            if sp.issparse(mine):
                mine, theirs = mine.toarray(), theirs.toarray()
            np.testing.assert_array_equal(mine, theirs)


def test_features_of_zeros_and_ones_are_refused_by_position():
    with pytest.raises(InputError, match=r"arrays 0 and 1 .* can all be labels.*y=Y"):
        train_test_split(X > 0, Y)
    assert len(train_test_split(X > 0, y=Y)) == 4


def test_arrays_without_labels_are_refused():
    for arrays in ((X, np.arange(200) % 2), (X,), ()):
        with pytest.raises(InputError, match=r"none of the arrays can be labels.*stratify=y"):
            train_test_split(*arrays)


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ({"validation_size": 0.1, "test_size": 0.2}, (140, 20, 40)),
        ({"validation_size": 30}, (120, 30, 50)),
        ({"validation_size": 0.25, "train_size": 0.5}, (100, 50, 50)),
        ({"validation_size": 10, "test_size": 10, "train_size": 20}, (20, 10, 10)),
    ],
)
def test_three_parts_have_their_sizes_and_share_no_row(sizes, expected):
    rows = np.arange(200)
    parts = train_test_split(rows, y=Y, random_state=0, **sizes)
    assert tuple(map(len, parts[:3])) == expected
    assert len(np.unique(np.concatenate(parts[:3]))) == sum(expected)
    for own, labels in zip(parts[:3], parts[3:], strict=True):
        np.testing.assert_array_equal(labels.toarray(), Y.toarray()[own])


def test_three_parts_are_stratified():
    _, validation, test = train_test_split(y=Y, validation_size=0.2, test_size=0.2, random_state=0)
    sizes = np.asarray(Y.sum(axis=0)).ravel()
    for part in (validation, test):
        assert np.abs(np.asarray(part.sum(axis=0)).ravel() - 0.2 * sizes).max() <= 1


def test_parts_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match=r"ask for 0 train, 150 validation and 50 test rows"):
        train_test_split(y=Y, validation_size=150)


@pytest.mark.parametrize("array", [None, 5, "a" * 200, b"a" * 200, (n for n in range(200))])
def test_an_array_without_rows_is_named(array):
    with pytest.raises(InputError, match="array 1 must have rows"):
        train_test_split(X, array, y=Y)


@pytest.mark.parametrize("array", [Folds(np.arange(200) % 2), set(range(200))])
def test_an_array_whose_rows_cannot_be_taken_is_named(array):
    with pytest.raises(InputError, match=f"rows of array 1, of type {type(array).__name__}"):
        train_test_split(X, array, y=Y)


def test_values_of_trueval_are_split():
    ids = [(f"a{n}", f"b{n}") for n in range(200)]
    graph = Similarity.from_edges(np.arange(199), np.arange(1, 200), n_rows=200)
    values = (Scores(X), Labels(Y), Pairs(ids), as_pairs(ids), graph, Table({"n": np.arange(200)}))
    parts = train_test_split(np.arange(200), *values, y=Y, random_state=0)
    for rows, part in ((parts[side], parts[side + 2 : -2 : 2]) for side in (0, 1)):
        scores, labels, pairs, index, some, table = part
        np.testing.assert_array_equal(scores.matrix, X[rows])
        np.testing.assert_array_equal(labels.toarray(), Y.toarray()[rows])
        assert pairs.pairs.tolist() == [list(ids[row]) for row in rows]
        assert [index.ids[code] for code in index.codes[:, 1]] == [f"b{row}" for row in rows]
        assert some.matrix.toarray().tolist() == graph.matrix.toarray()[rows][:, rows].tolist()
        assert table["n"].tolist() == rows.tolist()
