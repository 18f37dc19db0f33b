"""New columns of labels for ancestors that have none."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.errors import Fix, InputWarning, warn_user
from trueval.core.labels import Labels
from trueval.core.named import as_text

__all__ = ["say_left_out", "with_columns"]


def with_columns(
    labels: Labels,
    names: NDArray[Any],
    places: NDArray[np.int64],
    added: NDArray[np.int64],
    terms: NDArray[Any],
) -> tuple[Labels, NDArray[np.int64]]:
    """Labels with an empty column for each added term, and the term of each column."""
    classes = np.concatenate([as_text(names), as_text(terms[added])])
    places = np.concatenate([places, added])
    order = np.arange(len(classes))
    if (classes[1 : len(names)] > classes[: len(names) - 1]).all():
        order = np.argsort(classes, kind="stable")
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order))
    matrix = labels.matrix
    wide = sp.csr_array(
        (matrix.data, rank[matrix.indices], matrix.indptr), shape=(labels.n_rows, len(classes))
    )
    wide.sort_indices()
    return Labels._trusted(wide, classes[order], labels.index), places[order]


def say_left_out(terms: NDArray[Any]) -> None:
    """Warn that an array keeps its columns, so that ancestors are left out."""
    examples = f"{', '.join(map(str, terms[:3].tolist()))}{', …' if len(terms) > 3 else ''}"
    warn_user(
        f"{len(terms):,} ancestors of the terms have no column and are left out: {examples}.",
        InputWarning,
        fix=Fix(
            "Give Labels to have them added, or pass {} to leave them out.", "columns", "given"
        ),
    )
