import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given
from sklearn.preprocessing import LabelBinarizer

from tests.strategies import label_arrays
from trueval import InputError, as_labels
from trueval.data import simulate

Y = np.array([[1, 0, 1], [0, 0, 0], [1, 0, 0], [0, 0, 1]])

CONTAINERS = {
    "int array": lambda y: y,
    "bool array": lambda y: y.astype(bool),
    "float array": lambda y: y.astype(float),
    "object array": lambda y: y.astype(object),
    "Fortran order": np.asfortranarray,
    "nested lists": lambda y: y.tolist(),
    "csr_matrix": sp.csr_matrix,
    "csr_array": sp.csr_array,
    "csc_matrix": sp.csc_matrix,
    "csc_array": sp.csc_array,
    "coo_matrix": sp.coo_matrix,
    "coo_array": sp.coo_array,
    "lil_array": sp.lil_array,
    "dok_array": sp.dok_array,
    "bsr_array": sp.bsr_array,
    "bool csr": lambda y: sp.csr_array(y.astype(bool)),
    "pandas": lambda y: pd.DataFrame(y),
    "pandas, objects": lambda y: pd.DataFrame(y.astype(object)),
    "pandas, bool objects": lambda y: pd.DataFrame(y.astype(bool).astype(object)),
    "pandas, nullable": lambda y: pd.DataFrame(y, columns=list("abc")).astype("Int64"),
    "pandas, sparse": lambda y: pd.DataFrame.sparse.from_spmatrix(sp.csr_matrix(y)),
    "polars": lambda y: pl.DataFrame(y, schema=["a", "b", "c"]),
    "pyarrow": lambda y: pa.table({c: y[:, i] for i, c in enumerate("abc")}),
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_every_container(name):
    assert np.array_equal(as_labels(CONTAINERS[name](Y)).toarray(), Y)


@given(label_arrays())
def test_every_container_on_random_labels(y):
    for name, make in CONTAINERS.items():
        if y.shape[1] != 3 and name in ("pandas, nullable", "polars", "pyarrow"):
            continue
        labels = as_labels(make(y))
        assert np.array_equal(labels.toarray(), y), name
        assert labels.matrix.has_canonical_format
        assert (labels.matrix.data == 1).all()


def test_label_sets_lists_and_series():
    expected = np.array([[1, 1], [0, 1], [0, 0]])
    for y in (
        [{"a", "b"}, {"b"}, set()],
        [["b", "a"], ["b", "b"], []],
        [("a", "b"), ("b",), ()],
        np.array([["a", "b"], ["b"], []], dtype=object),
        pd.Series([["a", "b"], ["b"], []]),
        pl.Series([["a", "b"], ["b"], []]),
    ):
        labels = as_labels(y)
        assert labels.classes.tolist() == ["a", "b"]
        assert np.array_equal(labels.toarray(), expected)


def test_numeric_label_sets():
    assert as_labels([{0}, {1}, {0, 1}]).toarray().tolist() == [[1, 0], [0, 1], [1, 1]]
    labels = as_labels([[10, 20], [30], []])  # ragged and not 0/1: labels
    assert labels.classes.tolist() == [10, 20, 30]
    assert labels.toarray().tolist() == [[1, 1, 0], [0, 0, 1], [0, 0, 0]]


def test_names_are_kept():
    frame = pd.DataFrame(Y, columns=["x", "y", "z"], index=["p1", "p2", "p3", "p4"])
    labels = as_labels(frame)
    assert labels.classes.tolist() == ["x", "y", "z"]
    assert labels.index.tolist() == ["p1", "p2", "p3", "p4"]
    assert as_labels(pl.DataFrame(Y, schema=["x", "y", "z"])).classes.tolist() == ["x", "y", "z"]
    assert as_labels(Y).classes.tolist() == [0, 1, 2]


def test_labels_of_several_types_are_in_the_order_of_their_text():
    labels = as_labels([{10, "b"}, {("a", 1)}, {2.5}])
    assert labels.classes.tolist() == [("a", 1), 10, 2.5, "b"]
    assert as_labels([{"1", 1, "0"}]).classes.tolist() == ["0", 1, "1"]  # not as the hashes are
    assert as_labels([{(2, 1)}, {(1, 2)}]).classes.tolist() == [(1, 2), (2, 1)]


def test_names_may_be_tuples():
    frame = pd.DataFrame(Y, columns=pd.MultiIndex.from_tuples([("x", 1), ("x", 2), ("y", 1)]))
    assert as_labels(frame).classes.tolist() == [("x", 1), ("x", 2), ("y", 1)]


def test_explicit_zeros_dropped_and_duplicates_merged():
    rows, columns = [0, 0, 0, 1, 1], [2, 2, 0, 1, 1]
    values = [1, 1, 0, 0, 1]
    coo = sp.coo_array((values, (rows, columns)), shape=(2, 3))
    expected = [[0, 0, 1], [0, 1, 0]]
    assert as_labels(coo).toarray().tolist() == expected
    csr = sp.csr_array((np.ones(3), np.array([2, 2, 1]), np.array([0, 2, 3])), shape=(2, 3))
    assert as_labels(csr).toarray().tolist() == expected


def test_unsorted_indices_are_sorted():
    csr = sp.csr_array((np.ones(2), np.array([2, 0]), np.array([0, 2])), shape=(1, 3))
    assert as_labels(csr).indices.tolist() == [0, 2]


def test_stale_flags_are_not_believed():
    csr = sp.csr_array((np.ones(2), np.array([2, 0]), np.array([0, 2])), shape=(1, 3))
    csr.has_sorted_indices = True
    csr.has_canonical_format = True
    assert as_labels(csr).indices.tolist() == [0, 2]


@pytest.mark.parametrize("index_type", [np.int32, np.int64])
def test_read_only_memory_is_fine_and_no_index_is_shared(index_type):
    csr = sp.csr_array(Y)
    csr.indices, csr.indptr = csr.indices.astype(index_type), csr.indptr.astype(index_type)
    for array in (csr.data, csr.indices, csr.indptr):
        array.flags.writeable = False
    labels = as_labels(csr)
    assert np.array_equal(labels.toarray(), Y)
    for name in ("indices", "indptr"):
        assert not np.shares_memory(getattr(labels, name), getattr(csr, name))
        assert not np.shares_memory(getattr(labels.matrix, name), getattr(csr, name))


def test_callers_matrix_is_not_changed():
    messy = sp.csr_array(
        (np.array([1.0, 0.0, 1.0]), np.array([2, 1, 2]), np.array([0, 3])), shape=(1, 3)
    )
    data, indices = messy.data.copy(), messy.indices.copy()
    assert as_labels(messy).nnz == 1
    assert np.array_equal(messy.data, data)
    assert np.array_equal(messy.indices, indices)


def test_allowed_oddities():
    y = np.array([[1, 0, 0], [1, 0, 0], [1, 1, 0]])
    labels = as_labels(y)
    assert labels.class_sizes.tolist() == [3, 1, 0]
    assert as_labels(labels) is labels
    assert len(labels) == 3
    assert repr(labels) == "Labels(3 rows × 3 classes, 4 positives)"


def broken_csr(index):
    csr = sp.csr_array(Y, copy=True)
    csr.indices[0] = index
    return csr


def broken_coo():
    coo = sp.coo_array(Y)
    coo.col = np.where(coo.col == 2, 9, coo.col)
    return coo


REFUSED = {
    "class codes": (
        np.array([[0, 2], [1, 0]]),
        "row 0, column 1: y has a value other than 0 and 1, 2;",
    ),
    "codes in a frame": (
        pd.DataFrame({"a": [0, 3]}),
        "row 1, column 'a': y has a value other than 0 and 1, 3",
    ),
    "sparse codes": (sp.csr_array(np.array([[0, 2], [1, 0]])), "row 0, column 1: .* 0 and 1, 2;"),
    "codes in lists": ([[1, 2], [3, 4]], "row 0, column 1: y has a value other than 0 and 1, 2;"),
    "probabilities": (np.array([[0.5, 0.0]]), "row 0, column 0: .* 0.5;"),
    "NaN": (np.array([[0, np.nan], [1, 0]]), r"row 0, column 1: y has a missing value \(NaN\)"),
    "sparse NaN": (
        sp.csr_array(np.array([[0, np.nan]])),
        r"row 0, column 1: y has a missing value \(NaN\)",
    ),
    "NaN in a frame": (
        pd.DataFrame({"a": [0, np.nan]}),
        r"row 1, column 'a': y has a missing value \(NaN\)",
    ),
    "null in polars": (
        pl.DataFrame({"a": [0, None]}),
        r"row 1, column 'a': y has a missing value \(NaN\)",
    ),
    "negative": (np.array([[0, -1]]), "row 0, column 1: y has a negative value, -1;"),
    "one-dimensional": (np.array([0, 1, 1]), r"Got shape \(3,\) instead"),
    "list of numbers": ([0, 1, 1], r"Got shape \(3,\) instead"),
    "list of names": (["a", "b"], r"Got shape \(2,\) instead"),
    "numeric Series": (pd.Series([0, 1]), r"Got shape \(2,\) instead"),
    "three-dimensional": (np.zeros((2, 2, 2)), r"Got shape \(2, 2, 2\) instead"),
    "ragged": ([[0, 1], [1]], "row 0 has 2 values and row 1 has 1"),
    "ragged, mixed": ([[0, 1], 1], "row 1 is 1, not a list"),
    "no rows": (np.zeros((0, 3)), "y has no rows"),
    "no columns": (np.zeros((3, 0)), "y has no classes"),
    "no label at all": ([[], []], "y has no classes"),
    "missing label": ([["a", None], ["b"]], r"row 0: y has a missing value \(NaN\)"),
    "missing number": ([{np.float32("nan")}, {"b"}], r"row 0: y has a missing value \(NaN\)"),
    "pandas.NA": ([{"b"}, {pd.NA}], r"row 1: y has a missing value \(NaN\)"),
    "pandas.NaT": ([{"b"}, {pd.NaT}], r"row 1: y has a missing value \(NaN\)"),
    "sets in lists": ([["a"], ["a", {"b"}]], "row 1: a label of y is itself a set"),
    "arrays as labels": ([[np.array([1, 2])]], "cannot be used as names: unhashable type"),
    "a missing label later": ([{"a"}, {"b", float("nan")}], "row 1: y has a missing value"),
    "bytes that can change as rows": ([["a"], bytearray(b"ab")], "row 1 is bytearray"),
    "sets as labels": ([{frozenset("ab")}, {"a"}], "row 0: a label of y is itself a set"),
    "index too large": (broken_csr(7), "broken sparse matrix"),
    "index negative": (broken_csr(-1), "broken sparse matrix"),
    "COO index too large": (broken_coo(), "column index 9 is outside"),
    "text column": (pd.DataFrame({"id": ["x"], "a": [1]}), "column 'id' of y has type String"),
    "masked": (
        np.ma.array([[1, 0], [1, 1]], mask=[[0, 1], [0, 0]]),
        r"row 0, column 1: y has a masked value",
    ),
    "complex array": (np.array([[1 + 5j, 0]]), "does not hold numbers"),
    "one name twice": (pd.DataFrame([[1, 0]], columns=["a", "a"]), "several columns of one name"),
    "text array": (np.array([["x", "y"]]), "does not hold numbers"),
    "complex": (sp.csr_array(np.array([[1j]])), "dtype complex128"),
    "unhashable labels": ([[["a"], {}], []], "Labels must be hashable"),
}


if sp.coo_array(np.array([0, 1])).ndim == 1:  # SciPy 1.13
    REFUSED["sparse, one-dimensional"] = (sp.coo_array(np.array([0, 1])), r"Got shape \(2,\)")


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_a_clear_message(name):
    y, message = REFUSED[name]
    with pytest.raises(InputError, match=message):
        as_labels(y)


@pytest.mark.parametrize("y", ["text", 5, None])
def test_wrong_types(y):
    with pytest.raises(TypeError, match="y must be a 0/1 array"):
        as_labels(y)


@pytest.mark.parametrize("form", ["read", "simulated"])
def test_scikit_learn_takes_the_right_columns_of_many_classes(form):
    """It counts classes in the type of the values, so int8 would be wrong from 128 on."""
    y = simulate.label_matrix(200, 300, random_state=0)
    matrix = as_labels(y.astype(np.int8)).matrix if form == "read" else y
    binarized = LabelBinarizer(sparse_output=True).fit_transform(matrix)
    np.testing.assert_array_equal(binarized.toarray() > 0, y.toarray() > 0)


def test_take_keeps_classes_and_names_of_rows():
    frame = pd.DataFrame({"a": [1, 0, 1], "b": [0, 1, 1]}, index=["x", "y", "z"])
    some = as_labels(frame).take(np.array([2, 0]))
    assert some.toarray().tolist() == [[1, 1], [1, 0]]
    assert some.classes.tolist() == ["a", "b"]
    assert some.index.tolist() == ["z", "x"]
    assert as_labels(np.eye(3)).take(np.array([1])).index is None
