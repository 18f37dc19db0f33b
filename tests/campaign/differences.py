"""The same files by trueval and by another library."""

import contextlib
import io
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file, load_svmlight_file
from sklearn.preprocessing import MultiLabelBinarizer

from tests.campaign.record import Outcome
from trueval.data import read_labels, read_scores, write_labels, write_scores

FILES = 20  # of each kind in a batch
Found = tuple[Any, Any]
Compare = Callable[[np.random.Generator, Path], Found]
LETTERS = np.array(list("abcdefgh -_.,;|\"'éß日7"))


def names(rng: np.random.Generator, n: int) -> list[str]:
    """Different names, some with separators, quotes and letters beyond ASCII."""
    out: dict[str, None] = {}
    while len(out) < n:
        text = "".join(rng.choice(LETTERS, rng.integers(1, 7))).strip()
        out |= {f"n{text}": None}
    return list(out)


def table(rng: np.random.Generator) -> pd.DataFrame:
    """0/1 columns with names, every class and row with a positive."""
    n_rows, n_classes = rng.integers(2, 30), rng.integers(2, 9)
    y = (rng.random((n_rows, n_classes)) < rng.random()).astype(int)
    y[np.arange(n_rows), rng.integers(0, n_classes, n_rows)] = 1
    y[rng.integers(0, n_rows, n_classes), np.arange(n_classes)] = 1
    return pd.DataFrame(y, names(rng, n_rows), names(rng, n_classes)).rename_axis("id")


def _wide_csv(rng: np.random.Generator, path: Path) -> Found:
    frame, delimiter = table(rng), str(rng.choice([",", "\t", ";"]))
    frame.to_csv(path, sep=delimiter, lineterminator=str(rng.choice(["\n", "\r\n"])))
    read = read_labels(path, "csv", layout="wide", delimiter=delimiter)
    other = pd.read_csv(path, sep=delimiter, index_col="id", keep_default_na=False)
    return (
        (read.toarray().tolist(), read.classes.tolist(), read.index.tolist()),
        (other.to_numpy().tolist(), other.columns.tolist(), other.index.tolist()),
    )


def _scores_csv(rng: np.random.Generator, path: Path) -> Found:
    frame = table(rng)
    frame = frame * rng.normal(size=frame.shape) * 10.0 ** rng.integers(-300, 300, frame.shape)
    frame.to_csv(path)
    other = pd.read_csv(path, index_col="id", keep_default_na=False, float_precision="round_trip")
    return read_scores(path, format="csv").matrix.tolist(), other.to_numpy().tolist()


def _parquet(rng: np.random.Generator, path: Path) -> Found:
    frame = table(rng).reset_index()
    kinds = ["int8", "int64", "bool", "float32"]
    frame = frame.astype({c: str(rng.choice(kinds)) for c in frame.columns[1:]})
    frame.to_parquet(path, row_group_size=int(rng.integers(1, 20)))
    other = pq.read_table(path).to_pandas().set_index("id")
    read = read_labels(path, "parquet")
    return read.toarray().tolist(), other.astype(int).to_numpy().tolist()


def _written_parquet(rng: np.random.Generator, path: Path) -> Found:
    frame = table(rng)
    write_labels(path, frame, "parquet")
    other = pq.read_table(path).to_pandas()
    lists = MultiLabelBinarizer(classes=frame.columns.tolist()).fit_transform(other["labels"])
    return frame.to_numpy().tolist(), lists.tolist()


def _written_csv(rng: np.random.Generator, path: Path) -> Found:
    frame = table(rng).astype(float) * rng.random()
    write_scores(path, frame, "csv")
    other = pd.read_csv(path, index_col=0, keep_default_na=False, float_precision="round_trip")
    return frame.to_numpy().tolist(), other.to_numpy().tolist()


def _npz(rng: np.random.Generator, path: Path) -> Found:
    matrix = sp.csr_array(table(rng).to_numpy())
    sp.save_npz(path, matrix.asformat(str(rng.choice(["csr", "csc", "coo", "bsr"]))))
    return read_labels(path, "npz").toarray().tolist(), sp.load_npz(path).toarray().tolist()


def _svmlight(rng: np.random.Generator, path: Path) -> Found:
    y = table(rng).to_numpy()
    features = sp.random(len(y), 5, 0.5, random_state=int(rng.integers(2**31)), format="csr")
    dump_svmlight_file(features, sp.csr_matrix(y), str(path), multilabel=True)
    _, other = load_svmlight_file(str(path), multilabel=True)
    read = read_labels(path, "svmlight")
    columns = [int(float(name)) for name in read.classes.tolist()]
    dense = np.zeros_like(y)
    dense[:, columns] = read.toarray()
    return dense.tolist(), [[int(c in row) for c in range(y.shape[1])] for row in other]


KINDS: dict[str, Compare] = {
    "wide CSV read as by pandas": _wide_csv,
    "scores in CSV read as by pandas": _scores_csv,
    "Parquet read as by pyarrow": _parquet,
    "labels in Parquet written for pyarrow": _written_parquet,
    "scores in CSV written for pandas": _written_csv,
    "NPZ read as by SciPy": _npz,
    "svmlight read as by scikit-learn": _svmlight,
}


def compared(kinds: dict[str, Compare], turn: int, folder: Path) -> Outcome:
    """Some files or samples of each kind."""
    outcome = Outcome(0)
    for number, (name, compare) in enumerate(kinds.items()):
        for seed in range(FILES * turn, FILES * (turn + 1)):
            with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
                warnings.simplefilter("ignore")
                ours, other = compare(np.random.default_rng((number, seed)), folder / "file.npz")
            outcome.cases += 1
            if ours != other:
                outcome.failures.append(f"{name}, seed {(number, seed)}: {ours} ≠ {other}"[:500])
        outcome.figures[name] = FILES
    return outcome


def batch(turn: int, folder: Path, seconds: float) -> Outcome:
    """Some files of each kind."""
    return compared(KINDS, turn, folder)
