"""The audit of pairs and exact leave-two-out."""

from itertools import combinations

import numpy as np

from trueval.data import simulate
from trueval.pairs import ObjectKFold, ObjectLeaveTwoOut, audit_pairs, cross_val_scores_knn


class Audit:
    """The audit of a split."""

    params = ([10_000, 200_000],)
    param_names = ("pairs",)
    SMALL = (500,)

    def setup(self, pairs: int) -> None:
        generator = np.random.default_rng(0)
        n_objects = max(20, int(pairs**0.5))
        first = generator.integers(n_objects, size=pairs)
        self.pairs = np.column_stack(
            [first, (first + 1 + generator.integers(n_objects - 1, size=pairs)) % n_objects]
        )
        self.train, self.test = next(ObjectKFold(5, random_state=0).split(groups=self.pairs))

    def time_audit(self, pairs: int) -> None:
        audit_pairs(self.pairs, self.train, self.test)

    def track_leaked(self, pairs: int) -> int:
        return int(audit_pairs(self.pairs, self.train, self.test).n_leaked)

    track_leaked.unit = "pairs"


class LeaveTwoOut:
    """Exact leave-two-out of KNN."""

    params = ([50, 100],)
    param_names = ("objects",)
    SMALL = (12,)

    def setup(self, objects: int) -> None:
        proteins = simulate.protein_families(objects, random_state=0)
        self.features = proteins.features
        self.pairs = np.array(list(combinations(range(objects), 2)))
        share = proteins.terms.astype(int) @ proteins.terms.astype(int).T
        self.y = np.asarray(share[self.pairs[:, 0], self.pairs[:, 1]]).reshape(-1) > 0

    def time_knn(self, objects: int) -> None:
        cross_val_scores_knn(self.features, self.pairs, self.y, ObjectLeaveTwoOut(), [5, 10])

    def peakmem_knn(self, objects: int) -> None:
        self.time_knn(objects)
