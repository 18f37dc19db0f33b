"""CAFA's measures beside CAFA-evaluator: ``python -m benchmarks.cafa``.

Both evaluate the same files, each in a process of its own with one thread. The curves are compared
at every threshold; time is CPU time of each step, memory the peak above the start.
"""

import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.cafa_data import make
from benchmarks.command import Run, parser, say
from benchmarks.process import Meter, run
from benchmarks.record import Column, Table, columns_of
from tests.cafa.columns import COLUMNS

BAR = 10.0
STEPS = ("ontology", "truth", "reading", "propagation", "measures")
BEST = ("fmax", "threshold", "coverage", "wfmax", "smin", "fmax_micro", "wfmax_micro")


def measure_ours(*, folder: str, resamples: int) -> Iterator[dict[str, Any]]:
    """Our steps one by one, and the whole call with and without intervals."""
    from trueval.cafa import Benchmark, Setting, evaluate, read_predictions
    from trueval.cafa._index import TermIndex

    place = Path(folder)
    meter = Meter()
    plain = Setting(n_resamples=0)
    cpu: dict[str, float] = {}
    index, cpu["ontology"] = meter.time(lambda: TermIndex.of(place / "go.obo"))
    benchmark, cpu["truth"] = meter.time(
        lambda: Benchmark(place / "truth.tsv", index, ia=place / "IA.txt", setting=plain)
    )
    path = place / "predictions" / "knn.txt"
    predictions, cpu["reading"] = meter.time(lambda: read_predictions(path), 3)
    _, cpu["propagation"] = meter.time(lambda: benchmark._carried(predictions))
    result, both = meter.time(lambda: benchmark.evaluate(predictions))
    cpu["measures"] = both - cpu["propagation"]
    files = (path, place / "truth.tsv", place / "go.obo")
    _, cpu["total"] = meter.time(lambda: evaluate(*files, ia=place / "IA.txt", n_resamples=0))
    yield {"cpu": cpu} | meter.memory()
    arrays = {}
    for aspect, aspect_result in result.items():
        covered = aspect_result.curves[""].n > 0
        for key, curve in aspect_result.curves.items():
            for name, ours in COLUMNS.items():
                column = f"{aspect}/{name}{'_w' if key else ''}"
                arrays[column] = getattr(curve, ours)[covered]
        arrays[f"{aspect}/best"] = np.array([aspect_result.values[name] for name in BEST])
        arrays[f"{aspect}/exact"] = np.array(
            [aspect_result.exact[name] for name in ("fmax", "wfmax")]
        )
    np.savez(place / "ours.npz", **arrays)
    _, with_intervals = meter.time(
        lambda: evaluate(*files, ia=place / "IA.txt", n_resamples=resamples)
    )
    yield {"intervals": with_intervals} | meter.memory()


def measure_cafaeval(*, folder: str) -> Iterator[dict[str, Any]]:
    """The steps of ``cafa_eval`` with one thread, one by one."""
    import time

    import cafaeval.parser as parse
    from cafaeval.evaluation import evaluate_prediction

    place = Path(folder)
    meter = Meter()
    cpu: dict[str, float] = {}
    spent = [0.0]
    carry = parse.propagate

    def timed(*arguments: Any, **more: Any) -> None:
        start = time.process_time()
        carry(*arguments, **more)
        spent[0] += time.process_time() - start

    parse.propagate = timed
    ontologies, cpu["ontology"] = meter.time(
        lambda: parse.obo_parser(str(place / "go.obo"), ia_file=str(place / "IA.txt"))
    )
    truth, cpu["truth"] = meter.time(lambda: parse.gt_parser(str(place / "truth.tsv"), ontologies))
    spent[0] = 0.0
    path = str(place / "predictions" / "knn.txt")
    prediction, both = meter.time(lambda: parse.pred_parser(path, ontologies, truth, "max"))
    cpu["propagation"], cpu["reading"] = spent[0], both - spent[0]
    thresholds = np.arange(0.01, 1, 0.01)
    frame, cpu["measures"] = meter.time(
        lambda: evaluate_prediction(prediction, truth, ontologies, thresholds, n_cpu=1)
    )
    yield {"cpu": cpu | {"total": sum(cpu.values())}} | meter.memory()
    frame = frame[frame["cov"] > 0]
    arrays = {}
    for aspect, rows in frame.groupby("ns"):
        for name in rows.columns:
            if name not in ("ns", "tau"):
                arrays[f"{aspect}/{name}"] = rows[name].to_numpy(dtype=float)
        best = rows.loc[rows["f"].idxmax()]
        smallest = rows["s_w"].min()
        figures = [best["f"], best["tau"], best["cov"], rows["f_w"].max(), smallest]
        figures += [rows["f_micro"].max(), rows["f_micro_w"].max()]
        arrays[f"{aspect}/best"] = np.array(figures)
    np.savez(place / "theirs.npz", **arrays)


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the files, let both evaluate them, print ratios and the largest difference."""
    options_parser = parser("cafa", __doc__)
    options_parser.add_argument(
        "--proteins", type=int, default=2000, help="of the truth (default 2000)"
    )
    options_parser.add_argument(
        "--train", type=int, default=20_000, help="proteins for the neighbours"
    )
    options_parser.add_argument("--resamples", type=int, default=1000, help="for the intervals")
    options = options_parser.parse_args(arguments)
    if options.quick:
        options.proteins, options.train = min(options.proteins, 200), min(options.train, 3000)
    bench = Run.start("cafa", "CAFA measures", options, arguments, ["cafaeval"])
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as scratch:
        about = make(Path(scratch), options.proteins, options.train)
        say(about)
        order = {"folder": scratch, "resamples": options.resamples}
        ours = run("cafa:measure_ours", order, bench.limits)
        say(f"trueval: {ours.problem or 'done'}")
        rows += _rows("trueval.cafa.evaluate", "ours", ours, options.resamples)
        if not options.no_peers:
            theirs = run("cafa:measure_cafaeval", {"folder": scratch}, bench.limits)
            say(f"cafaeval: {theirs.problem or 'done'}")
            rows += _rows("cafaeval", "peer", theirs)
        difference = _difference(Path(scratch))
    _judge(rows)
    columns = [Column("method", "method")]
    columns += [Column(f"{step}", f"{step} s", ".2f") for step in STEPS]
    columns += columns_of("total|total CPU s|.2f; ratio|× ours|.1f; mb|MB|.0f; bar")
    bench.show(Table("CAFA measures", f"{about}. One thread, 99 thresholds.", columns, rows))
    for line in difference:
        bench.note(line)
    return bench.done()


def _rows(name: str, kind: str, outcome: Any, resamples: int = 0) -> list[dict[str, Any]]:
    if not outcome.rows:
        return [{"method": name, "kind": kind, "problem": outcome.problem}]
    first = outcome.rows[0]
    rows = [{"method": name, "kind": kind, "mb": first["mb"]} | first["cpu"]]
    rows[0]["default"] = kind == "ours"
    if len(outcome.rows) > 1:
        second = outcome.rows[1]
        about = {"method": f"{name}, {resamples:,} resamples", "kind": kind}
        rows.append(about | {"total": second["intervals"], "mb": second["mb"]})
    return rows


def _judge(rows: list[dict[str, Any]]) -> None:
    base = next((row.get("total") for row in rows if row.get("default")), None)
    for row in rows:
        if base and row.get("total"):
            row["ratio"] = row["total"] / base
        if row["kind"] == "peer" and row.get("ratio"):
            row["bar"] = f"{BAR:g}× {'PASS' if row['ratio'] >= BAR else 'MISS'}"


def _difference(folder: Path) -> list[str]:
    """Sentences on how far the two differ, and the exact maxima from those of the grid."""
    if not all((folder / f"{name}.npz").exists() for name in ("ours", "theirs")):
        return []
    ours, theirs = np.load(folder / "ours.npz"), np.load(folder / "theirs.npz")
    worst, where, n = 0.0, "", 0
    for key in theirs.files:
        if key not in ours.files or ours[key].shape != theirs[key].shape:
            if key.split("/")[1].removesuffix("_w") in (*COLUMNS, "best"):
                return [f"{key}: not the same thresholds"]
            continue
        n += ours[key].size
        apart = float(np.abs(ours[key] - theirs[key]).max(initial=0))
        if apart >= worst:
            worst, where = apart, key
    sentences = [f"Largest difference from cafaeval among {n:,} numbers: {worst:.1e} ({where})."]
    for aspect in sorted({key.split("/")[0] for key in theirs.files}):
        best, exact = ours[f"{aspect}/best"], ours[f"{aspect}/exact"]
        sentences.append(
            f"{aspect}: Fmax {best[0]:.6f} (exact {exact[0]:.6f}) at {best[1]:.2f}, coverage "
            f"{best[2]:.3f}, weighted Fmax {best[3]:.6f} (exact {exact[1]:.6f}), "
            f"Smin {best[4]:.4f}."
        )
    return sentences


if __name__ == "__main__":
    sys.exit(main())
