"""Random label matrices for hypothesis."""

import numpy as np
from hypothesis import strategies as st

#: Options of methods whose full search takes seconds, where any folds of the method will do.
SHORTER = {"evosplit": {"population": 8, "generations": 40, "patience": 8}}


@st.composite
def label_arrays(draw, max_rows=40, max_classes=8, min_rows=2):
    """Dense 0/1 arrays of any density, with empty rows and classes, and equal rows."""
    n_rows = draw(st.integers(min_rows, max_rows))
    n_classes = draw(st.integers(1, max_classes))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    density = rng.random(n_classes) ** draw(st.sampled_from([0.3, 1.0, 3.0]))
    y = (rng.random((n_rows, n_classes)) < density).astype(np.int8)
    if draw(st.booleans()):  # many equal rows
        y = y[rng.integers(max(1, n_rows // 4), size=n_rows)]
    return y


@st.composite
def labels_and_parts(draw, **sizes):
    """Labels with a wish for parts that they can fulfil."""
    y = draw(label_arrays(**sizes))
    n_rows = len(y)
    if draw(st.booleans()):
        parts = draw(st.integers(2, min(n_rows, 6)))
    else:
        k = draw(st.integers(2, min(n_rows, 4)))
        weights = np.array([draw(st.integers(1, 5)) for _ in range(k)])
        parts = list(weights / weights.sum())
        if (np.array(parts) * n_rows < 1).any():
            parts = k
    return y, parts
