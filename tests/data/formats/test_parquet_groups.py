"""Parquet is written group by group of rows: what Arrow reads is the whole."""

import numpy as np
import pyarrow.parquet as pq
import pytest

from trueval import Labels
from trueval.data import (
    read_folds,
    read_labels,
    read_scores,
    write_folds,
    write_labels,
    write_scores,
)
from trueval.data._formats import parquet

N = 10


@pytest.fixture(autouse=True)
def small_groups(monkeypatch):
    monkeypatch.setattr(parquet, "_GROUP", 3)


@pytest.mark.parametrize("classes", [["b", "a", "c"], [7, 2**40, 1], [3, 2, 1]])
@pytest.mark.parametrize("index", [[f"r{i}" for i in range(N)], None])
def test_labels_of_several_groups(classes, index, tmp_path):
    y = (np.arange(3 * N).reshape(N, 3) % 4 == 0).astype(int)
    y[3:6] = 0  # a group without labels
    path = tmp_path / "y.parquet"
    write_labels(path, Labels(y, classes, index))
    table = pq.read_table(path)
    assert pq.ParquetFile(path).metadata.num_row_groups == 4
    names = np.array(classes)
    assert table["labels"].to_pylist() == [names[row == 1].tolist() for row in y]
    assert table["id"].to_pylist() == (index or list(range(N)))
    read = read_labels(path)
    assert read.toarray().tolist() == y.tolist()
    assert read.classes.tolist() == classes


def test_scores_and_folds_of_several_groups(tmp_path):
    scores, folds = np.arange(2.0 * N).reshape(N, 2) / 7, np.arange(N) % 4
    write_scores(tmp_path / "s.parquet", scores)
    write_folds(tmp_path / "f.parquet", folds)
    assert read_scores(tmp_path / "s.parquet").matrix.tolist() == scores.tolist()
    assert read_folds(tmp_path / "f.parquet").folds.tolist() == folds.tolist()
    assert pq.read_table(tmp_path / "f.parquet")["fold"].to_pylist() == folds.tolist()
