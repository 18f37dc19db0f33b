"""Kernels of local fits, by definition."""

import numpy as np


def kernel_weight(kernel, t):
    """Weight of an observation at a distance of t bandwidths."""
    if kernel == "gaussian":
        return np.where(np.abs(t) < 8, np.exp(-0.5 * t * t), 0.0)
    inside = np.abs(t) < 1
    if kernel == "tricube":
        return np.where(inside, (1 - np.abs(t) ** 3) ** 3, 0.0)
    return np.where(inside, 1 - t * t, 0.0)
