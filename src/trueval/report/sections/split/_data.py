"""``split_stage``: what a split did to every class, next to other splits and the bound."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.docs import shared_sections
from trueval.core.errors import ParameterError
from trueval.core.folds import as_folds
from trueval.core.labels import Labels, as_labels
from trueval.core.params import NONE, STRING, constrained
from trueval.report._section import Data
from trueval.report._stage import MAKES_STAGE, MAPPING, Stage
from trueval.report._terms import ONTOLOGY, Terms, terms_of
from trueval.show import summary
from trueval.show._numbers import rounded
from trueval.show._stratify import SplitComparison
from trueval.show._vega._parts import MAX_POINTS
from trueval.stratify import SplitQuality, split_quality
from trueval.stratify._parts import PARTS
from trueval.stratify.measures import class_part_counts

__all__ = ["comparison_stage", "split_stage"]

MAX_CLASSES = 1000  # lines of the table of classes


@constrained(
    parts=(NONE, *PARTS),
    method=STRING,
    others=(NONE, MAPPING),
    ontology=ONTOLOGY,
    provenance=(NONE, MAPPING),
)
@shared_sections(stage=MAKES_STAGE)
def split_stage(
    y: Any,
    folds: Any,
    *,
    parts: Any = None,
    method: str = "anneal",
    others: Mapping[str, Any] | None = None,
    ontology: Terms | None = None,
    provenance: Data | None = None,
) -> Stage:
    """Condense a split for the report.

    Parameters
    ----------
    y : labels in any form :func:`trueval.as_labels` takes
    folds : array of int of shape (n_rows,), or sequence of (train, test)
    parts : int or sequence of numbers, optional
        The wanted parts, as in :func:`~trueval.stratify.stratified_folds`.
    method : str, default="anneal"
        Name of the method that made the folds, to show.
    others : mapping of str to folds, optional
        Other splits of the same labels to compare with.
    ontology : Ontology, optional
        Names the classes on the page.
    {stage}

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
    numbers = {
        name: as_folds(f, labels.n_rows, index=labels.index, free=True) for name, f in named.items()
    }
    wanted = parts
    if wanted is None:
        wanted = max(2, *(int(f.max()) + 1 for f in numbers.values()))
    qualities = {name: split_quality(labels, f, parts=wanted) for name, f in numbers.items()}
    splits = SplitComparison(qualities, labels.nnz)
    return comparison_stage(labels, numbers[method], splits, provenance, ontology)


def comparison_stage(
    labels: Labels,
    folds: NDArray[np.int32],
    splits: SplitComparison,
    provenance: Data | None = None,
    ontology: Terms | None = None,
) -> Stage:
    """A stage from splits that have been measured; ``folds`` are those of the first."""
    quality = splits.quality
    classes = _classes(quality, class_part_counts(labels, folds, quality.n_parts))
    scatter = _scatter(splits.qualities, splits.method)
    terms = terms_of(scatter["names"], ontology)
    if terms is not None:
        both = zip(scatter["names"], terms["name"], strict=True)
        scatter["names"] = [f"{term} {name}".rstrip() for term, name in both]
    data = {
        "summary": summary(splits).to_dict(),
        "method": splits.method,
        "n_rows": quality.n_rows,
        "n_classes": quality.n_classes,
        "n_parts": quality.n_parts,
        "n_empty": quality.n_empty,
        "n_full": quality.n_full,
        "n_rare": quality.n_rare,
        "n_cells": (quality.n_classes - quality.n_empty) * quality.n_parts,
        "missing": quality.missing,
        "avoidable": quality.avoidable,
        "sizes": quality.sizes,
        "wanted_sizes": quality.wanted_sizes,
        "rld_bound": quality.rld_bound,
        "dcp_bound": quality.dcp_bound,
        "methods": [_line(name, q) for name, q in splits.qualities.items()],
        "scatter": scatter,
        "classes": classes,
        "terms": terms_of(classes["name"], ontology),
    }
    return Stage("split", data, provenance or {})


def _line(name: str, quality: SplitQuality) -> Data:
    names = ("rld_wanted", "rld", "dcp", "ld", "ed", "rld_ratio", "dcp_ratio")
    line: Data = {n: float(getattr(quality, n)) for n in names}
    return {"name": name, **line, "missing": quality.missing, "avoidable": quality.avoidable}


def _excess(quality: SplitQuality) -> NDArray[np.float64]:
    """How far each class is from the best it could be."""
    table = quality.per_class
    return np.asarray(table["rld_wanted"] - table["rld_bound"])


def _worst_first(quality: SplitQuality) -> NDArray[np.intp]:
    """Classes with positives, the farthest from their bound first."""
    table = quality.per_class
    order = np.lexsort((-table["size"], -_excess(quality)))
    return order[table["size"][order] > 0]


def _scatter(qualities: Mapping[str, SplitQuality], method: str) -> Data:
    """The classes drawn: all, or the worst of each split and a spread over all sizes."""
    cap = max(MAX_POINTS // (len(qualities) + 1), 50)
    per_class = qualities[method].per_class
    order = _worst_first(qualities[method])
    total = len(order)
    if total > cap:
        worst = [_worst_first(q)[: max(cap // (3 * len(qualities)), 1)] for q in qualities.values()]
        extremes = np.unique(np.concatenate(worst))
        rest = np.setdiff1d(order, extremes)
        by_size = rest[np.argsort(per_class["size"][rest], kind="stable")]
        even = np.linspace(0, len(by_size) - 1, max(cap - len(extremes), 1)).astype(np.int64)
        order = np.union1d(extremes, by_size[even])
    order = np.sort(order)
    return {
        "total": total,
        "names": [str(name) for name in per_class["class"][order]],
        "sizes": per_class["size"][order],
        "bound": rounded(per_class["rld_bound"][order]),
        "scores": {
            name: rounded(q.per_class["rld_wanted"][order]) for name, q in qualities.items()
        },
    }


def _classes(quality: SplitQuality, counts: NDArray[np.int64]) -> Data:
    table = quality.per_class
    order = _worst_first(quality)[:MAX_CLASSES]
    size, missing = table["size"][order], table["missing"][order]
    return {
        "total": quality.n_classes - quality.n_empty,
        "name": [str(name) for name in table["class"][order]],
        "size": size,
        "rld": rounded(table["rld_wanted"][order]),
        "bound": rounded(table["rld_bound"][order]),
        "dcp": rounded(table["dcp"][order]),
        "missing": missing,
        "avoidable": np.where(size >= quality.n_parts, missing, 0),
        "counts": counts[order] if quality.n_parts <= 10 else None,
    }
