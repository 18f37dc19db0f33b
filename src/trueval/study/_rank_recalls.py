"""Tables 6 and 7 of the local-precision-rate paper, on data with a hierarchy of classes.

The paper's data, microarrays of NCBI GEO with 110 disease concepts, are not public. In their place:
the tree that its authors simulated later, whose classes have scores of different distributions, and
proteins with the terms of an ontology, where one forest gives the scores of all classes.
"""

import warnings
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from trueval.core.table import Table
from trueval.rank import (
    OneClassWarning,
    OptimalThresholds,
    make_consistent,
    pooled_precision_recall_curve,
)
from trueval.study import _published_002 as published
from trueval.study import _sources as sources
from trueval.study._cells import Cell, Done, Outcome, Plan, Study, Work, stream
from trueval.study._rank_hierarchy import GO, PROTEOME, TREE, draw_scores
from trueval.study._rank_measures import RANKERS, best_threshold
from trueval.study._tables import columns_of, mean_and_error

__all__ = ["STUDIES"]

_RECALLS = tuple(float(recall) for (recall,) in published.GEO_PRECISION)
_FURTHER = 0.02  # above a recall that ties let no threshold reach: no figure, as in the paper
_NEAR = 0.9  # of the precision of LPR: high
_MUCH = 0.02  # of precision
_METHODS = ("first stage", "two stage", *RANKERS)
_F = ("F", "precision", "recall")


def at_recalls(seed: int, data: str, run: int, n: int) -> dict[str, Any]:
    """Precision of each method at the recalls of Table 6; F, precision and recall of Table 7."""
    scores, y, new, new_y, hierarchy = draw_scores(data, n, stream(seed, "recalls", data, run))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OneClassWarning)
        values = {"first stage": new, "two stage": make_consistent(new, hierarchy)}
        for name, ranker in RANKERS.items():
            values[name] = ranker().fit(scores, y).transform(new)
        predictions = OptimalThresholds().fit(scores, y).predict(new)
    out: dict[str, Any] = {}
    for name, matrix in values.items():
        table = pooled_precision_recall_curve(matrix, new_y).at_recalls(_RECALLS)
        tied = table["reached"] > np.array(_RECALLS) + _FURTHER
        precision = np.where(tied, np.nan, table["precision"])
        out[name] = [None if np.isnan(p) else round(float(p), 6) for p in precision]
    out["F of LPR"] = _f(values["LPR"] >= best_threshold(values["LPR"], new_y)[0], new_y)
    out["F of OT"] = _f(predictions.toarray() > 0, new_y)
    return out


def _f(predicted: Any, y: Any) -> list[float]:
    """Pooled F, precision and recall of predictions.

    >>> _f(np.array([[True, True]]), np.array([[1, 0]]))
    [0.666667, 0.5, 1.0]
    """
    hits = float((predicted & (y > 0)).sum())
    precision, recall = hits / max(predicted.sum(), 1), hits / max((y > 0).sum(), 1)
    f = 2 * precision * recall / (precision + recall) if hits else 0.0
    return [round(float(value), 6) for value in (f, precision, recall)]


def work(plan: Plan) -> Work:
    missing = bool(sources.absent("annotated"))
    runs = plan.n(10, 2)
    sizes = {TREE: 1000, PROTEOME: 300} if plan.quick else {TREE: 5000, PROTEOME: 1000}
    if not plan.quick and not missing:
        sizes[GO] = 2000
    cells = [
        Cell(
            at_recalls,
            {"data": data, "run": run, "n": n},
            sources.digests("annotated") if data == GO else (),
        )
        for data, n in sizes.items()
        for run in range(runs)
    ]
    described = [{"name": "simulated tree and proteome", "from": "trueval.data.simulate"}]
    if GO in sizes:
        described.append(sources.describe("annotated") | {"name": "Swiss-Prot, January 2014"})
    notes = [] if plan.quick or not missing else sources.left_out(["annotated"])
    return Work(cells, described, notes, runs)


_STAND_IN = (
    "The GEO data are not public, so that the order of methods can be compared, not the figures. "
    "First stage: scores of the classifiers under one threshold. Two stage: the same made "
    "consistent with the hierarchy, in place of the Bayesian network of Huang, Liu and Zhou "
    "(2010), which the paper does not describe; it changes nothing where one forest gives all "
    "scores, because its shares of votes are consistent already. LPR by the paper's bandwidth "
    "rule; LPR ours and ours are LocalPrecisionRate and PrecisionRanker with their defaults."
)


def _by_data(done: Sequence[Done]) -> dict[str, list[Any]]:
    results: dict[str, list[Any]] = {}
    for cell in done:
        results.setdefault(cell.parameters["data"], []).append(cell.result)
    return results


def table_6(done: Sequence[Done]) -> Outcome:
    lines, notes = [], []
    for data, results in _by_data(done).items():
        of_data = []
        for i, recall in enumerate(_RECALLS):
            line: dict[str, Any] = {"data": data, "recall": recall}
            paper = published.GEO_PRECISION[f"{recall:g}",]
            for name in _METHODS:
                values = [np.nan if r[name][i] is None else r[name][i] for r in results]
                if name in paper:
                    line[f"{name} paper"] = paper[name]
                line[name], line[f"{name} se"] = mean_and_error(values)
            of_data.append(line)
        lines += of_data
        notes += [f"{data}: {note}" for note in _order_notes(of_data)]
    return Outcome(Table(columns_of(lines)), None, [*notes, _STAND_IN])


def _order_notes(lines: Sequence[dict[str, Any]]) -> list[str]:
    """What Section 4 says of the order of methods, as yes or no."""

    def verdict(other: str, text: str, least: float = 0.0) -> str:
        gain = np.array([line["LPR"] - line[other] for line in lines])
        gain = gain[np.isfinite(gain)]
        holds = len(gain) > 0 and bool((gain > least).all())
        span = f"{gain.min():+.3f} to {gain.max():+.3f}" if len(gain) else "no recall in common"
        return f"LPR {text}: {'yes' if holds else 'no'}, LPR less it {span}."

    top = lines[0]

    def fails(name: str) -> str:
        """Whether a method has nothing near the precision of LPR at the lowest recall."""
        value = top[name]
        low = not value >= _NEAR * top["LPR"]
        shown = f"{value:.3f}" if np.isfinite(value) else "none"
        return f"{name} {'yes' if low else 'no'} ({shown})"

    return [
        verdict("first stage", "outperforms the first stage"),
        verdict("two stage", "outperforms the two stages"),
        verdict("p-value", "outperforms p-values at almost all recalls"),
        f"“fail to obtain results with high precision”: {fails('p-value')}, {fails('FDR')}, "
        f"against {top['LPR']:.3f} of LPR at a recall of {top['recall']:g}.",
        verdict("ltdr", "is much better than ltdr", _MUCH),
    ]


def table_7(done: Sequence[Done]) -> Outcome:
    lines, notes = [], []
    for data, results in _by_data(done).items():
        means = {}
        for method in ("LPR", "OT"):
            line: dict[str, Any] = {"data": data, "method": method}
            for i, name in enumerate(_F):
                line[f"{name} paper"] = published.GEO_F[(method,)][name]
                line[name], line[f"{name} se"] = mean_and_error(
                    [r[f"F of {method}"][i] for r in results]
                )
            means[method] = line
            lines.append(line)
        f, precision = (means["OT"][name] - means["LPR"][name] for name in _F[:2])
        notes.append(
            f"{data}: “OT is comparable or slightly better in terms of F”: "
            f"{'yes' if f > -0.01 else 'no'}, OT less LPR {f:+.3f}; “LPR has a better precision”: "
            f"{'yes' if precision < 0 else 'no'}, {precision:+.3f}."
        )
    notes.append(
        "F of LPR is the best over thresholds on the test data, as in the paper; thresholds of OT "
        "come from the data it was fitted to."
    )
    return Outcome(Table(columns_of(lines)), None, [*notes, _STAND_IN])


_study = partial(
    Study,
    paper=published.CITATION,
    data="simulated, and Swiss-Prot 2014 where present, in place of NCBI GEO",
    work=work,
)
STUDIES = (
    _study(
        name="002-table6",
        title="Precision at given recalls, classes of a hierarchy",
        about="The form of the paper's table on other data; its statements as yes or no.",
        conclude=table_6,
    ),
    _study(
        name="002-table7",
        title="F, precision and recall of LPR and OT, classes of a hierarchy",
        about="The same runs as 002-table6.",
        conclude=table_7,
    ),
)
