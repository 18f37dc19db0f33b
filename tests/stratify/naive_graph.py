"""Naive twins of the graph kernels: written from their definitions, for tiny graphs."""

from itertools import product

import numpy as np


def crossing(dense, part):
    """Edges between two parts; items without a part have none."""
    n = len(dense)
    return [
        (i, j)
        for i in range(n)
        for j in range(i)
        if dense[i, j] > 0 and part[i] >= 0 and part[j] >= 0 and part[i] != part[j]
    ]


def loads(part, size, k):
    """Rows in each part."""
    return [int(size[part == j].sum()) for j in range(k)]


def cheapest_separation(dense, size, price, capacity, fixed):
    """Least price of items to leave out, by trying every assignment."""
    n, k = len(dense), len(capacity)
    best = np.inf
    for assignment in product(range(-1, k), repeat=n):
        part = np.array(assignment)
        if (part[fixed >= 0] != fixed[fixed >= 0]).any() or crossing(dense, part):
            continue
        if all(load <= most for load, most in zip(loads(part, size, k), capacity, strict=True)):
            best = min(best, price[part < 0].sum())
    return best


def soft_cost(y, dense, folds, shares, weight):
    """Mean rLD against the wanted sizes plus the weighted share of similarity between parts."""
    k, total, between = len(shares), 0.0, 0.0
    for i in range(len(dense)):
        for j in range(i):
            total += dense[i, j]
            between += dense[i, j] * (folds[i] != folds[j])
    values = []
    for column in y.T:
        D = column.sum()
        if 0 < D < len(column):
            held = np.array([column[folds == j].sum() for j in range(k)])
            values.append(np.mean(np.abs(held / (D * shares) - 1)))
    return float(np.mean(values) if values else 0.0) + weight * (between / total if total else 0.0)
