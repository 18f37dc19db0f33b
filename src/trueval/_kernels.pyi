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
def flip_classes(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], flipped: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]: ...
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

class RowSearch:
    def __init__(
        self,
        indptr: NDArray[np.int64],
        indices: NDArray[np.int32],
        counts: NDArray[np.int32] | None,
        list_of_item: NDArray[np.int32],
        item_size: NDArray[np.int32] | None,
        by_part: bool,
        slope: NDArray[np.int64],
        dip: NDArray[np.int64],
        whole: NDArray[np.int32],
        bend: NDArray[np.float64],
        fraction: NDArray[np.float32],
        weight: NDArray[np.float32],
        factor: NDArray[np.float32],
        log_share: NDArray[np.float64],
        reach: NDArray[np.float64],
        base_counts: NDArray[np.int32],
        base_sizes: NDArray[np.int64],
        low: NDArray[np.int64],
        high: NDArray[np.int64],
        noise: NDArray[np.int32],
        parts: NDArray[np.int32],
        seed: int,
    ) -> None: ...
    def greedy(self, order: NDArray[np.int64]) -> None: ...
    def anneal(self, temperature: float, size_weight: float, work: int) -> int: ...
    def improve(self, size_weight: float) -> int: ...
    def settle(self) -> int: ...
    def exchange(self, partners: int) -> int: ...
    def exchange_all(self) -> int: ...
    def restart(self) -> None: ...
    def costs(self) -> NDArray[np.int64]: ...
    def sizes(self) -> list[int]: ...

class GroupSearch(RowSearch): ...

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

def pair_knn(
    n_features: int,
    query_vectors: NDArray[np.float64],
    train_vectors: NDArray[np.float64],
    cross: NDArray[np.float64],
    query_norm: NDArray[np.float64],
    train_norm: NDArray[np.float64],
    query_a: NDArray[np.int32],
    query_b: NDArray[np.int32],
    train_a: NDArray[np.int32],
    train_b: NDArray[np.int32],
    y: NDArray[np.float64],
    label_a: NDArray[np.int32],
    label_b: NDArray[np.int32],
    task_start: NDArray[np.int64],
    task_p: NDArray[np.int32],
    task_q: NDArray[np.int32],
    values: NDArray[np.int64],
    strict: bool,
    relaxed: bool,
) -> tuple[NDArray[np.float64], NDArray[np.float64], int]: ...
def pair_ridge(
    n_columns: int,
    n_penalised: int,
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    label_a: NDArray[np.int32],
    label_b: NDArray[np.int32],
    n_labels: int,
    fold_p: NDArray[np.int32],
    fold_q: NDArray[np.int32],
    pair_start: NDArray[np.int64],
    pair_rows: NDArray[np.int32],
    self_start: NDArray[np.int64],
    self_rows: NDArray[np.int32],
    task_start: NDArray[np.int64],
    task_rows: NDArray[np.int32],
    values: NDArray[np.float64],
    strict: bool,
) -> tuple[NDArray[np.float64], bool]: ...
def balance_parts(
    item_start: NDArray[np.int64],
    item_rows: NDArray[np.int32],
    row_items: NDArray[np.int32],
    row_weight: NDArray[np.float64],
    row_positive: NDArray[np.uint8],
    kind_start: NDArray[np.int64],
    size: NDArray[np.float64],
    degree: NDArray[np.float64],
    positive: NDArray[np.float64],
    shares: NDArray[np.float64],
    stratify: bool,
    moves: bool,
    sweeps: int,
    tries: int,
    seed: int,
    part: NDArray[np.int32],
) -> float: ...
def local_quadratic(
    u: NDArray[np.float64], v: NDArray[np.float64], h: float, kernel: int, even: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]: ...
def leave_one_out(
    u: NDArray[np.float64], v: NDArray[np.float64], h: float, kernel: int, even: bool
) -> tuple[float, float]: ...
def pool_adjacent(sums: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.int64]: ...
def project_forest(
    values: NDArray[np.float64], order: NDArray[np.int32], parent: NDArray[np.int32]
) -> NDArray[np.float64]: ...
def consistent_rows(
    values: NDArray[np.float64],
    order: NDArray[np.int32],
    child: NDArray[np.int32],
    parent: NDArray[np.int32],
    rule: int,
) -> NDArray[np.float64]: ...
def fit_spline(
    x: NDArray[np.float64],
    n: NDArray[np.float64],
    y: NDArray[np.float64],
    prior: NDArray[np.float64],
    ridge: float,
    penalties: NDArray[np.float64],
    monotone: bool,
) -> tuple[NDArray[np.float64], NDArray[np.float64], float, float, float]: ...
def eval_spline(
    x: NDArray[np.float64], coef: NDArray[np.float64], covariance: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
