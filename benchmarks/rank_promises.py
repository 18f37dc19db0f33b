"""Table ``promises`` of ``python -m benchmarks.rank``: how often each guarantee is missed.

Every run draws objects to calibrate on and as many new ones, fits the default ranker, chooses a
threshold under each guarantee and predicts. A promise of the population is judged on many other
objects, one of a new set on the new ones, and the false discovery rate by its mean over runs.
Simulated scores, and held-out scores of real data of which the objects to calibrate on are
drawn without replacement.
"""

import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.command import Run, say
from benchmarks.data import data_folder
from benchmarks.record import Table, columns_of

__all__ = ["promises"]

CONFIDENCE = 0.9
#: Name, sense and options of each promise; without options the estimate alone decides.
PROMISES: dict[str, tuple[str, dict[str, Any]]] = {
    "estimate": ("population", {}),
    "exact": ("population", {"guarantee": "exact"}),
    "exact, for_new": ("new set", {"guarantee": "exact", "for_new": True}),
    "simultaneous": ("population", {"guarantee": "simultaneous"}),
    "simultaneous, for_new": ("new set", {"guarantee": "simultaneous", "for_new": True}),
    "fdr": ("mean", {"guarantee": "fdr"}),
}
SIZE_OF_POPULATION = 20_000
N_REAL = 400

Bool = NDArray[np.bool_]
Draw = tuple[Any, Any, Any, Bool]


@dataclass(frozen=True)
class Cell:
    """A data set: how a run is drawn, and what stands for the population.

    ``draw`` gives scores and labels to calibrate on, then those of the new set.
    """

    name: str
    precision: float
    draw: Callable[[np.random.Generator], Draw]
    scores: Any
    truth: Bool


def promises(bench: Run) -> Iterator[Table]:
    """Misses of each guarantee in its promised sense, recall and abstentions."""
    for cell in _cells(bench):
        rows = _rows(cell, bench.options.runs)
        say(f"{cell.name}: done")
        columns = columns_of(
            "method|guarantee; sense; trials|runs|d; abstained||.0%; missed||.1%; "
            "allowed||.1%; kept; recall||.3f; behind|behind the best valid|.3f; "
            "behind_se|s.e.|.3f"
        )
        about = (
            f"Wanted precision {cell.precision:g} at confidence {CONFIDENCE:g}, default ranker. "
            "Missed: share of runs below it in the population or on the new set; for fdr, the mean "
            "share of false predictions. Allowed: the level and two standard errors. Recall of the "
            "new set, 0 where nothing is predicted; the best valid one has the same sense, and the "
            "standard error is that of the difference by run."
        )
        yield Table(f"Promises: {cell.name}", about, columns, rows)


# --- data -------------------------------------------------------------------------------


def _cells(bench: Run) -> Iterator[Cell]:
    from trueval.data.simulate import simulation_one, simulation_two

    def simulated(name: str, simulate: Callable[..., Any], *sizes: float) -> Cell:
        def draw(generator: np.random.Generator) -> Draw:
            scores, y = simulate(*sizes, random_state=generator)
            new, truth = simulate(*sizes, random_state=generator)
            return scores, y, new, truth.toarray() > 0

        scores, y = simulate(SIZE_OF_POPULATION, *sizes[1:], random_state=0)
        return Cell(name, 0.9, draw, scores, y.toarray() > 0)

    for n, rate in ((100, 0.05), (200, 0.1), (500, 0.1)):
        yield simulated(f"Simulation I, {n} objects, π {rate:g}", simulation_one, n, rate)
    yield simulated("Simulation II, 500 objects", simulation_two, 500, 0.07, 0.03)
    folder = data_folder()
    if folder is None:
        say("promises: real data need TRUEVAL_DATA")
        return
    with tempfile.TemporaryDirectory() as scratch:
        kept = Path(bench.options.scores or scratch)
        for name in ("scene", "yeast"):
            yield _real(name, folder, kept)


def _real(name: str, folder: Path, kept: Path) -> Cell:
    from benchmarks.rank_models import problem

    made = problem(name, "logistic regression", 0, folder, kept)
    scores = np.vstack([made["a"], made["b"]])
    truth = np.vstack([_dense(made["y"]), _dense(made["z"])]) > 0

    def draw(generator: np.random.Generator) -> Draw:
        rows = generator.permutation(len(scores))
        some, new = rows[:N_REAL], rows[N_REAL : 2 * N_REAL]
        return scores[some], truth[some].astype(int), scores[new], truth[new]

    return Cell(f"{name}, {N_REAL} of {len(scores):,} objects", 0.8, draw, scores, truth)


def _dense(y: Any) -> Any:
    return y.toarray() if hasattr(y, "toarray") else np.asarray(y)


# --- runs -------------------------------------------------------------------------------


def _rows(cell: Cell, n_runs: int) -> list[dict[str, Any]]:
    found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in PROMISES}
    for trial in range(n_runs):
        generator = np.random.default_rng([14, trial])
        scores, y, new, truth = cell.draw(generator)
        if y.sum() == 0 or truth.sum() == 0:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for name, choice in _choices(cell, scores, y, len(new), generator):
                found[name].append(_outcome(cell, name, choice, new, truth))
    outcomes = {name: np.array(runs) for name, runs in found.items()}
    rows = {name: _row(cell, name, runs) for name, runs in outcomes.items()}
    for name, row in rows.items():
        valid = [n for n, r in rows.items() if r["sense"] == row["sense"] and r["kept"] == "yes"]
        if valid:
            best = max(valid, key=lambda n: rows[n]["recall"])
            less = outcomes[best][:, 2] - outcomes[name][:, 2]
            row["behind"] = float(less.mean())
            row["behind_se"] = float(less.std(ddof=1) / np.sqrt(len(less)))
    return list(rows.values())


def _choices(
    cell: Cell, scores: Any, y: Any, n_new: int, generator: np.random.Generator
) -> Iterator[tuple[str, Any]]:
    """A choice under each guarantee; the rankers are fitted once for all of them."""
    from trueval.rank import PrecisionRanker
    from trueval.rank._judged import read_data
    from trueval.rank._rules import read_targets
    from trueval.rank._target import _chosen, _selected

    rules = {}
    for name, (_, options) in PROMISES.items():
        for_new = n_new if options.get("for_new") else None
        guarantee = options.get("guarantee")
        confidence = None if guarantee in (None, "fdr") else CONFIDENCE
        rules[name] = read_targets(
            precision=cell.precision, guarantee=guarantee, confidence=confidence, for_new=for_new
        )[0][0]
    data = read_data(scores, y, PrecisionRanker(), 5, None, rules["exact"], generator)
    for name, rule in rules.items():
        if name == "fdr":
            yield name, _selected(data, rule, False, generator)
        else:
            yield name, _chosen(data, rule, False, 1, generator)


def _outcome(
    cell: Cell, name: str, choice: Any, new: Any, truth: Bool
) -> tuple[float, float, float]:
    """Whether nothing is predicted, what was missed, and recall."""
    called = choice.predict(new).toarray() > 0
    recall = float((called & truth).sum() / truth.sum())
    if not called.any():
        return 1.0, 0.0, 0.0
    sense = PROMISES[name][0]
    if sense == "mean":
        return 0.0, 1.0 - float(truth[called].mean()), recall
    if sense == "population":
        called, truth = choice.predict(cell.scores).toarray() > 0, cell.truth
    missed = called.any() and truth[called].mean() < cell.precision - 1e-12
    return 0.0, float(missed), recall


def _row(cell: Cell, name: str, outcomes: NDArray[np.float64]) -> dict[str, Any]:
    sense, _ = PROMISES[name]
    abstained, missed, recall = outcomes.mean(axis=0)
    if sense == "mean":
        level = 1 - cell.precision
        allowed = level + 2 * outcomes[:, 1].std() / np.sqrt(len(outcomes))
    else:
        level = 1 - CONFIDENCE
        allowed = level + 2 * np.sqrt(level * (1 - level) / len(outcomes))
    return {
        "method": name,
        "kind": "baseline" if name == "estimate" else "ours",
        "sense": sense,
        "trials": len(outcomes),
        "abstained": float(abstained),
        "missed": float(missed),
        "allowed": float(allowed),
        "kept": "yes" if missed <= allowed else "no",
        "recall": float(recall),
    }
