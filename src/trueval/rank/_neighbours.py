"""What scores of neighbouring classes say: posteriors on a hierarchy of labels.

Arrays here have one row for each class and one column for each object, so that work on one class
is on contiguous memory. ``evidence`` is the log likelihood ratio of a class's own score: the
log-odds of its calibrated score less those of its prevalence.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import expit, logit

from trueval.core.labels import Labels
from trueval.rank._hierarchy import Hierarchy

__all__ = ["FEATURES", "Neighbours", "fit_weights", "stacked"]

Float = NDArray[np.float64]

LEAST = 1e-6  # distance from 0 and 1 that a calibrated score keeps, so that log-odds are finite
FEATURES = ("intercept", "prevalence", "own", "parents", "children", "siblings")
RIDGE = 1e-3  # penalty of the weights, in units of a pair
MOST_PAIRS = 1 << 19  # that weights are fitted to
NEWTON_STEPS, SETTLED = 50, 1e-9


@dataclass(frozen=True, eq=False)
class Neighbours:
    """A hierarchy with the prevalence of its classes."""

    graph: Hierarchy
    counts: Float  # positives of each class
    n_rows: int

    @classmethod
    def of(cls, graph: Hierarchy, labels: Labels) -> "Neighbours":
        """The hierarchy with the counts of labels."""
        return cls(graph, np.asarray(labels.class_sizes, dtype=np.float64), labels.n_rows)

    @cached_property
    def prevalence(self) -> Float:
        """Share of positives of each class, half a positive added."""
        return (self.counts + 0.5) / (self.n_rows + 1.0)

    @cached_property
    def given_parent(self) -> Float:
        """P(class | its parent) for each edge, half a positive added."""
        child, parent = self.graph.child, self.graph.parent
        return (self.counts[child] + 0.5) / (self.counts[parent] + 1.0)

    @cached_property
    def parent_without(self) -> Float:
        """P(parent | not the class) for each edge."""
        child, parent = self.prevalence[self.graph.child], self.prevalence[self.graph.parent]
        return np.clip((parent - child) / (1.0 - child), 0.0, 1.0)

    @cached_property
    def _sums(self) -> tuple[sp.csr_array, sp.csr_array]:
        """Matrices that add up edges by their child, and by their parent."""
        n, m = self.graph.n_classes, len(self.graph.child)
        edge, one = np.arange(m), np.ones(m)
        return (
            sp.csr_array((one, (self.graph.child, edge)), shape=(n, m)),
            sp.csr_array((one, (self.graph.parent, edge)), shape=(n, m)),
        )

    def evidence(self, values: Float) -> Float:
        """Log likelihood ratio of each class's own score, from calibrated scores by object."""
        clipped = np.clip(values.T, LEAST, 1.0 - LEAST)
        return np.ascontiguousarray(logit(clipped) - logit(self.prevalence)[:, None])

    def posterior(self, evidence: Float) -> Float:
        """P(class | scores of all classes), scores independent given the labels.

        Exact if no class has two parents, else :meth:`neighbourhood`.
        """
        if self.graph.is_forest:
            return self.forest(evidence)
        return self.neighbourhood(evidence)

    def forest(self, evidence: Float) -> Float:
        """P(class | scores of all classes), exactly, for at most one parent of each class."""
        parent, order = self.graph.parents(), self.graph.order
        chance = self.prevalence.copy()
        chance[self.graph.child] = self.given_parent
        yes, no = np.log(chance), np.log1p(-chance)
        below = evidence.copy()
        log_chance = np.empty_like(evidence)
        # Invariant: below[k] is the log likelihood ratio of all scores at and below class k, and
        # log_chance[k] is log P(k | its parent and these scores), once k was visited.
        for k in order:
            positive = yes[k] + below[k]
            either = np.logaddexp(no[k], positive)
            log_chance[k] = positive - either
            if parent[k] >= 0:
                below[parent[k]] += either
        # Invariant: log_chance of the classes visited are log P(class | all scores).
        for k in order[::-1]:
            if parent[k] >= 0:
                log_chance[k] += log_chance[parent[k]]
        return np.exp(log_chance)

    def neighbourhood(self, evidence: Float) -> Float:
        """P(class | scores of the class, its parents and its children).

        Parents are independent given that the class is absent, children given that it is present.
        """
        from_parents, from_children = self.terms(evidence)
        prior = logit(self.prevalence)[:, None]
        return expit(prior + evidence + from_parents + from_children)

    def terms(self, evidence: Float) -> tuple[Float, Float]:
        """What scores of parents, and of children, add to the log-odds of each class."""
        by_child, by_parent = self._sums
        chance, without = self.given_parent[:, None], self.parent_without[:, None]
        above, below = evidence[self.graph.parent], evidence[self.graph.child]
        with np.errstate(divide="ignore"):  # log 0 is minus infinity, as it should be
            children = np.logaddexp(np.log1p(-chance), np.log(chance) + below)
            parents = above - np.logaddexp(np.log1p(-without), np.log(without) + above)
        return by_child @ parents, by_parent @ children

    def features(self, evidence: Float) -> list[Float]:
        """The :data:`FEATURES` of each (class, object)."""
        by_child, by_parent = self._sums
        from_parents, from_children = self.terms(evidence)
        # Siblings: children of each parent, less the class itself, averaged.
        children = by_parent @ evidence[self.graph.child]
        n_children = np.bincount(self.graph.parent, minlength=self.graph.n_classes)
        n_parents = np.bincount(self.graph.child, minlength=self.graph.n_classes)
        siblings = by_child @ children[self.graph.parent] - n_parents[:, None] * evidence
        n_siblings = by_child @ (n_children[self.graph.parent] - 1.0)
        siblings /= np.maximum(n_siblings, 1.0)[:, None]
        prior = np.broadcast_to(logit(self.prevalence)[:, None], evidence.shape)
        ones = np.broadcast_to(1.0, evidence.shape)
        return [ones, prior, evidence, from_parents, from_children, siblings]


def stacked(features: list[Float], weights: Float) -> Float:
    """P(class | own score and neighbours' scores) by weights of the features."""
    total = weights[0] * features[0]
    for weight, feature in zip(weights[1:], features[1:], strict=True):
        total = total + weight * feature
    return expit(total)


def fit_weights(
    features: list[Float], positive: NDArray[np.bool_], generator: np.random.Generator
) -> Float:
    """Weights of greatest likelihood over all pairs, by Newton's method from the plain ranker.

    Of many pairs, all positives and a random share of the negatives are used, each negative for as
    many as it stands for.
    """
    flat = positive.ravel()
    used, weight = np.arange(flat.size), np.ones(flat.size)
    if flat.size > MOST_PAIRS:
        negatives = np.flatnonzero(~flat)
        n_kept = min(max(MOST_PAIRS - int(flat.sum()), MOST_PAIRS // 4), len(negatives))
        sampled = generator.choice(negatives, n_kept, replace=False)
        used = np.concatenate([np.flatnonzero(flat), np.sort(sampled)])
        weight = np.where(flat[used], 1.0, len(negatives) / max(n_kept, 1))
    x = np.stack([feature.reshape(-1)[used] for feature in features], axis=1)
    y = flat[used].astype(np.float64)
    coef = start = np.array([0.0, 1.0, 1.0, 0.0, 0.0, 0.0])
    reached = _penalised(x, y, weight, coef, start)
    # Invariant: the penalised likelihood of coef is `reached` and never falls.
    for _ in range(NEWTON_STEPS):
        chance = expit(x @ coef)
        slope = x.T @ (weight * (y - chance)) - RIDGE * (coef - start)
        curvature = (x * (weight * chance * (1 - chance))[:, None]).T @ x
        step = np.linalg.solve(curvature + RIDGE * np.eye(len(coef)), slope)
        share = 1.0
        while (trial := _penalised(x, y, weight, coef + share * step, start)) < reached:
            share /= 2
            if share < 1e-6:
                return coef
        coef, gain, reached = coef + share * step, trial - reached, trial
        if gain < SETTLED * abs(reached):
            break
    return coef


def _penalised(x: Float, y: Float, weight: Float, coef: Float, start: Float) -> float:
    log_odds = x @ coef
    likelihood = weight @ (y * log_odds - np.logaddexp(0.0, log_odds))
    return float(likelihood - 0.5 * RIDGE * ((coef - start) ** 2).sum())
