"""Scores next to labels: names where a file has none, and one order of rows and classes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import Fix, InputError
from trueval.core.labels import Labels
from trueval.core.named import as_names
from trueval.core.names import joined_names, with_classes, with_rows
from trueval.core.scores import Scores
from trueval.data._names import names_of

__all__ = ["matched", "order_of_classes", "with_names"]

_IF_MISSING = Fix(
    "Where an object may rightly have no score, as when only scores above a cut are stored, pass "
    "{}: its scores are then all absent, below every stored one. If its predictions were lost, "
    "add them.",
    "allow_missing",
    True,
)
_IF_EXTRA = Fix(
    "If the labels lack them because they are negative, pass {}.", "allow_unlabelled", True
)


def with_names(scores: Scores, classes: Any, index: Any) -> Scores:
    """Scores with the names the user gave, where the file has none."""
    for what, names, stored in (("index", index, scores.index), ("classes", classes, scores.names)):
        if names is not None and stored is not None and not _in_order(stored):
            raise InputError(
                f"the file has names of its own, so {what}= cannot name them.",
                fix=Fix("Leave it out, or pass {} to order them.", "labels"),
            )
    new_index, new_classes = scores.index, scores.classes
    if index is not None:
        new_index = as_names(names_of(index, "index"), scores.n_rows, "index")
    if classes is not None:
        new_classes = as_names(names_of(classes, "classes"), scores.n_classes, "classes")
    return Scores._trusted(scores.matrix, new_classes, new_index)


def matched(
    scores: Scores,
    labels: Labels,
    *,
    allow_missing: bool,
    allow_unlabelled: bool,
    same_order: bool,
) -> Scores:
    """Scores in the order of the labels, rows and classes by name."""
    scores = _like_labels(scores, labels, same_order)
    fixes = {"if_extra": _IF_EXTRA}
    if labels.index is not None and scores.index is not None:
        if scores.is_sparse:
            fixes["if_missing"] = _IF_MISSING
        rows = joined_names(labels.index, scores.index) if allow_unlabelled else labels.index
        missing = "empty" if allow_missing and scores.is_sparse else "error"
        scores = with_rows(scores, rows, missing, "error", **fixes)
    classes = joined_names(labels.classes, scores.classes) if allow_unlabelled else labels.classes
    missing = "empty" if scores.is_sparse else "error"
    return with_classes(scores, classes, missing, if_extra=_IF_EXTRA)


def _like_labels(scores: Scores, labels: Labels, same_order: bool) -> Scores:
    """Scores with the names of the labels where they have none and the order is known."""
    scores = _without_numbers(scores, labels, same_order)
    index, classes = scores.index, scores.classes
    if index is None:
        if scores.n_rows != labels.n_rows:
            raise InputError(
                f"{scores.n_rows:,} rows of scores for {labels.n_rows:,} rows of labels. They must "
                "be the same rows."
            )
        if labels.index is not None and not same_order:
            raise _order_unknown("row ids", "ids")
        index = labels.index
    elif labels.index is None:
        raise InputError(
            "the scores have row ids and the labels have none, so they cannot be matched.",
            fix="Write the labels with these ids, or the scores without them.",
        )
    if scores.names is None:
        if scores.n_classes != labels.n_classes:
            raise InputError(
                f"scores for {scores.n_classes:,} classes, labels of {labels.n_classes:,}. They "
                "must be the same classes."
            )
        if labels.classes.dtype.kind not in "iu" and not same_order:
            raise _order_unknown("class names", "names")
        classes = labels.classes
    return Scores._trusted(scores.matrix, classes, index)


def _without_numbers(scores: Scores, labels: Labels, same_order: bool) -> Scores:
    """Scores without row numbers and numbers of classes where the labels have other names.

    Labels without ids are rows 0, 1, …, which the scores are put into the order of.
    """
    index, names, classes = scores.index, scores.names, scores.classes
    if index is not None and _are_numbers(index):
        if labels.index is None:
            scores = scores.take(np.argsort(index.astype(np.int64), kind="stable"))
            index = None
        elif _differ(index, labels.index):
            if not same_order:
                raise _order_unknown("row ids but numbers", "ids")
            if not _in_order(index):
                raise InputError(
                    "the row numbers of the scores are not in order, so their order may be that of "
                    "the lines or of the numbers.",
                    fix="Write the scores with ids, or without the numbers in the wanted order.",
                )
            index = None
    if names is not None and _in_order(names) and _differ(names, labels.classes):
        if not same_order:
            raise _order_unknown("class names but numbers", "names")
        classes = np.arange(scores.n_classes)
    return Scores._trusted(scores.matrix, classes, index)


def _are_numbers(names: NDArray[Any]) -> bool:
    """Whether names are 0, 1, …, in any order."""
    return set(map(str, names.tolist())) == set(map(str, range(len(names))))


def _in_order(names: NDArray[Any]) -> bool:
    return list(map(str, names.tolist())) == list(map(str, range(len(names))))


def _differ(names: NDArray[Any], others: NDArray[Any]) -> bool:
    """Whether names have none in common, compared as text."""
    return set(map(str, names.tolist())).isdisjoint(map(str, others.tolist()))


def order_of_classes(scores: Scores, classes: NDArray[Any]) -> Scores:
    """Scores with these names of classes where they have none, or numbers only, in their order."""
    names = scores.names
    if names is None or (_in_order(names) and _differ(names, classes)):
        return Scores(scores.matrix, classes, scores.index)
    return scores


def _order_unknown(what: str, short: str) -> InputError:
    return InputError(
        f"the scores have no {what} and the labels have, so their order is not known to agree.",
        fix=Fix(f"Pass {{}} if it does, or write the scores with {short}.", "same_order", True),
    )
