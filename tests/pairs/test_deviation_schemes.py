"""Deviation studies of any splitter, setting and density, against their definition."""

from functools import partial
from itertools import combinations

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold

from tests.pairs import naive
from trueval.data import simulate
from trueval.pairs import (
    ObjectBootstrap,
    ObjectKFold,
    ObjectLeavePOut,
    ObjectLeaveTwoOut,
    ObjectShuffleSplit,
    RepeatedObjectKFold,
    deviation_study,
)
from trueval.pairs._deviation_draw import (
    N_BLOCKS,
    Population,
    TruthPairs,
    auc_and_influence,
    estimate_names,
)
from trueval.pairs._deviation_learners import KNN

CVS = {
    "overlapping": ObjectKFold(4, overlapping=True, balance="objects"),
    "repeated": RepeatedObjectKFold(3, 2),
    "shuffle": ObjectShuffleSplit(3, test_size=0.4),
    "leave-3-out": ObjectLeavePOut(3),
    "leave-two-out": ObjectLeaveTwoOut(),
    "bootstrap": ObjectBootstrap(3),
    "AB": ObjectKFold(3, setting="AB"),
    "rows": KFold(4, shuffle=True),
}
SMALL = {"n_objects": 14, "n_repeats": 3, "n_test_pairs": 200, "n_neighbors": [3, 6]}


@pytest.fixture(scope="module")
def proteins():
    found = simulate.protein_families(1500, n_families=80, random_state=0)
    return found.features, found.terms


def population_of(setting="BB", density=1.0, cvs=None):
    """Objects of two dimensions whose pair is positive when their sum is."""
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(400, 2))

    def share(a, b):
        return (vectors[a] + vectors[b]).sum(axis=1) + np.sin(37.0 * (a + b)) > 0

    pairs = np.arange(200).reshape(-1, 2)
    test = TruthPairs(pairs, share(*pairs.T), np.arange(100) % N_BLOCKS)
    return Population(
        vectors,
        share,
        np.arange(200, 400),
        test,
        np.random.SeedSequence(7),
        partial(KNN, np.array([3, 6])),
        cvs or CVS,
        setting,
        density,
    )


def naive_folds(cv, pairs, y, scheme, seed):
    """Folds by the definition: which objects are held out makes the role of each row."""
    if isinstance(cv, KFold):
        return list(KFold(4, shuffle=True, random_state=seed).split(pairs))
    cv = type(cv)(**{**vars(cv), "scheme": scheme} | (
        {"random_state": seed} if hasattr(cv, "random_state") else {}))  # fmt: skip
    ids = np.unique(pairs)
    folds = []
    for fold in cv.folds(None, y, pairs):
        out = set(ids[fold.held_out].tolist())
        if cv.setting == "AB":
            new = [sum(o in out for o in members) for members in pairs.tolist()]
            test = [row for row, n in enumerate(new) if n == 1]
            train = [row for row, n in enumerate(new) if n == 0 or (n == 2 and scheme == "relaxed")]
        else:
            train, test = naive.roles(pairs.tolist(), out, scheme)
        if isinstance(cv, ObjectBootstrap):  # repeated rows are tested with the splitter
            train = fold.train.tolist()
        folds.append((train, test))
    return folds


def nearest(X, y, new, k):
    """Inverse-distance-weighted share of positives among the k nearest rows."""
    scores = []
    for x in new:
        distance = np.sqrt(((X - x) ** 2).sum(axis=1))
        near = np.argsort(distance, kind="stable")[:k]
        scores.append(np.average(y[near], weights=1 / distance[near]))
    return np.array(scores)


def naive_estimates(folds, X, y, k):
    """Averaged and pooled AUC, and the null of the pooled one, by refits."""
    aucs, pooled, labels, rates = [], [], [], []
    for train, test in folds:
        if not len(test):
            continue
        scores = nearest(X[train], y[train], X[test], k)
        aucs.append(naive.auc(y[test], scores))
        pooled += scores.tolist()
        labels += y[test].tolist()
        rates += [y[train].mean()] * len(test)
    known = [a for a in aucs if a is not None]
    averaged = np.mean(known) if known else np.nan
    return averaged, naive.auc(labels, pooled), naive.auc(labels, rates)


@pytest.mark.filterwarnings("ignore::trueval.pairs.UnscorableFoldWarning")
@pytest.mark.parametrize("density", [1.0, 0.6])
@pytest.mark.parametrize("name", CVS)
def test_estimates_are_those_of_refits(name, density):
    cv = CVS[name]
    population = population_of(density=density, cvs={name: cv})
    draw = population.draw(2, 11)
    assert len(draw.pairs) == round(density * 55)
    result = draw.result(2)
    members = draw.learner.pairs
    X = population.vectors[members].sum(axis=1)
    n = len(draw.y)
    for s, scheme in enumerate(("relaxed", "strict")):
        if name == "rows" and scheme == "strict":
            assert np.isnan(result["estimates"][s]).all()
            continue
        folds = naive_folds(cv, draw.pairs, draw.y, scheme, draw.seed)
        for v, k in enumerate((3, 6)):
            averaged, pooled, null = naive_estimates(folds, X[:n], draw.y, k)
            expected = {"averaged": averaged, "pooled": pooled}
            if name == "bootstrap":  # no pair is a neighbour of itself but at distance zero
                expected[".632"] = 0.368 * 1.0 + 0.632 * averaged
            ways = ["pooled"] if name == "leave-two-out" else list(expected)
            for e, way in enumerate(ways):
                assert result["estimates"][s, e, v] == pytest.approx(expected[way], abs=1e-9)
                assert result["nulls"][s, e] == pytest.approx(null if way == "pooled" else 0.5)
    for v, k in enumerate((3, 6)):
        truth = naive.auc(draw.test.labels, nearest(X[:n], draw.y, X[n:], k))
        assert result["truths"][v] == pytest.approx(truth, abs=1e-9)


def test_test_pairs_are_those_of_the_setting():
    drawn = {}
    for setting, seen in (("BB", 0), ("AB", 1), ("AA", 2)):
        draw = population_of(setting, 0.5).draw(1, 14)
        members, pairs = draw.learner.pairs[: len(draw.y)], draw.test.pairs
        objects = set(np.unique(members).tolist())
        assert {sum(o in objects for o in pair) for pair in pairs.tolist()} == {seen}
        assert len({frozenset(pair) for pair in pairs.tolist()}) == len(pairs)
        known = {frozenset(pair) for pair in members.tolist()}
        assert not known & {frozenset(pair) for pair in pairs.tolist()}
        assert (draw.test.labels == population_of().share(*pairs.T)).all()
        drawn[setting] = (members.tolist(), draw.seed)
        assert len(pairs) == (91 - 46 if setting == "AA" else 100)
        if setting == "AB":  # the error that all draws share is that of the new objects
            new = pairs[~np.isin(pairs, list(objects))]
            assert (draw.test.block == new % N_BLOCKS).all()
    assert drawn["AA"] == drawn["AB"] == drawn["BB"]


def test_names_of_estimates(proteins):
    assert estimate_names({"": CVS["AB"], "lto": ObjectLeaveTwoOut(), "b": ObjectBootstrap()}) == [
        "averaged", "pooled", "lto", "b averaged", "b pooled", "b .632",
    ]  # fmt: skip
    study = deviation_study(*proteins, **SMALL, setting="C2", n_splits=3, random_state=0)
    assert study.setting == "AB"
    names = ["averaged", "pooled", "leave-one-out averaged", "leave-one-out pooled"]
    assert study.estimate_names == names
    assert np.isfinite(study.estimates).all()
    # One object left out: no pair of two held-out objects, so both schemes train on the same.
    assert (study.estimates[:, 0, 2:] == study.estimates[:, 1, 2:]).all()
    with pytest.raises(ValueError, match="'density' parameter"):
        deviation_study(*proteins, **SMALL, setting="AA")
    with pytest.raises(ValueError, match="'cv' parameter"):
        deviation_study(*proteins, **SMALL, cv={"a": 5})


def test_resumes_and_belongs_to_its_splitter(proteins, tmp_path):
    options = SMALL | {"cv": ObjectShuffleSplit(2, test_size=0.4), "density": 0.7}
    path = tmp_path / "study.npz"
    whole = deviation_study(*proteins, **options, random_state=1)
    for n in (1, 3):
        study = deviation_study(
            *proteins, **options | {"n_repeats": n}, random_state=1, checkpoint=path
        )
    for name in ("estimates", "truths", "influence"):
        assert np.array_equal(getattr(study, name), getattr(whole, name), equal_nan=True)
    for change in ({"cv": ObjectShuffleSplit(2, test_size=0.3)}, {"density": 0.5}):
        with pytest.raises(ValueError, match="other data, arguments or seed"):
            deviation_study(*proteins, **options | change, random_state=1, checkpoint=path)


def test_ridge_from_sums_is_ridge_refitted(proteins):
    class Refitted(Ridge):
        """Not recognised, and so fitted anew for every fold."""

    cvs = {"2": ObjectLeaveTwoOut(), "n": ObjectKFold(3), "b": ObjectBootstrap(2)}
    for model in ({"alpha": 0.01}, {"alpha": 2.0, "fit_intercept": False}):
        fast, slow = (
            deviation_study(
                *proteins, **SMALL, cv=cvs, estimator=kind(**model), random_state=0, density=0.9
            )
            for kind in (Ridge, Refitted)
        )
        assert np.allclose(fast.estimates, slow.estimates, atol=1e-9, equal_nan=True)
        assert np.allclose(fast.truths, slow.truths, atol=1e-9)
        assert np.allclose(fast.nulls, slow.nulls)


def test_another_learner_skips_folds_of_one_class(proteins):
    """A forest cannot be fitted on one class; the fold is counted, not scored."""
    forest = ExtraTreesClassifier(2, random_state=0)
    study = deviation_study(
        *proteins, **SMALL | {"n_objects": 7}, cv=ObjectLeavePOut(4), estimator=forest,
        random_state=0,
    )  # fmt: skip
    assert (study.excluded > 0).all()
    assert study.n_splits == 35


def test_influence_is_the_structural_components_of_delong():
    """With one pair a block, from comparisons one by one; ties count one half."""
    rng = np.random.default_rng(1)
    scores, labels = rng.integers(0, 6, N_BLOCKS) / 2, rng.random(N_BLOCKS) < 0.4
    test = TruthPairs(np.zeros((N_BLOCKS, 2), int), labels, np.arange(N_BLOCKS))
    auc, influence = auc_and_influence(test, scores)
    assert auc == pytest.approx(naive.auc(labels, scores))
    for i in range(N_BLOCKS):
        others = [s for s, y in zip(scores, labels, strict=True) if y != labels[i]]
        sign = 1 if labels[i] else -1
        right = [(sign * (scores[i] - s) > 0) + 0.5 * (scores[i] == s) for s in others]
        n = sum(labels == labels[i])
        assert influence[i] == pytest.approx((np.mean(right) - auc) / n)
    assert influence.sum() == pytest.approx(0, abs=1e-12)


def test_standard_errors_include_the_test_sets():
    """Over studies with other test pairs and draws, means vary as their errors say."""
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(3000, 2))
    noise = rng.normal(size=5999)

    def share(a, b):
        return (vectors[a] + vectors[b]).sum(axis=1) + 2 * noise[a + b] > 1

    means, errors, naive_errors = [], [], []
    for seed in range(60):
        study = deviation_study(
            vectors, share, n_objects=10, n_repeats=12, n_test_pairs=60, n_neighbors=3,
            cv=ObjectKFold(2), random_state=seed,
        )  # fmt: skip
        means.append(study.moment("mean", "strict", "pooled", 3))
        errors.append(study.moment("mean_se", "strict", "pooled", 3) ** 2)
        naive_errors.append(study.moment("variance", "strict", "pooled", 3) / 12)
    ratio = np.var(means, ddof=1) / np.mean(errors)
    assert 0.6 < ratio < 1.6  # 60 studies: a variance is known to about ± 18 %
    assert np.mean(naive_errors) < 0.85 * np.mean(errors)


def test_complete_sets_have_all_pairs_and_repeats_are_numbered():
    draw = population_of().draw(0, 14)
    assert draw.pairs.tolist() == [list(pair) for pair in combinations(range(14), 2)]
    assert (population_of().draw(0, 14).learner.pairs == draw.learner.pairs).all()
    assert (population_of().draw(1, 14).learner.pairs != draw.learner.pairs).any()
