"""``split_stage``: what a split did to every class, beside other splits and the bound."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.charts import MAX_POINTS
from trueval.core.errors import ParameterError
from trueval.core.folds import as_folds
from trueval.core.labels import as_labels
from trueval.core.params import NONE, STRING, constrained
from trueval.report.stage import MAPPING, Stage
from trueval.stratify import SplitQuality, split_quality
from trueval.stratify.measures import class_part_counts
from trueval.stratify.parts import PARTS

__all__ = ["split_stage"]

MAX_CLASSES = 1000  # lines of the table of classes


@constrained(
    parts=(NONE, *PARTS),
    method=STRING,
    others=(NONE, MAPPING),
    provenance=(NONE, MAPPING),
)
def split_stage(
    y: Any,
    folds: Any,
    *,
    parts: Any = None,
    method: str = "anneal",
    others: Mapping[str, Any] | None = None,
    provenance: dict[str, Any] | None = None,
) -> Stage:
    """Condense a split for the report.

    Parameters
    ----------
    y : labels in any form :func:`trueval.as_labels` takes
    folds : array of int of shape (n_rows,), or sequence of (train, test)
    parts : int or sequence of numbers, optional
        The parts that were wanted, as in :func:`~trueval.stratify.stratified_folds`.
    method : str, default="anneal"
        Name of the method that made the folds, to show.
    others : mapping of str to folds, optional
        Other splits of the same labels to compare with.
    provenance : dict, optional
        See :class:`Stage`.

    Returns
    -------
    Stage

    Examples
    --------
    >>> from trueval import stratified_folds
    >>> from trueval.data import simulate
    >>> from trueval.report import split_stage
    >>> y = simulate.label_matrix(500, 20, random_state=0)
    >>> stage = split_stage(y, stratified_folds(y, random_state=0))
    >>> stage.kind, stage.data["n_parts"]
    ('split', 5)
    """
    labels = as_labels(y)
    named = {method: folds}
    for name, other in (others or {}).items():
        if name == method:
            expected = f"splits with names of their own, other than {name!r}"
            raise ParameterError("others", expected, list(others or ()), "split_stage")
        named[name] = other
    numbers = {name: as_folds(f, labels.n_rows) for name, f in named.items()}
    wanted = parts
    if wanted is None:
        wanted = max(2, *(int(f.max()) + 1 for f in numbers.values()))
    qualities = {name: split_quality(labels, f, parts=wanted) for name, f in numbers.items()}
    own = qualities[method]
    data = {
        "method": method,
        "n_rows": own.n_rows,
        "n_classes": own.n_classes,
        "n_parts": own.n_parts,
        "n_empty": own.n_empty,
        "n_rare": own.n_rare,
        "n_cells": (own.n_classes - own.n_empty) * own.n_parts,
        "missing": own.missing,
        "avoidable": own.avoidable,
        "sizes": own.sizes,
        "wanted_sizes": own.wanted_sizes,
        "rld_bound": own.rld_bound,
        "dcp_bound": own.dcp_bound,
        "methods": [_line(name, quality) for name, quality in qualities.items()],
        "scatter": _scatter(qualities, method),
        "classes": _classes(own, class_part_counts(labels, numbers[method], own.n_parts)),
    }
    return Stage("split", data, provenance or {})


def _line(name: str, quality: SplitQuality) -> dict[str, Any]:
    names = ("rld_wanted", "rld", "dcp", "ld", "ed", "rld_ratio", "dcp_ratio")
    line: dict[str, Any] = {n: float(getattr(quality, n)) for n in names}
    return {"name": name, **line, "missing": quality.missing, "avoidable": quality.avoidable}


def _excess(quality: SplitQuality) -> NDArray[np.float64]:
    """How far each class is from the best it could be."""
    table = quality.per_class
    return np.asarray(table["rld_wanted"] - table["rld_bound"])


def _worst_first(quality: SplitQuality) -> NDArray[np.intp]:
    """Classes with members, the worst served first."""
    table = quality.per_class
    order = np.lexsort((-table["size"], -_excess(quality)))
    return order[table["size"][order] > 0]


def _scatter(qualities: dict[str, SplitQuality], method: str) -> dict[str, Any]:
    """The classes drawn: all, or the worst of each split and a spread over all sizes."""
    cap = max(MAX_POINTS // (len(qualities) + 1), 50)
    own = qualities[method].per_class
    order = _worst_first(qualities[method])
    total = len(order)
    if total > cap:
        worst = [_worst_first(q)[: max(cap // (3 * len(qualities)), 1)] for q in qualities.values()]
        kept = np.unique(np.concatenate(worst))
        rest = np.setdiff1d(order, kept)
        by_size = rest[np.argsort(own["size"][rest], kind="stable")]
        even = np.linspace(0, len(by_size) - 1, max(cap - len(kept), 1)).astype(np.int64)
        order = np.union1d(kept, by_size[even])
    order = np.sort(order)
    return {
        "total": total,
        "names": [str(name) for name in own["class"][order]],
        "sizes": own["size"][order],
        "bound": _digits(own["rld_bound"][order]),
        "scores": {
            name: _digits(q.per_class["rld_wanted"][order]) for name, q in qualities.items()
        },
    }


def _classes(quality: SplitQuality, counts: NDArray[np.int64]) -> dict[str, Any]:
    table = quality.per_class
    order = _worst_first(quality)[:MAX_CLASSES]
    size, missing = table["size"][order], table["missing"][order]
    return {
        "total": quality.n_classes - quality.n_empty,
        "name": [str(name) for name in table["class"][order]],
        "size": size,
        "rld": _digits(table["rld_wanted"][order]),
        "bound": _digits(table["rld_bound"][order]),
        "dcp": _digits(table["dcp"][order]),
        "missing": missing,
        "avoidable": np.where(size >= quality.n_parts, missing, 0),
        "counts": counts[order] if quality.n_parts <= 10 else None,
    }


def _digits(values: NDArray[np.float64]) -> list[float]:
    return [float(f"{v:.5g}") for v in values]
