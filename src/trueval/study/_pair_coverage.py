"""Figures 1 and 2 of the object-level cross-validation paper: types of pairs, and coverage."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from trueval.core.table import Table
from trueval.pairs import ObjectKFold, ObjectLeaveTwoOut, audit_pairs, coverage
from trueval.show._vega._study import cells_figure
from trueval.study import _published_001 as published
from trueval.study._cells import Cell, Done, Outcome, Plan, Study, Work
from trueval.study._tables import columns_of

__all__ = ["STUDIES"]

_N_OBJECTS = 6
_N_NEW = 3  # objects outside the data set, in Figure 1
_TYPES = {"AA": "data set and new objects", "AtAt": "a fold"}


def types(seed: int) -> dict[str, Any]:
    """Pairs of nine objects by type: six are in the data set, of which a fold holds out two."""
    pairs = np.array(list(combinations(range(_N_OBJECTS + _N_NEW), 2)))
    inside = np.flatnonzero((pairs < _N_OBJECTS).all(axis=1))
    outside = np.setdiff1d(np.arange(len(pairs)), inside)
    audit = audit_pairs(pairs, inside, outside)
    rows: dict[str, list[int]] = {"AA": inside.tolist()}
    n_new = (pairs >= _N_OBJECTS).sum(axis=1)
    rows |= {"AB": np.flatnonzero(n_new == 1).tolist(), "BB": np.flatnonzero(n_new == 2).tolist()}
    folds = {
        scheme: next(
            ObjectKFold(3, scheme=scheme, balance="objects", random_state=0).folds(
                groups=pairs[inside]
            )
        )
        for scheme in ("strict", "relaxed")
    }
    new = folds["strict"].held_out[pairs[inside]].sum(axis=1)
    rows |= {name: inside[new == n].tolist() for n, name in enumerate(("AtAt", "AtAv", "AvAv"))}
    trained = {scheme: inside[fold.train].tolist() for scheme, fold in folds.items()}
    tested = inside[folds["strict"].test].tolist()
    # Members that occur in a pair of the data set, or in one that the fold trains on.
    seen = {}
    for name, at in rows.items():
        members = pairs[inside] if len(name) == 2 else pairs[trained["strict"]]
        (seen[name],) = np.unique(np.isin(pairs[at], members).sum(axis=1)).tolist()
    return {
        "pairs": pairs.tolist(), "rows": rows, "seen": seen, "trained": trained,
        "validated": tested,
        "audit": {name: int(audit.counts[name]) for name in ("AB", "BB")},
    }  # fmt: skip


def figure_1_work(plan: Plan) -> Work:
    return Work([Cell(types, {})], data=[{"name": "none", "from": "all 36 pairs of nine objects"}])


def figure_1(done: Sequence[Done]) -> Outcome:
    result = done[0].result
    lines, squares, panel = [], [], ""
    for name, rows in result["rows"].items():
        paper = published.FIGURE_1[(name,)]
        panel = _TYPES.get(name, panel)
        line: dict[str, Any] = {"type": name, "where": panel, "pairs": len(rows)}
        line["members seen"] = result["seen"][name]
        line["members seen paper"] = int(paper["seen"])
        for scheme, trained in result["trained"].items():
            in_fold = len(name) == len("AtAt")
            share = len(set(rows) & set(trained)) / len(rows) if in_fold else np.nan
            line[f"{scheme} trains on"] = share
            line[f"{scheme} trains on paper"] = paper[scheme]
        line["validated"] = len(set(rows) & set(result["validated"]))
        lines.append(line)
        squares += [
            {"first": f"o{a + 1}", "second": f"o{b + 1}", "members seen": result["seen"][name],
             "what": panel}
            for a, b in (result["pairs"][row] for row in rows)
        ]  # fmt: skip
    table = Table(columns_of(lines))
    agree = all(
        np.array_equal(table[c], table[f"{c} paper"], equal_nan=table[c].dtype.kind == "f")
        for c in ("members seen", "strict trains on", "relaxed trains on")
    )
    counted = all(result["audit"][name] == len(result["rows"][name]) for name in ("AB", "BB"))
    notes = [
        f"Types and schemes are as the figure says: {'yes' if agree else 'no'}. audit_pairs "
        f"counts the same AB and BB pairs: {'yes' if counted else 'no'}.",
        "Six objects are in the data set, three are not; a fold holds out two of the six. Its "
        "types of pairs are those of the data set again, one level down.",
    ]
    figure = cells_figure(
        squares, "first", "second", "members seen", panel="what",
        title="Members of a pair that the data set, or the training set of a fold, has",
    )  # fmt: skip
    return Outcome(table, figure, notes)


def _splitter(way: str, scheme: str) -> Any:
    if way == "object-leave-two-out":
        return ObjectLeaveTwoOut(scheme=scheme)
    n_splits = 2 if "2-fold" in way else 3
    return ObjectKFold(
        n_splits,
        scheme=scheme,
        overlapping=way.startswith("overlapping"),
        balance="objects",
        random_state=0,
    )


def covered(seed: int, way: str) -> dict[str, Any]:
    """How often each pair of six objects is validated, and what a fold trains on."""
    pairs = np.array(list(combinations(range(_N_OBJECTS), 2)))
    by_scheme = {
        scheme: coverage(_splitter(way, scheme), pairs) for scheme in ("strict", "relaxed")
    }
    # Objects in the order of their parts, so that blocks can be seen.
    counts = by_scheme["strict"].counts
    return {
        "pairs": pairs.tolist(),
        "counts": counts.tolist(),
        **{f"{s} trained": float(c.folds["share_trained"].mean()) for s, c in by_scheme.items()},
    }


def figure_2_work(plan: Plan) -> Work:
    ways = [key[0] for key in published.FIGURE_2]
    return Work(
        [Cell(covered, {"way": way}) for way in ways],
        data=[{"name": "none", "from": "all 15 pairs of six objects"}],
    )


def figure_2(done: Sequence[Done]) -> Outcome:
    lines, rows = [], []
    for cell in done:
        way, counts = cell.parameters["way"], np.array(cell.result["counts"])
        paper = published.FIGURE_2[(way,)]
        lines.append(
            {
                "way": way,
                "pairs validated": int((counts > 0).sum()),
                "pairs validated paper": int(paper["validated"]),
                "validated twice": int((counts == 2).sum()),
                "validated twice paper": int(paper["twice"]),
                "never validated": int((counts == 0).sum()),
                "strict trains on": cell.result["strict trained"],
                "relaxed trains on": cell.result["relaxed trained"],
            }
        )
        rows += [
            {"first": f"o{a + 1}", "second": f"o{b + 1}", "validation sets": int(n), "way": way}
            for (a, b), n in zip(cell.result["pairs"], counts, strict=True)
        ]
    table = Table(columns_of(lines))
    agree = all(
        (table[c] == table[f"{c} paper"]).all() for c in ("pairs validated", "validated twice")
    )
    notes = [
        "Every count is the figure's." if agree else "Some counts differ from the figure's.",
        "Which objects form a part is random here; the figure has them in order.",
    ]
    figure = cells_figure(
        rows, "first", "second", "validation sets", panel="way",
        title="How often each pair of six objects is validated",
    )  # fmt: skip
    return Outcome(table, figure, notes)


STUDIES = (
    Study(
        name="001-figure1",
        paper=published.CITATION,
        title="Types of pairs: AA, AB and BB, and the same inside a fold",
        data="none: nine objects, of which six are in the data set",
        about="What a pair shares with the data set, and what each scheme trains on.",
        work=figure_1_work,
        conclude=figure_1,
    ),
    Study(
        name="001-figure2",
        paper=published.CITATION,
        title="Pairs that each way of cross-validation validates",
        data="none: six objects, fifteen pairs",
        about="Object folds leave pairs out; overlapping folds and leave-two-out do not.",
        work=figure_2_work,
        conclude=figure_2,
    ),
)
