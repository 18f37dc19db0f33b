"""The data sets of the benchmarks, found through ``TRUEVAL_DATA`` or simulated.

Each set is written once to a scratch folder as an uncompressed ``.npz``, so that a
measuring process reads it without the peak memory of decompressing and selecting.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp

__all__ = ["REAL", "SIMULATED", "DataSet", "available", "data_folder", "row_groups", "write"]


@dataclass(frozen=True)
class DataSet:
    """One label matrix."""

    name: str
    note: str  # what was done to it, for the heading
    load: Callable[[], sp.csr_array]  # gives the matrix


def data_folder() -> Path | None:
    """Folder with the real data, from the environment variable ``TRUEVAL_DATA``."""
    folder = os.environ.get("TRUEVAL_DATA")
    return Path(folder) if folder else None


def _real(name: str, least: int = 1) -> Callable[[], sp.csr_array]:
    def load() -> sp.csr_array:
        folder = data_folder()
        assert folder is not None
        y = sp.csr_array(sp.load_npz(folder / f"{name}_Y.npz"))
        members = np.bincount(y.indices, minlength=y.shape[1])
        return y if members.min() >= least else y[:, members >= least]

    return load


def _simulated(n_rows: int, n_classes: int, cardinality: float) -> Callable[[], sp.csr_array]:
    def load() -> sp.csr_array:
        from trueval.data import simulate

        return simulate.label_matrix(n_rows, n_classes, cardinality=cardinality, random_state=0)

    return load


REAL = {
    data.name: data
    for data in (
        DataSet("bibtex", "", _real("bibtex")),
        DataSet("delicious", "", _real("delicious")),
        DataSet("wiki10_31k", "", _real("wiki10_31k")),
        DataSet(
            "swissprot_go_2014", "terms with at least 5 proteins", _real("swissprot_go_2014", 5)
        ),
    )
}

SIMULATED = {
    data.name: data
    for data in (
        DataSet("simulated_small", "simulated, seed 0", _simulated(5_000, 150, 3.0)),
        DataSet("simulated_wide", "simulated, seed 0", _simulated(20_000, 2_000, 8.0)),
    )
}


def available() -> dict[str, DataSet]:
    """Real sets whose file exists; the simulated ones if there is none."""
    folder = data_folder()
    found = {
        name: data
        for name, data in REAL.items()
        if folder is not None and (folder / f"{name}_Y.npz").is_file()
    }
    return found or SIMULATED


def write(name: str, path: str, made: dict[str, int] | None = None) -> sp.csr_array:
    """Write a set uncompressed, int8 values and int32 indices; ``made`` for a simulated size."""
    if made is None:
        y = sp.csr_array((REAL | SIMULATED)[name].load()).astype(np.int8)
    else:
        from trueval.data import simulate

        y = simulate.heavy_tailed(**made, random_state=0)
    y.sort_indices()
    sp.save_npz(path, y, compressed=False)
    return y


def row_groups(n_rows: int) -> np.ndarray:
    """A group for each row: random rows, sizes geometric with mean 4, seed 0.

    No public multi-label set of these has groups, so they are made.
    """
    generator = np.random.default_rng(0)
    of_row = np.repeat(np.arange(n_rows), generator.geometric(0.25, size=n_rows))[:n_rows]
    return generator.permutation(of_row)
