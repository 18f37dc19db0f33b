"""What is written is read back the same, unnamed classes and odd headers included."""

import tempfile
import warnings
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from trueval import InputError, InputWarning, Labels, as_labels, data


@pytest.mark.parametrize("layout", ["wide", "long", "list"])
@pytest.mark.parametrize("n_classes", [1, 2, 12, 101])
def test_unnamed_labels(tmp_path, layout, n_classes):
    rng = np.random.default_rng(n_classes)
    y = (rng.random((30, n_classes)) < 0.5).astype(int)
    y[:, y.sum(axis=0) == 0] = 1
    y[y.sum(axis=1) == 0, 0] = 1
    for suffix in ("csv", "tsv"):
        path = tmp_path / f"y.{suffix}"
        if n_classes <= 2 and layout != "wide":
            # Of two columns that hold 0 and 1 only, the layout cannot be told.
            with pytest.raises(InputError, match="the only classes are named '0'"):
                data.write_labels(path, y, layout=layout)
            continue
        data.write_labels(path, y, layout=layout)
        labels = data.read_labels(path)
        assert labels.classes.tolist() == [str(c) for c in range(n_classes)]
        np.testing.assert_array_equal(labels.toarray(), y)


def test_unnamed_scores(tmp_path):
    scores = np.random.default_rng(0).random((3, 2))
    data.write_scores(tmp_path / "s.csv", scores)
    read = data.read_scores(tmp_path / "s.csv")
    assert [str(name) for name in read.classes] == ["0", "1"]
    np.testing.assert_allclose(np.asarray(read.matrix), scores)


# --- any name: read back the same, or refused -----------------------------------

WORDS = ["label", "class", "value", "score", "fold", "is_test", "1", "true", "0", "id", "y", "yes"]
NAMES = (
    st.sampled_from(WORDS)
    | st.text(max_size=6)
    | st.text(alphabet="a1;|,\t\n\r\"'# \ufeff\x85\u2028", max_size=4)
)


def named(names):
    """Distinct names as an array keeps them: without NUL at the end."""
    return list(dict.fromkeys(np.array(names, dtype=str).tolist()))


@st.composite
def tables(draw):
    classes = named(draw(st.lists(NAMES, min_size=1, max_size=5, unique=True)))
    index = named(draw(st.lists(NAMES, min_size=1, max_size=5, unique=True)))
    shape = (len(index), len(classes))
    values = draw(arrays(np.int8, shape, elements=st.integers(0, 1)))
    return values, np.array(classes), np.array(index)


def refusal(function, *args, **options):
    """Message of the InputError, or None."""
    try:
        function(*args, **options)
    except InputError as error:
        return str(error)
    return None


LABEL_FILES = [
    ("y.npz", None), ("y.parquet", None), ("y.csv", "wide"), ("y.csv", "long"), ("y.csv", "list"),
    ("y.tsv", "wide"), ("y.tsv", "long"), ("y.tsv.gz", "list"),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*the classes are not in sorted order")
@pytest.mark.parametrize(("name", "layout"), LABEL_FILES)
@settings(max_examples=60, deadline=None)
@given(table=tables(), told=st.booleans())
def test_labels_of_any_name(name, layout, table, told):
    values, classes, index = table
    labels = Labels(sp.csr_array(values), classes, index)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        refused = refusal(data.write_labels, path, labels, layout=layout)
        if refused is not None:
            assert name != "y.npz"
            assert not list(Path(folder).iterdir())
            if "class" in refused and "no positive" not in refused:
                assert any(repr(c)[:20] in refused for c in classes.tolist())
            return
        given = layout if told else None
        refused = refusal(data.read_labels, path, layout=given)
        if refused is not None:
            assert "no row has a label" in refused  # which cannot be told from nothing
            assert not values.any()
            return
        read = data.read_labels(path, layout=given)
    keeps_order = layout == "wide" or layout is None
    assert (read.classes.tolist() == classes.tolist()) or not keeps_order
    place = {c: at for at, c in enumerate(read.classes.tolist())}
    assert set(place) == set(classes.tolist())
    assert read.index.tolist() == index.tolist()
    np.testing.assert_array_equal(read.toarray()[:, [place[c] for c in classes.tolist()]], values)


@pytest.mark.parametrize("name", ["s.npz", "s.parquet", "s.csv", "s.tsv"])
@pytest.mark.parametrize("dense", [True, False])
@settings(max_examples=60, deadline=None)
@given(table=tables())
def test_scores_of_any_name(name, dense, table):
    values, classes, index = table
    numbers = values * np.linspace(0.5, 1.5, values.size).reshape(values.shape)
    labels = Labels(sp.csr_array(values), classes, index)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        lost = not dense and name != "s.npz" and not (values.any(0).all() and values.any(1).all())
        try:
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always", InputWarning)
                data.write_scores(path, numbers if dense else sp.csr_array(numbers), labels=labels)
        except InputError:
            assert name != "s.npz"
            assert not list(Path(folder).iterdir())
            return
        assert ["not in the table" in str(warning.message) for warning in said] == [True] * lost
        read = data.read_scores(path, labels, allow_missing=True)
        alone = data.read_scores(path)
    found = read.matrix if dense else read.matrix.toarray()
    np.testing.assert_array_equal(found, numbers)
    if dense or name == "s.npz":
        assert alone.classes.tolist() == classes.tolist()
        assert alone.index.tolist() == index.tolist()


@pytest.mark.parametrize("name", ["f.npz", "f.parquet", "f.csv", "f.tsv"])
@settings(max_examples=40, deadline=None)
@given(table=tables())
def test_folds_of_any_name(name, table):
    values, classes, index = table
    labels = Labels(sp.csr_array(values), classes, index)
    folds = np.arange(len(index)) % 2
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        try:
            data.write_folds(path, folds, labels=labels)
        except InputError:
            assert name != "f.npz"
            assert not list(Path(folder).iterdir())
            return
        read = data.read_folds(path, labels)
    assert read.folds.tolist() == folds.tolist()
    assert read.index.tolist() == index.tolist()


@pytest.mark.parametrize("layout", ["long", "list"])
@pytest.mark.parametrize("bad", ["a;b", "a|b", "a\tb", "a\nb", " a", ""])
def test_a_name_that_text_cannot_hold(tmp_path, layout, bad):
    labels = Labels(sp.csr_array(np.ones((1, 2), np.int8)), np.array(["ok", bad]))
    with pytest.raises(InputError) as caught:
        data.write_labels(tmp_path / "y.csv", labels, layout=layout)
    assert repr(bad) in str(caught.value)
    assert "Parquet" in str(caught.value)
    assert list(tmp_path.iterdir()) == []
    data.write_labels(tmp_path / "y.parquet", labels)
    assert data.read_labels(tmp_path / "y.parquet").classes.tolist() == ["ok", bad]


def test_half_a_surrogate_pair(tmp_path):
    labels = Labels(sp.csr_array(np.ones((1, 1), np.int8)), np.array(["a\ud800"]))
    for name in ("y.csv", "y.parquet"):
        with pytest.raises(InputError, match="surrogate"):
            data.write_labels(tmp_path / name, labels)
    data.write_labels(tmp_path / "y.npz", labels)
    assert data.read_labels(tmp_path / "y.npz").classes.tolist() == ["a\ud800"]


def test_wide_columns_stay_with_their_values(tmp_path):
    (tmp_path / "y.csv").write_text("id,10,9\np,1,0\nq,0,0\n")
    labels = data.read_labels(tmp_path / "y.csv")
    assert labels.classes.tolist() == ["10", "9"]
    assert labels.toarray().tolist() == [[1, 0], [0, 0]]


@pytest.mark.parametrize("classes", [["b", "c", "a"], [7, 5, 6]])
def test_parquet_keeps_order_and_empty_classes(tmp_path, classes):
    y = np.array([[1, 0, 0], [1, 0, 1]], np.int8)
    labels = Labels(sp.csr_array(y), np.array(classes), np.array(["p", "q"]))
    data.write_labels(tmp_path / "y.parquet", labels)
    read = data.read_labels(tmp_path / "y.parquet")
    assert read.classes.tolist() == classes
    assert read.toarray().tolist() == y.tolist()


@pytest.mark.parametrize(
    ("told", "message"),
    [
        (b"[", "not JSON"), (b"3", "str only"), (b"[1]", "str only"), (b'["a", "a"]', "again at"),
        (b'["a"]', "not among the 1 expected: 'b'"), (b"\xff", "not JSON"),
    ],
)  # fmt: skip
def test_a_damaged_order_in_parquet(tmp_path, told, message):
    table = pa.table({"id": ["p"], "labels": [["a", "b"]]})
    pq.write_table(table.replace_schema_metadata({b"trueval_classes": told}), tmp_path / "y.pq")
    with pytest.raises(InputError, match=message):
        data.read_labels(tmp_path / "y.pq")


def test_wide_layout_of_parquet_is_refused_with_the_way_out(tmp_path):
    with pytest.raises(ValueError, match=r"must be 'list' for parquet.*leave it out.*'wide'"):
        data.write_labels(tmp_path / "y.parquet", [{"a"}], layout="wide")


def test_columns_that_look_like_a_long_file(tmp_path):
    labels = as_labels([{"label", "score"}])
    for name in ("s.csv", "s.parquet"):
        with pytest.raises(InputError, match="named as the label and the score of a long"):
            data.write_scores(tmp_path / name, np.array([[0.5, 1.0]]), labels=labels)


def test_long_cells_with_quotes(tmp_path):
    labels = as_labels([{f'"{i}"' * 20 for i in range(3000)}])
    data.write_labels(tmp_path / "y.csv", labels)
    assert data.read_labels(tmp_path / "y.csv").n_classes == 3000


@pytest.mark.parametrize("line", ['p,"a', 'p,"a"b', '"p,a', 'p,"a""', 'p,"a"",b'])
def test_quotes_that_do_not_match(tmp_path, line):
    (tmp_path / "y.csv").write_text(f"id,label\n{line}\n")
    with pytest.raises(InputError, match="line 2: the quotes do not match"):
        data.read_labels(tmp_path / "y.csv")


# --- folds from (train, test) pairs ----------------------------------------------


def test_pairs_that_are_a_partition(tmp_path):
    from sklearn.model_selection import KFold

    splits = KFold(3).split(np.zeros(7))
    data.write_folds(tmp_path / "f.csv", splits)
    assert data.read_folds(tmp_path / "f.csv").folds.tolist() == [0, 0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([([1, 2], [0])], "leave out 2 of 3 rows, the first row 1"),
        ([([1, 2], [0]), ([1, 2], [0])], "repeat 1 of 3 rows, the first row 0"),
        ([([2], [0]), ([0, 2], [1]), ([0, 1], [2])], "1 train and 1 test of 3"),
        ([([0, 1, 2], [0]), ([0, 2], [1]), ([0, 1], [2])], "3 train and 1 test of 3"),
        ([([1, 2], [0, 0])], "2 train and 2 test of 3"),
        ([([1, -1], [0])], "row -1, outside"),
        ([([0.5], [0]), ([0], [1])], "must be row numbers"),
        ([(np.array([True, False]), np.array([False, True]))], "leave out 1 of 2 rows"),
    ],
)
def test_pairs_that_are_not(tmp_path, pairs, message):
    with pytest.raises(InputError, match=message):
        data.write_folds(tmp_path / "f.csv", pairs)
    assert list(tmp_path.iterdir()) == []


def test_pairs_beyond_the_labels(tmp_path):
    with pytest.raises(InputError, match="row 1, outside the rows 0 … 0"):
        data.write_folds(tmp_path / "f.csv", [([1], [0]), ([0], [1])], labels=[{"a"}])


def test_rows_without_scores(tmp_path):
    labels = Labels(
        sp.csr_array(np.eye(2, dtype=np.int8)), np.array(["a", "b"]), np.array(["p", "q"])
    )
    (tmp_path / "s.csv").write_text("id,label,score\np,a,0.5\n")
    with pytest.raises(InputError, match=r"missing: 'q'.*above a cut.*allow_missing=True"):
        data.read_scores(tmp_path / "s.csv", labels)
    (tmp_path / "s.csv").write_text("id,label,score\nx,a,0.5\n")
    with pytest.raises(InputError) as caught:
        data.read_scores(tmp_path / "s.csv", labels)
    assert "allow_missing" not in str(caught.value)  # another file: it would not help


def test_a_folder_is_named_once():
    with pytest.raises(InputError) as caught:
        data.read_labels(".")
    assert str(caught.value) == ".: this is a folder, not a file. Name a file inside it."


def test_a_class_that_looks_like_a_list_is_not_written_where_it_is_refused(tmp_path):
    labels = Labels(as_labels(np.eye(2)).matrix, np.array(["[1]", "a, b"]), np.array(["x", "y"]))
    for layout in ("list", "long"):
        with pytest.raises(InputError, match="looks like a list"):
            data.write_labels(tmp_path / "y.csv", labels, layout=layout)
    for name, layout in (("y.csv", "wide"), ("y.npz", None), ("y.parquet", None)):
        data.write_labels(tmp_path / name, labels, layout=layout)
        assert data.read_labels(tmp_path / name).classes.tolist() == ["[1]", "a, b"]
