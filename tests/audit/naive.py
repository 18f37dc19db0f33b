"""What the audit computes, written from the definitions: loops over all pairs of rows."""

import math

import numpy as np


def equal(a, b):
    """Two rows are equal; a missing value equals another."""
    return all(x == y or (x != x and y != y) for x, y in zip(a, b, strict=True))


def duplicates(X, train, test):
    """Test rows that equal some training row."""
    return [t for t in test if any(equal(X[t], X[s]) for s in train)]


def jaccard(a, b):
    """Shared members of two sets over all members."""
    return len(a & b) / len(a | b) if a | b else 0.0


def min_hash(members, order):
    """The smallest place of a member in an order of all columns."""
    return min((order.index(member) for member in members), default=2**32 - 1)


def nearest(points, train, query, k):
    """Training rows other than the query by distance, the nearest first."""
    distances = sorted(
        (math.sqrt(sum((x - y) ** 2 for x, y in zip(points[query], points[s], strict=True))), s)
        for s in train
        if s != query
    )
    return distances[:k]


def gap(distances, early):
    """Share of the largest early normalised spacing in the sum of all, and the ratio there."""
    logs = [math.log(d) for d in distances]
    spacings = [(r + 1) * (logs[r + 1] - logs[r]) for r in range(len(logs) - 1)]
    at = max(range(early), key=lambda r: spacings[r])
    total = sum(spacings)
    return (spacings[at] / total if total else 0.0), distances[at] / distances[at + 1]


def auc(positive, scores):
    """Share of (positive, negative) pairs in order; ties are one half."""
    pos = [s for s, p in zip(scores, positive, strict=True) if p]
    neg = [s for s, p in zip(scores, positive, strict=True) if not p]
    return np.mean([(a > b) + (a == b) / 2 for a in pos for b in neg])
