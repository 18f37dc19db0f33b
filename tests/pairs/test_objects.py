import numpy as np
import pandas as pd
import polars as pl
import pytest

from trueval.errors import InputError
from trueval.pairs import as_pairs
from trueval.pairs.objects import as_binary, as_rows, cluster_codes

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


def test_ids_of_mixed_types_stay_apart():
    index = as_pairs([(1, "1"), ("1", 1), ((2, 3), 1)])
    assert index.n_objects == 3
    assert index.n_mirrored == 1


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
        ([("a", "b"), ("c",)], "rows of 1 to 2 members"),
        (["ab", "cd"], "one id for each row"),
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
    assert "1 self pairs" in repr(index)
    assert "&lt;" not in index._repr_html_()
    assert "<li>" in index._repr_html_()
