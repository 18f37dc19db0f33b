"""A new format is one record: with it, every value is read and written, and nothing else changes.

The format of this test keeps a table as JSON, one object with a list for each column.
"""

import gzip
import io
import json
import sys
import types

import numpy as np
import pytest
import scipy.sparse as sp

from trueval import InputError
from trueval import data as data_io
from trueval.core.scores import Scores
from trueval.data import _formats
from trueval.data._formats import Format, formats, output_format, write_raw
from trueval.data._raw import RawTable
from trueval.data._values.columns import read_column
from trueval.data._values.pair_folds import read_pair_folds, write_pair_folds


def _read(source):
    with source.guard("JSON columns"), source.open() as stream:
        content = json.load(stream)
        columns = {name: np.array(cells) for name, cells in content["columns"].items()}
        return RawTable(columns, content["facts"], source)


def _write(file, table):
    rows = list(table.rows())
    columns = dict(zip(table.names, map(list, zip(*rows, strict=True)), strict=True))
    joined = {
        name: [";".join(map(str, c)) if isinstance(c, list) else c for c in cells]
        for name, cells in columns.items()
    }
    file.write(json.dumps({"columns": joined, "facts": table.metadata}).encode())


TOY = Format(
    "toy",
    holds=("table",),
    read=_read,
    suffixes=(".toy",),
    sniff=lambda head: head.startswith(b'{"columns"'),
    write=_write,
    typed=False,
)


@pytest.fixture(autouse=True)
def toy(monkeypatch):
    """The one file of the format, where the registry looks for files."""
    module = types.ModuleType(f"{_formats.__name__}.toy")
    module.FORMATS = (TOY,)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    found = [*_formats.pkgutil.iter_modules(_formats.__path__)]
    info = _formats.pkgutil.ModuleInfo(found[0].module_finder, "toy", False)
    monkeypatch.setattr(_formats.pkgutil, "iter_modules", lambda path: [*found, info])
    formats.cache_clear()
    yield
    formats.cache_clear()


LABELS = data_io.read_labels(b"id,labels\np1,a;b\np2,b\np3,a\n", layout="list")


@pytest.fixture(params=["path", "bytes", "file", "gzip"])
def given_as(request, tmp_path):
    """A file in all the ways that readers take it."""

    def give(path):
        data = path.read_bytes()
        if request.param == "bytes":
            return data
        if request.param == "file":
            return io.BytesIO(data)
        if request.param == "gzip":
            packed = tmp_path / f"{path.name}.gz"
            packed.write_bytes(gzip.compress(data))
            return packed
        return path

    return give


def test_labels(tmp_path, given_as):
    data_io.write_labels(tmp_path / "y.toy", LABELS)
    labels = data_io.read_labels(given_as(tmp_path / "y.toy"))
    assert labels.index.tolist() == ["p1", "p2", "p3"]
    assert labels.classes.tolist() == ["a", "b"]
    assert labels.toarray().tolist() == LABELS.toarray().tolist()


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_scores(tmp_path, given_as, form):
    matrix = np.array([[0.5, 1.0], [0.25, 2.0], [1.5, 0.75]])
    data_io.write_scores(tmp_path / "s.toy", Scores(form(matrix), LABELS.classes, LABELS.index))
    scores = data_io.read_scores(given_as(tmp_path / "s.toy"), LABELS)
    values = scores.matrix.toarray() if sp.issparse(scores.matrix) else scores.matrix
    assert values.tolist() == matrix.tolist()


def test_folds(tmp_path, given_as):
    data_io.write_folds(tmp_path / "f.toy", [0, 1, 0], labels=LABELS, seed=3)
    folds = data_io.read_folds(given_as(tmp_path / "f.toy"), LABELS)
    assert folds.folds.tolist() == [0, 1, 0]
    assert folds.provenance["seed"] == 3


def test_pairs_groups_and_pair_folds(tmp_path, given_as):
    path = tmp_path / "t.toy"
    table = RawTable({"a": np.array(["x", "y"]), "b": np.array(["y", "z"]), "y": np.array([0, 1])})
    write_raw(path, output_format(path), table)
    pairs = data_io.read_pairs(given_as(path))
    assert pairs.pairs.tolist() == [["x", "y"], ["y", "z"]]
    assert pairs.y.tolist() == [0, 1]
    columns = {"id": np.array(["p1", "p2"]), "group": np.array(["g", "h"])}
    write_raw(path, output_format(path), RawTable(columns))
    groups = read_column(given_as(path), ("group",), "the groups")
    assert groups.by_name(["p2", "p1"]) == {"p2": "h", "p1": "g"}
    write_pair_folds(path, pairs, [([0], [1])])
    ((train, test),) = read_pair_folds(given_as(path), pairs).values()
    assert (train.tolist(), test.tolist()) == ([0], [1])


def test_it_is_known_wherever_formats_are_named(tmp_path):
    (tmp_path / "x.bin").write_bytes(b"\0\1\2\3")
    with pytest.raises(InputError, match=r"format is not known.*Known: .*toy"):
        data_io.read_labels(tmp_path / "x.bin")
    with pytest.raises(ValueError, match="toy"):
        data_io.read_labels(tmp_path / "x.bin", "nothing")
    with pytest.raises(ValueError, match="toy"):
        data_io.write_labels(tmp_path / "x.unknown", LABELS)
