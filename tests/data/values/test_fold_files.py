"""Fold files are plain tables, with their provenance beside them."""

import errno
import json
from pathlib import Path

import numpy as np
import pytest

from trueval import InputError, InputWarning, as_labels
from trueval.data import read_folds, write_folds

Y = as_labels([{"a", "b"}, {"b"}, {"a"}, {"b"}])
FOLDS = [0, 1, 1, 0]


@pytest.mark.parametrize("name", ["folds.csv", "folds.tsv", "folds.csv.gz"])
def test_pandas_and_polars_read_it_as_it_is(tmp_path, name):
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    file = tmp_path / name
    write_folds(file, FOLDS, labels=Y, parameters={"method": "anneal"}, seed=3)
    separator = "\t" if name.endswith("tsv") else ","
    for frame in (pd.read_csv(file, sep=separator), pl.read_csv(file, separator=separator)):
        assert list(frame.columns) == ["row", "fold"]
        assert frame["fold"].to_numpy().tolist() == FOLDS
        assert frame["row"].to_numpy().tolist() == [0, 1, 2, 3]


def test_provenance_is_beside_it(tmp_path):
    file = tmp_path / "folds.csv"
    write_folds(file, FOLDS, labels=Y, parameters={"method": "anneal"}, seed=3)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folds.csv", "folds.csv.json"]
    assert file.read_text().splitlines()[0] == "row,fold"
    facts = json.loads((tmp_path / "folds.csv.json").read_text())["trueval_folds"]
    assert facts["seed"] == 3
    assert facts["parameters"] == {"method": "anneal"}
    found = read_folds(file, Y)
    assert found.provenance == facts
    with pytest.raises(InputError, match="made for other labels"):
        read_folds(file, as_labels([{"a"}, {"b"}, {"a"}, {"b"}]))


@pytest.mark.parametrize("name", ["folds.npz", "folds.parquet"])
def test_binary_files_need_none(tmp_path, name):
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    write_folds(tmp_path / name, FOLDS, labels=Y, seed=3)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert read_folds(tmp_path / name, Y).provenance["seed"] == 3


def test_a_file_of_an_earlier_version(tmp_path):
    file = tmp_path / "folds.csv"
    file.write_text('# trueval folds {"rows": 2, "seed": 5}\nid,fold\np,1\nq,0\n')
    found = read_folds(file)
    assert found.folds.tolist() == [1, 0]
    assert found.index.tolist() == ["p", "q"]
    assert found.provenance["seed"] == 5


def test_a_table_that_was_changed_has_no_provenance(tmp_path):
    file = tmp_path / "folds.csv"
    write_folds(file, FOLDS, labels=Y, seed=3)
    file.write_text("row,fold\n0,1\n1,1\n2,0\n3,0\n")
    with pytest.warns(InputWarning, match="another version of this file"):
        found = read_folds(file, Y)
    assert found.folds.tolist() == [1, 1, 0, 0]
    assert found.provenance == {}


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'{"mine": 1}', b"[" * 99_999, b"\xff"])
def test_a_json_file_of_somebody_else(tmp_path, content):
    file = tmp_path / "folds.csv"
    file.write_text("row,fold\n0,1\n1,0\n")
    (tmp_path / "folds.csv.json").write_bytes(content)
    assert read_folds(file).provenance == {}
    with pytest.raises(InputError, match="it is something else"):
        write_folds(file, FOLDS)
    assert (tmp_path / "folds.csv.json").read_bytes() == content
    assert np.array_equal(read_folds(file).folds, [1, 0])


def test_a_side_file_that_cannot_be_read_is_not_overlooked(tmp_path, monkeypatch):
    file, read = tmp_path / "folds.csv", Path.read_bytes
    write_folds(file, FOLDS, labels=Y, seed=3)

    def refused(path):
        if path.suffix == ".json":
            raise PermissionError(errno.EACCES, "Permission denied")
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", refused)
    with pytest.warns(InputWarning, match=r"folds\.csv\.json cannot be read \(Permission denied\)"):
        assert read_folds(file).provenance == {}
    with pytest.raises(InputError, match=r"it cannot be read \(Permission denied\)"):
        write_folds(file, FOLDS)
