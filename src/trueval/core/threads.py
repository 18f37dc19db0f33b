"""Work in threads of this process, or by joblib's backend, in a sensible number of workers."""

from typing import Any

from joblib import Parallel, cpu_count, effective_n_jobs
from joblib.parallel import (
    LokyBackend,
    MultiprocessingBackend,
    SequentialBackend,
    ThreadingBackend,
    get_active_backend,
)

__all__ = ["n_workers", "threads", "workers"]

_PER_CPU = 4
_LOCAL = (LokyBackend, MultiprocessingBackend, SequentialBackend, ThreadingBackend)


def n_workers(n_jobs: int | None, n_tasks: int | None = None) -> int:
    """The number of threads or processes that ``n_jobs`` means here.

    None is the number that is set around the call (``joblib.parallel_config``), or 1. More than
    some for each CPU, or than there are tasks, would only take time and memory to start; results
    never depend on it.

    >>> n_workers(5000, n_tasks=3), n_workers(1)
    (3, 1)
    """
    most = _PER_CPU * cpu_count()
    if n_tasks is not None:
        most = min(most, max(n_tasks, 1))
    return int(min(effective_n_jobs(n_jobs), most))


def threads(n_jobs: int | None, n_tasks: int | None = None, **options: Any) -> Parallel:
    """Joblib's ``Parallel`` in threads, whatever backend is set around it.

    Our kernels release the GIL, and the work writes into arrays that are shared: in another process
    (``joblib.parallel_config(backend="loky")``, Dask) it would be lost. ``prefer="threads"`` yields
    to such a setting; ``require="sharedmem"`` does not, but then drops the number that is set with
    another backend, so that it is asked for here.

    >>> import joblib
    >>> done = []
    >>> with joblib.parallel_config(backend="loky", n_jobs=2):
    ...     _ = threads(2)(joblib.delayed(done.append)(k) for k in range(3))
    >>> sorted(done)
    [0, 1, 2]
    """
    return Parallel(n_jobs=n_workers(n_jobs, n_tasks), require="sharedmem", **options)


def workers(n_jobs: int | None, n_tasks: int | None = None, **options: Any) -> Parallel:
    """Joblib's ``Parallel`` by the backend set around it; a cluster knows its own number."""
    if isinstance(get_active_backend()[0], _LOCAL):
        n_jobs = n_workers(n_jobs, n_tasks)
    return Parallel(n_jobs=n_jobs, **options)
