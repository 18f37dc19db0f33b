"""Naive twins: the definitions of the paper, written down as plainly as possible."""

from itertools import combinations, pairwise

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor


def roles(pairs, held_out, scheme):
    """(train, validation) rows by the definitions of Section 2, object by object."""
    train, valid = [], []
    for row, members in enumerate(pairs):
        new = [o in held_out for o in members]
        if all(new):
            valid.append(row)
        elif not any(new) or scheme == "relaxed":
            train.append(row)
    return train, valid


def two_by_two(n_parts):
    return list(combinations(range(n_parts), 2))


def auc(y, score):
    """Positive-negative comparisons one by one, ties one half."""
    positive = [s for s, label in zip(score, y, strict=True) if label > 0]
    negative = [s for s, label in zip(score, y, strict=True) if label <= 0]
    if not positive or not negative:
        return None
    wins = sum((p > n) + 0.5 * (p == n) for p in positive for n in negative)
    return wins / (len(positive) * len(negative))


def refit(make, X, y, folds, n_values):
    """Mean out-of-fold prediction of each row, models fitted anew on every fold."""
    total, times = np.zeros((len(X), n_values)), np.zeros(len(X))
    for train, test in folds:
        if not len(test):
            continue
        for v in range(n_values):
            total[test, v] += make(v).fit(X[train], y[train]).predict(X[test])
        times[test] += 1
    return np.where(times[:, None] > 0, total / np.maximum(times, 1)[:, None], np.nan)


def knn_refit(objects, pairs, y, folds, values):
    X = objects[pairs[:, 0]] + objects[pairs[:, 1]]
    return refit(
        lambda v: KNeighborsRegressor(values[v], weights="distance", algorithm="kd_tree"),
        X,
        np.asarray(y, dtype=float),
        folds,
        len(values),
    )


def ridge_refit(X, y, folds, alphas, fit_intercept=True):
    return refit(
        lambda v: Ridge(alpha=alphas[v], fit_intercept=fit_intercept, solver="cholesky"),
        X,
        np.asarray(y, dtype=float),
        folds,
        len(alphas),
    )


def balance_cost(row_items, weight, positive, kind_start, size, shares, part, stratify):
    """What the balance kernel minimises, from the definitions."""
    n_items, n_parts = len(part), len(shares)
    degree, carried = np.zeros(n_items), np.zeros(n_items)
    for row, items in enumerate(row_items):
        for item in set(items):
            degree[item] += weight[row]
            carried[item] += weight[row] * positive[row]
    cost = 0.0
    for low, high in pairwise(kind_start):
        for load in (size, degree, carried):
            total = sum(load[low:high])
            for p in range(n_parts):
                wanted = total * shares[p]
                if wanted > 0:
                    has = sum(load[i] for i in range(low, high) if part[i] == p)
                    cost += (has / wanted - 1) ** 2
    if stratify:
        for p in range(n_parts):
            for label in (0, 1):
                wanted = sum(w for w, c in zip(weight, positive, strict=True) if c == label)
                wanted *= shares[p] ** 2
                if wanted > 0:
                    has = sum(
                        weight[r]
                        for r, items in enumerate(row_items)
                        if positive[r] == label and all(part[i] == p for i in items)
                    )
                    cost += ((has - wanted) / (wanted + 1)) ** 2 + (1000 if has == 0 else 0)
    return cost


def keep_cost(row_items, weight, positive, kind_start, size, shares, part):
    """What annealing for pairs inside parts lowers, from the definitions."""
    cost = 0.0
    for low, high in pairwise(kind_start):
        for p, share in enumerate(shares):
            has = sum(size[i] for i in range(low, high) if part[i] == p)
            cost += 20 * (has / (share * sum(size[low:high])) - 1) ** 2
    labels = sorted(set(positive))
    for p, share in enumerate(shares):
        logs = []
        for label in labels:
            rows = [r for r in range(len(weight)) if positive[r] == label]
            inside = sum(weight[r] for r in rows if all(part[i] == p for i in row_items[r]))
            logs.append(np.log((inside + 0.5) / (sum(weight[r] for r in rows) * share + 0.5)))
        cost -= share * np.mean(logs)
        cost += share * 2 * (logs[-1] - logs[0]) ** 2
    return cost
