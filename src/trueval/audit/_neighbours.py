"""The nearest training rows of a row, and which of them are nearer than chance brings them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.audit._candidates import band_keys, bucket_pairs, cell_keys
from trueval.audit._inputs import Rows, sampled

__all__ = [
    "Neighbours",
    "Space",
    "continuous_columns",
    "gap_p_values",
    "nearest",
    "queries_of",
    "space_of",
]

K = 50
#: A gap after this many neighbours at most is that of a copy, not of a cluster.
COPIES = 5
#: A near duplicate is this much nearer than the next row that is none.
NEAR = 0.4
#: The same of a row whose nearest neighbour is farther than others have their sixth.
NEAR_OF_OUTLIERS = 0.1
MOST_QUERIES = 1000
_ALL_PAIRS = 4e8  # up to so many pairs of rows, all test rows are looked up
_BLOCK = 1 << 25  # distances held at a time
_EMBEDDING = 3  # columns for a category
_FEW = 50  # values of a column that is not continuous


@dataclass(frozen=True, eq=False)
class Space:
    """Rows as points: standardised columns, or directions of sparse rows.

    Attributes
    ----------
    points : ndarray of float32, or csr_array of float64
    squares : ndarray
        Squared lengths.
    """

    points: Any
    squares: NDArray[np.float64]

    def distances(self, a: NDArray[np.intp], b: NDArray[np.intp]) -> NDArray[np.float64]:
        """Distance of each pair, without the rounding of a product of matrices."""
        if sp.issparse(self.points):
            difference = self.points[a] - self.points[b]
            return np.sqrt(np.asarray(difference.multiply(difference).sum(axis=1)).reshape(-1))
        out = np.empty(len(a))
        step = max(1, _BLOCK // 32 // max(self.points.shape[1], 1))
        for first in range(0, len(a), step):
            block = slice(first, first + step)
            difference = self.points[a[block]].astype(np.float64) - self.points[b[block]]
            out[block] = np.sqrt((difference**2).sum(axis=1))
        return out


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Nearest training rows of some rows, the nearest first.

    Attributes
    ----------
    queries : ndarray of int of shape (n_queries,)
    rows : ndarray of int of shape (n_queries, k)
    distances : ndarray of shape (n_queries, k)
    """

    queries: NDArray[np.intp]
    rows: NDArray[np.intp]
    distances: NDArray[np.float64]


def space_of(rows: Rows, train: NDArray[np.intp], generator: np.random.Generator) -> Space:
    """Rows as points: columns of equal spread, categories apart, missing values anywhere."""
    matrix = rows.matrix
    if sp.issparse(matrix):
        row_of = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
        matrix = sp.csr_array((matrix.data, matrix.indices, matrix.indptr), shape=matrix.shape)
        matrix.data = np.ldexp(matrix.data, -_exponents(matrix)[row_of])
        lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).reshape(-1))
        scale = sp.diags_array(1 / np.where(lengths > 0, lengths, 1.0))
        return Space(sp.csr_array(scale @ matrix), (lengths > 0).astype(np.float64))
    exponents = _exponents(matrix.T)
    some = np.ldexp(matrix[sampled(train, 20_000, generator)], -exponents)
    numeric = ~rows.is_category
    with np.errstate(all="ignore"):
        filled = np.where(np.isnan(some), 0.0, some)
        known = np.maximum((~np.isnan(some)).sum(axis=0), 1)
        middle = filled.sum(axis=0) / known
        spread = np.sqrt(np.where(np.isnan(some), 0.0, (some - middle) ** 2).sum(axis=0) / known)
    varies = numeric & (spread > 0)
    categories = np.flatnonzero(rows.is_category)
    n, width = len(matrix), int(varies.sum())
    points = np.empty((n, width + _EMBEDDING * len(categories)), np.float32)
    for first in range(0, n, 1 << 15):
        block = slice(first, first + (1 << 15))
        part = np.ldexp(matrix[block][:, varies], -exponents[varies])
        part = (part - middle[varies]) / spread[varies]
        missing = np.isnan(part)  # at one place they would be a cluster
        part[missing] = generator.standard_normal(int(missing.sum()))
        points[block, :width] = part
    for number, at in enumerate(categories):
        codes = np.nan_to_num(matrix[:, at], nan=-1.0).astype(np.int64) + 1
        corners = generator.standard_normal((int(codes.max()) + 1, _EMBEDDING)) / _EMBEDDING**0.5
        first = width + _EMBEDDING * number
        points[:, first : first + _EMBEDDING] = corners[codes]
    return Space(points, np.einsum("ij,ij->i", points, points, dtype=np.float64))


def _exponents(matrix: Any) -> NDArray[np.int32]:
    """Power of two of the largest number of each row: without it, squares may be no numbers."""
    if sp.issparse(matrix):
        largest = abs(matrix).max(axis=1).toarray().reshape(-1)
    else:
        with np.errstate(invalid="ignore"):
            largest = np.fmax(np.fmax.reduce(matrix, axis=1), -np.fmin.reduce(matrix, axis=1))
    return np.frexp(np.nan_to_num(largest))[1]


def nearest(
    space: Space, train: NDArray[np.intp], queries: NDArray[np.intp], k: int = K
) -> Neighbours:
    """The k nearest of the sorted training rows of each query, itself left out, by blocks."""
    place = np.minimum(np.searchsorted(train, queries), len(train) - 1)
    is_train = train[place] == queries
    k = min(k, len(train) - int(is_train.any()))
    rows = np.empty((len(queries), k), np.intp)
    points = space.points[train]
    step = max(1, _BLOCK // max(len(train), 1))
    for first in range(0, len(queries), step):
        block = queries[first : first + step]
        product = space.points[block] @ points.T
        product = product.toarray() if sp.issparse(product) else product
        # ‖q - t‖² but for ‖q‖², which is the same for all of a row
        product *= -2
        product += space.squares[train].astype(product.dtype)
        itself = np.flatnonzero(is_train[first : first + step])
        product[itself, place[first : first + step][itself]] = np.inf
        best = np.argpartition(product, k - 1, axis=1)[:, :k]
        rows[first : first + step] = train[best]
    distances = space.distances(np.repeat(queries, k), rows.reshape(-1)).reshape(rows.shape)
    order = np.lexsort((rows, distances), axis=1)
    return Neighbours(
        queries, np.take_along_axis(rows, order, 1), np.take_along_axis(distances, order, 1)
    )


def gap_p_values(
    distances: NDArray[np.float64], n_train: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Of each row of sorted distances: p-value of its largest early gap, and the gap's ratio.

    Where rows lie locally at random, in any density and of any dimension, the normalised spacings
    r · log(d[r + 1] / d[r]) are independent and exponential with one rate. The share of the largest
    in their sum then exceeds g with a probability of at most R (1 - g)^(m - 1) among the first R of
    m (Fisher 1929). The ratio is d[r] / d[r + 1] at the gap; equal rows (distance 0) have none.
    Among few training rows, a handful is a cluster, and the neighbours must be a small part.
    """
    k = min(distances.shape[1], max(n_train // 4, 3))
    distances = distances[:, :k]
    n = len(distances)
    if k < 3:
        return np.ones(n), np.ones(n)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(distances)
        spacing = np.diff(logs, axis=1) * np.arange(1, k)
    usable = distances[:, 0] > 0
    spacing[~usable] = 0.0
    early = int(np.clip(n_train // 100, 1, min(COPIES, k - 2)))
    at = spacing[:, :early].argmax(axis=1)
    largest = np.take_along_axis(spacing, at[:, None], 1)[:, 0]
    total = spacing.sum(axis=1)
    share = np.divide(largest, total, out=np.zeros(n), where=total > 0)
    p = np.minimum(1.0, early * (1 - share) ** (k - 2))
    ratio = np.exp(-largest / (at + 1))
    return np.where(usable, p, 1.0), np.where(usable, ratio, 1.0)


def continuous_columns(
    rows: Rows, train: NDArray[np.intp], generator: np.random.Generator
) -> NDArray[np.intp]:
    """Numeric columns with many values: rows do not coincide in them by chance."""
    some = rows.matrix[sampled(train, 2000, generator)]
    few = min(_FEW, len(some) // 2)
    return np.array(
        [
            at
            for at in np.flatnonzero(~rows.is_category)
            if len(np.unique(some[~np.isnan(some[:, at]), at])) > few
        ],
        np.intp,
    )


def queries_of(
    rows: Rows,
    space: Space,
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    generator: np.random.Generator,
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Test rows to look up at random, and more of them that are suspect; the latter by buckets."""
    if float(len(train)) * len(test) <= _ALL_PAIRS and len(test) <= 20 * MOST_QUERIES:
        return test, np.zeros(0, np.intp)
    queries = sampled(test, MOST_QUERIES, generator)
    if rows.is_sparse:
        keys = band_keys(rows.matrix, generator)
    else:
        typical = nearest(space, sampled(train, 20_000, generator), queries[:200], 2).distances
        radius = float(np.quantile(typical[:, -1], 0.1)) / 8
        if radius == 0:
            return queries, np.zeros(0, np.intp)
        keys = cell_keys(space.points, radius, generator)
    a, b = bucket_pairs(keys, train, test)
    distance = space.distances(a, b)
    limit = 0.5 if rows.is_sparse else 2 * radius
    close = np.flatnonzero((distance > 0) & (distance <= limit))
    close = close[np.argsort(distance[close], kind="stable")]
    suspects = a[close][np.sort(np.unique(a[close], return_index=True)[1])][:MOST_QUERIES]
    return queries, np.setdiff1d(suspects, queries)
