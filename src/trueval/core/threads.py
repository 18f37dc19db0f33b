"""Work in threads of this process."""

from typing import Any

from joblib import Parallel

__all__ = ["threads"]


def threads(n_jobs: int | None, **options: Any) -> Parallel:
    """Joblib's ``Parallel`` in threads, whatever backend is set around it.

    Our kernels release the GIL, and the work writes into arrays that are shared: in another process
    (``joblib.parallel_config(backend="loky")``, Dask) it would be lost. ``prefer="threads"`` yields
    to such a setting; ``require="sharedmem"`` does not.

    >>> import joblib
    >>> done = []
    >>> with joblib.parallel_config(backend="loky", n_jobs=2):
    ...     _ = threads(2)(joblib.delayed(done.append)(k) for k in range(3))
    >>> sorted(done)
    [0, 1, 2]
    """
    return Parallel(n_jobs=n_jobs, require="sharedmem", **options)
