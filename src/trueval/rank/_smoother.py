"""Local quadratic regression at all points, with leave-one-out choice of the bandwidth."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval import _kernels
from trueval.core.errors import InputError
from trueval.core.params import Choice, Interval, constrained

__all__ = ["KERNEL", "LocalFit", "choose_bandwidth", "local_quadratic"]

Float = NDArray[np.float64]
KERNELS = {"epanechnikov": 0, "gaussian": 1, "tricube": 2}
KERNEL = Choice(tuple(KERNELS))


@dataclass(frozen=True, eq=False)
class LocalFit:
    """A smooth curve through points."""

    # value, slope: the curve and its derivative at each point
    value: Float
    slope: Float
    # weight of each observation in its own fit; their sum is the effective number of parameters
    hat: Float

    @property
    def degrees_of_freedom(self) -> float:
        """Trace of the hat matrix."""
        return float(self.hat.sum())


@constrained(kernel=KERNEL, bandwidth=Interval(float, 0, closed="neither"))
def local_quadratic(
    u: Any, v: Any, bandwidth: float, *, kernel: str = "epanechnikov", even: bool = False
) -> LocalFit:
    """Fit a quadratic around every point.

    A window with only two (one) distinct places gets a line (a constant).

    >>> import numpy as np
    >>> from trueval.rank._smoother import local_quadratic
    >>> u = np.linspace(0, 1, 50)
    >>> fit = local_quadratic(u, 3 * u**2 - u, 0.2)
    >>> bool(np.allclose(fit.value, 3 * u**2 - u)), bool(np.allclose(fit.slope, 6 * u - 1))
    (True, True)
    """
    u, v = (np.ascontiguousarray(a, dtype=np.float64) for a in (u, v))
    if u.ndim != 1 or u.shape != v.shape or len(u) == 0:
        raise InputError(
            f"u and v must be two arrays of one length. Got shapes {u.shape} and {v.shape} instead."
        )
    if not (np.isfinite(u).all() and np.isfinite(v).all()):
        raise InputError("u and v must be finite; one of them has NaN or infinity.")
    if (np.diff(u) < 0).any():
        raise InputError("u must not fall; sort u, and v with it, first.")
    return LocalFit(*_kernels.local_quadratic(u, v, float(bandwidth), KERNELS[kernel], even))


def choose_bandwidth(
    u: Float, v: Float, bandwidths: Float, *, kernel: str = "epanechnikov", even: bool = False
) -> tuple[float, Float, Float]:
    """Choose the bandwidth of least leave-one-out error.

    >>> import numpy as np
    >>> from trueval.rank._smoother import choose_bandwidth
    >>> u = np.arange(1, 101) / 100
    >>> rough = np.sin(40 * u)
    >>> choose_bandwidth(u, rough, np.array([0.05, 0.4]))[0]
    0.05
    """
    number = KERNELS[kernel]
    both = np.array([_kernels.leave_one_out(u, v, float(h), number, even) for h in bandwidths])
    errors = both[:, 0] / len(u)
    errors[np.isnan(errors)] = np.inf
    best = int(np.argmin(errors)) if np.isfinite(errors).any() else int(np.argmax(bandwidths))
    return float(bandwidths[best]), errors, both[:, 1]
