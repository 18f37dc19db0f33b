"""Figure 2 of the object-level cross-validation paper: which pairs each way validates."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from trueval.core.table import Table
from trueval.pairs import ObjectKFold, ObjectLeaveTwoOut, coverage
from trueval.show._vega._study import cells_figure
from trueval.study import _published_001 as published
from trueval.study._cells import Cell, Done, Outcome, Plan, Study, Work
from trueval.study._tables import columns_of

__all__ = ["STUDIES"]

_N_OBJECTS = 6


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
        name="001-figure2",
        called="pair-coverage",
        paper=published.CITATION,
        title="Pairs that each way of cross-validation validates",
        data="none: six objects, fifteen pairs",
        about="Object folds leave pairs out; overlapping folds and leave-two-out do not.",
        work=figure_2_work,
        conclude=figure_2,
    ),
)
