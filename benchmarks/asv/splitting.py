"""Stratified folds and their quality."""

from typing import Any

from trueval.data import simulate
from trueval.stratify import METHODS, split_quality, stratified_folds


def labels(positives: int) -> Any:
    """A heavy-tailed matrix of 20 positives a row."""
    rows = positives // 20
    return simulate.heavy_tailed(rows, max(50, rows // 50), positives, random_state=0)


class StratifiedFolds:
    """The default method by size."""

    params = ([10_000, 100_000, 1_000_000],)
    param_names = ("positives",)
    SMALL = (2_000,)

    def setup(self, positives: int) -> None:
        self.y = labels(positives)

    def time_anneal(self, positives: int) -> None:
        stratified_folds(self.y, 5, random_state=0)

    def peakmem_anneal(self, positives: int) -> None:
        stratified_folds(self.y, 5, random_state=0)

    def track_rld_over_bound(self, positives: int) -> float:
        folds = stratified_folds(self.y, 5, random_state=0)
        return float(split_quality(self.y, folds, parts=5).rld_ratio)

    track_rld_over_bound.unit = "ratio"


class Methods:
    """Every method on one matrix."""

    params = (list(METHODS), [100_000])
    param_names = ("method", "positives")
    SMALL = ("iterative", 2_000)

    def setup(self, method: str, positives: int) -> None:
        self.y = labels(positives)

    def time_method(self, method: str, positives: int) -> None:
        stratified_folds(self.y, 5, method=method, random_state=0)

    def track_rld_over_bound(self, method: str, positives: int) -> float:
        folds = stratified_folds(self.y, 5, method=method, random_state=0)
        return float(split_quality(self.y, folds, parts=5).rld_ratio)

    track_rld_over_bound.unit = "ratio"


class SplitQuality:
    """Judging folds."""

    params = ([100_000, 1_000_000],)
    param_names = ("positives",)
    SMALL = (2_000,)

    def setup(self, positives: int) -> None:
        self.y = labels(positives)
        self.folds = stratified_folds(self.y, 5, method="random", random_state=0)

    def time_split_quality(self, positives: int) -> None:
        split_quality(self.y, self.folds, parts=5)

    def peakmem_split_quality(self, positives: int) -> None:
        split_quality(self.y, self.folds, parts=5)
