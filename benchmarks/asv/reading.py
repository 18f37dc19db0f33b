"""Reading labels from files."""

import tempfile
from pathlib import Path

from trueval import as_labels
from trueval.data import read_labels, simulate, write_labels

SUFFIXES = ("npz", "tsv", "parquet")


class ReadLabels:
    """Labels written and read back."""

    params = (list(SUFFIXES), [100_000, 1_000_000])
    param_names = ("suffix", "positives")
    SMALL = ("tsv", 1_000)

    def setup(self, suffix: str, positives: int) -> None:
        self.folder = tempfile.TemporaryDirectory()
        rows = positives // 10
        y = simulate.heavy_tailed(rows, max(50, rows // 50), positives, smallest=10, random_state=0)
        self.path = Path(self.folder.name, f"labels.{suffix}")
        write_labels(self.path, as_labels(y[:, y.sum(axis=0) > 0]))

    def teardown(self, suffix: str, positives: int) -> None:
        self.folder.cleanup()

    def time_read(self, suffix: str, positives: int) -> None:
        read_labels(self.path)

    def peakmem_read(self, suffix: str, positives: int) -> None:
        read_labels(self.path)
