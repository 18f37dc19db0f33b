"""Tables ``real``, ``small`` and ``cost`` of ``python -m benchmarks.rank``.

``real``: rankers on held-out objects of real data, by the scores of three models
(:mod:`benchmarks.rank_models`). ``small``: simulated classes with few positives, and whether high
calibrated scores are right. ``cost``: CPU time and memory of the default ranker beside the same
ranker with classes apart.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.command import Run, say
from benchmarks.data import data_folder
from benchmarks.process import Limits, Meter, run
from benchmarks.rank_models import MODELS, SETS, problem
from benchmarks.rank_small import FAMILIES
from benchmarks.record import Column, Table, columns_of

__all__ = ["METHODS", "cell", "cost", "family", "fit_cost", "prepare", "real", "small"]

OURS, APART = "trueval PrecisionRanker", "trueval PrecisionRanker, classes apart"
METHODS = (
    OURS,
    APART,
    "raw scores",
    "scikit-learn CalibratedClassifierCV, sigmoid",
    "scikit-learn IsotonicRegression",
    "beta calibration",
    "venn-abers",
)
SMALL = 50  # positives for calibration, the median class of a cell that counts as small
SURE = 0.8


# --- real data --------------------------------------------------------------------------


def real(bench: Run) -> Iterator[Table]:
    """Average precision and log loss on held-out objects of real data."""
    folder = data_folder()
    if folder is None:
        say("real: needs TRUEVAL_DATA")
        return
    names = bench.options.sets or list(SETS)[: 1 if bench.options.quick else None]
    with tempfile.TemporaryDirectory() as scratch:
        kept = str(bench.options.scores or scratch)
        for name in names:
            splits = bench.options.splits or SETS[name]
            yield _real_table(bench, name, splits, str(folder), kept)


def _real_table(bench: Run, name: str, splits: int, folder: str, kept: str) -> Table:
    rows: list[dict[str, Any]] = []
    notes = []
    left_out = bench.options.leave_out or ()
    for model in MODELS:
        order = {"name": name, "model": model, "splits": splits, "folder": folder, "kept": kept}
        made = run("rank_real:prepare", order, Limits(0, 0))
        if not made.rows:
            say(f"{name}, {model}: {made.problem}")
            continue
        found = {
            m: [] if m in left_out else _measure(bench, order | {"method": m}) for m in METHODS
        }
        rows += [_row(model, m, found) for m in METHODS if found[m]]
        notes += [f"{model}: {m} was not measured." for m in METHODS if not found[m]]
        median = float(np.median([row["median"] for row in made.rows]))
        if found[OURS] and found[APART]:
            notes.append(_verdict(model, found, median))
    columns = columns_of(
        "model; method; area|average precision|.4f; area_se|s.e.|.4f; "
        "less|− default|+.4f; less_se|s.e.|.4f; loss|log loss|.4f; cpu|CPU s|.3g"
    )
    about = (
        f"{name}: {splits} random splits into thirds, for the model, the ranker and the judgement. "
        "Differences are paired by split."
    )
    return Table(f"Held-out objects: {name}", about, columns, rows, notes)


def _measure(bench: Run, order: dict[str, Any]) -> list[dict[str, Any]]:
    outcome = run("rank_real:cell", order, bench.limits)
    say(f"{order['name']}, {order['model']}, {order['method']}: {outcome.problem or 'done'}")
    return outcome.rows if len(outcome.rows) == order["splits"] else []


def _paired(
    one: list[dict[str, Any]], other: list[dict[str, Any]], key: str
) -> tuple[float, float | None]:
    """Mean difference of two methods and its standard error, by split."""
    return _mean([a[key] - b[key] for a, b in zip(one, other, strict=True)])


def _mean(values: list[float]) -> tuple[float, float | None]:
    """Mean of splits and its standard error, None of a single one."""
    if len(values) < 2:
        return float(np.mean(values)), None
    return float(np.mean(values)), float(np.std(values, ddof=1) / np.sqrt(len(values)))


def _row(model: str, method: str, found: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    mine = found[method]
    area, area_error = _mean([row["area"] for row in mine])
    losses = [row["loss"] for row in mine if row["loss"] is not None]
    kind = "ours" if method.startswith("trueval") else "peer"
    row = {
        "model": model,
        "method": method,
        "kind": "baseline" if method == "raw scores" else kind,
        "default": method == OURS,
        "area": area,
        "area_se": area_error,
        "loss": float(np.mean(losses)) if losses else None,
        "cpu": float(sum(row["cpu"] for row in mine)),
    }
    if method != OURS and found[OURS]:
        row["less"], row["less_se"] = _paired(mine, found[OURS], "area")
    return row


def _verdict(model: str, found: dict[str, list[dict[str, Any]]], median: float) -> str:
    """What the cell says of the default ranker, in a sentence."""
    gain, error = _paired(found[OURS], found[APART], "area")
    others = [m for m in METHODS if m not in (OURS, APART) and found[m]]
    best = max(others, key=lambda m: float(np.mean([row["area"] for row in found[m]])))
    lead, lead_error = _paired(found[OURS], found[best], "area")
    size = "small" if median <= SMALL else "large"
    seconds = [sum(row["cpu"] for row in found[m]) for m in (OURS, APART)]
    return (
        f"{model}: median {median:.0f} positives a class ({size}); against classes apart "
        f"{gain:+.4f}{_spread(error)}; against the best other, {best}, {lead:+.4f}"
        f"{_spread(lead_error)}; CPU time {seconds[0] / seconds[1]:.2f} × classes apart."
    )


def _spread(error: float | None) -> str:
    return "" if error is None else f" (s.e. {error:.4f})"


def prepare(
    *, name: str, model: str, splits: int, folder: str, kept: str
) -> Iterator[dict[str, Any]]:
    """Train the model and keep its scores; the median number of positives to calibrate on."""
    for split in range(splits):
        made = problem(name, model, split, Path(folder), Path(kept))
        yield {"median": float(np.median(made["y"].sum(axis=0)))}


def cell(
    *, name: str, model: str, method: str, splits: int, folder: str, kept: str
) -> Iterator[dict[str, Any]]:
    """Judge one method on every split."""
    import importlib

    from benchmarks.rank_peers import RANKERS

    way = RANKERS[method]
    importlib.import_module(way.module)
    for split in range(splits):
        made = problem(name, model, split, Path(folder), Path(kept))
        if split == 0:  # what is imported late, by the two largest classes
            large = np.argsort(-made["y"].sum(axis=0))[:2]
            way.work(made["a"][:, large], made["y"][:, large], made["b"][:, large])
        meter = Meter()
        values, cpu = meter.time(lambda made=made: way.work(made["a"], made["y"], made["b"]))
        yield _judged(np.asarray(values), made["z"], method) | {"cpu": cpu}


def _judged(values: Any, truth: Any, method: str) -> dict[str, Any]:
    from sklearn.metrics import average_precision_score

    loss = None
    if method != "raw scores":
        p = np.clip(values, 1e-6, 1 - 1e-6)
        loss = float(-np.where(truth > 0, np.log(p), np.log1p(-p)).mean())
    return {"area": float(average_precision_score(truth.ravel(), values.ravel())), "loss": loss}


# --- small classes, simulated -----------------------------------------------------------


def small(bench: Run) -> Iterator[Table]:
    """Classes with few positives: average precision beside the true rates, and reliability."""
    families = list(FAMILIES)[:1] if bench.options.quick else list(FAMILIES)
    for name in families:
        rows = []
        for expected in (1.0, 2.0, 5.0, 20.0):
            order = {"name": name, "expected": expected, "runs": max(2, bench.options.runs // 4)}
            outcome = run("rank_real:family", order, bench.limits)
            say(f"{name}, {expected:g} expected positives: {outcome.problem or 'done'}")
            rows += outcome.rows
        columns = [
            *columns_of(
                "expected|expected positives|g; method; area|average precision|.3f; "
                "area_se|s.e.|.3f; loss|log loss|.4f"
            ),
            Column("sure", f"pairs ≥ {SURE:g}, 1 to 5 positives", ",d"),
            Column("right", "of them right", ".0%"),
        ]
        about = (
            f"{FAMILIES[name].about} 60 classes, 500 objects to fit on, 2,000 to judge; "
            "the last columns count pairs of classes with 1, 2 or 5 positives in the fit."
        )
        yield Table(f"Small classes: {name}", about, columns, rows)


def family(*, name: str, expected: float, runs: int) -> Iterator[dict[str, Any]]:
    """One family at one size: the default, classes apart, sigmoid calibration, raw, true rates."""
    from benchmarks.rank_peers import RANKERS

    methods = (OURS, APART, "scikit-learn CalibratedClassifierCV, sigmoid", "raw scores")
    found: dict[str, list[Any]] = {m: [] for m in (*methods, "true rates (oracle)")}
    for seed in range(runs):
        made = FAMILIES[name].draw(np.random.default_rng([14, seed]), expected)
        size = made.y.sum(axis=0)
        for method in found:
            if method in RANKERS:
                values = np.asarray(RANKERS[method].work(made.scores, made.y, made.new))
            else:
                values = made.rates
            row = _judged(values, made.new_y, method)
            inside = np.zeros(values.shape, dtype=bool)
            if method != "raw scores":
                inside = (values >= SURE) & np.isin(size, (1, 2, 5))
            found[method].append((row["area"], row["loss"], inside.sum(), made.new_y[inside].sum()))
    for method, rows in found.items():
        area, loss, sure, right = zip(*rows, strict=True)
        yield {
            "expected": expected,
            "method": method,
            "kind": "ours" if method.startswith("trueval") else "baseline",
            "default": method == OURS,
            "area": float(np.mean(area)),
            "area_se": float(np.std(area, ddof=1) / np.sqrt(len(area))),
            "loss": None if loss[0] is None else float(np.mean(loss)),
            "sure": int(np.sum(sure)),
            "right": float(np.sum(right) / np.sum(sure)) if np.sum(sure) else None,
        }


# --- cost -------------------------------------------------------------------------------


def cost(bench: Run) -> list[Table]:
    """CPU seconds and peak memory of fit and transform, with and without sharing."""
    shapes = {
        "2,000 × 160": {"rows": 2_000, "classes": 160, "top": 0},
        "5,000 × 1,000": {"rows": 5_000, "classes": 1_000, "top": 0},
        "16,000 × 983": {"rows": 16_000, "classes": 983, "top": 0},
        "20,000 × 5,000, top 50": {"rows": 20_000, "classes": 5_000, "top": 50},
    }
    rows: list[dict[str, Any]] = []
    for shape, order in list(shapes.items())[: 1 if bench.options.quick else None]:
        base = None
        for share in ("none", "auto"):
            outcome = run("rank_real:fit_cost", order | {"share": share}, bench.limits)
            row = outcome.rows[0] if outcome.rows else {"problem": outcome.problem}
            say(f"{shape}, share={share}: {row}")
            base = row.get("cpu") if base is None else base
            if base and row.get("cpu"):
                row["ratio"] = row["cpu"] / base
            rows.append({"shape": shape, "method": f'share="{share}"', "kind": "ours"} | row)
    columns = columns_of(
        "shape|objects × classes; method|PrecisionRanker; cpu|CPU s|.3g; "
        'ratio|× "none"|.2f; mb|peak of the fit, MB|.0f; times|× the scores|.1f'
    )
    about = "Fit and transform, one thread; class sizes fall like a power of their rank."
    return [Table("Cost of the default ranker", about, columns, rows)]


def fit_cost(*, rows: int, classes: int, top: int, share: str) -> Iterator[dict[str, Any]]:
    """Fit, then transform the same scores."""
    import scipy.sparse as sp

    from benchmarks.rank_speed import sparse_problem
    from trueval.rank import PrecisionRanker

    if top:
        scores, y = sparse_problem(rows, classes, top)
        size = scores.data.nbytes + scores.indices.nbytes
    else:
        rng = np.random.default_rng(0)
        rate = 0.2 / np.arange(1, classes + 1) ** 0.7
        member = rng.random((rows, classes)) < rate
        scores = rng.normal(size=member.shape) + 2.0 * member
        y, size = sp.csr_array(member.astype(np.int8)), scores.nbytes
        del member
    few = np.random.default_rng(1).random((100, 2))
    PrecisionRanker(share=share).fit(few, few < 0.3)  # what is imported late
    meter = Meter()
    ranker, fit = meter.time(lambda: PrecisionRanker(share=share).fit(scores, y))
    memory = meter.memory()["mb"]
    _, transform = meter.time(lambda: ranker.transform(scores))
    yield {"cpu": fit + transform, "mb": memory, "times": memory * 1e6 / size}
