"""Names of rows and classes: text that arrays cannot hold, tuples, and what files make of them."""

import pickle

import numpy as np
import pandas as pd
import pytest

from trueval import InputError, Labels, ParameterError, align, as_labels
from trueval.core.folds import Folds
from trueval.core.named import as_text
from trueval.core.pairs import Pairs
from trueval.core.scores import Scores, as_scores
from trueval.data import fingerprint, read_folds, read_labels, write_folds, write_labels

NUL = pytest.mark.parametrize(
    "make",
    [
        lambda: as_labels([{"a"}, {"a\0"}, {"b"}]),
        lambda: as_labels(pd.DataFrame(np.eye(2, dtype=int), columns=["a", "a\0"])),
        lambda: Labels(np.eye(2, dtype=int), ["a", "a\0"]),
        lambda: Labels(np.eye(2, dtype=int), None, ["a", "a\0"]),
        lambda: as_text(np.array(["a", "a\0"], object)),
    ],
)


@NUL
def test_names_that_numpy_would_merge_are_refused(make):
    with pytest.raises(InputError, match=r"'a\\x00' ends in a NUL character"):
        make()


@pytest.mark.parametrize("name", ["a.npz", "a.parquet", "a.csv"])
def test_rows_that_a_file_would_merge_are_refused(tmp_path, name):
    y = pd.DataFrame(np.eye(2, dtype=int), index=["a", "a\0"], columns=["x", "y"])
    with pytest.raises(InputError, match=r"'a\\x00'"):
        write_labels(tmp_path / name, y)
    assert list(tmp_path.iterdir()) == []


def test_a_nul_inside_a_name_is_kept():
    assert as_labels([{"a\0b"}, {"a"}]).classes.tolist() == ["a", "a\0b"]


@pytest.mark.parametrize("names", [["1", "20"], [1, 20], [b"1", b"20"]])
def test_text_is_what_numpy_converts_to(names):
    assert as_text(np.array(names)).tolist() == ["1", "20"]


def test_rows_named_by_tuples(tmp_path):
    rows = pd.MultiIndex.from_tuples([(1, "a"), (1, "b"), (2, "a"), (2, "b")])
    y = pd.DataFrame(np.eye(4, dtype=int), index=rows, columns=list("wxyz"))
    texts = [str(name) for name in rows.tolist()]
    assert fingerprint(y) == fingerprint(y.set_axis(texts))
    write_folds(tmp_path / "folds.csv", [0, 1, 0, 1], labels=y)
    assert read_folds(tmp_path / "folds.csv").index.tolist() == texts
    write_labels(tmp_path / "y.npz", y)
    assert read_labels(tmp_path / "y.npz").index.tolist() == texts


@pytest.mark.parametrize(
    "names",
    [
        [2**53, 2**53 + 1, 0.5],  # NumPy: float64, and two equal names
        [2**63, -1, 0],  # NumPy: float64
        [2**70, 2**70 + 1, 1],
        [b"a", b"a\0", b"b"],  # NumPy: the NUL is dropped
        [("a", 1), ("a", 2), ("b", 1)],  # NumPy: a matrix of text
        [("a",), "a", 1],
        [True, 2, 3],  # NumPy: 1
        [1, 2, 3],
        [1.5, 2.5, np.float32(0.1)],
        ["a", "b", "c"],
        [b"b", "a", 1.5],
    ],
)
def test_names_are_neither_rounded_nor_merged(names):
    read = Labels(np.eye(3, dtype=int), names, names)
    for stored in (read.classes, read.index, align(read, classes=names[::-1]).classes[::-1]):
        assert stored.tolist() == [n.item() if isinstance(n, np.generic) else n for n in names]
        assert [type(a) for a in stored.tolist() if not isinstance(a, float)] == [
            type(b) for b in names if not isinstance(b, float | np.floating)
        ]
    assert read.shape == (3, 3)
    assert len(set(read.index.tolist())) == 3


def test_text_beside_numbers_makes_text():
    assert Labels(np.eye(3), ["a", 1, 2.5]).classes.tolist() == ["a", "1", "2.5"]
    with pytest.raises(InputError, match="'1' more than once"):
        Labels(np.eye(3), ["1", 1, "a"])


def test_columns_of_a_frame_with_large_numbers():
    frame = pd.DataFrame(np.eye(3), columns=pd.Index([2**53, 2**53 + 1, 0.5], dtype=object))
    assert as_scores(frame).classes.tolist() == [2**53, 2**53 + 1, 0.5]
    assert as_labels(frame.astype(int)).classes.tolist() == [2**53, 2**53 + 1, 0.5]


@pytest.mark.parametrize("names", ["abc", b"abc", {"a", "b", "c"}, 3])
def test_names_that_are_no_list(names):
    with pytest.raises(InputError, match=r"must be 3 names"):
        Labels(np.eye(3), names)


def test_names_that_cannot_be_compared():
    with pytest.raises(InputError, match="classes cannot be names: unhashable type"):
        Labels(np.eye(2), [{}, {}])


def test_names_of_several_types_are_aligned_as_text():
    labels = as_labels([{1, "b"}, {"c"}])
    assert labels.toarray().tolist() == [[1, 1, 0], [0, 0, 1]]
    turned = align(labels, classes=labels.classes[::-1])
    assert turned.classes.tolist() == ["c", "b", 1]
    assert turned.toarray().tolist() == [[0, 1, 1], [1, 0, 0]]


def test_aligned_names_are_a_copy():
    names = np.array(["y", "x"])
    labels = align(Labels(np.eye(2), ["x", "y"], ["x", "y"]), rows=names, classes=names)
    names[0] = "z"
    assert labels.classes.tolist() == labels.index.tolist() == ["y", "x"]
    assert not labels.classes.flags.writeable
    assert not labels.index.flags.writeable


@pytest.mark.parametrize("wanted", [[], "x", 1, np.eye(2)])
def test_names_to_align_to_that_are_no_list(wanted):
    labels = Labels(np.eye(2), ["x", "y"], ["x", "y"])
    for which in ("rows", "classes"):
        with pytest.raises(ParameterError, match=f"'{which}' parameter of align must be a list"):
            align(labels, **{which: wanted}, extra="drop")


@pytest.mark.parametrize(
    "value", [Folds([0, 1], ["a", "b"]), Pairs([("a", "b")], [1], [2.0]), Labels(np.eye(2))]
)
def test_unpickled_arrays_stay_read_only(value):
    again = pickle.loads(pickle.dumps(value))
    assert repr(again) == repr(value)
    arrays = [a for a in vars(again).values() if isinstance(a, np.ndarray)]
    assert arrays
    assert not any(array.flags.writeable for array in arrays)


@pytest.mark.parametrize(
    "names",
    [
        ["a", None, "b"],
        ["a", float("nan"), "b"],
        [1.0, float("nan"), 2.0],
        np.array(["a", None, "b"], object),
        np.array([1.0, np.nan, 2.0]),
        pd.Series(["a", pd.NA, "b"], dtype="string"),
        pd.to_datetime(["2020-01-01", None, "2021-01-01"]),
    ],
)
@pytest.mark.parametrize("of", ["classes", "index"])
def test_a_missing_name_is_refused(names, of):
    for make in (Labels, Scores):
        with pytest.raises(InputError, match=rf"^{of}: name 1 is missing\."):
            make(np.eye(3), **{of: names})


def test_a_missing_name_of_a_frame_is_refused():
    rows = pd.DataFrame([[1, 0], [0, 1]], index=["a", None], columns=["x", "y"])
    columns = pd.DataFrame([[1, 0], [0, 1]], columns=["x", float("nan")])
    for frame, of in ((rows, "index"), (columns, "classes")):
        for read in (as_labels, as_scores):
            with pytest.raises(InputError, match=f"^{of}: name 1 is missing"):
                read(frame)
