"""Similarity graphs for the leakage benchmark: proteins, molecules, texts, simulated families."""

import gzip
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.command import Run
from benchmarks.data import data_folder
from benchmarks.envs import environment
from benchmarks.leakage_cases import families
from benchmarks.process import run

__all__ = ["NAMES", "Rows", "graphs"]

#: Terms of the Gene Ontology whose proteins are a set: a large family, and many small ones.
_TERMS = {"kinases": "GO:0006468", "acid-synthesis": "GO:0046394"}
_PROTEINS = ("swissprot", *_TERMS)
NAMES = (*_PROTEINS, "molecules", "texts", "simulated")
_SEARCH = ("-s", "4", "--max-seqs", "1000", "-c", "0.5", "-e", "1e-3", "--threads", "1")
_LEAST = 5  # positives of a class


@dataclass(frozen=True)
class Rows:
    """Labels and similar pairs at or above a threshold."""

    name: str
    about: str
    y: sp.csr_array
    a: np.ndarray
    b: np.ndarray
    value: np.ndarray
    threshold: float

    def save(self, folder: Path) -> Path:
        """Write what every method reads; gives the file of the graph."""
        path, labels = folder / "problem.npz", folder / "labels.npz"
        sp.save_npz(labels, self.y)
        sizes = np.bincount(self.y.indices, minlength=self.y.shape[1])
        frequent = self.y[:, [int(np.argmin(np.abs(sizes - self.y.shape[0] / 2)))]]
        np.savez(path, n=self.y.shape[0], a=self.a, b=self.b, value=self.value,
                 threshold=self.threshold, label=frequent.toarray().ravel(),
                 labels=str(labels))  # fmt: skip
        return path


def graphs(bench: Run) -> Iterator[Rows]:
    """Those of the graphs that were chosen and that this run can make, of all sizes."""
    for name in bench.options.data or NAMES:
        problem = _missing(name, bench)
        if problem:
            bench.note(f"{name}: left out, as {problem}.")
            continue
        last = 0
        for n in [300] if bench.options.quick else sorted(bench.options.rows):
            rows = _rows(bench, name, n)
            if rows.y.shape[0] > last:  # else there are no more
                yield rows
            last = rows.y.shape[0]


def _rows(bench: Run, name: str, n: int) -> Rows:
    if name in _PROTEINS:
        return _proteins(_folder(), name, n, bench.options.cache)
    if name == "molecules":
        return _molecules(bench, environment("rdkit", bench.options.peer_env).python, n)
    return _texts(_folder(), n) if name == "texts" else _simulated(n)


def _missing(name: str, bench: Run) -> str:
    """What a graph needs and this run does not have."""
    if name == "molecules":
        return environment("rdkit", bench.options.peer_env).problem
    if name != "simulated" and data_folder() is None:
        return "TRUEVAL_DATA names no folder"
    return "there is no program mmseqs" if name in _PROTEINS and not shutil.which("mmseqs") else ""


def _folder() -> Path:
    folder = data_folder()
    assert folder is not None
    return folder


def _common(y: sp.csr_array) -> sp.csr_array:
    """Classes with enough positives, and not only those."""
    sizes = np.bincount(y.indices, minlength=y.shape[1])
    return sp.csr_array(y[:, (sizes >= _LEAST) & (sizes < y.shape[0])]).astype(np.int8)


def _proteins(folder: Path, name: str, n: int, cache: Path) -> Rows:
    with gzip.open(folder / "swissprot_go_2014_labels.tsv.gz", "rt") as file:
        terms = [line.split("\t")[0] for line in file][1:]
    with gzip.open(folder / "swissprot_go_2014_nr_seqs.tsv.gz", "rt") as file:
        table = [line.rstrip("\n").split("\t") for line in file][1:]
    y = sp.csr_array(sp.load_npz(folder / "swissprot_go_2014_Y.npz"))
    y = y[np.array([int(line[0]) for line in table])]
    some, about = np.arange(len(table)), "Swiss-Prot 2014"
    if name in _TERMS:
        some = np.flatnonzero(y[:, [terms.index(_TERMS[name])]].toarray().ravel())
        about += f", proteins of {_TERMS[name]}"
    rows = np.sort(np.random.default_rng(0).permutation(some)[:n])
    a, b, value = _hits([table[row][2] for row in rows], cache)
    return _thresholded(name, f"{about}; identities of MMseqs2", _common(y[rows]), a, b, value, 0.3)


def _hits(sequences: list[str], cache: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Row, row and identity of every hit of MMseqs2, searched once for the same sequences."""
    fasta = "".join(f">{i}\n{s}\n" for i, s in enumerate(sequences))
    name = hashlib.sha256("\n".join([*_SEARCH, fasta]).encode()).hexdigest()[:16]
    known = cache / f"{name}.npz"
    if not known.exists():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as scratch:
            rows, out = Path(scratch, "rows.fasta"), Path(scratch, "hits.m8")
            rows.write_text(fasta)
            command = ["mmseqs", "easy-search", rows, rows, out, Path(scratch, "tmp"), *_SEARCH]
            subprocess.run([str(part) for part in command], check=True, capture_output=True)
            hits = np.loadtxt(out, usecols=(0, 1, 2), ndmin=2)
            np.savez(Path(scratch, "hits.npz"), a=hits[:, 0].astype(np.int32),
                     b=hits[:, 1].astype(np.int32), value=hits[:, 2])  # fmt: skip
            os.replace(Path(scratch, "hits.npz"), known)
    with np.load(known) as file:
        return file["a"], file["b"], file["value"]


def _molecules(bench: Run, python: str, n: int) -> Rows:
    threshold = 0.6
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch, "molecules.npz")
        order = {"n": n, "threshold": threshold, "out": str(out)}
        outcome = run("leakage_cases:fingerprints", order, bench.limits, python)
        if not outcome.rows:
            raise RuntimeError(f"molecules: {outcome.problem}")
        with np.load(out) as file:
            y, a, b, value = (file[key] for key in ("y", "a", "b", "value"))
    about = "made of 14 rings and 24 side chains; Tanimoto similarity of Morgan fingerprints, RDKit"
    return _thresholded("molecules", about, _common(sp.csr_array(y)), a, b, value, threshold)


def _texts(folder: Path, n: int) -> Rows:
    from sklearn.neighbors import NearestNeighbors

    rows = np.sort(np.random.default_rng(0).permutation(7395)[:n])
    X = sp.csr_array(sp.load_npz(folder / "bibtex_X.npz"))[rows]
    y = sp.csr_array(sp.load_npz(folder / "bibtex_Y.npz"))[rows]
    search = NearestNeighbors(n_neighbors=10, metric="cosine").fit(X)
    distance, near = search.kneighbors()
    a = np.repeat(np.arange(len(rows)), near.shape[1])
    about = "bibtex; cosine similarity of the ten nearest neighbours"
    return _thresholded("texts", about, _common(y), a, near.ravel(), 1 - distance.ravel(), 0.4)


def _simulated(n: int) -> Rows:
    from trueval.data import simulate

    a, b, value = families(n, 4 * n)
    y = simulate.label_matrix(n, 50, random_state=0)
    about = "families of many sizes with edges inside, and few edges between any two rows"
    return _thresholded("simulated", about, _common(sp.csr_array(y)), a, b, value, 0.3)


def _thresholded(name: str, about: str, y: Any, a: Any, b: Any, value: Any, least: float) -> Rows:
    """Each pair once, with its largest similarity, if that reaches the threshold."""
    low, high = np.minimum(a, b), np.maximum(a, b)
    keep = (low < high) & (value >= least)
    order = np.lexsort((-value[keep], high[keep], low[keep]))
    low, high, value = low[keep][order], high[keep][order], value[keep][order]
    first = np.ones(len(low), dtype=bool)
    first[1:] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
    return Rows(name, about, y, low[first], high[first], np.minimum(value[first], 1.0), least)
