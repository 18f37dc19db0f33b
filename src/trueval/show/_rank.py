"""Summaries of rankings, thresholds and predictions."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from trueval.rank import (
    HierarchicalRanker,
    PrecisionExamination,
    PrecisionRecallCurve,
    ThresholdChoice,
)
from trueval.rank._base import Ranker
from trueval.show._numbers import count, interval, number, percent
from trueval.show._present import summarise
from trueval.show._rank_verdicts import (
    choices_verdict,
    f_name,
    fit_verdict,
    jumps_verdict,
    rankers_verdict,
    target_of,
)
from trueval.show._summary import Cell, Column, Fact, Summary, SummaryTable, columns_of
from trueval.show._verdicts import sentence

__all__ = ["FOLD_MEASURES", "Decision", "Predictions", "Ranking", "folds_line", "predictions_of"]


#: What is said of each fold.
FOLD_MEASURES = {
    "average_precision": "average precision",
    "macro_average_precision": "macro average precision",
    "macro_auc": "macro AUC",
    "precision": "precision at the threshold",
    "recall": "recall at the threshold",
}


@dataclass(frozen=True)
class Ranking:
    """Average precision of rankers on the same scores, the first one in question."""

    areas: Mapping[str, float]
    meanings: Mapping[str, str]  # what the scores of each ranker mean
    n_rows: int
    n_classes: int
    n_positives: int
    # The first one fitted on all rows, if it uses a hierarchy
    hierarchical: HierarchicalRanker | None = None

    @property
    def ranker(self) -> str:
        """Name of the first."""
        return next(iter(self.areas))

    @property
    def shape(self) -> str:
        """Rows and classes in words."""
        return f"{count(self.n_rows, 'row')} and {count(self.n_classes, 'class', 'classes')}"


@dataclass(frozen=True)
class Predictions:
    """What a threshold selects.

    Attributes
    ----------
    threshold : float
        Selects the calibrated scores at or above it.
    n_rows, n_classes : int
        Rows, and classes with at least one prediction.
    n_predictions : int
    new : bool
        Whether the rows are others than the threshold was chosen on.
    """

    threshold: float
    n_rows: int
    n_classes: int
    n_predictions: int
    new: bool = False


def predictions_of(selected: sp.csr_array, threshold: float, new: bool = False) -> Predictions:
    """What a sparse matrix of predictions holds."""
    n_classes = len(np.unique(selected.indices))
    return Predictions(threshold, selected.shape[0], n_classes, selected.nnz, new)


@dataclass(frozen=True)
class Decision:
    """Thresholds for one target by ranker, the first one in question, and its predictions."""

    choices: Mapping[str, ThresholdChoice]
    predictions: Predictions | None
    n_classes: int

    @property
    def ranker(self) -> str:
        """Name of the first."""
        return next(iter(self.choices))


# --- rankers -------------------------------------------------------------------------


@summarise.register
def _(ranking: Ranking) -> Summary:
    columns = [Column("ranker", text=True), Column("average precision")]
    rows: list[list[Cell]] = [[name, area] for name, area in ranking.areas.items()]
    if ranking.meanings:
        columns.insert(1, Column("meaning of its score", text=True))
        rows = [[name, ranking.meanings.get(str(name), ""), area] for name, area in rows]
    reason = f"{count(ranking.n_positives, 'positive')} among {ranking.shape}, as one list."
    verdict = rankers_verdict(ranking.ranker, ranking.areas, reason)
    title = f"{ranking.shape}: all (row, class) pairs in one list"
    caption = "How well each orders all (row, class) pairs as one list"
    notes = [] if ranking.hierarchical is None else [hierarchy_note(ranking.hierarchical)]
    return Summary(title, verdict, (), [SummaryTable(columns, rows, caption, (0,))], notes)


_METHODS = {
    "plain": "each class by its own score",
    "stack": "scores of neighbours with learned weights",
    "mlpr": "P(class | scores of all classes), mLPR",
}
_RULES = {
    "max": "parents raised to their highest child (max)",
    "project": "the nearest consistent values (project)",
    "min": "children lowered to their lowest parent (min)",
    "none": "left as they are",
}


def hierarchy_note(ranker: HierarchicalRanker) -> str:
    """What a ranker chose to do with its hierarchy, and why, in one line."""
    text = f"Hierarchy: {_METHODS[ranker.method_]}; {_RULES[ranker.rule_]}"
    if len(ranker.hierarchy_.child) == 0:
        return "Hierarchy: no edges between the classes, so that nothing changes"
    if not ranker.areas_:
        return f"{text}, as asked for"
    others = ", ".join(
        f"{' '.join(option)} {area:.4f}"
        for option, area in ranker.areas_.items()
        if option != (ranker.method_, ranker.rule_)
    )
    area = ranker.areas_[ranker.method_, ranker.rule_]
    reason = "the best average precision on rows left out"
    if area < max(ranker.areas_.values()):
        reason = "nothing else is better in every fold; average precision on rows left out"
    return f"{text}: {reason}, {area:.4f} ({others})"


@summarise.register
def _(ranker: Ranker) -> Summary:
    methods = getattr(ranker, "methods_", np.full(len(ranker.classes_), ""))
    flat = [k for k, curve in enumerate(ranker.curves_) if len(curve.score) == 0]
    shared = np.flatnonzero(methods == "shared").tolist()
    notes = []
    for which, fate in (
        (flat, "get one calibrated score each"),
        (shared, "are calibrated by the other classes"),
    ):
        if which:
            names = ", ".join(str(ranker.classes_[k]) for k in which[:3])
            more = ", …" if len(which) > 3 else ""
            notes.append(
                f"{len(which):,} cannot be ranked (one label or one score only) and {fate}: "
                f"{names}{more}"
            )
    if isinstance(ranker, HierarchicalRanker):
        notes.append(hierarchy_note(ranker))
    flat = sorted(flat + shared)
    if hasattr(ranker, "methods_"):
        kinds = Counter(np.delete(methods, flat).tolist()).most_common()
        notes.append("curves: " + ", ".join(f"{n:,} {kind}" for kind, n in kinds))
    for attribute, name in (
        ("own_weight_", "weight of a class's own curve beside the shared one"),
        ("bandwidths_", "bandwidth"),
        ("degrees_of_freedom_", "degrees of freedom"),
        ("n_atoms_", "scores with an estimate of their own"),
    ):
        if not hasattr(ranker, attribute):
            continue
        values = np.delete(np.asarray(getattr(ranker, attribute), dtype=float), flat)
        values = values[~np.isnan(values)]
        if len(values):
            low, middle, high = np.quantile(values, [0, 0.5, 1])
            notes.append(f"{name}: median {middle:.3g}, from {low:.3g} to {high:.3g}")
    verdict = fit_verdict(len(ranker.classes_), len(flat))
    return Summary(type(ranker).__name__, verdict, notes=notes)


def folds_line(measures: Mapping[str, Sequence[Any]]) -> str:
    """The range of the pooled measures over folds.

    >>> folds_line({"fold": [0, 1], "average_precision": [0.8, 0.9], "precision": [None, 0.7]})
    'Over 2 folds: average precision 0.800 to 0.900; at the threshold precision 0.700.'
    """

    def ranges(*names: str) -> str:
        said = []
        for name in names:
            values = [float(v) for v in measures.get(name, ()) if v is not None and v == v]
            ends = dict.fromkeys(number(end) for end in values and (min(values), max(values)))
            said += [f"{name.replace('_', ' ')} {' to '.join(ends)}"] if ends else []
        return ", ".join(said)

    parts = (ranges("average_precision"), ranges("precision", "recall"))
    said = [parts[0], f"at the threshold {parts[1]}" if parts[1] else ""]
    return f"Over {count(len(measures['fold']), 'fold')}: {'; '.join(filter(None, said))}."


# --- thresholds ----------------------------------------------------------------------

_MEASURES = {
    "precision": "precision",
    "recall": "recall",
    "f": "F",
    "calls_per_object": "predictions per row",
    "cost": "cost per row",
}


@summarise.register
def _(choice: ThresholdChoice) -> Summary:
    of = "the scores" if choice.ranker is None else f"scores of {type(choice.ranker).__name__}"
    rows: list[list[Cell]] = []
    for key, name in _MEASURES.items():
        if np.isnan(getattr(choice, key)):
            continue
        low, high = choice.intervals.get(key, (np.nan, np.nan))
        ends = "" if np.isnan(low) else f"{number(float(low))} to {number(float(high))}"
        rows.append([name, float(getattr(choice, key)), ends])
    columns = columns_of("<on new data", "expected", f"{percent(choice.level)} interval")
    verdict = choices_verdict("", {"": choice})
    title = f"Threshold {choice.threshold:.6g} on {of}, for {target_of(choice)}"
    if choice.target == "top_k":
        title = f"{sentence(target_of(choice))}, by {of}"
    if choice.abstains:
        title, rows = f"No threshold on {of}, for {target_of(choice)}", []
    tables = [SummaryTable(columns, rows)] if rows else []
    return Summary(title, verdict, (), tables, _promise(choice))


def _promise(choice: ThresholdChoice) -> list[str]:
    """What the threshold promises; nothing to say where it predicts nothing."""
    return [choice.promise] if choice.guarantee is not None and not choice.abstains else []


@summarise.register
def _(decision: Decision) -> Summary:
    first = decision.choices[decision.ranker]
    best_f = first.target == "beta"

    def cell(choice: ThresholdChoice, name: str) -> str:
        return interval(getattr(choice, name), choice.intervals.get(name))

    rows: list[list[Cell]] = [
        [
            name,
            cell(choice, "precision"),
            cell(choice, "recall"),
            choice.calls_per_object,
            # The best F is always reached; how good it is, is the question.
            cell(choice, "f") if best_f else bool(choice.target_reached),
        ]
        for name, choice in decision.choices.items()
    ]
    columns = columns_of(
        "<ranker",
        "precision",
        "recall",
        "predictions per row",
        f_name(first) if best_f else "target reached",
    )
    facts, reason = _predictions(decision)
    verdict = choices_verdict(decision.ranker, decision.choices, reason)
    caption = f"Expected on new data, with {percent(first.level)} intervals"
    title = f"Target: {target_of(first)}. {caption}"
    tables = [SummaryTable(columns, rows, caption, (0,))]
    return Summary(title, verdict, facts, tables, _promise(first))


def _predictions(decision: Decision) -> tuple[list[Fact], str]:
    """Key figures of the predictions, and the same in one sentence."""
    predictions = decision.predictions
    if predictions is None:
        return [], ""
    which = "new rows" if predictions.new else "rows"
    facts = [
        Fact("predictions", predictions.n_predictions, "", f"for {predictions.n_rows:,} {which}"),
        Fact("classes with predictions", predictions.n_classes, "", f"of {decision.n_classes:,}"),
    ]
    reason = (
        f"{count(predictions.n_predictions, 'prediction')} in {predictions.n_classes:,} of "
        f"{count(decision.n_classes, 'class', 'classes')} for {predictions.n_rows:,} {which}"
    )
    if np.isfinite(predictions.threshold):
        note = "this calibrated score or more is predicted"
        facts.append(Fact("threshold", predictions.threshold, "", note, digits=4))
        return (
            facts,
            f"{reason}: those whose calibrated score is at least {predictions.threshold:.4g}.",
        )
    every = ": all that have a score" if predictions.threshold < 0 else ""
    return facts, f"{reason}{every}."


# --- curves --------------------------------------------------------------------------


@summarise.register
def _(curve: PrecisionRecallCurve) -> Summary:
    precision, recall, thresholds = curve
    f = np.zeros(len(precision))
    both = precision + recall
    np.divide(2 * precision * recall, both, out=f, where=both > 0)
    places = [("best F1", int(np.argmax(f)))]
    for least in (0.9, 0.5):
        # The first place that is precise enough has the highest recall; the last
        # place of the curve is the one without predictions.
        at = int(np.argmax(precision[:-1] >= least))
        if precision[at] >= least:
            places.append((f"precision of {least}", at))
    rows: list[list[Cell]] = [
        [
            name,
            float(thresholds[at]) if at < len(thresholds) else float("inf"),
            float(precision[at]),
            float(recall[at]),
            float(f[at]),
        ]
        for name, at in places
    ]
    columns = [
        Column("place", text=True),
        Column("threshold", digits=4),
        *(Column(name) for name in ("precision", "recall", "F1")),
    ]
    area = curve.average_precision
    return Summary(
        f"Pooled precision-recall curve: average precision {number(area)} at "
        f"{count(len(thresholds), 'threshold')}",
        tables=[SummaryTable(columns, rows)],
        notes=["These are the best on these labels; pick_threshold estimates new data."],
    )


@summarise.register
def _(examined: PrecisionExamination) -> Summary:
    table = examined.table
    keys = ("class", "bandwidth", "step", "jump_score", "p_value")
    rows: list[list[Cell]] = [
        [str(name), *map(float, values)]
        for name, *values in zip(*(table[key] for key in keys), strict=True)
    ]
    columns = [
        Column("class", text=True),
        Column("bandwidth"),
        Column("largest step"),
        Column("at score", digits=4),
        Column("p-value"),
    ]
    jumping = [str(name) for name in np.asarray(table["class"])[np.asarray(table["jump"])]]
    helped = [name for name in jumping if examined.classes[name].jump_helps]
    verdict = jumps_verdict(jumping, helped)
    return Summary("Precision against rank", verdict, (), [SummaryTable(columns, rows)])
