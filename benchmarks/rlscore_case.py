"""RLScore's exact leave-two-out, in its own environment; it needs no trueval.

Two-step kernel ridge regression on a complete symmetric set of random features of the same size
as the pairs benchmark: the model is another one than our ridge, so times alone are comparable.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.process import Meter

__all__ = ["leave_two_out"]


def leave_two_out(*, objects: int) -> Iterator[dict[str, Any]]:
    """Fit and leave-two-out of all pairs."""
    from rlscore.learner import TwoStepRLS

    generator = np.random.default_rng(0)
    X = generator.normal(size=(objects, 36))
    kernel, half = X @ X.T, np.triu(generator.random((objects, objects)) < 0.1, 1)
    labels = (half | half.T).astype(float).ravel(order="F")
    meter = Meter()

    def work() -> Any:
        model = TwoStepRLS(K1=kernel, K2=kernel, Y=labels, regparam1=0.01, regparam2=0.01)
        return model.out_of_sample_loo_symmetric()

    _, cpu = meter.time(work)
    yield {"cpu": cpu, "fits": objects * (objects - 1) // 2} | meter.memory()
