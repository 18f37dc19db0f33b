"""Figure 1 and Table 1 of the OptiSplit paper: what stratification is, and who does it how."""

import time
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.table import Table
from trueval.stratify import (
    METHODS,
    label_pair_distribution,
    measures,
    split_quality,
    stratified_folds,
)
from trueval.study import _published_000 as published
from trueval.study import _sources as sources
from trueval.study._cells import Cell, Done, Outcome, Plan, Study, Work, stream
from trueval.study._tables import columns_of, mean_and_error

__all__ = ["STUDIES"]

# --- Figure 1: 24 rows, classes of 8, 4 and 4, four folds --------------------------------

_N_ROWS, _N_FOLDS, _SIZES = 24, 4, (8, 4, 4)
_SPLITS = {"random": "random", "stratified": "anneal"}


def figure_1_data(seed: int, draw: int) -> NDArray[np.int64]:
    """Rows and classes of the figure's sizes, members at random."""
    random = stream(seed, "figure1", draw)
    y = np.zeros((_N_ROWS, len(_SIZES)), dtype=np.int64)
    for column, size in enumerate(_SIZES):
        y[random.choice(_N_ROWS, size, replace=False), column] = 1
    return y


def small_split(seed: int, split: str, draw: int) -> dict[str, Any]:
    """Positives of each class in each fold."""
    y = figure_1_data(seed, draw)
    state = stream(seed, split, draw)
    folds = stratified_folds(y, _N_FOLDS, method=_SPLITS[split], random_state=state)
    counts = measures.class_part_counts(y, folds, _N_FOLDS)
    return {"counts": counts.tolist(), "rLD": split_quality(y, folds).rld}


def figure_1_work(plan: Plan) -> Work:
    draws = plan.n(1000, 50)
    cells = [
        Cell(small_split, {"split": split, "draw": draw})
        for split in _SPLITS
        for draw in range(draws)
    ]
    return Work(cells, [{"name": "24 rows", "from": "classes of 8, 4 and 4 rows drawn"}], (), draws)


def figure_1(done: Sequence[Done]) -> Outcome:
    ideal = np.array(_SIZES)[:, None] / _N_FOLDS
    lines: list[dict[str, Any]] = []
    notes = []
    for split in _SPLITS:
        results = [cell.result for cell in done if cell.parameters["split"] == split]
        counts = np.array([result["counts"] for result in results])
        for fold in range(_N_FOLDS):
            line: dict[str, Any] = {"split": split, "fold": fold + 1}
            for c, size in enumerate(_SIZES):
                line[f"class {c + 1} paper"] = size / _N_FOLDS
                line[f"class {c + 1}"] = int(counts[0, c, fold])
            lines.append(line)
        reached = (counts == ideal).all(axis=(1, 2)).mean()
        missing = (counts == 0).any(axis=(1, 2)).mean()
        rld, error = mean_and_error([result["rLD"] for result in results])
        notes.append(
            f"{split}: {reached:.1%} of {len(results)} splits are ideal in every fold, "
            f"{missing:.1%} leave a fold without a class; rLD {rld:.3f} ± {error:.3f}."
        )
    notes.append(
        "The figure has no numbers but the ideal, 2 of 6 rows of the first class and 1 of 6 of the "
        "others, which stands under paper; its rows are not printed, so classes of these sizes are "
        "drawn. The table shows the first draw."
    )
    return Outcome(Table(columns_of(lines)), None, notes)


# --- Table 1: the methods ------------------------------------------------------------------

_METHODS = (
    # name and acronym in the paper, family of section 5.2, our method
    ("Iterative stratification", "IS", "iterative", "iterative"),
    ("Second order iterative stratification", "SOIS", "iterative", "iterative2"),
    ("Stratified sampling", "SS", "optimisation", "sampling"),
    ("Partition method based on stratified random sampling", "PMBSRS", "random", "pmbsrs"),
    ("OPTISPLIT", "OPTISPLIT", "optimisation", "optisplit"),
    ("RANDOM", "RANDOM", "random", "random"),
)


def overview(seed: int, method: str, run: int) -> dict[str, Any]:
    """Quality and CPU seconds of a method on simulated labels."""
    y = sources.label_matrix(sources.SIMULATED)
    start = time.process_time()
    folds = stratified_folds(y, 5, method=method, random_state=stream(seed, method, run))
    seconds = time.process_time() - start
    quality = split_quality(y, folds)
    pairs = label_pair_distribution(y, folds)
    scores = {"ED": quality.ed, "LD": quality.ld, "LPD": pairs, "rLD × bound": quality.rld_ratio}
    return scores | {"seconds": seconds}


def table_1_work(plan: Plan) -> Work:
    runs = plan.n(10, 2)
    methods = dict.fromkeys([*(method for *_, method in _METHODS), *METHODS])
    cells = [Cell(overview, {"method": m, "run": run}) for m in methods for run in range(runs)]
    return Work(cells, [sources.describe(sources.SIMULATED)], (), runs)


def table_1(done: Sequence[Done]) -> Outcome:
    papers = {method: (name, acronym, family) for name, acronym, family, method in _METHODS}
    lines = []
    for method in dict.fromkeys(cell.parameters["method"] for cell in done):
        name, acronym, family = papers.get(method, ("not in the table", "", ""))
        results = [cell.result for cell in done if cell.parameters["method"] == method]
        line = {"name": name, "acronym": acronym, "family": family, "method": method}
        line["what it does"] = METHODS[method].summary
        for column in ("ED", "LD", "LPD", "rLD × bound", "seconds"):
            line[column], line[f"{column} se"] = mean_and_error([r[column] for r in results])
        lines.append(line)
    evosplit, optisplit = (
        next(line for line in lines if line["method"] == method)
        for method in ("evosplit", "optisplit")
    )
    notes = [
        "Section 6 would compare OptiSplit with EvoSplit, “which claims good LD performance”: "
        f"here, LD of EvoSplit is {evosplit['LD'] / optisplit['LD']:.1f} times that of OptiSplit, "
        f"its LPD {evosplit['LPD'] / optisplit['LPD']:.1f} times, in "
        f"{evosplit['seconds'] / optisplit['seconds']:,.0f} times the time.",
        "The table has words only; name, acronym and family (section 5.2) are the paper's. The "
        "figures are of 3,000 simulated rows and 150 classes in five folds.",
    ]
    return Outcome(Table(columns_of(lines)), None, notes)


_study = partial(Study, paper=published.CITATION)
STUDIES = (
    _study(
        name="000-figure1",
        title="A random and a stratified split of 24 rows",
        data="24 rows, three classes (drawn)",
        about="Random folds lack classes; stratified folds have the share of every class.",
        work=figure_1_work,
        conclude=figure_1,
    ),
    _study(
        name="000-table1",
        title="The methods",
        data="simulated labels",
        about="Each method of the paper, ours beside, with sizes, quality and time.",
        work=table_1_work,
        conclude=table_1,
    ),
)
