"""What a fitted ranker shows of its fit in a notebook."""

from collections import Counter
from typing import Any

import numpy as np

from trueval.core.presentable import Card, card_html

__all__ = ["fit_summary"]


def fit_summary(ranker: Any) -> str:
    """Classes, those that cannot be ranked, and what was chosen for the others.

    >>> import numpy as np
    >>> from trueval.rank import IsotonicRanker
    >>> from trueval.rank.summary import fit_summary
    >>> fit_summary(IsotonicRanker())
    ''
    >>> ranker = IsotonicRanker().fit(np.array([[0.1], [0.9]]), [[0], [1]])
    >>> "1 class" in fit_summary(ranker)
    True
    """
    if not hasattr(ranker, "classes_"):
        return ""
    flat = [k for k, curve in enumerate(ranker._curves) if len(curve.score) == 0]
    n = len(ranker.classes_)
    notes = []
    if flat:
        named = ", ".join(str(ranker.classes_[k]) for k in flat[:3])
        more = ", …" if len(flat) > 3 else ""
        notes.append(
            f"{len(flat):,} cannot be ranked (one label or one score only) and get one value "
            f"each: {named}{more}"
        )
    methods = getattr(ranker, "methods_", None)
    if methods is not None:
        kinds = Counter(m for m in methods.tolist() if m != "flat").most_common()
        notes.append("curves: " + ", ".join(f"{count:,} {kind}" for kind, count in kinds))
    for attribute, name in (
        ("bandwidths_", "bandwidth"),
        ("degrees_of_freedom_", "degrees of freedom"),
        ("n_atoms_", "score values estimated by themselves"),
    ):
        if not hasattr(ranker, attribute):
            continue
        values = np.asarray(getattr(ranker, attribute), dtype=float)
        values = np.delete(values, flat)
        values = values[~np.isnan(values)]
        if len(values):
            low, middle, high = np.quantile(values, [0, 0.5, 1])
            notes.append(f"{name}: median {middle:.3g}, from {low:.3g} to {high:.3g}")
    classes = "1 class" if n == 1 else f"{n:,} classes"
    verdict = f"Fitted on {classes}, {n - len(flat):,} of them with a curve of their own."
    return card_html(Card(type(ranker).__name__, verdict, not flat, notes=notes))
