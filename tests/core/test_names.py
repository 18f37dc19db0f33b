"""``align``: rows and classes into one order, by name."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from trueval import InputError, Labels, ParameterError, align
from trueval.core.folds import Folds
from trueval.core.names import joined_names, places
from trueval.core.scores import Scores

NAMES = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=6, unique=True)


def naive(matrix, own, wanted, axis):
    """Lines of a dense matrix by name, zeros where there is none."""
    lines = dict(zip(own, np.moveaxis(matrix, axis, 0), strict=True))
    empty = np.zeros(matrix.shape[1 - axis])
    return np.stack([lines.get(name, empty) for name in wanted], axis=axis)


@given(NAMES, NAMES, NAMES, NAMES, st.sampled_from(("labels", "sparse", "dense")), st.data())
def test_against_a_dictionary(rows, classes, new_rows, new_classes, kind, data):
    cells = st.lists(st.integers(0, 1), min_size=len(classes), max_size=len(classes))
    matrix = np.array(data.draw(st.lists(cells, min_size=len(rows), max_size=len(rows))))
    if kind == "labels":
        value = Labels(matrix, classes, rows)
    else:
        value = Scores(sp.csr_array(matrix) if kind == "sparse" else matrix, classes, rows)
    missing = data.draw(st.sampled_from(("error", "empty")))
    extra = data.draw(st.sampled_from(("error", "drop")))
    lacks = bool(set(new_rows) - set(rows) or set(new_classes) - set(classes))
    beyond = bool(set(rows) - set(new_rows) or set(classes) - set(new_classes))
    refused = (lacks and (missing == "error" or kind == "dense")) or (beyond and extra == "error")
    options = {"rows": new_rows, "classes": new_classes, "missing": missing, "extra": extra}
    if refused:
        with pytest.raises(InputError):
            align(value, **options)
        return
    found = align(value, **options)
    assert type(found) is type(value)
    assert found.index.tolist() == new_rows
    assert found.classes.tolist() == new_classes
    dense = found.matrix.toarray() if sp.issparse(found.matrix) else found.matrix
    expected = naive(naive(matrix, rows, new_rows, 0), classes, new_classes, 1)
    assert np.array_equal(dense, expected)
    if sp.issparse(found.matrix):
        assert found.matrix.has_canonical_format
    if kind == "labels":
        assert found.class_sizes.tolist() == expected.sum(axis=0).tolist()


def test_folds_follow_their_rows():
    folds = Folds([0, 1, 2], list("abc"), {"seed": 1})
    found = align(folds, rows=list("cab"))
    assert found.folds.tolist() == [2, 0, 1]
    assert found.provenance == {"seed": 1}
    assert align(folds, rows=["b"], extra="drop").folds.tolist() == [1]
    with pytest.raises(InputError, match="1 of the 4 row ids expected are missing: 'd'"):
        align(folds, rows=list("abcd"))
    with pytest.raises(InputError, match="rows without a part"):
        align(folds, rows=list("abcd"), missing="empty")
    with pytest.raises(InputError, match="no classes to align"):
        align(folds, classes=["x"])


def test_what_is_wrong_is_named():
    labels = Labels(np.eye(2, dtype=int), ["x", "y"], ["a", "b"])
    with pytest.raises(InputError, match="1 row ids are not among the 1 expected: 'b'"):
        align(labels, rows=["a"])
    with pytest.raises(
        InputError, match=r"2 classes are not .*; 1 of the 1 classes .* missing: 'z'"
    ):
        align(labels, classes=["z"])
    with pytest.raises(InputError, match="class 'x' is wanted more than once"):
        align(labels, classes=["x", "y", "x"])
    with pytest.raises(InputError, match="rows have no names"):
        align(Labels(np.eye(2, dtype=int)), rows=["a", "b"])
    twice = Labels(np.eye(2, dtype=int), index=["a", "a"])
    with pytest.raises(InputError, match="row id 'a' is there more than once"):
        align(twice, rows=["a"])
    with pytest.raises(ParameterError, match="'missing' parameter of align"):
        align(labels, missing="fill")
    with pytest.raises(ParameterError, match="Labels, Scores or Folds"):
        align(np.eye(2))


def test_names_of_different_types_are_compared_as_text():
    labels = Labels(np.array([[1, 0], [0, 1]]), [10, 9], np.array(["1", "2"], dtype=object))
    assert align(labels, classes=["9", "10"]).toarray().tolist() == [[0, 1], [1, 0]]
    assert align(labels, rows=[2, 1]).toarray().tolist() == [[0, 1], [1, 0]]


def test_nothing_is_copied_where_the_order_is_the_same():
    dense = Scores(np.ones((2, 2)), ["x", "y"], ["a", "b"])
    assert np.shares_memory(align(dense, rows=["a", "b"], classes=["x", "y"]).matrix, dense.matrix)


def test_places_and_joined_names():
    assert places(np.array(["b", "z"]), np.array(["a", "b"]), "id", missing="empty",
                  extra="drop").tolist() == [1, -1]  # fmt: skip
    assert joined_names(np.array(["a"]), np.array(["b", "a"])).tolist() == ["a", "b"]
    same = np.array([3, 1])
    assert joined_names(same, np.array(["1"])) is same
