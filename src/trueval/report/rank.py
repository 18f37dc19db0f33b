"""``rank_stage``: how well values rank, and what a threshold on them does."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.charts.parts import thin
from trueval.core.errors import InputError
from trueval.core.labels import Labels, as_labels
from trueval.core.params import NONE, Where, constrained
from trueval.core.scores import Scores, check_pair
from trueval.rank import (
    ThresholdChoice,
    average_precision,
    pooled_precision_recall_curve,
)
from trueval.rank.curves import f_beta, member_mask
from trueval.report.live import live_data, pooled_counts
from trueval.report.stage import MAPPING, Stage

__all__ = ["rank_stage"]

MAX_CALLS = 2000  # lines of the table of calls
MAX_CURVES = 600  # curves of one class by one ranker
MAX_SINGLE = 300  # classes that can be looked at alone
MAX_NAME_BYTES = 160_000  # of all class names together
CURVE_POINTS = 30
PR_POINTS = 300
N_GROUPS = 10  # of the reliability

Float = NDArray[np.float64]


@constrained(
    values=Where(lambda values: len(dict(values)) > 0, "a mapping that names at least one ranker"),
    choices=Where(
        lambda choices: all(hasattr(choice, "threshold") for choice in choices),
        "a sequence of ThresholdChoice",
    ),
    curves=(NONE, MAPPING),
    provenance=(NONE, MAPPING),
)
def rank_stage(
    values: Mapping[str, Any],
    y: Any,
    *,
    choices: Sequence[ThresholdChoice] = (),
    ids: Any = None,
    curves: Mapping[str, Any] | None = None,
    provenance: dict[str, Any] | None = None,
) -> Stage:
    """Condense rankings of (object, class) pairs for the report.

    Parameters
    ----------
    values : mapping of str to array or sparse matrix of shape (n_rows, n_classes)
        Values by name of the ranker, out of fold, aligned to ``y``; the scores of the
        model may be among them as ``"raw"``. The live control works on the first.
    y : labels in any form :func:`trueval.as_labels` takes
    choices : sequence of ThresholdChoice, optional
        What :func:`~trueval.rank.pick_threshold` promised.
    ids : sequence, optional
        Names of the objects; those of ``y``, or row numbers, if not given.
    curves : mapping of str to fitted ranker, optional
        To show what a score of each class is worth.
    provenance : dict, optional
        See :class:`Stage`.

    Returns
    -------
    Stage

    Examples
    --------
    >>> from trueval.data.simulate_scores import simulation_one
    >>> from trueval.rank import PrecisionRanker
    >>> from trueval.report import rank_stage
    >>> scores, y = simulation_one(200, 0.2, random_state=0)
    >>> ranker = PrecisionRanker().fit(scores, y)
    >>> new, new_y = simulation_one(200, 0.2, random_state=1)
    >>> stage = rank_stage({"precision": ranker.transform(new), "raw": new}, new_y)
    >>> [line["name"] for line in stage.data["rankers"]]
    ['precision', 'raw']
    """
    labels = as_labels(y)
    if labels.nnz == 0:
        raise InputError("y has no positives, so no ranking can be judged.")
    checked = {str(name): check_pair(v, labels)[0] for name, v in values.items()}
    live, own = next(iter(checked.items()))
    if own.n_stored == 0:
        raise InputError(f"values[{live!r}] stores no value at all, so there is nothing to call.")
    names = _ids(ids, labels)
    raw = checked.get("raw")
    class_names, cut = _class_names(labels)
    data = {
        "n_rows": labels.n_rows,
        "n_classes": labels.n_classes,
        "n_positives": labels.nnz,
        "n_stored": own.n_stored,
        "live": live,
        "rankers": [_ranker(name, v, labels) for name, v in checked.items()],
        "grid": live_data(own, labels, raw).to_dict(),
        "classes": class_names,
        "names_cut": cut,
        "class_sizes": labels.class_sizes,
        "choices": [_choice(choice) for choice in choices],
        "calls": _calls(own, labels, names),
        "reliability": _groups(own.stored[2], member_mask(own, labels)),
        "per_class": _per_class(curves or {}, own, raw, labels),
    }
    return Stage("rank", data, provenance or {})


def _ids(ids: Any, labels: Labels) -> NDArray[Any]:
    given = ids if ids is not None else labels.index
    names = np.arange(labels.n_rows) if given is None else np.asarray(given)
    if len(names) != labels.n_rows:
        raise InputError(f"ids has {len(names)} names but y has {labels.n_rows} rows.")
    return names


def _class_names(labels: Labels) -> tuple[list[str], bool]:
    """Names of the classes, shortened if all together would fill the page."""
    names = [str(name) for name in labels.classes]
    if sum(len(name.encode()) for name in names) <= MAX_NAME_BYTES:
        return names, False
    length = max(MAX_NAME_BYTES // len(names), 12)
    return [n if len(n) <= length else f"{n[: length - 1]}…" for n in names], True


def _ranker(name: str, values: Scores, labels: Labels) -> dict[str, Any]:
    curve = pooled_precision_recall_curve(values, labels)
    shown = thin(curve.recall, PR_POINTS)
    _, calls, hits = pooled_counts(values, labels)
    f1 = f_beta(hits.astype(float), calls.astype(float), float(labels.nnz), 1.0)
    best = int(np.argmax(f1))
    return {
        "name": name,
        "average_precision": average_precision(values, labels),
        "best_f1": float(f1[best]),
        "best_f1_calls": int(calls[best]),
        "precision": _digits(curve.precision[shown]),
        "recall": _digits(curve.recall[shown]),
    }


def _choice(choice: ThresholdChoice) -> dict[str, Any]:
    names = ("threshold", "target", "wanted", "precision", "recall", "f", "calls_per_object")
    shown = {name: getattr(choice, name) for name in (*names, "level", "met", "message")}
    return {**shown, "intervals": {k: list(v) for k, v in choice.intervals.items()}}


def _calls(values: Scores, labels: Labels, names: NDArray[Any]) -> dict[str, Any]:
    """Return the pairs of the highest values, the highest first."""
    rows, classes, stored = values.stored
    n = min(MAX_CALLS, len(stored))
    if n < len(stored):
        # Whole ties only: what is shown must not depend on the order of rows.
        least = np.partition(stored, len(stored) - n)[len(stored) - n]
        kept = np.flatnonzero(stored >= least)
        if len(kept) > n:
            above = kept[stored[kept] > least]
            kept = above if len(above) else kept[:n]
    else:
        kept = np.arange(len(stored))
    order = kept[np.argsort(-stored[kept], kind="stable")]
    hit = member_mask(values, labels)[order]
    return {
        "object": [str(name) for name in names[rows[order]]],
        "class": classes[order],
        "value": stored[order],
        "member": hit.astype(int),
    }


def _groups(values: Float, member: NDArray[np.bool_]) -> dict[str, Any] | None:
    """Mean value and share of members of pairs in ten groups of like values."""
    if len(values) == 0 or values.min() < 0 or values.max() > 1:
        return None
    group = np.minimum((values * N_GROUPS).astype(np.int64), N_GROUPS - 1)
    n = np.bincount(group, minlength=N_GROUPS)
    used = n > 0
    total = np.bincount(group, weights=values, minlength=N_GROUPS)
    right = np.bincount(group, weights=member, minlength=N_GROUPS)
    return {
        "predicted": _digits(total[used] / n[used]),
        "observed": _digits(right[used] / n[used]),
        "n": n[used],
    }


def _per_class(
    curves: Mapping[str, Any], values: Scores, raw: Scores | None, labels: Labels
) -> dict[str, Any]:
    """Return curves, members' scores and reliability of as many classes as the page holds."""
    chosen = _chosen(labels.class_sizes, min(MAX_SINGLE, MAX_CURVES // max(len(curves), 1)))
    members = labels.matrix.tocsc()
    members.sort_indices()
    lines = []
    for k in chosen:
        mine = members.indices[members.indptr[k] : members.indptr[k + 1]]
        column, rows = values.column(int(k))
        rows = np.arange(values.n_rows) if rows is None else rows
        line: dict[str, Any] = {
            "class": int(k),
            "curves": {name: _curve(ranker, int(k)) for name, ranker in curves.items()},
            "members": [] if raw is None else _member_scores(raw, int(k), mine),
            "reliability": _groups(column, np.isin(rows, mine)),
        }
        lines.append(line)
    return {"total": labels.n_classes, "lines": lines, "rankers": [str(name) for name in curves]}


def _chosen(sizes: NDArray[np.int64], cap: int) -> NDArray[np.intp]:
    """Classes shown one by one: all with members, or the largest and a spread of the rest."""
    order = np.argsort(-sizes, kind="stable")
    order = order[sizes[order] > 0]
    if len(order) <= cap:
        return np.sort(order)
    rest = order[cap // 2 :]
    even = rest[np.linspace(0, len(rest) - 1, cap - cap // 2).astype(np.int64)]
    return np.unique(np.concatenate([order[: cap // 2], even]))


def _curve(ranker: Any, k: int) -> list[list[float]]:
    curve = ranker._curves[k]
    score, value = curve.score, curve.value
    if len(score) == 0:
        return [[], [float(curve.rate)]]
    # Even steps along the line, sideways and upwards: jumps keep both of their ends.
    along = _share(score - score[0]) + _share(np.cumsum(np.abs(np.diff(value, prepend=value[0]))))
    shown = thin(along, CURVE_POINTS)
    return [_digits(score[shown]), _digits(value[shown])]


def _share(x: Float) -> Float:
    return x / x[-1] if x[-1] > 0 else x


def _member_scores(raw: Scores, k: int, mine: NDArray[Any]) -> list[float]:
    column, rows = raw.column(k)
    scores = column[mine] if rows is None else column[np.isin(rows, mine)]
    scores = np.sort(scores)
    return _digits(scores[thin(np.arange(len(scores)), 60)] if len(scores) > 60 else scores)


def _digits(values: Any) -> list[float]:
    return [float(f"{v:.5g}") for v in values]
