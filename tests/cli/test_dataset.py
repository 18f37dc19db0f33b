"""``trueval split`` and ``quality`` of Parquet folders and of files too large for memory."""

import json
import os
import signal
import subprocess
import sys
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.distributed.data import folds_of, labels, table, write

pytestmark = pytest.mark.filterwarnings("ignore::trueval.RareClassWarning")


@pytest.fixture
def data(tmp_path):
    return write(tmp_path / "data", table(labels(300, 20)), 3)


def test_a_folder_is_streamed(call, data, tmp_path):
    out = tmp_path / "folds.parquet"
    code, text, errors = call("split", data, "-k", 4, "-o", out, "--seed", 1)
    assert code == 0, errors
    assert "is a folder: --engine stream is used." in errors
    assert "300 rows" in text
    assert len(folds_of(out)) == 300
    code, text, errors = call("quality", data, out, "--json")
    assert code == 0, errors
    assert json.loads(text)["methods"][str(out)]["sizes"] == [75] * 4


def test_groups_of_a_folder(call, data, tmp_path):
    ids = sorted(pq.read_table(data)["row"].to_pylist())
    groups = {name: number % 60 for number, name in enumerate(ids)}
    pq.write_table(
        pa.table({"row": list(groups), "group": list(groups.values())}), tmp_path / "g.parquet"
    )
    out = tmp_path / "folds.parquet"
    code, _, errors = call("split", data, "-k", 4, "-o", out, "--groups", tmp_path / "g.parquet")
    assert code == 0, errors
    folds = folds_of(out)
    assert len({(groups[name], fold) for name, fold in folds.items()}) == 60


def test_a_file_beyond_the_memory_is_streamed(call, data, tmp_path):
    file, out = data / "part-0.parquet", tmp_path / "folds.parquet"
    code, _, errors = call("split", file, "-k", 4, "-o", out, "--memory", "1G")
    assert code == 0, errors
    assert "stream" not in errors
    big = tmp_path / "big.parquet"
    big.write_bytes(b"")  # the reader, not the estimate, says what is wrong
    code, _, errors = call("split", big, "-k", 4, "-o", out)
    assert code == 1
    assert "big.parquet" in errors


def test_the_estimate_decides(data, monkeypatch):
    from trueval import InputWarning
    from trueval.cli import dataset

    file = str(data / "part-0.parquet")
    needed = dataset._needed(file)
    monkeypatch.setattr(dataset, "_free_memory", lambda: needed)
    options = dict.fromkeys(("engine", "memory", "scheduler"))
    assert dataset.Carrier.of(dict(options), file).in_memory
    monkeypatch.setattr(dataset, "_free_memory", lambda: needed - 1)
    with pytest.warns(InputWarning, match=r"needs about 0\.0 GB in memory.*--engine stream"):
        assert dataset.Carrier.of(dict(options), file).engine == "stream"
    other = str(data / "part-1.parquet")
    both = needed + dataset._needed(other)
    monkeypatch.setattr(dataset, "_free_memory", lambda: both)
    assert dataset.Carrier.of(dict(options), file, None, other).in_memory
    monkeypatch.setattr(dataset, "_free_memory", lambda: both - 1)
    with pytest.warns(InputWarning, match=r"0\.parquet and .*1\.parquet need about"):
        assert dataset.Carrier.of(dict(options), file, None, other).engine == "stream"


def test_a_layout_that_must_be_told(call, tmp_path):
    records = pa.table({"row": range(8), "class": ["a;b", "b"] * 4})
    data, out = write(tmp_path / "texts", records), tmp_path / "f.parquet"
    code, _, errors = call("split", data, "-k", 2, "-o", out)
    assert code == 1
    assert "the class 'a;b' contains ';'" in errors
    assert "or pass --layout long" in errors
    for command in (["split", data, "-k", 2, "-o", out], ["quality", data, out]):
        code, text, errors = call(*command, "--layout", "long")
        assert code == 0, errors
        assert "2 classes" in text


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--engine", "stream"], "needs -o FILE.parquet"),
        (["--engine", "stream", "-o", "f.parquet", "--compare", "random"], "--compare does not"),
        (["--engine", "stream", "-o", "f.parquet", "--method", "random"], "--method does not"),
        (["--engine", "stream", "-o", "f.parquet", "--layout", "wide"], "--layout wide does not"),
        (["--engine", "stream", "-o", "f.parquet", "--save", "s.json"], "--save does not"),
        (["--scheduler", "tcp://127.0.0.1:1", "-o", "f.parquet"], "needs --engine dask"),
        (["--memory", "much", "-o", "f.parquet"], "such as '4G'"),
        (["-o", "f.csv"], "is a Parquet file"),
        (["--id-column", "protein", "-o", "f.parquet"], "no column 'protein'"),
    ],
)
def test_what_cannot_be(call, data, tmp_path, monkeypatch, options, problem):
    monkeypatch.chdir(tmp_path)
    code, _, errors = call("split", data, *options)
    assert code in (1, 2)
    assert problem in errors
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_removes_the_temporary_files(tmp_path):
    data = write(tmp_path / "data", table(labels(6000, 60)), 30)
    (tmp_path / "results").mkdir()
    command = [sys.executable, "-m", "trueval", "split", data, "-o", "folds.parquet"]
    process = subprocess.Popen(
        command, cwd=tmp_path / "results", stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    try:
        while process.poll() is None and not list((tmp_path / "results").glob(".*/*")):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=120)
    finally:
        process.kill()
    assert process.returncode == 130, errors
    assert list((tmp_path / "results").iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("moment", ["start", "work"])
def test_ctrl_c_with_a_cluster_says_one_line(tmp_path, moment):
    """A terminal sends it to all processes of the command, workers that start as well."""
    psutil = pytest.importorskip("psutil")
    pytest.importorskip("distributed")
    data = write(tmp_path / "data", table(labels(20_000, 200)), 4)
    (tmp_path / "results").mkdir()
    command = [sys.executable, "-m", "trueval", "split", data, "-k", "5"]
    process = subprocess.Popen(
        [*command, "--engine", "dask", "-o", "folds.parquet"],
        cwd=tmp_path / "results",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        known = psutil.Process(process.pid)
        n_processes = 2 if moment == "start" else 1 + os.cpu_count()  # one follows what they share
        while process.poll() is None and len(known.children(recursive=True)) < n_processes:
            time.sleep(0.01)
        time.sleep(0.1 if moment == "start" else 1.5)
        workers = known.children(recursive=True)
        os.killpg(process.pid, signal.SIGINT)
        text, _ = process.communicate(timeout=120)
    finally:
        process.kill()
    assert process.returncode == 130, text
    assert text.decode().split("\n")[-2:] == ["Interrupted. No file is half-written.", ""]
    assert b"Traceback" not in text
    assert list((tmp_path / "results").iterdir()) == []
    assert psutil.wait_procs(workers, timeout=30)[1] == []
