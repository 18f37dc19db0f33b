"""One draw of a deviation study: pairs of some objects, validated by splitters, and the truth."""

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueval.core.pairs import as_pairs
from trueval.pairs._auc import concordance
from trueval.pairs._checkpoint import label_digest
from trueval.pairs._deviation_learners import Learner
from trueval.pairs._deviation_study import SCHEMES
from trueval.pairs._each_fold import each_fold
from trueval.pairs._folding import ObjectSplitter
from trueval.pairs._leave_two_out import ObjectLeaveTwoOut
from trueval.pairs._resampling import ObjectBootstrap
from trueval.pairs._tasks import fold_tasks

__all__ = ["N_BLOCKS", "Draw", "Population", "TruthPairs", "estimate_names", "n_folds"]

N_BLOCKS = 25  # of test pairs, to estimate the error that all draws share
_WAYS = ("averaged", "pooled")
_BOOTSTRAP_WAYS = (*_WAYS, ".632")


class TruthPairs(NamedTuple):
    """Pairs to measure the truth on."""

    pairs: NDArray[np.int64]  # numbers of the population
    labels: NDArray[np.bool_]
    # Block of each pair; pairs of different blocks have errors independent of one another
    block: NDArray[np.int64]


def _ways(cv: Any) -> tuple[str, ...]:
    if isinstance(cv, ObjectLeaveTwoOut):  # one pair a fold: nothing to average
        return ("pooled",)
    return _BOOTSTRAP_WAYS if isinstance(cv, ObjectBootstrap) else _WAYS


def estimate_names(cvs: Mapping[str, Any]) -> list[str]:
    """Names of the estimates of some splitters, in order."""
    return [
        name if isinstance(cv, ObjectLeaveTwoOut) and name else f"{name} {way}".strip()
        for name, cv in cvs.items()
        for way in _ways(cv)
    ]


def n_folds(cvs: Mapping[str, Any], pairs: NDArray[np.int64]) -> int:
    """Folds of the first splitter."""
    first = next(iter(cvs.values()))
    return int(first.get_n_splits(np.empty((len(pairs), 0)), None, pairs))


@dataclass(frozen=True, eq=False)
class Population:
    """What all draws share: the objects, their labels, and the objects to measure the truth on."""

    vectors: NDArray[np.float64]
    share: Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.bool_]]
    pool: NDArray[np.int64]
    test: TruthPairs
    seed: np.random.SeedSequence
    learner: Callable[..., Learner]  # of vectors, pairs and labels
    cvs: Mapping[str, Any]
    setting: str = "BB"
    density: float = 1.0

    def draw(self, repeat: int, n_objects: int) -> "Draw":
        """The draw of this number; the same however many are asked for."""
        child = np.random.SeedSequence(self.seed.entropy, spawn_key=(1, repeat))
        generator = np.random.default_rng(child)
        drawn = self.pool[generator.choice(len(self.pool), n_objects, replace=False)]
        pairs = np.array(list(combinations(range(n_objects), 2)))
        part_seed = int(generator.integers(2**32))
        n_kept = max(1, round(self.density * len(pairs)))
        kept = np.ones(len(pairs), dtype=bool)
        if n_kept < len(pairs):
            kept[generator.choice(len(pairs), len(pairs) - n_kept, replace=False)] = False
        others, pairs = pairs[~kept], pairs[kept]
        members = drawn[pairs]
        y = self.share(members[:, 0], members[:, 1])
        test = self._test_set(drawn, drawn[others], generator)
        learner = self.learner(
            self.vectors, np.concatenate([members, test.pairs]), np.concatenate([y, test.labels])
        )
        return Draw(pairs, y, learner, test, self.cvs, part_seed)

    def _test_set(
        self,
        drawn: NDArray[np.int64],
        others: NDArray[np.int64],
        generator: np.random.Generator,
    ) -> TruthPairs:
        """Pairs of the setting: of new objects, of a drawn and a new one, or of drawn ones."""
        if self.setting == "BB":
            return self.test
        n = len(self.test.pairs)
        if self.setting == "AA":
            pairs = others[generator.permutation(len(others))[:n]]
            block = np.arange(len(pairs))
        else:
            new = np.unique(self.test.pairs)
            n_all = len(drawn) * len(new)
            chosen = generator.choice(n_all, min(n, n_all), replace=False)
            block = chosen // len(drawn)
            pairs = np.column_stack([drawn[chosen % len(drawn)], new[block]])
        return TruthPairs(pairs, self.share(pairs[:, 0], pairs[:, 1]), block % N_BLOCKS)


class Scored(NamedTuple):
    """Scores of all validations of a splitter, fold after fold."""

    row: NDArray[np.int64]
    scores: NDArray[np.float64]  # one column for each value
    rates: NDArray[np.float64]  # positive rate of the training set of each validation
    bounds: NDArray[np.intp]  # where each fold begins
    n_skipped: int = 0  # folds without scores


@dataclass(frozen=True, eq=False)
class Draw:
    """Pairs of some objects, and how to validate models on them."""

    pairs: NDArray[np.int64]  # numbers of the drawn objects
    y: NDArray[np.bool_]
    learner: Learner
    test: TruthPairs
    cvs: Mapping[str, Any]
    seed: int

    @property
    def defined(self) -> bool:
        """Whether the draw and the test pairs both have both classes."""
        return all(y.any() and not y.all() for y in (self.y, self.test.labels))

    def undefined(self, n_values: int) -> dict[str, Any]:
        """The result of a draw that has no estimate."""
        n_estimates = len(estimate_names(self.cvs))
        return {
            "estimates": np.full((2, n_estimates, n_values), np.nan),
            "truths": np.full(n_values, np.nan),
            "influence": np.full((N_BLOCKS, n_values), np.nan),
            "nulls": np.full((2, n_estimates), np.nan),
            "excluded": 0,
            "rate": float(self.y.mean()),
            "labels": label_digest(self.y),
        }

    def result(self, n_values: int) -> dict[str, Any]:
        """Estimates of all splitters under both schemes, and the truth."""
        out = self.undefined(n_values)
        if not self.defined:
            return out | {"excluded": n_folds(self.cvs, self.pairs)}
        everything = np.arange(len(self.y))
        place = 0
        for cv in self.cvs.values():
            ways = _ways(cv)
            apparent = self._apparent(everything) if ".632" in ways else None
            for scheme, scored in self._scored(cv).items():
                if not len(scored.row):
                    continue
                s = SCHEMES.index(scheme)
                values, nulls, n_excluded = self._aucs(scored)
                if apparent is not None:
                    values[".632"] = 0.368 * apparent + 0.632 * values["averaged"]
                for e, way in enumerate(ways, start=place):
                    out["estimates"][s, e] = values[way]
                    out["nulls"][s, e] = nulls.get(way, 0.5)
                if place == 0 and "averaged" in ways:
                    out["excluded"] = n_excluded
            place += len(ways)
        tested = np.arange(len(self.y), len(self.learner.y))
        scores = self.learner.score(everything, tested)
        assert scores is not None  # both classes are there
        for v in range(n_values):
            out["truths"][v], out["influence"][:, v] = auc_and_influence(self.test, scores[:, v])
        return out

    def _apparent(self, everything: NDArray[np.intp]) -> NDArray[np.float64]:
        """AUC on the pairs that the model was trained on."""
        scores = self.learner.score(everything, everything)
        assert scores is not None
        return np.array([_auc_or_nan(self.y, column) for column in scores.T])

    def _scored(self, cv: Any) -> dict[str, Scored]:
        """Scores under each scheme; a splitter without one trains on all it does not validate."""
        if hasattr(cv, "random_state"):
            cv = _changed(cv, random_state=self.seed)
        if not hasattr(cv, "scheme"):
            return {"relaxed": self._by_folds(cv)}
        schemes = {scheme: _changed(cv, scheme=scheme) for scheme in SCHEMES}
        tasks = fold_tasks(cv, self.pairs, self.y)
        by_scheme = self.learner.from_tasks(tasks, schemes) if tasks is not None else None
        if tasks is None or by_scheme is None:
            return {scheme: self._by_folds(each) for scheme, each in schemes.items()}
        order = np.argsort(tasks.fold, kind="stable")
        bounds = np.searchsorted(tasks.fold[order], np.arange(tasks.n_folds + 1))
        return {
            scheme: Scored(
                tasks.row[order],
                by_scheme[scheme][order],
                tasks.train_rates(self.y, strict=scheme == "strict")[tasks.fold][order],
                bounds,
            )
            for scheme in SCHEMES
        }

    def _by_folds(self, cv: Any) -> Scored:
        index = as_pairs(self.pairs)
        rows, scores, rates = [], [], []
        n_skipped = 0
        # Not split of ours, which warns of folds without a pair: those are counted here.
        ours = isinstance(cv, ObjectSplitter)
        folds = cv._folds(index, self.y) if ours else each_fold(cv, self.pairs, self.y, index)
        for fold in folds:
            train, test = fold.train, fold.test
            if not len(test):
                n_skipped += 1
                continue
            fitted = self.learner.score(train, test)
            if fitted is None:
                n_skipped += 1
                continue
            rows.append(test)
            scores.append(fitted)
            rates.append(np.full(len(test), self.y[train].mean()))
        bounds = np.cumsum([0, *map(len, rows)])
        if not rows:
            return Scored(np.zeros(0, int), np.zeros((0, 0)), np.zeros(0), bounds, n_skipped)
        row, score, rate = np.concatenate(rows), np.concatenate(scores), np.concatenate(rates)
        return Scored(row, score, rate, bounds, n_skipped)

    def _aucs(self, scored: Scored) -> tuple[dict[str, NDArray[np.float64]], dict[str, float], int]:
        """Averaged and pooled AUC of each value, nulls, and folds that have no AUC."""
        y = self.y[scored.row]
        folds = list(pairwise(scored.bounds))
        pooled = np.array([_auc_or_nan(y, column) for column in scored.scores.T])
        by_fold = [
            [_auc_or_nan(y[low:high], column[low:high]) for column in scored.scores.T]
            for low, high in folds
            if not _one_class(y[low:high])
        ]
        averaged = np.mean(by_fold, axis=0) if by_fold else np.full(len(pooled), np.nan)
        n_excluded = len(folds) - len(by_fold) + scored.n_skipped
        values = {"averaged": averaged, "pooled": pooled}
        return values, {"pooled": _auc_or_nan(y, scored.rates)}, n_excluded


def auc_and_influence(
    test: TruthPairs, scores: NDArray[np.float64]
) -> tuple[float, NDArray[np.float64]]:
    """The AUC on test pairs, and what each block of them adds to it, to first order.

    The terms are DeLong's structural components, centred, summed over the pairs of a block: the
    sum of their squares over blocks is the variance of the AUC over test sets.
    """
    positive = test.labels
    up, down = np.sort(scores[positive]), np.sort(scores[~positive])
    term = np.empty(len(scores))
    # The share of the other class that each pair is ranked right against, ties one half.
    for mine, others, above in ((positive, down, True), (~positive, up, False)):
        values = scores[mine]
        below = np.searchsorted(others, values, "left") + np.searchsorted(others, values, "right")
        share = below / (2 * len(others))
        term[mine] = (share if above else 1 - share) / mine.sum()
    auc = float(term[positive].sum())
    term -= auc / np.where(positive, positive.sum(), (~positive).sum())
    return auc, np.asarray(np.bincount(test.block, term, minlength=N_BLOCKS), dtype=np.float64)


def _changed(cv: Any, **parameters: Any) -> Any:
    other = copy(cv)
    for name, value in parameters.items():
        setattr(other, name, value)
    return other


def _one_class(y: NDArray[np.bool_]) -> bool:
    return bool(y.all() or not y.any())


def _auc_or_nan(y: NDArray[np.bool_], scores: NDArray[np.float64]) -> float:
    concordant, comparisons = concordance(y, scores, None)
    return concordant / comparisons if comparisons else np.nan
