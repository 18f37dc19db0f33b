"""Start-up of the command line and size of a report: ``python -m benchmarks.start``.

CPU time of ``trueval --help`` and ``trueval demo`` (all their processes), of the imports behind
them, and the time and size of a report of a large problem. A part that is not installed is a row
that says so.
"""

import importlib.util
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.command import Run, parser, say
from benchmarks.process import Meter, run
from benchmarks.record import Column, Table, columns_of

REPEATS = 7
HELP_BAR = 0.15  # CPU seconds of --help
REPORT_BAR = 2.0  # megabytes of a report


def spent(command: Sequence[str], repeats: int, folder: str) -> tuple[float, float]:
    """Least CPU seconds of a command and its children, and the peak megabytes of any of them."""
    least = float("inf")
    for _ in range(repeats):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            command, check=True, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)
        least = min(least, used)
    unit = 1e6 if sys.platform == "darwin" else 1e3
    return least, after.ru_maxrss / unit


def commands(*, name: str, command: list[str], repeats: int) -> Iterator[dict[str, Any]]:
    """One command, in a process of its own so that the peak is its own."""
    with tempfile.TemporaryDirectory() as folder:
        cpu, mb = spent(command, repeats, folder)
        written = sum(f.stat().st_size for f in Path(folder).rglob("*") if f.is_file())
    yield {"cpu": cpu, "mb": mb, "written": written / 1e6 or None}


def report(*, rows: int, classes: int, positives: int) -> Iterator[dict[str, Any]]:
    """A report of a split and of a ranking, written to one page."""
    import numpy as np
    import scipy.sparse as sp

    from trueval import as_labels
    from trueval.data import simulate
    from trueval.report import rank_stage, split_stage, write_report
    from trueval.stratify import stratified_folds

    y = as_labels(simulate.heavy_tailed(rows, classes, positives, random_state=0))
    folds = stratified_folds(y, 5, method="iterative", random_state=0)
    others = {"random": stratified_folds(y, 5, method="random", random_state=0)}
    generator = np.random.default_rng(0)
    few = as_labels(y.matrix[: min(rows, 5000), : min(classes, 200)])
    values = sp.csr_array(few.matrix, dtype=float).toarray()
    values = np.clip(0.5 * values + generator.random(values.shape) * 0.5, 0.0, 1.0)
    meter = Meter()
    stages, made = meter.time(
        lambda: [split_stage(y, folds, others=others), rank_stage({"values": values}, few)]
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "report.html")
        _, cpu = meter.time(lambda: write_report(path, stages))
        size = path.stat().st_size / 1e6
    yield {"cpu": made + cpu, "written": size} | meter.memory()


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the start-up, then the report."""
    options = parser("start", __doc__).parse_args(arguments)
    bench = Run.start("start", "Start-up and report", options, arguments, ["click", "rich"])
    repeats = 2 if options.quick else REPEATS
    rows = []
    for name, command in _commands().items():
        row: dict[str, Any] = {"method": name}
        if not command:
            rows.append(row | {"problem": "no trueval command is installed"})
            continue
        times = 1 if name == "trueval demo" else repeats
        order = {"name": name, "command": command, "repeats": times}
        outcome = run("start:commands", order, bench.limits)
        row |= outcome.rows[0] if outcome.rows else {"problem": outcome.problem}
        if name == "trueval --help" and "cpu" in row:
            row["bar"] = f"{HELP_BAR:g} s {'PASS' if row['cpu'] <= HELP_BAR else 'MISS'}"
        say(f"{name}: {row.get('cpu', row.get('problem'))}")
        rows.append(row)
    columns = columns_of(
        "method|command; cpu|CPU s|.3f; mb|peak MB|.0f; written|MB written|.2f; bar"
    )
    about = f"CPU seconds of the whole command, its children too; least of {repeats}; demo once."
    bench.show(Table("Start-up", about, columns, rows))
    size = (2_000, 100, 10_000) if options.quick else (500_000, 20_000, 7_500_000)
    row = {"method": f"{size[0]:,} rows × {size[1]:,} classes, {size[2]:,} positives"}
    if importlib.util.find_spec("trueval.report") is None:
        row["problem"] = "trueval.report is not in this version"
    else:
        order = dict(zip(("rows", "classes", "positives"), size, strict=True))
        outcome = run("start:report", order, bench.limits)
        row |= outcome.rows[0] if outcome.rows else {"problem": outcome.problem}
        if "written" in row:
            row["bar"] = f"{REPORT_BAR:g} MB {'PASS' if row['written'] <= REPORT_BAR else 'MISS'}"
    columns[0] = Column("method", "problem")
    about = "A page of a split and a ranking, made and written; memory above the loaded labels."
    bench.show(Table("Report", about, columns, [row]))
    return bench.done()


def _commands() -> dict[str, list[str]]:
    """What to start, by name; empty where it is not installed."""
    beside = Path(sys.executable).with_name("trueval")
    found = str(beside) if beside.exists() else shutil.which("trueval")

    def python(code: str) -> list[str]:
        return [sys.executable, "-c", code]

    return {
        "trueval --help": [found, "--help"] if found else [],
        "trueval split --help": [found, "split", "--help"] if found else [],
        "trueval demo": [found, "demo"] if found else [],
        "python -c pass": python("pass"),
        "import trueval": python("import trueval"),
        "import sklearn.model_selection": python("import sklearn.model_selection"),
    }


if __name__ == "__main__":
    sys.exit(main())
