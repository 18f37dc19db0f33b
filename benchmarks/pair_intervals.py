"""How often intervals over objects hold: ``python -m benchmarks.pair_intervals [--runs N]``.

Every run draws objects from a population, pairs of them with scores and labels, and makes the
intervals of :func:`trueval.pairs.score_pairs`. The truth is the AUC of the same scores on pairs
of many other objects. Objects decide a pair, matter, or do not; pairs are of one kind
or of two, all or some of them, in one split or in folds.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from trueval.pairs import ObjectKFold, score_pairs
from trueval.pairs._auc import auc

__all__ = ["CASES", "Case", "coverage"]

_POPULATION, _DRAWS = 1000, 12


@dataclass(frozen=True)
class Case:
    """A population of pairs: how strong effects of objects are, and what is observed."""

    effect: float
    n_objects: int
    share: float = 1.0
    two_kinds: bool = False
    n_folds: int = 1


CASES = {
    f"{size}, {objects} objects": Case(effect, **shape)  # type: ignore[arg-type]
    for objects, effect in (("dominant", 3.0), ("strong", 1.0), ("no", 0.0))
    for size, shape in (
        ("15 of one kind", {"n_objects": 15}),
        ("12 and 12 of two kinds", {"n_objects": 12, "two_kinds": True}),
        ("40 of one kind, a third of the pairs", {"n_objects": 40, "share": 0.3}),
        ("60 of one kind, four folds", {"n_objects": 60, "n_folds": 4}),
    )
}


def draw(
    case: Case, n_objects: int, share: float, rng: np.random.Generator
) -> tuple[NDArray[Any], NDArray[np.bool_], NDArray[np.float64]]:
    """Pairs of new objects, their labels and scores."""
    if case.two_kinds:
        first, second = (axis.ravel() for axis in np.indices((n_objects, n_objects)))
        second = second + n_objects
    else:
        first, second = np.triu_indices(n_objects, 1)
    some = rng.random(len(first)) < share
    first, second = first[some], second[some]
    # What objects bring to the score, and to the label beyond it.
    seen, unseen = rng.normal(scale=case.effect, size=(2, 2 * n_objects))
    score = seen[first] + seen[second] + rng.normal(size=len(first))
    y = rng.random(len(first)) < expit(0.8 * score + unseen[first] + unseen[second] - 0.7)
    return np.column_stack([first, second]), y, score


@cache
def truth(case: Case) -> float:
    """AUC on pairs of many objects."""
    rng = np.random.default_rng(1)
    return float(np.mean([auc(*draw(case, _POPULATION, 0.3, rng)[1:]) for _ in range(_DRAWS)]))


def coverage(case: Case, n_runs: int, n_resamples: int, seed: int) -> dict[str, float]:
    """Share of the intervals that hold the truth, and their width by that of a perfect one."""
    rng = np.random.default_rng(seed)
    value, covered, values, widths = truth(case), 0, [], []
    while len(values) < n_runs:
        pairs, y, score = draw(case, case.n_objects, case.share, rng)
        if y.all() or not y.any():
            continue
        if case.n_folds > 1:
            folds: Any = ObjectKFold(case.n_folds, random_state=0)
        else:  # training has seen nothing of the tested pairs
            pairs = np.concatenate([pairs, [[-1, -2]]])
            y, score = np.append(y, False), np.append(score, 0.0)
            folds = [([len(pairs) - 1], np.arange(len(pairs) - 1))]
        line = score_pairs(
            pairs,
            y,
            score,
            folds,
            symmetric=not case.two_kinds,
            n_resamples=n_resamples,
            random_state=int(rng.integers(2**32)),
        ).to_dict()["settings"]["BB"]["averaged"]
        covered += line["low"] <= value <= line["high"]
        values.append(line["auc"])
        widths.append(line["high"] - line["low"])
    needed = 2 * 1.96 * float(np.std(values))
    return {
        "covered": covered / n_runs,
        "width": float(np.mean(widths)),
        "ratio": float(np.mean(widths)) / needed,
        "truth": value,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for each case."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pair_intervals")
    parser.add_argument("--runs", type=int, default=500, help="runs of each case (default 500)")
    parser.add_argument("--resamples", type=int, default=400, help="of each run (default 400)")
    options = parser.parse_args(arguments)
    print(f"{'case':58} {'AUC':>6} {'covered':>8} {'width':>6} {'of needed':>10}")
    for name, case in CASES.items():
        found = coverage(case, options.runs, options.resamples, seed=0)
        print(
            f"{name:58} {found['truth']:6.3f} {found['covered']:8.3f} {found['width']:6.3f} "
            f"{found['ratio']:10.2f}",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
