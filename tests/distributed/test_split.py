"""Splits of Parquet datasets: right, and the same however the rows are stored."""

import errno
import json
import pickle
import re
from unittest.mock import Mock

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import trueval
from tests.distributed.data import folds_of, ids_of, labels, long, table, write
from trueval import InputError, split_quality, stratified_folds
from trueval.distributed import _engine, _stages, quality, split

pytestmark = pytest.mark.filterwarnings("ignore::trueval.RareClassWarning")
Y = labels()
MANY = {"blocks": 5, "core": 300, "random_state": 3}


def left_in(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def dataset(tmp_path):
    return write(tmp_path / "data", table(Y), 3)


@pytest.mark.parametrize("blocks", [1, 3, 16])
@pytest.mark.parametrize("parts", [4, [0.7, 0.2, 0.1]])
def test_quality_is_that_of_the_folds_written(dataset, tmp_path, blocks, parts):
    out = tmp_path / "folds.parquet"
    result = split(dataset, parts, out=out, blocks=blocks, core=300, random_state=0)
    folds = folds_of(out)
    assert sorted(folds) == sorted(ids_of(len(Y)))
    numbers = [folds[name] for name in ids_of(len(Y))]
    direct = split_quality(Y, numbers, parts=parts)
    assert result.rld_wanted == pytest.approx(direct.rld_wanted, abs=1e-12)
    assert result.rld_bound == pytest.approx(direct.rld_bound, abs=1e-12)
    assert result.sizes.tolist() == direct.sizes.tolist()
    assert abs(result.sizes - direct.wanted_sizes).max() <= 1
    again = quality(dataset, out, parts=parts)
    assert again.rld_wanted == pytest.approx(direct.rld_wanted, abs=1e-12)
    assert again.sizes.tolist() == direct.sizes.tolist()


@pytest.mark.parametrize("blocks", [1, 8])
def test_folds_are_near_those_of_one_search(dataset, tmp_path, blocks):
    one = split_quality(Y, stratified_folds(Y, 5, random_state=0)).rld_wanted
    worst = split_quality(Y, stratified_folds(Y, 5, method="random", random_state=0)).rld_wanted
    result = split(dataset, 5, out=tmp_path / "f.parquet", blocks=blocks, core=500, random_state=0)
    assert result.rld_wanted <= one + 0.1 * (worst - one)


@pytest.mark.parametrize("text", [True, False])
def test_storage_decides_nothing(tmp_path, text):
    records = table(Y, text)
    order = np.random.default_rng(0).permutation(len(Y))
    write(tmp_path / "one", records)
    write(tmp_path / "many", records, 7, order, row_group_size=13)
    write(tmp_path / "long", long(records), 2)
    write(
        tmp_path / "mixed",
        long(records),
        5,
        np.random.default_rng(1).permutation(len(long(records))),
    )
    files = {}
    for name in ("one", "many", "long", "mixed"):
        split(tmp_path / name, 5, out=tmp_path / f"{name}.parquet", **MANY)
        files[name] = pq.read_table(tmp_path / f"{name}.parquet")
    for other in files.values():
        assert other.equals(files["one"])


def test_the_seed_and_the_blocks_decide(dataset, tmp_path):
    out = tmp_path / "f.parquet"
    folds = []
    for options in ({}, {"random_state": 4}, {"blocks": 6}):
        split(dataset, 5, out=out, **(MANY | options))
        folds.append(folds_of(out))
    assert folds[0] != folds[1]
    assert folds[0] != folds[2]


def test_a_repeated_class_counts_once(tmp_path):
    lists = [["a", "a", "b"], ["b"], ["a"], ["b", "a"], [], None] * 5
    records = pa.table({"row": range(30), "class": pa.array(lists)})
    result = split(write(tmp_path / "d", records), 2, out=tmp_path / "f.parquet", random_state=0)
    assert dict(zip(result.per_class["class"], result.per_class["size"], strict=True)) == {
        "a": 15,
        "b": 15,
    }
    assert result.sizes.tolist() == [15, 15]


def test_columns_by_name(tmp_path):
    data = write(tmp_path / "d", table(Y, names=("protein", "terms")))
    with pytest.raises(InputError, match=r"no column 'row'.*'protein', 'terms'.*row="):
        split(data, 5, out=tmp_path / "f.parquet")
    named = split(data, 5, out=tmp_path / "f.parquet", row="protein", classes="terms", **MANY)
    default = split(data, 5, out=tmp_path / "f.parquet", row="protein", **MANY)
    assert named.rld == default.rld


def test_provenance_lies_beside(dataset, tmp_path):
    out = tmp_path / "folds.parquet"
    split(dataset, 5, out=out, **MANY)
    facts = json.loads((tmp_path / "folds.parquet.json").read_text())
    assert facts["seed"] == 3
    assert facts["rows"] == len(Y)
    assert facts["parameters"] == {"parts": 5, "blocks": 5, "core": 300, "engine": "stream"}
    stored = trueval.data.read_folds(out)
    assert stored.provenance["seed"] == 3
    assert dict(zip(stored.index.tolist(), stored.folds.tolist(), strict=True)) == folds_of(out)
    assert left_in(tmp_path) == ["data", "folds.parquet", "folds.parquet.json"]


def test_memory_below_the_usual_makes_more_blocks(dataset, tmp_path):
    out = tmp_path / "folds.parquet"
    for memory, blocks in (("4G", 1), ("134.3M", None)):
        split(dataset, 5, out=out, memory=memory, random_state=0)
        n_blocks = json.loads((tmp_path / "folds.parquet.json").read_text())["parameters"]["blocks"]
        assert n_blocks == blocks if blocks else n_blocks > 1
    with pytest.raises(InputError, match="too little"):
        split(dataset, 5, out=out, memory="100M")


# --- what cannot be split ------------------------------------------------------------------------


def refused(tmp_path, data, problem, error=InputError, **options):
    """An error, and nothing left of the attempt."""
    (tmp_path / "results").mkdir(exist_ok=True)
    out = tmp_path / "results" / "folds.parquet"
    with pytest.raises(error, match=problem):
        split(data, 5, out=out, **(MANY | options))
    assert left_in(tmp_path / "results") == []


@pytest.mark.parametrize("text", [True, False])
def test_repeated_ids(tmp_path, text):
    records = table(Y, text)
    other = records.slice(17, 1).set_column(1, "class", pa.array([["c1", "c2"]]))
    data = write(tmp_path / "d", pa.concat_tables([records, other]), 2)
    refused(tmp_path, data, f"row id {records['row'][17].as_py()!r} occurs 2 times")


def test_a_file_that_is_no_parquet(dataset, tmp_path):
    (dataset / "part-1.parquet").write_bytes(b"PAR1 but nothing else")
    refused(tmp_path, dataset, r"part-1\.parquet: cannot be read as Parquet")


def test_a_file_that_is_damaged_inside(dataset, tmp_path):
    file = dataset / "part-2.parquet"
    data = bytearray(file.read_bytes())
    data[4:200] = bytes(196)
    file.write_bytes(data)
    refused(tmp_path, dataset, r"part-2\.parquet: cannot be read as Parquet")


def test_files_of_other_columns_or_types(tmp_path):
    data = write(tmp_path / "d", table(Y))
    pq.write_table(table(Y[:3], text=False), data / "z.parquet")
    refused(tmp_path, data, "whole numbers and lists of text here, but text and lists of text in")
    pq.write_table(pa.table({"row": ["x"], "label": [["a"]]}), data / "z.parquet")
    refused(tmp_path, data, "z.parquet: there is no column 'class', which other files have")


def test_missing_values_and_odd_types(tmp_path):
    cases = {
        "a row id is missing": {"row": ["a", None, "c"] * 4, "class": [["x"], ["y"], ["x"]] * 4},
        "missing class": {"row": list("abcdefghijkl"), "class": [["x"], [None], ["x"]] * 4},
        "type double": {"row": np.arange(12) / 2, "class": [["x"], ["y"], ["x"]] * 4},
        "no row has a class": {
            "row": range(12),
            "class": pa.array([[]] * 12, pa.list_(pa.int32())),
        },
    }
    for number, (problem, columns) in enumerate(cases.items()):
        refused(tmp_path, write(tmp_path / f"d{number}", pa.table(columns)), problem)


def test_the_row_of_an_error_is_that_of_the_file(tmp_path):
    rows = pa.table({"row": [*range(25), None, 26], "class": [["x"], ["y"], ["z"]] * 9})
    data = write(tmp_path / "d", rows, row_group_size=10)
    refused(tmp_path, data, r"part-0\.parquet, row 25, column 'row': a row id is missing")


def test_numbers_that_64_bits_do_not_hold(tmp_path):
    ids = pa.array([2**63, *range(11)], pa.uint64())
    data = write(tmp_path / "d", pa.table({"row": ids, "class": [["x"], ["y"], ["x"]] * 4}))
    refused(tmp_path, data, "a number above 9223372036854775807. Write them as text")
    small = write(tmp_path / "e", pa.table({"row": ids.slice(1), "class": [["x"]] * 11}))
    assert split(small, 2, out=tmp_path / "f.parquet").n_rows == 11


def test_lists_of_other_types(tmp_path):
    lists = pa.array([["x", "y"]] * 12, pa.list_(pa.string(), 2))
    data = write(tmp_path / "d", pa.table({"row": range(12), "class": lists}))
    refused(tmp_path, data, "Lists are of type list or large_list")


@pytest.mark.parametrize(
    ("names", "what"),
    [(["a;b", "c", "b"], "';'"), (["a|b", "c", "b"], "'|'"), (["a b", "c"], "spaces"),
     (["x, y", "z"], "a comma")],
)  # fmt: skip
def test_texts_that_may_be_lists(tmp_path, names, what):
    """A file that fits in memory is read as lists, or refused: the same file must not be split
    into other classes because it is streamed."""
    records = pa.table({"row": range(12), "class": (names * 6)[:12]})
    data = write(tmp_path / "d", records)
    refused(tmp_path, data, f"contains {re.escape(what)}: it may be one class .* layout='long'")
    result = split(data, 2, out=tmp_path / "f.parquet", layout="long")
    assert result.n_classes == len(names)
    with pytest.raises(InputError, match="may be one class"):
        quality(data, tmp_path / "f.parquet")
    assert quality(data, tmp_path / "f.parquet", layout="long").rld == result.rld
    with pytest.raises(InputError, match="has one class a record, but layout='list'"):
        split(data, 2, out=tmp_path / "f.parquet", layout="list")


def test_names_with_spaces_where_rows_have_several_records(tmp_path):
    records = pa.table({"row": [0, 0, 1, 2, 2, 3] * 1, "class": ["big cat", "dog", "dog"] * 2})
    assert split(write(tmp_path / "d", records), 2, out=tmp_path / "f.parquet").n_classes == 2


def test_no_data(tmp_path):
    refused(tmp_path, tmp_path / "nowhere", "no such file or folder")
    (tmp_path / "empty").mkdir()
    refused(tmp_path, tmp_path / "empty", "no .parquet files")
    refused(tmp_path, write(tmp_path / "none", table(Y).slice(0, 0)), "there are no rows")


def test_outputs_that_cannot_be(dataset, tmp_path):
    for out, problem in (
        (dataset / "folds.parquet", "among the data"),
        (tmp_path / "folds.csv", "is a Parquet file"),
        (tmp_path / "no" / "folds.parquet", "is not there"),
    ):
        with pytest.raises(InputError, match=problem):
            split(dataset, 5, out=out)
    with pytest.raises(trueval.ParameterError, match="a path or a dask"):
        split(table(Y), 5, out=tmp_path / "folds.parquet")
    with pytest.raises(trueval.ParameterError, match="None for engine 'stream'"):
        split(dataset, 5, out=tmp_path / "folds.parquet", client=Mock(["submit", "gather"]))
    with pytest.raises(trueval.ParameterError, match="engine='dask'"):
        split(Mock(["to_delayed"]), 5, out=tmp_path / "folds.parquet")


@pytest.mark.parametrize("write_number", [1, 4, 20])
def test_a_full_disk(dataset, tmp_path, monkeypatch, write_number):
    written = []

    def dump(value, file, **options):
        written.append(value)
        if len(written) == write_number:
            raise OSError(errno.ENOSPC, "No space left on device")
        file.write(pickle.dumps(value))

    monkeypatch.setattr(_engine.pickle, "dump", dump)
    refused(tmp_path, dataset, "No space left.*Nothing was written", error=OSError)


@pytest.mark.parametrize("stage", ["deal", "core_search", "fill", "chain", "finish_search"])
def test_ctrl_c_leaves_nothing(dataset, tmp_path, monkeypatch, stage):
    def interrupt(*values, **more):
        raise KeyboardInterrupt

    monkeypatch.setattr(_stages, stage, interrupt)
    refused(tmp_path, dataset, None, error=KeyboardInterrupt)


def test_folds_that_do_not_match(dataset, tmp_path):
    ids = ids_of(len(Y))
    cases = {
        "has no fold": (ids[1:], [0, 1] * 300),
        "not in the dataset": ([*ids, "other"], [0, 1] * 301),
        "more than once in the folds": ([*ids, ids[0]], [0, 1] * 301),
        "missing or negative": (ids, [0, -1] * 300),
    }
    for problem, (names, folds) in cases.items():
        pq.write_table(
            pa.table({"row": names, "fold": folds[: len(names)]}), tmp_path / "f.parquet"
        )
        with pytest.raises(InputError, match=problem):
            quality(dataset, tmp_path / "f.parquet")
    pq.write_table(pa.table({"row": ids, "fold": [0, 1, 5] * 200}), tmp_path / "f.parquet")
    with pytest.raises(InputError, match="folds go up to 5, but 3 parts"):
        quality(dataset, tmp_path / "f.parquet", parts=3)
