"""The same folds on a cluster: any number of workers, any partitions, workers that die."""

import contextlib
import os
import signal
import sys
import threading
import time
import warnings
from concurrent.futures import CancelledError

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

from tests.distributed import test_pairs, test_rank
from tests.distributed.data import labels, long, table, write
from trueval import InputError, ParameterError
from trueval.distributed import _scored, audit, decide, pairs, quality, rank, split
from trueval.distributed._dask import Dask
from trueval.distributed._interrupt import Interrupts

cloudpickle = pytest.importorskip("cloudpickle")
dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
dataframe = pytest.importorskip("dask.dataframe")

pytestmark = [
    pytest.mark.filterwarnings("ignore::trueval.RareClassWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
Y = labels(300, 20)
MANY = {"blocks": 4, "core": 150, "random_state": 3}
#: One function of each stage.
STAGES = (
    "count",
    "_cut",
    "_join",
    "_deal",
    "core_piece",
    "_core",
    "_fill",
    "_chain",
    "_fold_table",
)


@pytest.fixture(scope="module")
def cluster():
    local = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, memory_limit="1GB"
    )
    yield local
    # Distributed may hear twice that a worker is gone, and then stumbles in the last line of
    # close, when scheduler and workers are closed already.
    with contextlib.suppress(KeyError):
        local.close()
    local.status = distributed.Status.closed


@pytest.fixture(scope="module")
def client(cluster):
    with distributed.Client(cluster) as connected:
        yield connected


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dask")
    records = table(Y)
    write(folder / "lists", records, 3, row_group_size=29)
    write(folder / "pairs", long(records), 2)
    split(folder / "lists", 5, out=folder / "stream.parquet", **MANY)
    return folder


def folds(path):
    return pq.read_table(path)


def test_the_folds_of_the_stream(client, cluster, stored, tmp_path):
    expected = folds(stored / "stream.parquet")
    out = tmp_path / "f.parquet"
    for n_workers in (1, 2, 4):
        cluster.scale(n_workers)
        client.wait_for_workers(n_workers)
        result = split(stored / "lists", 5, out=out, engine="dask", client=client, **MANY)
        assert folds(out).equals(expected)
        assert result.sizes.tolist() == [60] * 5
    split(stored / "pairs", 5, out=out, engine="dask", client=client, **MANY)
    assert folds(out).equals(expected)
    measured = quality(stored / "lists", out, engine="dask", client=client)
    assert measured.rld == pytest.approx(result.rld)


def test_groups(client, stored, tmp_path):
    groups = pq.read_table(stored / "lists", columns=["row"])
    groups = groups.append_column("group", [[number % 70 for number in range(len(groups))]])
    write(tmp_path / "groups", groups, 3)
    frame = dataframe.from_pandas(groups.to_pandas(), npartitions=4)
    tables = []
    for of_rows, carrier in (
        (tmp_path / "groups", {}),
        (tmp_path / "groups", {"engine": "dask", "client": client}),
        (frame, {"engine": "dask", "client": client}),
    ):
        out = tmp_path / "f.parquet"
        split(stored / "lists", 5, out=out, groups=of_rows, **carrier, **MANY)
        tables.append(folds(out))
    assert tables[1].equals(tables[0])
    assert tables[2].equals(tables[0])


@pytest.mark.filterwarnings("ignore::trueval.rank.OneClassWarning")
def test_rank_and_decide(client, tmp_path, monkeypatch):
    monkeypatch.setattr(_scored, "_BUCKET", 500)
    files = test_rank.write(tmp_path, *test_rank.data(0.6), n_files=3)
    results = []
    for carrier in ({}, {"engine": "dask", "client": client}):
        ranked = rank(**files, **carrier)
        values = folds(files["out"])
        choice = decide(**files, beta=1.0, **carrier)
        results.append((ranked.average_precision, choice.message, values, folds(files["out"])))
    assert results[1][:2] == results[0][:2]
    assert results[1][2].equals(results[0][2])
    assert results[1][3].equals(results[0][3])


def test_pairs_and_audit(client, tmp_path):
    data = test_pairs.write(tmp_path / "data", test_pairs.table())
    out, carrier = tmp_path / "f.parquet", {"engine": "dask", "client": client}
    pairs(data, 4, out=out, random_state=0)
    expected, audited = folds(out), audit(out, split="fold_1")
    pairs(data, 4, out=out, random_state=0, **carrier)
    assert folds(out).equals(expected)
    assert str(audit(out, split="fold_1", **carrier)) == str(audited)


@pytest.mark.parametrize("layout", ["lists", "pairs"])
def test_frames(client, stored, tmp_path, layout):
    records = pq.read_table(stored / layout).to_pandas()
    with dask.config.set({"dataframe.convert-string": False}):
        frame = dataframe.from_pandas(records, npartitions=7)
    split(frame, 5, out=tmp_path / "f.parquet", engine="dask", client=client, **MANY)
    assert folds(tmp_path / "f.parquet").equals(folds(stored / "stream.parquet"))


def test_arrays_with_sparse_chunks(client, tmp_path):
    array = pytest.importorskip("dask.array")
    lists = [np.flatnonzero(row).tolist() for row in Y]
    write(tmp_path / "d", pa.table({"row": range(len(Y)), "class": lists}))
    split(tmp_path / "d", 5, out=tmp_path / "stream.parquet", **MANY)
    dense = array.from_array(Y, chunks=(70, -1))
    carrier = {"engine": "dask", "client": client}
    for source in (dense, dense.map_blocks(sp.csr_array)):
        result = split(source, 5, out=tmp_path / "f.parquet", **carrier, **MANY)
        assert folds(tmp_path / "f.parquet").equals(folds(tmp_path / "stream.parquet"))
        assert quality(source, tmp_path / "f.parquet", **carrier).rld == result.rld
    with pytest.raises(InputError, match="all classes in each"):
        split(dense.rechunk((70, 5)), 5, out=tmp_path / "g.parquet", **carrier)


def test_where_an_error_is(client, tmp_path):
    array = pytest.importorskip("dask.array")
    bad = Y.copy()
    bad[150, 3] = 2
    carrier = {"out": tmp_path / "f.parquet", "engine": "dask", "client": client}
    with pytest.raises(InputError, match="row 150, column 3: y has a value other than 0 and 1"):
        split(array.from_array(bad, chunks=(70, -1)), 5, **carrier)
    frame = table(Y).to_pandas()
    with dask.config.set({"dataframe.convert-string": False}):
        with pytest.raises(InputError, match=r"'row' is the index.*reset_index"):
            split(dataframe.from_pandas(frame.set_index("row"), npartitions=2), 5, **carrier)
        frame.loc[200, "row"] = None
        with pytest.raises(InputError, match="the frame, column 'row': a row id is missing"):
            split(dataframe.from_pandas(frame, npartitions=3), 5, **carrier)


def test_lists_that_dask_turned_into_text(client, stored, tmp_path):
    frame = dataframe.from_pandas(pq.read_table(stored / "lists").to_pandas(), npartitions=2)
    with pytest.raises(InputError, match="turned into text"):
        split(frame, 5, out=tmp_path / "f.parquet", engine="dask", client=client)


def test_errors_are_those_of_the_stream(client, stored, tmp_path):
    records = table(Y)
    write(tmp_path / "d", records)
    pq.write_table(records.slice(5, 1), tmp_path / "d" / "z.parquet")
    with pytest.raises(InputError, match=f"row id {records['row'][5].as_py()!r} occurs 2 times"):
        split(tmp_path / "d", 5, out=tmp_path / "f.parquet", engine="dask", client=client, **MANY)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["d"]
    with pytest.raises(ParameterError, match=r"distributed\.Client"):
        split(stored / "lists", 5, out=tmp_path / "f.parquet", engine="dask", client="tcp://x")


def die_once(mark, function, *values):
    """Kill the worker the first time, before the work is done."""
    try:
        os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return function(*values)
    os._exit(1)


def test_a_worker_dies_in_every_stage(client, stored, tmp_path, monkeypatch):
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    submit = Dask._submit

    def deadly(self, function, *values):
        name = getattr(getattr(function, "func", function), "__name__", "")
        if name in STAGES:
            return submit(self, die_once, str(tmp_path / name), function, *values)
        return submit(self, function, *values)

    monkeypatch.setattr(Dask, "_submit", deadly)
    out = tmp_path / "f.parquet"
    split(stored / "lists", 5, out=out, engine="dask", client=client, **MANY)
    assert {path.name for path in tmp_path.iterdir()} >= set(STAGES)
    assert folds(out).equals(folds(stored / "stream.parquet"))


@pytest.mark.parametrize(
    ("error", "problem"),
    [
        (distributed.KilledWorker("deal", None, 3), "most likely for lack of memory"),
        (CancelledError("deal cancelled"), "the Dask cluster gave up: deal cancelled"),
    ],
)
def test_a_cluster_that_gives_up(error, problem):
    class Future:
        def result(self):
            raise error

    with pytest.raises(InputError, match=problem):
        list(Dask(None, None).values([Future()]))


def test_a_cluster_that_cannot_start(stored, tmp_path, monkeypatch):
    def refuse(**options):
        raise RuntimeError("Nanny failed to start.")

    monkeypatch.setattr(distributed, "LocalCluster", refuse)
    with pytest.raises(InputError, match=r"on this machine: Nanny failed to start\. Try again"):
        split(stored / "lists", 5, out=tmp_path / "f.parquet", engine="dask")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def ctrl_c_interrupts():
    """As in a terminal; a shell starts background jobs with Ctrl-C ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_two_clusters_at_once_are_no_warning():
    """Dask warns where its usual port is in use."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with Dask(None, None), Dask(None, None) as second:
            assert second is not None


@pytest.mark.usefixtures("ctrl_c_interrupts")
def test_ctrl_c_waits_for_a_cluster_to_start(stored, tmp_path, monkeypatch):
    """It is closed again, and its processes never saw the signal."""
    closed, masks = [], []

    class Cluster:
        def __init__(self, **options):
            os.kill(os.getpid(), signal.SIGINT)
            masks.append(signal.pthread_sigmask(signal.SIG_BLOCK, ()))
            threading.Thread(
                target=lambda: masks.append(signal.pthread_sigmask(signal.SIG_BLOCK, ()))
            ).start()

        def close(self):
            closed.append("cluster")

    class Client:
        def __init__(self, cluster):
            pass

        def close(self):
            closed.append("client")

    monkeypatch.setattr(distributed, "LocalCluster", Cluster)
    monkeypatch.setattr(distributed, "Client", Client)
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        split(stored / "lists", 5, out=tmp_path / "f.parquet", engine="dask")
    assert closed == ["client", "cluster"]
    assert all(signal.SIGINT in mask for mask in masks)
    assert signal.getsignal(signal.SIGINT) is before
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("ctrl_c_interrupts")
def test_a_ctrl_c_that_a_finalizer_dropped_is_raised_later(monkeypatch):
    class Dropping:
        def __del__(self):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(1)

    class Failing:
        def __del__(self):
            raise ValueError("of something else")

    printed = []
    monkeypatch.setattr(sys, "unraisablehook", lambda dropped: printed.append(dropped.exc_type))
    with Interrupts() as interrupts:
        interrupts.check()
        dropping, failing = Dropping(), Failing()
        del dropping
        assert printed == []
        with pytest.raises(KeyboardInterrupt):
            interrupts.check()
        del failing
    assert printed == [ValueError]
