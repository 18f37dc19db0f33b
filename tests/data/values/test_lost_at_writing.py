"""What a file could not give back is refused, or said, when it is written."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from trueval import as_labels, split_quality, stratified_folds
from trueval.core.errors import InputError, InputWarning
from trueval.core.labels import Labels
from trueval.data import (
    Folds,
    read_folds,
    read_labels,
    read_scores,
    write_folds,
    write_labels,
    write_scores,
)
from trueval.report import split_stage


@pytest.mark.parametrize("layout", ["long", "list"])
@pytest.mark.parametrize("y", [np.eye(2, dtype=int), np.ones((2, 2), dtype=int)])
def test_classes_named_0_and_1_alone(tmp_path, layout, y):
    path = tmp_path / "y.csv"
    with pytest.raises(InputError, match="named '0' and '1'"):
        write_labels(path, y, layout=layout)
    assert not path.exists()
    write_labels(path, y, layout="wide")
    assert (read_labels(path).matrix.toarray() == y).all()


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_sparse_scores_without_a_place_in_a_table(tmp_path, suffix):
    path = tmp_path / f"scores.{suffix}"
    with pytest.raises(InputError, match="no score is stored"):
        write_scores(path, sp.csr_array((3, 2)))
    assert not path.exists()
    scores = sp.csr_array(np.array([[0.5, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.25, 0.0]]))
    with pytest.warns(InputWarning, match="1 of 3 rows and 1 of 3 classes"):
        write_scores(path, scores)
    assert read_scores(path).matrix.toarray().tolist() == [[0.5, 0.0], [0.0, 0.25]]


def test_labels_above_64_bits():
    with pytest.raises(InputError, match="larger than an integer of 64 bits"):
        as_labels([{2**70}, {1}])


def test_classes_that_are_read_back_in_another_order_are_said(tmp_path):
    labels = as_labels(pd.DataFrame({"b": [1, 0], "a": [0, 1]}))
    for layout in ("list", "long"):
        file = tmp_path / f"{layout}.csv"
        with pytest.warns(InputWarning, match="the classes are not in sorted order, in which a li"):
            write_labels(file, labels, layout=layout)
        assert read_labels(file).classes.tolist() == ["a", "b"]
    for name, layout in (("wide.csv", "wide"), ("y.npz", None), ("y.parquet", None)):
        write_labels(tmp_path / name, labels, layout=layout)
        assert read_labels(tmp_path / name).classes.tolist() == ["b", "a"]


def test_class_numbers_beyond_what_parquet_holds_are_refused(tmp_path):
    labels = Labels(np.eye(2, dtype=int), [2**63, 2**63 + 1])
    with pytest.raises(InputError, match="the class number 9223372036854775809 is beyond 64 bits"):
        write_labels(tmp_path / "y.parquet", labels)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("suffix", ["csv", "npz", "parquet"])
def test_folds_keep_their_ids_and_how_they_were_made(tmp_path, suffix):
    first, second = (tmp_path / f"{name}.{suffix}" for name in ("first", "second"))
    y = pd.DataFrame({"a": [1, 0, 1], "b": [0, 1, 1]}, index=["p", "q", "r"])
    write_folds(first, [0, 1, 0], labels=y, parameters={"method": "mine"}, seed=3)
    write_folds(second, read_folds(first))
    ours, again = read_folds(first), read_folds(second)
    assert again.index.tolist() == ["p", "q", "r"]
    assert again.provenance == ours.provenance
    assert ours.provenance["input"] is not None


def test_folds_of_rows_in_another_order_are_refused(tmp_path):
    y = pd.DataFrame({"a": [1, 0, 1], "b": [0, 1, 1]}, index=["p", "q", "r"])
    for names, what in (("qpr", "the rows of y in another order"), ("stu", "other rows than y")):
        folds = Folds([0, 1, 0], list(names))
        for call in (
            lambda folds=folds: split_quality(y, folds),
            lambda folds=folds: write_folds(tmp_path / "f.csv", folds, labels=y),
            lambda folds=folds: stratified_folds(y, 2, fixed=folds),
            lambda folds=folds: split_stage(y, folds),
        ):
            with pytest.raises(InputError, match=f"{what}: row 0 is '{names[0]}', in y 'p'"):
                call()
    assert split_quality(y, Folds([0, 1, 0], list("pqr"))).n_parts == 2
