"""Whatever goes wrong: one clear error, nothing half-written, no temporary files."""

import errno
import pickle
import tempfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.distributed import test_pairs, test_rank
from tests.distributed.data import ids_of, labels, table, write
from trueval import InputError
from trueval.distributed import _engine, _output, audit, decide, pairs, quality, rank, split

pytestmark = [
    pytest.mark.filterwarnings("ignore::trueval.RareClassWarning"),
    pytest.mark.filterwarnings("ignore::trueval.rank.OneClassWarning"),
]
Y = labels(200, 12)


def rows(folder, out):
    return write(folder, table(Y), 4), {"parts": 4, "out": out, "blocks": 3, "core": 90}


def grouped(folder, out):
    data, options = rows(folder, out)
    groups = pa.table({"row": ids_of(len(Y)), "group": np.arange(len(Y)) % 60})
    pq.write_table(groups, folder.parent / "groups.parquet")
    return data, options | {"groups": folder.parent / "groups.parquet"}


def folds(folder, out):
    data, _ = rows(folder, out)
    path = folder.parent / "folds.parquet"
    pq.write_table(pa.table({"row": ids_of(len(Y)), "fold": np.arange(len(Y)) % 4}), path)
    return data, {"folds": path}


def scored(folder, out):
    files = test_rank.write(folder, *test_rank.data(), n_files=4)
    return files.pop("scores"), files | {"out": out}


def decided(folder, out):
    data, options = scored(folder, out)
    return data, options | {"beta": 1.0}


def paired(folder, out):
    return test_pairs.write(folder, test_pairs.table(), 4), {"out": out}


def audited(folder, out):
    roles = pa.array(["train", "test"] * (test_pairs.N // 2))
    records = test_pairs.table().append_column("role", roles)
    return test_pairs.write(folder, records, 4), {"split": "role"}


VERBS = {
    "split": (split, rows),
    "groups": (split, grouped),
    "quality": (quality, folds),
    "rank": (rank, scored),
    "decide": (decide, decided),
    "pairs": (pairs, paired),
    "audit": (audit, audited),
}


@pytest.fixture(params=VERBS)
def call(request, tmp_path, monkeypatch):
    """A call, its data, and a check that it left nothing."""
    for name in ("results", "scratch"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    verb, build = VERBS[request.param]
    data, options = build(tmp_path / "data", tmp_path / "results" / "out.parquet")

    def refused(error, match):
        with pytest.raises(error, match=match):
            verb(data, **options)
        assert list((tmp_path / "results").iterdir()) == []
        assert list((tmp_path / "scratch").iterdir()) == []

    return data, refused


def test_an_unreadable_file_among_many(call):
    data, refused = call
    file = sorted(data.glob("*.parquet"))[2]
    damaged = bytearray(file.read_bytes())
    damaged[4:120] = bytes(116)
    file.write_bytes(damaged)
    refused(InputError, rf"{file.name}: cannot be read as Parquet")
    file.write_bytes(b"nothing")
    refused(InputError, rf"{file.name}: cannot be read as Parquet")


def test_a_missing_column_in_one_file(call):
    data, refused = call
    file = sorted(data.glob("*.parquet"))[2]
    first, *others = pq.read_table(file).column_names
    pq.write_table(pq.read_table(file).select(others), file)
    refused(InputError, rf"{file.name}: there is no column '{first}', which other files have")


@pytest.mark.parametrize("write_number", [1, 2])
def test_a_full_disk_in_the_shuffle(call, monkeypatch, write_number):
    _, refused = call
    written = []

    def dump(value, file, **options):
        written.append(value)
        if len(written) >= write_number:
            raise OSError(errno.ENOSPC, "No space left on device")
        file.write(pickle.dumps(value))

    monkeypatch.setattr(_engine.pickle, "dump", dump)
    refused(OSError, "No space left.*Nothing was written")


@pytest.mark.parametrize("call", sorted(set(VERBS) - {"quality", "audit"}), indirect=True)
def test_a_full_disk_at_the_result(call, monkeypatch):
    _, refused = call

    class Full:
        def __init__(self, *values, **options):
            pass

        def write_table(self, table):
            raise OSError(errno.ENOSPC, "No space left on device")

    parquet = _output.arrow(".parquet")
    monkeypatch.setattr(parquet, "ParquetWriter", Full)
    refused(OSError, "No space left")


def test_ctrl_c(call, monkeypatch):
    _, refused = call

    def interrupt(*values):
        raise KeyboardInterrupt

    monkeypatch.setattr(_engine.pickle, "load", interrupt)
    refused(KeyboardInterrupt, None)


@pytest.mark.parametrize("name", ["value", "present", "y", "qualifier"])
def test_a_column_that_says_which_records_are_positives(tmp_path, name):
    values = ["NOT", "enables"] if name == "qualifier" else [0, 1]
    records = pa.table({"row": ["p", "q"], "class": ["a", "b"], name: values})
    pq.write_table(records, tmp_path / "y.parquet")
    with pytest.raises(InputError, match=f"'{name}' may say which records are positives"):
        split(tmp_path / "y.parquet", 2, out=tmp_path / "f.parquet")
    # Beside lists, or of another type, it means something else.
    for columns in (
        {"class": [["a"], ["b"]], name: values},
        {"class": ["a", "b"], name: ["x"] * 2},
    ):
        if name == "qualifier" and columns["class"] == ["a", "b"]:
            continue
        pq.write_table(pa.table({"row": ["p", "q"], **columns}), tmp_path / "y.parquet")
        assert split(tmp_path / "y.parquet", 2, out=tmp_path / "f.parquet").n_rows == 2


def test_lists_that_are_rows_of_a_matrix(tmp_path):
    for rows in ([[1, 0, 0], [0, 1, 1]], [[0, 0, 0], [1, 1, 1]]):
        pq.write_table(pa.table({"row": ["p", "q"], "class": rows}), tmp_path / "y.parquet")
        with pytest.raises(InputError, match="have 0 or 1 twice, as rows of a 0/1 matrix"):
            split(tmp_path / "y.parquet", 2, out=tmp_path / "f.parquet")
    pq.write_table(pa.table({"row": ["p", "q"], "class": [[1, 0], [0]]}), tmp_path / "y.parquet")
    split(tmp_path / "y.parquet", 2, out=tmp_path / "f.parquet")


def test_a_file_that_is_written_again_between_two_passes(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    data, options = rows(tmp_path / "data", tmp_path / "out.parquet")
    file = sorted(data.glob("*.parquet"))[2]
    steps = []

    def again(done, total):
        if not steps:
            pq.write_table(pq.read_table(file).slice(1), file)
        steps.append(done)

    with pytest.raises(InputError, match=rf"{file.name}: the data changed while they were read"):
        split(data, **options, progress=again)
    assert not (tmp_path / "out.parquet").exists()


def write_lists(path, **columns):
    pq.write_table(pa.table(columns), path)
    return path


def test_scores_are_compared_with_classes_row_by_row(tmp_path):
    n = 8
    classes = [["a"] if i % 2 else [] for i in range(n)]
    labels_ = write_lists(tmp_path / "l.parquet", row=range(n), **{"class": classes})
    # As many scores as classes in all: every score but the first would move by one row.
    scores = write_lists(
        tmp_path / "s.parquet",
        row=range(n),
        **{"class": [[]] + [["a"]] * (n - 1)},
        score=[[9.0]] + [[float(i)] for i in range(1, n - 1)] + [[]],
    )
    folds_ = write_lists(tmp_path / "f.parquet", row=range(n), fold=[0, 1] * (n // 2))
    with pytest.raises(InputError, match="the row 0 has 0 classes but 1 scores"):
        rank(scores, labels_, folds=folds_, out=tmp_path / "v.parquet")


@pytest.mark.parametrize(
    ("fold", "type_"),
    [([[0, 1], [], [0], [1]], "list<.*>"), (["0", "1", "0", "1"], "string")],
)
def test_folds_that_are_not_one_number_for_each_row(tmp_path, fold, type_):
    data = write_lists(tmp_path / "d.parquet", row=range(4), **{"class": list("abab")})
    folds_ = write_lists(tmp_path / "f.parquet", row=range(4), fold=fold)
    with pytest.raises(InputError, match=rf"'fold': the column has type {type_}; a row has one"):
        quality(data, folds_)
    of_class = {"class": list("abab"), "score": [1.0] * 4}
    scores = write_lists(tmp_path / "s.parquet", row=range(4), **of_class)
    with pytest.raises(InputError, match="a row has one fold"):
        rank(scores, data, folds=folds_, out=tmp_path / "v.parquet")
