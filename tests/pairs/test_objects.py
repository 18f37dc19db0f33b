import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from trueval.core.arrays import as_binary, as_rows
from trueval.core.clusters import cluster_codes
from trueval.core.errors import InputError
from trueval.pairs import ObjectKFold, as_pairs

ROWS = [("b", "a"), ("a", "b"), ("a", "c"), ("c", "c"), ("a", "c")]


@pytest.mark.parametrize(
    "make",
    [
        list,
        np.array,
        lambda rows: np.array(rows, dtype=object),
        lambda rows: pd.DataFrame(rows, columns=["p", "q"]),
        lambda rows: pl.DataFrame(rows, schema=["p", "q"], orient="row"),
    ],
    ids=["list", "array", "object array", "pandas", "polars"],
)
def test_any_container_gives_the_same_index(make):
    index = as_pairs(make(ROWS))
    assert index.ids == ["a", "b", "c"]
    assert index.codes.tolist() == [[1, 0], [0, 1], [0, 2], [2, 2], [0, 2]]
    assert (index.n_rows, index.n_pairs, index.n_duplicates) == (5, 3, 1)
    assert (index.n_mirrored, index.n_self) == (1, 1)
    assert index.pair_number.tolist() == [0, 0, 1, 2, 1]


def test_ids_of_types_without_an_order_stay_apart():
    index = as_pairs([(1, (2, 3)), ((2, 3), 1), ((2, 3), (4,))])
    assert index.n_objects == 3
    assert index.n_mirrored == 1


@pytest.mark.parametrize(
    "pairs",
    [
        [(1, "2"), (2, "1"), (3, "1")],
        [(1, 2), ("1", 2)],
        pd.DataFrame({"a": [1, 2], "b": ["2", "1"]}),
        pl.DataFrame({"a": [1, 2], "b": ["2", "1"]}),
        np.array([(1, "2"), (2, "1")], dtype=object),
    ],
    ids=["list", "one column", "pandas", "polars", "object array"],
)
def test_numbers_and_text_of_one_kind_are_refused(pairs):
    with pytest.raises(InputError, match=r"such as 1 and '1'.* Use one type in all columns"):
        as_pairs(pairs)


def test_each_kind_has_ids_of_its_own_type():
    frame = pd.DataFrame({"drug": [1, 2, 2], "target": ["1", "1", "2"]})
    index = as_pairs(frame, symmetric=False)
    assert index.ids == [1, 2, "1", "2"]
    with pytest.raises(InputError, match=r"such as 1 and '1'"):
        as_pairs(frame.assign(other=frame.drug), symmetric=("drug", "drug", "cell"))


@pytest.mark.parametrize("library", [pd, pl])
@pytest.mark.parametrize("types", [("uint64", "int64"), ("int64", "uint64"), ("uint64", "uint32")])
def test_long_integer_ids_keep_all_their_digits(library, types):
    first, second = [2**31, 2**31 + 1], [5, 6]
    if "uint32" not in types:
        first, second = [2**60 + 1, 2**60 + 2], [2**60 + 3, 2**60 + 1]
    frame = library.DataFrame(
        {"a": np.array(first, dtype=types[0]), "b": np.array(second, dtype=types[1])}
    )
    index = as_pairs(frame)
    assert index.ids == sorted({*first, *second})
    assert all(type(i) is int for i in index.ids)
    rows = [[index.ids[code] for code in row] for row in index.codes]
    assert rows == [[first[0], second[0]], [first[1], second[1]]]


def test_frames_of_other_shapes():
    two_of_a_name = pd.DataFrame([("x", "y"), ("y", "z")], columns=["id", "id"])
    assert as_pairs(two_of_a_name).n_objects == 3
    with pytest.raises(InputError, match=r"Got shape \(2, 1\)"):
        as_pairs(two_of_a_name.iloc[:, :1])
    with pytest.raises(InputError, match="pairs is empty"):
        as_pairs(two_of_a_name.iloc[:0])
    arrow = pa.table({"a": ["x", "y"], "b": ["y", "z"]})
    assert as_pairs(arrow).codes.tolist() == [[0, 1], [1, 2]]


def test_bipartite_ids_are_different_objects_in_each_column():
    index = as_pairs(np.array([(0, 0), (0, 1), (1, 0)]), symmetric=False)
    assert index.n_objects == 4
    assert index.kind.tolist() == [0, 0, 1, 1]
    assert index.n_self == 0
    assert index.n_pairs == 3


def test_kinds_of_columns_by_name():
    rows = [("d1", "d2", "c1"), ("d2", "d1", "c1"), ("d1", "d2", "c2")]
    index = as_pairs(rows, symmetric=("drug", "drug", "cell"))
    assert index.n_pairs == 2
    assert np.diff(index.first_of_kind).tolist() == [2, 2]


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        (np.arange(4), r"shape \(n_rows, 2\).*Got shape \(4,\)"),
        (np.zeros((4, 1)), r"Got shape \(4, 1\)"),
        ([("a", "b"), ("c",)], "rows of 1 to 2 ids"),
        (["ab", "cd"], "one id for each row"),
        ([("a", "b"), "cd"], "rows of 0 to 2 ids"),
        (5, "pairs must be a list. Got 5"),
        ("ab", "pairs are 'ab', one string"),
        ([], "pairs is empty"),
        (None, "groups=pairs"),
        ([("a", None), ("b", "c")], "missing ids in column 1, the first in row 0"),
        (np.array([(1.0, 2.0), (np.nan, 1.0)]), "missing ids in column 0, the first in row 1"),
        (np.array([("a", "b"), ("", "c")]), "missing ids in column 0, the first in row 1"),
        (pd.DataFrame({"a": ["x", pd.NA], "b": ["y", "z"]}), "missing ids in column 0"),
        ([(["a"], "b")], "cannot be hashed"),
    ],
)
def test_bad_pairs_are_named(pairs, message):
    with pytest.raises(InputError, match=message):
        as_pairs(pairs)


def test_lengths_are_compared():
    with pytest.raises(InputError, match="X has 3 rows but groups has 5 pairs"):
        as_pairs(ROWS, X=np.zeros((3, 2)))
    with pytest.raises(InputError, match="y has 4 rows but groups has 5 pairs"):
        as_pairs(ROWS, y=[0, 1, 0, 1])
    with pytest.raises(ValueError, match="'symmetric' parameter"):
        as_pairs(ROWS, symmetric="yes")
    with pytest.raises(InputError, match="kinds of 3 columns but pairs has 2"):
        as_pairs(ROWS, symmetric=("a", "a", "b"))


def test_clusters_in_every_form():
    index = as_pairs(ROWS)
    by_name = cluster_codes({"a": "x", "b": "y", "c": "x"}, index)
    assert by_name[0] == by_name[2] != by_name[1]
    of_members = np.array([["y", "x"], ["x", "y"], ["x", "x"], ["x", "x"], ["x", "x"]])
    assert cluster_codes(of_members, index).tolist() == by_name.tolist()
    series = pd.Series({"a": "x", "b": "y", "c": "x"})
    assert cluster_codes(series, index).tolist() == by_name.tolist()
    numbered = as_pairs(np.array([(0, 1), (1, 2)]))
    assert cluster_codes([5, 6, 5], numbered).tolist() == [0, 1, 0]
    sides = as_pairs([("a", "a"), ("b", "b")], symmetric=False)
    codes = cluster_codes([{"a": 0, "b": 0}, {"a": 0, "b": 1}], sides)
    assert codes[0] == codes[1] != codes[2] != codes[3]


def test_bad_clusters_are_named():
    index = as_pairs(ROWS)
    with pytest.raises(InputError, match="no entry for object 'c'"):
        cluster_codes({"a": 0, "b": 0}, index)
    with pytest.raises(InputError, match="puts object 'a' into"):
        cluster_codes(np.array([["y", "x"], ["z", "y"], *[["x", "x"]] * 3]), index)
    with pytest.raises(InputError, match="must map object ids to clusters"):
        cluster_codes([0, 1, 2], index)
    with pytest.raises(InputError, match="3 mappings but rows have 2"):
        cluster_codes([{}, {}, {}], index)


@pytest.mark.parametrize("gap", [None, np.nan, pd.NA, float("nan"), ""])
@pytest.mark.parametrize(
    "make",
    [
        lambda values: dict(enumerate(values)),
        lambda values: [dict(enumerate(values))] * 2,
        lambda values: pd.Series(values, dtype=object),
        lambda values: np.array(values, dtype=object),
        lambda values: np.array([[values[i], values[i + 1]] for i in range(3)], dtype=object),
    ],
    ids=["dict", "dicts", "Series", "of objects", "of members"],
)
def test_missing_clusters_are_refused_in_every_container(make, gap):
    index = as_pairs(np.array([(0, 1), (1, 2), (2, 3)]))
    with pytest.raises(InputError, match="missing for 2 of 4 objects, the first 1 "):
        cluster_codes(make([3, gap, 3, gap]), index)
    with pytest.raises(InputError, match="missing for 2 of 4 objects"):
        list(ObjectKFold(2, clusters=make([3, gap, 3, gap])).split(index.codes, groups=index.codes))


def test_clusters_of_floats_may_not_be_nan():
    index = as_pairs(np.array([(0, 1), (1, 2)]))
    for clusters in (np.array([3, np.nan, 3]), pd.Series([3, np.nan, 3]), pl.Series([3, None, 3])):
        with pytest.raises(InputError, match="missing for 1 of 3 objects, the first 1 "):
            cluster_codes(clusters, index)


def test_a_mask_of_numbers_is_not_taken_for_rows():
    mask = np.array([True, False, False, True, True, False])
    for name, numbers in (("train", mask.astype(int)), ("test", (~mask).astype(np.uint8))):
        with pytest.raises(InputError, match=rf"{name} names row 0 3 times.*mask\?.*booleans"):
            as_rows(numbers, 6, name)
        with pytest.raises(InputError, match="mask"):
            as_rows(numbers, 6, name, repeats=True)
    with pytest.raises(InputError, match="test names row 4 2 times"):
        as_rows([3, 4, 4], 6, "test")
    assert as_rows([3, 4, 4], 6, "train", repeats=True).tolist() == [3, 4, 4]
    assert as_rows([1, 0], 2, "train").tolist() == [1, 0]


def test_labels_and_rows():
    assert as_binary([-1, 1, 1]).tolist() == [False, True, True]
    assert as_binary(np.array([0.0, 1.0])).tolist() == [False, True]
    for bad in ([0, 2], ["a", "b"], [[0, 1]], [-1, 0, 1]):
        with pytest.raises(InputError, match="y must"):
            as_binary(bad)
    assert as_rows([True, False, True], 3, "train").tolist() == [0, 2]
    with pytest.raises(InputError, match="train names row 3"):
        as_rows([0, 3], 3, "train")
    with pytest.raises(InputError, match="mask of shape"):
        as_rows([True], 3, "train")
    with pytest.raises(InputError, match="row numbers"):
        as_rows([0.5], 3, "test")


def test_index_is_shown_and_escaped():
    index = as_pairs(ROWS)
    assert "1 self pair" in repr(index)
    assert "&lt;" not in index._repr_html_()
    assert "<li>" in index._repr_html_()
