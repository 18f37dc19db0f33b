"""``pairs_stage``: what splits of pairs test, what they lose, and what they estimate."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.arrays import as_rows
from trueval.core.errors import InputError, ParameterError
from trueval.core.ids import PairIndex
from trueval.core.pairs import as_pairs
from trueval.core.params import NONE, Interval, Where, constrained
from trueval.pairs.audit import PairAudit
from trueval.pairs.folding import ObjectSplitter, any_split
from trueval.report.stage import MAPPING, Stage

__all__ = ["blocks_of", "pairs_stage"]

_SCHEME_KEYS = (
    "scheme", "setting", "overlapping", "n_folds", "n_excluded", "averaged", "pooled",
    "null_pooled", "validated", "never", "dropped", "model",
)  # fmt: skip
MAX_PARTS = 12  # of the picture
MAX_FOLDS = 100  # looked at to find the parts


@constrained(
    audits=(NONE, MAPPING),
    schemes=(NONE, Where(lambda schemes: all(map(dict, schemes)), "a sequence of mappings")),
    blocks=(NONE, MAPPING),
    provenance=(NONE, MAPPING),
)
def pairs_stage(
    *,
    audits: Mapping[str, PairAudit] | None = None,
    schemes: Sequence[Mapping[str, Any]] | None = None,
    blocks: Mapping[str, Mapping[str, Any]] | None = None,
    provenance: dict[str, Any] | None = None,
) -> Stage:
    """Condense the validation of a pair-input model for the report.

    Parameters
    ----------
    audits : mapping of str to PairAudit, optional
        Splits by name, as :func:`~trueval.pairs.audit_pairs` judges them.
    schemes : sequence of mappings, optional
        One for each way of validating, with any of ``scheme``, ``setting``,
        ``overlapping``, ``n_folds``, ``n_excluded``, ``averaged``, ``pooled``,
        ``null_pooled`` (AUC), ``validated``, ``never`` and ``dropped`` (shares of the
        rows) and ``model``.
    blocks : mapping of str to dict, optional
        Pictures by name, as :func:`blocks_of` makes them.
    provenance : dict, optional
        See :class:`Stage`.

    Returns
    -------
    Stage

    Examples
    --------
    >>> from trueval.pairs import audit_pairs
    >>> from trueval.report import pairs_stage
    >>> audit = audit_pairs([("a", "b"), ("b", "c"), ("a", "c")], [0, 1], [2])
    >>> pairs_stage(audits={"given": audit}).data["audits"][0]["counts"]
    {'AA': 1, 'AB': 0, 'BB': 0}
    """
    if not (audits or schemes or blocks):
        raise InputError("pairs_stage needs audits, schemes or blocks to tell of. Got none.")
    lines = []
    for place, scheme in enumerate(schemes or ()):
        unknown = sorted(set(scheme) - set(_SCHEME_KEYS))
        if unknown:
            raise InputError(
                f"schemes[{place}] has the unknown key {unknown[0]!r}; keys are "
                f"{', '.join(_SCHEME_KEYS)}."
            )
        lines.append({key: scheme.get(key) for key in _SCHEME_KEYS})
    data = {
        "audits": [_audit(name, audit) for name, audit in (audits or {}).items()],
        "schemes": [
            {"name": name, **line} for name, line in zip(_names(lines), lines, strict=True)
        ],
        "blocks": [{"name": name, **picture} for name, picture in (blocks or {}).items()],
    }
    return Stage("pairs", data, provenance or {})


def _names(lines: Sequence[Mapping[str, Any]]) -> list[str]:
    """Name each way of validating by what tells it from the others."""
    keys = ("model", "scheme", "setting", "overlapping")
    differ = [key for key in keys if len({str(line[key]) for line in lines}) > 1] or list(keys)
    names = []
    for place, line in enumerate(lines):
        said = [str(line[key]) for key in differ if line[key] is not None and key != "overlapping"]
        if "overlapping" in differ and line["overlapping"] is not None:
            said.append("overlapping" if line["overlapping"] else "disjoint")
        names.append(", ".join(said) or f"scheme {place + 1}")
    # Charts tell lines apart by name.
    return [name if names.count(name) == 1 else f"{name} ({i + 1})" for i, name in enumerate(names)]


def _audit(name: str, audit: PairAudit) -> dict[str, Any]:
    return {
        "name": str(name),
        "setting": audit.setting,
        "counts": audit.counts,
        "cluster_counts": audit.cluster_counts,
        "n_train": audit.n_train,
        "n_test": audit.n_test,
        "n_leaked": audit.n_leaked,
        "n_shared_rows": audit.n_shared_rows,
        "n_objects_train": audit.n_objects_train,
        "n_objects_test": audit.n_objects_test,
        "n_shared_objects": audit.n_shared_objects,
        "n_leaked_conflicts": audit.n_leaked_conflicts,
        "identity_auc": audit.identity_auc,
        "identity_auc_by_role": audit.identity_auc_by_role,
        "facts": audit._facts(),
    }


@constrained(fold=Interval(int, 0))
def blocks_of(cv: Any, pairs: Any, y: Any = None, *, fold: int = 0) -> dict[str, Any]:
    """Count what one fold does with the pairs of each two parts of objects.

    Parts are objects that are always held out together; with many of them, the ones
    that this fold does not hold out are shown in groups.

    Parameters
    ----------
    cv : splitter, or sequence of (train, test)
    pairs : array-like of shape (n_rows, 2)
    y : array-like, optional
        Labels, if the splitter gets them too.
    fold : int, default=0

    Returns
    -------
    dict
        ``rows`` and ``columns`` (names of the parts), ``cells`` (``row``, ``column``,
        ``train``, ``test``, ``dropped``), ``fold``, ``n_train``, ``n_test``,
        ``n_dropped``.

    Examples
    --------
    >>> from itertools import combinations
    >>> from trueval.pairs import ObjectKFold
    >>> from trueval.report import blocks_of
    >>> pairs = list(combinations(range(9), 2))
    >>> picture = blocks_of(ObjectKFold(3, random_state=0), pairs)
    >>> picture["rows"], picture["n_train"], picture["n_test"], picture["n_dropped"]
    (['held out', 'part 2', 'part 3'], 15, 3, 18)
    """
    index = as_pairs(pairs, symmetric=getattr(cv, "symmetric", True), y=y)
    if index.arity != 2:
        raise InputError(f"blocks_of draws pairs; these rows have {index.arity} members each.")
    held, train, test = _look(cv, pairs, y, index, fold)
    part, names = _parts(held, fold, index, train, test)
    use = np.zeros(index.n_rows, dtype=np.int64)
    use[train] = 1
    use[test] = 2
    kinds = index.kind_of_column
    sides = index.codes if kinds[0] != kinds[1] else np.sort(part[index.codes], axis=1)
    place = part[sides] if kinds[0] != kinds[1] else sides
    n = len(names)
    counts = np.zeros((n, n, 3), dtype=np.int64)
    np.add.at(counts, (place[:, 0], place[:, 1], use), 1)
    if kinds[0] == kinds[1]:  # a pair has no direction: both halves show it
        lower = np.tril_indices(n, -1)
        counts[lower] = counts[lower[1], lower[0]]
    shown = [np.unique(part[np.unique(index.codes[:, c])]) for c in (0, 1)]
    if kinds[0] == kinds[1]:
        shown = [np.union1d(*shown)] * 2
    cells = [
        {
            "row": names[i],
            "column": names[j],
            "train": int(counts[i, j, 1]),
            "test": int(counts[i, j, 2]),
            "dropped": int(counts[i, j, 0]),
        }
        for i in shown[0]
        for j in shown[1]
    ]
    return {
        "rows": [names[i] for i in shown[0]],
        "columns": [names[j] for j in shown[1]],
        "cells": cells,
        "fold": int(fold),
        "n_train": int((use == 1).sum()),
        "n_test": int((use == 2).sum()),
        "n_dropped": int((use == 0).sum()),
    }


def _look(
    cv: Any, pairs: Any, y: Any, index: PairIndex, fold: int
) -> tuple[NDArray[np.bool_] | None, NDArray[np.intp], NDArray[np.intp]]:
    """Objects each of the first folds holds out (if it knows), and one fold's rows."""
    held: list[NDArray[np.bool_]] = []
    chosen = None
    for number, (out, train, test) in enumerate(
        islice(_folds(cv, pairs, y, index), MAX_FOLDS + fold)
    ):
        if out is not None:
            held.append(out)
        if number == fold:
            chosen = train, test
    if chosen is None:
        raise ParameterError("fold", "a fold of the splitter", fold, "blocks_of")
    train = as_rows(chosen[0], index.n_rows, "train")
    test = as_rows(chosen[1], index.n_rows, "test")
    return (np.array(held) if held else None), train, test


def _folds(cv: Any, pairs: Any, y: Any, index: PairIndex) -> Iterator[tuple[Any, Any, Any]]:
    if isinstance(cv, ObjectSplitter):
        for fold in cv.folds(None, y, index):
            yield fold.held_out, fold.train, fold.test
    elif hasattr(cv, "split"):
        for train, test in any_split(cv, np.empty((index.n_rows, 0)), y, pairs):
            yield None, train, test
    else:
        for train, test in cv:
            yield None, train, test


def _parts(
    held: NDArray[np.bool_] | None,
    fold: int,
    index: PairIndex,
    train: NDArray[np.intp],
    test: NDArray[np.intp],
) -> tuple[NDArray[np.int64], list[str]]:
    """Part of each object and the names of the parts, the held-out ones first."""
    if held is None:  # a split of rows: all that can be said is where an object occurs
        seen, tested = np.zeros((2, index.n_objects), dtype=bool)
        seen[index.codes[train].reshape(-1)] = True
        tested[index.codes[test].reshape(-1)] = True
        part = np.where(tested & ~seen, 0, np.where(tested, 1, np.where(seen, 2, 3)))
        return part, ["only in validation", "on both sides", "only in training", "in neither"]
    _, part = np.unique(held, axis=1, return_inverse=True)
    part = part.reshape(-1)
    mine = held[fold]
    out, rest = np.unique(part[mine]), np.unique(part[~mine])
    new = np.empty(part.max() + 1, dtype=np.int64)
    n_out = min(len(out), MAX_PARTS // 2)
    n_rest = min(len(rest), MAX_PARTS - n_out)
    new[out] = np.arange(len(out)) * n_out // max(len(out), 1)
    new[rest] = n_out + np.arange(len(rest)) * n_rest // max(len(rest), 1)
    names = ["held out"] if n_out == 1 else [f"held out {i + 1}" for i in range(n_out)]
    whole = len(rest) == n_rest
    names += [f"{'part' if whole else 'group'} {n_out + i + 1}" for i in range(n_rest)]
    return new[part], names
