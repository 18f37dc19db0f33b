"""Summary of held-out scores of pairs."""

from collections.abc import Mapping

from trueval.pairs import PairScores
from trueval.pairs._settings import ALL, C_NAMES
from trueval.show._numbers import count, number, percent
from trueval.show._summary import Cell, Summary, SummaryTable, columns_of
from trueval.show._verdicts import scores_verdict

__all__ = ["scores_summary"]


def scores_summary(scores: PairScores) -> Summary:
    """AUC of held-out scores by setting."""
    columns = columns_of(
        "<setting",
        "pairs",
        "positives",
        "pooled AUC",
        "interval",
        "no skill",
        "averaged AUC",
        "interval",
        "folds",
    )
    c_names = {ours: theirs for theirs, ours in C_NAMES.items()}
    rows: list[list[Cell]] = []
    settings = scores.to_dict()["settings"]
    for name, of in settings.items():
        if name == ALL and len(settings) == 2:  # and the one setting
            continue
        pooled, averaged = of["pooled"], of["averaged"]
        called = name if name == ALL else f"{name} ({c_names[name]})"
        rows.append([called, of["pairs"], of["positives"], pooled["auc"], _range(pooled)])
        rows[-1] += [pooled["null"], averaged["auc"], _range(averaged), averaged["folds"]]
    title = f"AUC of {count(settings[ALL]['pairs'], 'held-out score')} of pairs of "
    title += f"{count(scores.n_objects, 'object')}, by objects seen in training"
    strong = [place for place, row in enumerate(rows) if str(row[0]).startswith("BB")]
    table = SummaryTable(columns, rows, "AUC by objects seen in training", strong)
    return Summary(title, scores_verdict(scores), (), [table], _score_notes(scores))


def _range(estimate: Mapping[str, float | None]) -> str | None:
    low, high = estimate["low"], estimate["high"]
    return None if low is None else f"{number(low)} to {number(high)}"


def _score_notes(scores: PairScores) -> list[str]:
    notes = []
    excluded = int(scores.table["excluded"].max())
    if excluded:
        notes.append(f"up to {count(excluded, 'fold')} without an AUC: one class only")
    if not scores.n_resamples:
        return notes
    undefined = [
        name
        for name, of in scores.to_dict()["settings"].items()
        if of["pooled"]["auc"] is not None and of["pooled"]["low"] is None
    ]
    if undefined:
        names = ", ".join(undefined)
        notes.append(f"no interval for {names}: one object, or most resamples lack a class")
    notes.append(
        f"intervals: {percent(scores.confidence)}, {scores.n_resamples:,} resamples of the "
        f"{count(scores.n_objects, 'object')}, for these models on pairs of other such objects; "
        "that training on other objects would give other models is not part of them"
    )
    return notes
