"""Peak memory of a call above its loaded input, as a multiple of that input, in fresh processes."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.campaign.record import ROOT, Outcome

SIZES = (10**5, 10**7, 10**8)  # positives; the first is for continuous integration
LIMIT = 3.0
SMALL = 32e6  # bytes any call may take: libraries that are loaded, blocks of fixed size
#: Formats by the ends of their files; text has its layout before. All that hold sparse labels.
WRITTEN = ("npz", "parquet", "list.csv", "long.csv", "list.csv.gz", "list.tsv.zst")
ONLY_READ = ("svmlight", "xmc", "arff", "h5ad")
CALLS = ("split", "quality", "rank isotonic", "rank precision", "threshold")
FILES = (
    *(f"{verb} {form}" for form in WRITTEN for verb in ("write", "read")),
    *(f"read {form}" for form in ONLY_READ),
)
N_CLASSES = 2_000
#: What cannot be found in a file of the format.
OPTIONS: dict[str, dict[str, Any]] = {"arff": {"label_list": N_CLASSES}, "h5ad": {"key": "y"}}


def calls(turn: int, folder: Path, seconds: float) -> Outcome:
    """One call that computes, at one size."""
    return _one(CALLS, turn)


def files(turn: int, folder: Path, seconds: float) -> Outcome:
    """One format written or read, at one size."""
    return _one(FILES, turn)


def _one(among: tuple[str, ...], turn: int) -> Outcome:
    size, call = SIZES[turn // len(among) % len(SIZES)], among[turn % len(among)]
    command = [sys.executable, "-m", "tests.campaign.memory", call, str(size)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        return Outcome(1, [f"{call} of {size:,} positives: {done.stderr[-300:]}"])
    used, loaded = json.loads(done.stdout)
    place = f"{call}, {size:,} positives"
    told = f"{place}: {used / 1e6:,.0f} MB for an input of {loaded / 1e6:,.0f} MB"
    failures = [told] if used > max(LIMIT * loaded, SMALL) else []
    return Outcome(1, failures, {f"{place}: peak over input": used / loaded})


def positives(n: int) -> Any:
    """Labels with about ten positives a row, frequent and rare classes."""
    import numpy as np
    import scipy.sparse as sp

    from trueval import as_labels

    rng = np.random.default_rng(0)
    classes = (rng.random(n, np.float32) ** 2 * N_CLASSES).astype(np.int32)
    indptr = np.arange(0, n + 1, 10, dtype=np.int32 if n < 2**31 else np.int64)
    matrix = sp.csr_array((np.ones(n, bool), classes, indptr), shape=(n // 10, N_CLASSES))
    matrix.sum_duplicates()
    return as_labels(matrix)


def size_of(matrix: Any) -> int:
    """Bytes of a matrix."""
    if hasattr(matrix, "indptr"):
        return matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes
    return matrix.nbytes


def _layout(form: str) -> dict[str, Any]:
    """Options of trueval's own functions for a format."""
    return {"layout": form.split(".")[0]} if "." in form else OPTIONS.get(form, {})


def _path(form: str, folder: Path) -> Path:
    return folder / f"y.{form.partition('.')[2] or form}"


def _lines(form: str, y: Any) -> Iterator[str]:
    """Labels in a text format that trueval reads and does not write."""
    if form == "xmc":
        yield f"{y.n_rows} 10 {y.n_classes}\n"
    if form == "arff":
        yield "@relation labels\n"
        yield from (f"@attribute c{number} {{0,1}}\n" for number in range(y.n_classes))
        yield "@attribute x numeric\n@data\n"
    for row in range(y.n_rows):
        classes = y.indices[y.indptr[row] : y.indptr[row + 1]].tolist()
        if form == "arff":
            yield "{" + "".join(f"{c} 1," for c in classes) + f"{y.n_classes} 0.5}}\n"
        else:
            yield ",".join(map(str, classes)) + " 1:0.5 7:1\n"


def make(form: str, n: int, folder: Path) -> None:
    """Write a file to be read."""
    y, path = positives(n), _path(form, folder)
    if form in WRITTEN:
        from trueval.data import write_labels

        write_labels(path, y, **_layout(form))
    elif form == "h5ad":
        import anndata
        import scipy.sparse as sp

        matrix = sp.csr_matrix(y.matrix.astype("int8"))
        anndata.AnnData(obsm={"y": matrix}, shape=(y.n_rows, 0)).write_h5ad(path)
    else:
        with path.open("w") as file:
            file.writelines(_lines(form, y))


def _made_elsewhere(form: str, n: int, folder: Path) -> None:
    """The file of another process, so that this one has not had its memory."""
    script = "import sys, pathlib; from tests.campaign.memory import make\n"
    script += "make(sys.argv[1], int(sys.argv[2]), pathlib.Path(sys.argv[3]))"
    command = [sys.executable, "-c", script, form, str(n), str(folder)]
    subprocess.run(command, check=True, cwd=ROOT)


def _on_labels(verb: str, form: str, n: int, folder: Path) -> tuple[Callable[[], Any], int]:
    """A call that takes or gives labels, and bytes of these."""
    import numpy as np

    import trueval.data as data
    from trueval import as_labels, split_quality, stratified_folds

    path, options, y = _path(form, folder), _layout(form), positives(n)
    work: dict[str, Callable[[], Any]] = {
        "split": lambda: stratified_folds(y, 5, random_state=0),
        "quality": lambda: split_quality(y, folds),
        "write": lambda: data.write_labels(path, y, **options),
        "read": lambda: data.read_labels(path, **options),
    }
    folds = np.arange(y.n_rows if verb == "quality" else 0) % 5
    if verb == "read":
        loaded, y = size_of(y.matrix), None  # what is read takes its place
        _made_elsewhere(form, SIZES[0], folder)
        work["read"]()  # for what is imported late
        _made_elsewhere(form, n, folder)
        return work["read"], loaded
    if verb == "write":
        data.write_labels(path, as_labels([["a"], ["b"]]), **options)  # for what is imported late
    return work[verb], size_of(y.matrix)


def _on_scores(verb: str, form: str, n: int) -> tuple[Callable[[], Any], int]:
    """A call that takes dense scores, and bytes of these."""
    import numpy as np

    from trueval.core.labels import Labels
    from trueval.core.scores import Scores
    from trueval.rank import IsotonicRanker, PrecisionRanker, pick_threshold

    y = Labels(positives(n // 10).matrix[: n // 100, :100])
    scores = np.random.default_rng(1).random((n // 100, 100))
    ranker = {"isotonic": IsotonicRanker, "precision": PrecisionRanker}.get(form)
    few = np.random.default_rng(0).random((100, 2))  # for what is imported late
    pick_threshold(few, few[::-1] > 0.5, precision=0.5, ranker=PrecisionRanker())
    if ranker is None:
        return lambda: pick_threshold(Scores(scores), y, precision=0.01), scores.nbytes
    return lambda: ranker().fit(scores, y), scores.nbytes


def measure(call: str, n: int, folder: Path) -> tuple[int, int]:
    """Bytes at the peak above the loaded state, and bytes of the input."""
    from benchmarks.process import Meter

    verb, _, form = call.partition(" ")
    on_scores = verb in ("rank", "threshold")
    work, loaded = _on_scores(verb, form, n) if on_scores else _on_labels(verb, form, n, folder)
    meter = Meter()
    work()
    return int(meter.memory()["mb"] * 1e6), loaded


if __name__ == "__main__":
    import warnings

    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as scratch:
        print(json.dumps(measure(sys.argv[1], int(sys.argv[2]), Path(scratch))))
