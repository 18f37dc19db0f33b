"""Resampling objects: how far a sum over objects could have come out otherwise."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

__all__ = ["CHUNK", "N_BOOTSTRAPS", "drawn_weights", "resampled_sums"]

Float = NDArray[np.float64]
N_BOOTSTRAPS = 400
CHUNK = 1 << 20  # weights held at a time


def drawn_weights(
    n: int, n_draws: int, generator: np.random.Generator, step: int | None = None
) -> Iterator[Float]:
    """How often each of n objects is in each draw of n with replacement, some draws at a time.

    Arrays of shape (at most ``step``, n); what is drawn does not depend on the step.
    """
    step = max(1, CHUNK // max(n, 1)) if step is None else step
    for first in range(0, n_draws, step):
        some = min(step, n_draws - first)
        drawn = generator.integers(n, size=(some, n)) if n else np.empty((some, 0), np.int64)
        drawn += n * np.arange(some)[:, None]  # one bincount counts all draws
        weights = np.bincount(drawn.ravel(), minlength=some * n).reshape(some, n)
        yield weights.astype(np.float64)


def resampled_sums(
    table: Any, generator: np.random.Generator, n_draws: int = N_BOOTSTRAPS
) -> Float:
    """Column sums of a table whose rows (objects) are drawn with replacement.

    One matrix product of the draws' weights with the table does all draws.

    >>> import numpy as np
    >>> from trueval.rank._resample import resampled_sums
    >>> sums = resampled_sums(np.ones((50, 1)), np.random.default_rng(0), n_draws=3)
    >>> sums.ravel().tolist()
    [50.0, 50.0, 50.0]
    """
    columns = sp.csr_array(table.T) if sp.issparse(table) else np.ascontiguousarray(table.T)
    draws = drawn_weights(table.shape[0], n_draws, generator)
    return np.concatenate([(columns @ weights.T).T for weights in draws])
