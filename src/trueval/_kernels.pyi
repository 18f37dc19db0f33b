"""Types of the compiled kernels; the C++ sources in ``cpp/`` say what they do."""

import numpy as np
from numpy.typing import NDArray

def label_lines(
    text: NDArray[np.uint8], n_labels: int, n_features: int, svmlight: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64], int, int, int, int]: ...
def class_signatures(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], n_classes: int
) -> tuple[NDArray[np.int64], NDArray[np.uint64]]: ...
def equal_rows(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    class_keys: NDArray[np.uint64],
    seed: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...
def part_counts(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    folds: NDArray[np.int32],
    n_classes: int,
    n_parts: int,
) -> NDArray[np.int64]: ...
def row_sums(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    counts: NDArray[np.int32] | None,
    value_of_class: NDArray[np.float64],
) -> NDArray[np.float64]: ...
def label_pairs(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], n_classes: int, n_pairs: int
) -> NDArray[np.int64]: ...
def iterative_stratification(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    order: NDArray[np.int64],
    n_classes: int,
    shares: NDArray[np.float64],
    mt_key: NDArray[np.uint32],
    mt_pos: int,
) -> tuple[NDArray[np.int32], int]: ...

class AnnealSearch:
    def __init__(
        self,
        indptr: NDArray[np.int64],
        indices: NDArray[np.int32],
        counts: NDArray[np.int32] | None,
        list_of_item: NDArray[np.int32],
        item_size: NDArray[np.int32] | None,
        class_size: NDArray[np.float64],
        shares: NDArray[np.float64],
        base_counts: NDArray[np.int32],
        base_sizes: NDArray[np.int64],
        low: NDArray[np.int64],
        high: NDArray[np.int64],
        noise: NDArray[np.float32],
        parts: NDArray[np.int32],
        seed: int,
    ) -> None: ...
    def greedy(self, order: NDArray[np.int64]) -> None: ...
    def sweep(self, temperature: float, size_weight: float, active: int) -> int: ...
    def settle(self) -> int: ...
    def sizes(self) -> list[int]: ...

class OptiSplitSearch:
    def __init__(
        self,
        indptr: NDArray[np.int64],
        indices: NDArray[np.int32],
        order: NDArray[np.int64],
        n_classes: int,
        shares: NDArray[np.float64],
        measure: int,
        folds: NDArray[np.int32],
    ) -> None: ...
    def epoch(self) -> int: ...
