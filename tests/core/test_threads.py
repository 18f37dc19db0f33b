"""Threads of this process under every backend of joblib, and Ctrl-C inside of kernels."""

import os
import signal
import subprocess
import sys

import joblib
import numpy as np
import pytest
import scipy.sparse as sp

from trueval import stratified_folds
from trueval.core.threads import n_workers, threads, workers
from trueval.rank import OneClassWarning, _hierarchy, _sample, make_consistent, make_ranker

BACKENDS = ["loky", "multiprocessing", "threading"]


@pytest.fixture(params=BACKENDS)
def backend(request):
    with joblib.parallel_config(backend=request.param, n_jobs=2):
        yield


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_work_writes_into_shared_arrays(backend, n_jobs):
    out = np.zeros(9)
    threads(n_jobs)(joblib.delayed(out.__setitem__)(k, k) for k in range(9))
    assert out.tolist() == list(range(9))


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_values_are_made_consistent(backend, n_jobs):
    """A child above its parent: the two meet in the middle."""
    values = np.array([[0.2, 0.6, 0.1]] * 4)
    consistent = make_consistent(values, {1: 0, 2: 0}, n_jobs=n_jobs)
    assert consistent == pytest.approx(np.array([[0.4, 0.4, 0.1]] * 4))


@pytest.mark.parametrize("name", ["calibrated", "lpr", "isotonic", "ltdr"])
def test_rankers_know_absent_objects_and_single_classes(backend, name):
    """Half of the objects have no score; 5 of these 50 are positives, of the last class none is."""
    rng = np.random.default_rng(0)
    scores = np.zeros((100, 3))
    scores[:50] = 1.0 + rng.random((50, 3))
    y = np.zeros((100, 3), int)
    y[:50] = rng.random((50, 3)) < scores[:50] - 1.0
    y[50:55] = 1
    y[:, 2] = 0
    ranker = make_ranker(name, n_jobs=2)
    with pytest.warns(OneClassWarning):
        ranker.fit(sp.csr_array(scores), y)
    assert ranker.absent_values_[:2] == pytest.approx(0.1)


def test_numbers_of_workers():
    cpus = joblib.cpu_count()
    assert n_workers(None) == n_workers(1) == 1
    assert n_workers(-1) == cpus
    assert n_workers(-(10**9)) == 1
    assert n_workers(2) == 2
    assert n_workers(2, n_tasks=1) == n_workers(10**9, n_tasks=0) == 1
    assert n_workers(10**9, n_tasks=3) == 3
    assert n_workers(20200101) == n_workers(2**31) == 4 * cpus


@pytest.mark.parametrize("kind", [threads, workers])
@pytest.mark.parametrize("n_jobs", [5000, 100_000, 20200101])
def test_no_more_workers_than_are_of_use(kind, n_jobs):
    """Joblib itself starts each of them, or ends in an error of its own."""
    assert kind(n_jobs).n_jobs == 4 * joblib.cpu_count()
    assert kind(n_jobs, 2).n_jobs == 2
    with joblib.parallel_config(backend="threading"):
        assert kind(n_jobs, 3)(joblib.delayed(abs)(-k) for k in range(3)) == [0, 1, 2]


@pytest.mark.parametrize("backend_name", BACKENDS)
@pytest.mark.parametrize("kind", [threads, workers])
def test_without_a_number_the_one_set_around_the_call_counts(kind, backend_name):
    """Up to the most that are of use; joblib itself drops it for threads under another backend."""
    with joblib.parallel_config(backend=backend_name, n_jobs=4):
        assert kind(None).n_jobs == n_workers(None) == 4
        assert kind(None, 2).n_jobs == 2
    with joblib.parallel_config(backend=backend_name, n_jobs=500):
        assert kind(None).n_jobs == n_workers(None) == 4 * joblib.cpu_count()


def test_results_do_not_depend_on_an_odd_number_of_threads():
    rng = np.random.default_rng(0)
    y = rng.random((80, 70)) < 0.3
    scores = y + rng.normal(size=y.shape)
    expected = make_ranker("isotonic").fit(scores, y).transform(scores)
    values = make_ranker("isotonic", n_jobs=5000).fit(scores, y).transform(scores)
    assert np.array_equal(values, expected)
    with joblib.parallel_config(backend="loky", n_jobs=3):
        values = make_ranker("isotonic").fit(scores, y).transform(scores)
    assert np.array_equal(values, expected)


@pytest.mark.parametrize("backend_name", BACKENDS)
def test_rankers_and_hierarchies_take_the_number_set_around_the_call(backend_name, monkeypatch):
    """Without such a setting, one: a ranker starts none, and rows are in one chunk."""
    started = []

    def noted(n_jobs, n_tasks, **options):
        started.append(n_tasks)
        return threads(n_jobs, n_tasks, **options)

    for module in (_sample, _hierarchy):
        monkeypatch.setattr(module, "threads", noted)
    rng = np.random.default_rng(0)
    y = rng.random((80, 3)) < 0.3
    scores = y + rng.random(y.shape)
    expected = make_ranker("isotonic").fit(scores, y).transform(scores)
    consistent = make_consistent(expected, {1: 0, 2: 0})
    assert started == [1]
    with joblib.parallel_config(backend=backend_name, n_jobs=4):
        values = make_ranker("isotonic").fit(scores, y).transform(scores)
        assert np.array_equal(values, expected)
        assert np.array_equal(make_consistent(values, {1: 0, 2: 0}), consistent)
    assert set(started[1:]) == {3, 64}  # chunks of classes and of rows


def test_folds_do_not_depend_on_an_odd_number_of_threads():
    y = np.random.default_rng(0).random((80, 70)) < 0.3
    one, many = (
        stratified_folds(y.astype(int), 4, random_state=0, n_jobs=n_jobs) for n_jobs in (1, 5000)
    )
    assert np.array_equal(one, many)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize(
    "call",
    [
        "cross_val_scores_knn(objects, pairs, y, ObjectLeaveTwoOut())",
        "cross_val_scores_ridge(rng.normal(size=(len(y), 60)), pairs, y, ObjectLeaveTwoOut())",
    ],
    ids=["knn", "ridge"],
)
def test_interrupts_end_kernels(call):
    """The kernel alone would need more than ten times the wait."""
    code = f"""
import numpy as np
from trueval.pairs import *
rng = np.random.default_rng(0)
objects = rng.normal(size=(700, 20))
pairs = np.array([(i, j) for i in range(700) for j in range(i)])[:120_000]
y = rng.integers(0, 2, len(pairs))
print("ready", flush=True)
{call}
"""
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        assert process.stdout.readline() == "ready\n"
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=1.5)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    assert errors.splitlines()[-1] == "KeyboardInterrupt"
