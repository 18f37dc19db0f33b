"""``rank_stage``: how well scores rank, and what a threshold on them does."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from trueval.core.docs import shared_sections
from trueval.core.errors import InputError
from trueval.core.folds import as_folds
from trueval.core.labels import Labels, as_labels
from trueval.core.params import NONE, Where, constrained
from trueval.core.scores import Scores, check_pair
from trueval.rank import ThresholdChoice, average_precision, pooled_precision_recall_curve
from trueval.rank._base import Ranker
from trueval.rank._by_class import class_means, class_measures, fold_measures
from trueval.rank._curves import f_beta, member_mask
from trueval.report._section import Data
from trueval.report._stage import MAKES_STAGE, MAPPING, Stage
from trueval.report._terms import ONTOLOGY, Terms, terms_of
from trueval.report.sections.rank._classes import per_class, reliability
from trueval.report.sections.rank._live import live_data, pooled_counts
from trueval.report.sections.rank._spread import resampling
from trueval.show import summary
from trueval.show._numbers import rounded
from trueval.show._rank import Decision, Ranking, predictions_of
from trueval.show._vega._parts import thin

__all__ = ["rank_stage", "ranking_stage"]

MAX_CALLS = 2000  # lines of the table of predictions
MAX_NAME_BYTES = 160_000  # of all class names together
PR_POINTS = 300


@constrained(
    values=Where(lambda values: len(dict(values)) > 0, "a mapping that names at least one ranker"),
    choices=Where(
        lambda choices: all(hasattr(choice, "threshold") for choice in choices),
        "a sequence of ThresholdChoice",
    ),
    curves=(NONE, MAPPING),
    ontology=ONTOLOGY,
    provenance=(NONE, MAPPING),
)
@shared_sections(stage=MAKES_STAGE)
def rank_stage(
    values: Mapping[str, Any],
    y: Any,
    *,
    choices: Sequence[ThresholdChoice] = (),
    ids: ArrayLike | None = None,
    curves: Mapping[str, Any] | None = None,
    folds: Any = None,
    ontology: Terms | None = None,
    provenance: Data | None = None,
) -> Stage:
    """Condense rankings of (row, class) pairs for the report.

    Parameters
    ----------
    values : mapping of str to array or sparse matrix of shape (n_rows, n_classes)
        Calibrated scores by name of the ranker, out of fold, aligned to ``y``; the scores
        of the model may be among them as ``"raw"``. The live threshold is on the first.
    y : labels in any form :func:`trueval.as_labels` takes
    choices : sequence of ThresholdChoice, optional
        What :func:`~trueval.rank.pick_threshold` chose. Where the first values are those a
        threshold was chosen on (``choice.calibrated_``), the page begins at this threshold
        and has the counts of ``choice.predict()``.
    ids : sequence, optional
        Names of the rows; those of ``y``, or row numbers, if not given.
    curves : mapping of str to fitted ranker, optional
        To show the calibrated score of each score of a class.
    folds : array-like of int, Folds or iterable of (train, test), optional
        Fold of each row that the scores are out of, to show the measures of each fold.
    ontology : Ontology, optional
        Names and defines the classes on the page, and counts predictions by depth.
    {stage}

    Examples
    --------
    >>> from trueval.data.simulate import simulation_one
    >>> from trueval.rank import PrecisionRanker, pick_threshold
    >>> from trueval.report import rank_stage
    >>> scores, y = simulation_one(200, 0.2, random_state=0)
    >>> choice = pick_threshold(scores, y, precision=0.8, ranker=PrecisionRanker())
    >>> stage = rank_stage({"precision": choice.calibrated_, "raw": scores}, y, choices=[choice])
    >>> stage.data["predictions"]["n_predictions"] == choice.predict().nnz
    True
    """
    labels = as_labels(y)
    if labels.nnz == 0:
        raise InputError("y has no positives, so no ranking can be judged.")
    checked = {str(name): check_pair(v, labels)[0] for name, v in values.items()}
    areas = {name: average_precision(v, labels) for name, v in checked.items()}
    ranking = Ranking(areas, {}, labels.n_rows, labels.n_classes, labels.nnz)
    live, first = next(iter(checked.items()))
    decision = selected = None
    if choices:
        predictions = None
        if choices[0].guarantee != "fdr" and _is_of(choices[0], first):
            selected = choices[0].predict()
            predictions = predictions_of(selected, choices[0].calibrated_threshold_)
        decision = Decision({live: choices[0]}, predictions, labels.n_classes)
    of_folds = None
    if folds is not None:
        whole = selected is None or choices[0].target == "top_k"
        threshold = None if whole else choices[0].calibrated_threshold_
        numbers = as_folds(folds, labels.n_rows, index=labels.index)
        of_folds = fold_measures(first, labels, numbers, threshold)
    return ranking_stage(
        checked,
        labels,
        ranking,
        curves or {},
        choices=choices,
        decision=decision,
        selected=selected,
        ids=ids,
        folds=of_folds,
        ontology=ontology,
        provenance=provenance,
    )


def ranking_stage(
    values: Mapping[str, Scores],
    labels: Labels,
    ranking: Ranking,
    curves: Mapping[str, Ranker],
    *,
    choices: Sequence[ThresholdChoice] = (),
    decision: Decision | None = None,
    selected: sp.csr_array | None = None,
    ids: ArrayLike | None = None,
    folds: Data | None = None,
    ontology: Terms | None = None,
    provenance: Data | None = None,
) -> Stage:
    """A stage from calibrated scores and what is known of them.

    ``selected`` holds the predictions of the decision, ``folds`` the measures of each fold.
    """
    live, first = next(iter(values.items()))
    if first.n_stored == 0:
        raise InputError(
            f"values[{live!r}] stores no score at all, so there is nothing to predict."
        )
    names = _ids(ids, labels)
    raw = values.get("raw")
    class_names, cut = _class_names(labels)
    here = [choice.calibrated_threshold_ if _is_of(choice, first) else None for choice in choices]
    grid, places = live_data(first, labels, raw, [t for t in here if t is not None])
    next_place = iter(places)
    lines = [
        {**_choice(choice), "place": None if t is None else next(next_place)}
        for choice, t in zip(choices, here, strict=True)
    ]
    measures = {name: class_measures(v, labels) for name, v in values.items()}
    singles = per_class(curves, first, raw, labels)
    described = [line["class"] for line in singles["lines"]]
    data = {
        "summary": summary(decision or ranking).to_dict(),
        "n_rows": labels.n_rows,
        "n_classes": labels.n_classes,
        "n_positives": labels.nnz,
        "n_stored": first.n_stored,
        "live": live,
        "rankers": [
            _ranker(name, v, labels, ranking.areas[name]) | _macro(*measures[name])
            for name, v in values.items()
        ],
        "grid": grid.to_dict(),
        "classes": class_names,
        "names_cut": cut,
        "class_sizes": labels.class_sizes,
        "choices": lines,
        "predictions": _predictions(decision, selected),
        "calls": _calls(first, labels, names),
        "reliability": reliability(first.stored[2], member_mask(first, labels)),
        "per_class": singles,
        "terms": terms_of(labels.classes.tolist(), ontology, described),
        "class_measures": {
            "average_precision": rounded(measures[live][0], 4),
            "auc": rounded(measures[live][1], 4),
        },
        "resampling": resampling(first, labels, described),
        "folds": folds,
    }
    return Stage("rank", data, provenance or {})


def _is_of(choice: ThresholdChoice, values: Scores) -> bool:
    """Whether a threshold was chosen on these very values."""
    basis = choice.calibrated_
    if basis is None or basis.shape != values.shape or basis.is_sparse != values.is_sparse:
        return False
    if basis.matrix is values.matrix:
        return True
    return all(np.array_equal(a, b) for a, b in zip(basis.stored, values.stored, strict=True))


def _predictions(decision: Decision | None, selected: sp.csr_array | None) -> Data | None:
    """The predictions of a decision, by class."""
    if decision is None or decision.predictions is None or selected is None:
        return None
    classes, counts = np.unique(selected.indices, return_counts=True)
    predictions = decision.predictions
    return {
        "threshold": predictions.threshold,
        "n_rows": predictions.n_rows,
        "n_classes": predictions.n_classes,
        "n_predictions": predictions.n_predictions,
        "new": predictions.new,
        "by_class": {"class": classes, "n": counts},
    }


def _ids(ids: ArrayLike | None, labels: Labels) -> NDArray[Any]:
    index = ids if ids is not None else labels.index
    names = np.arange(labels.n_rows) if index is None else np.asarray(index)
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


def _ranker(name: str, values: Scores, labels: Labels, area: float) -> Data:
    curve = pooled_precision_recall_curve(values, labels)
    drawn = thin(curve.recall, PR_POINTS)
    _, calls, hits = pooled_counts(values, labels)
    f1 = f_beta(hits.astype(float), calls.astype(float), float(labels.nnz), 1.0)
    best = int(np.argmax(f1))
    return {
        "name": name,
        "average_precision": area,
        "best_f1": float(f1[best]),
        "best_f1_calls": int(calls[best]),
        "precision": rounded(curve.precision[drawn]),
        "recall": rounded(curve.recall[drawn]),
    }


def _macro(precision: NDArray[np.float64], auc: NDArray[np.float64]) -> dict[str, float]:
    """Means over the classes that have the measure."""
    means = {"macro_average_precision": precision, "macro_auc": auc}
    return {name: float(class_means(values)) for name, values in means.items()}


def _choice(choice: ThresholdChoice) -> Data:
    names = ("threshold", "target", "wanted", "precision", "recall", "f", "calls_per_object")
    fields = {name: getattr(choice, name) for name in (*names, "level", "met", "message")}
    verdict = summary(choice).verdict
    assert verdict is not None
    return {
        **fields,
        "intervals": {name: list(ends) for name, ends in choice.intervals.items()},
        "verdict": verdict.text,
    }


def _calls(values: Scores, labels: Labels, names: NDArray[Any]) -> Data:
    """The pairs of the highest values, the highest first."""
    rows, classes, stored = values.stored
    n = min(MAX_CALLS, len(stored))
    if n < len(stored):
        # Whole ties only: what is shown must not depend on the order of rows.
        least = np.partition(stored, len(stored) - n)[len(stored) - n]
        best = np.flatnonzero(stored >= least)
        if len(best) > n:
            above = best[stored[best] > least]
            best = above if len(above) else best[:n]
    else:
        best = np.arange(len(stored))
    order = best[np.argsort(-stored[best], kind="stable")]
    hit = member_mask(values, labels)[order]
    return {
        "object": [str(name) for name in names[rows[order]]],
        "class": classes[order],
        "value": stored[order],
        "member": hit.astype(int),
    }
