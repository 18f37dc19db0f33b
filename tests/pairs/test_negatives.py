"""``sample_negatives``: no known positive, no object without one, degrees that say nothing."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueval import InputError, InputWarning, ParameterError
from trueval.data import Pairs
from trueval.pairs import as_pairs, audit_pairs, rewire_pairs, sample_negatives

STRATEGIES = ["degree", "uniform", "same-objects"]


def hubs(n=200, m=600, seed=0, skew=1.0):
    """Positives among objects of very different degrees, each once."""
    generator = np.random.default_rng(seed)
    weight = 1 / np.arange(1, n + 1) ** skew
    a, b = generator.choice(n, (2, 4 * m), p=weight / weight.sum())
    pairs = np.unique(np.sort(np.column_stack([a, b])[a != b], axis=1), axis=0)
    return generator.permutation(pairs)[:m]


def keys(pairs):
    return {tuple(sorted(pair)) for pair in np.asarray(pairs).tolist()}


def drawn_of(result, n_positives):
    return result.pairs.pairs[n_positives:]


@pytest.mark.filterwarnings("ignore::trueval.InputWarning")
@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 1000),
    st.sampled_from(STRATEGIES),
    st.sampled_from([0.5, 1.0, 2.5]),
    st.booleans(),
)
def test_invariants(seed, strategy, ratio, in_parts):
    pairs = hubs(60, 100, seed)
    folds = np.random.default_rng(seed).integers(-1, 3, len(pairs)) if in_parts else None
    result = sample_negatives(pairs, strategy=strategy, ratio=ratio, folds=folds, random_state=seed)
    negatives = drawn_of(result, len(pairs))
    assert np.array_equal(result.pairs.pairs[: len(pairs)], pairs)
    assert result.pairs.y.tolist() == [1] * len(pairs) + [0] * len(negatives)
    assert not keys(negatives) & keys(pairs)
    assert (negatives[:, 0] != negatives[:, 1]).all()
    for part in [0] if folds is None else range(3):
        mine = np.ones(len(pairs), bool) if folds is None else folds == part
        here = negatives
        if folds is not None:
            here = negatives[result.folds[len(pairs) :] == part]
        assert len(keys(here)) == len(here) <= round(ratio * mine.sum())
        assert set(here.ravel().tolist()) <= set(pairs[mine].ravel().tolist())
    again = sample_negatives(pairs, strategy=strategy, ratio=ratio, folds=folds, random_state=seed)
    assert np.array_equal(again.pairs.pairs, result.pairs.pairs)


@pytest.mark.filterwarnings("ignore::trueval.InputWarning")
@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_degrees_predict_nothing_in_train_and_test(symmetric, seed):
    pairs = hubs(400, 2500, seed)
    if not symmetric:
        pairs = np.unique(pairs + np.array([0, 1000]), axis=0)
    generator = np.random.default_rng(seed)
    side = generator.random(2000) < 0.6
    folds = np.where(side[pairs].all(axis=1), 0, np.where(side[pairs].any(axis=1), -1, 1))
    result = sample_negatives(pairs, folds=folds, symmetric=symmetric, random_state=seed)
    uniform = sample_negatives(
        pairs, folds=folds, strategy="uniform", symmetric=symmetric, random_state=seed
    )
    for part in (0, 1):
        audits = [
            audit_pairs(
                drawn.pairs,
                np.flatnonzero(drawn.folds == 1 - part),
                np.flatnonzero(drawn.folds == part),
                y=drawn.pairs.y,
                symmetric=symmetric,
            )
            for drawn in (result, uniform)
        ]
        assert audits[0].degree_auc == pytest.approx(0.5, abs=0.02)
        assert audits[1].degree_auc > 0.6
        assert audits[0].only_negative == []


@pytest.mark.filterwarnings("ignore::trueval.InputWarning")
@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1000), st.sampled_from([1, 2]), st.booleans(), st.sampled_from([150, 800]))
def test_every_object_has_its_share(seed, ratio, symmetric, m):
    """Positives of the object times the ratio, but for one or a tenth and what is missing."""
    pairs = hubs(300, m, seed, skew=0.5)
    if not symmetric:
        pairs = pairs + np.array([0, 300])
    result = sample_negatives(pairs, ratio=ratio, symmetric=symmetric, random_state=seed)
    negatives = drawn_of(result, len(pairs))
    wanted = ratio * np.bincount(pairs.ravel(), minlength=600)
    share = np.bincount(negatives.ravel(), minlength=600)
    missing = 2 * (ratio * len(pairs) - len(negatives))
    assert (share <= wanted + np.maximum(1, 0.1 * wanted)).all()
    assert (wanted - share).sum() == missing <= 0.03 * wanted.sum()
    assert (share[wanted == 0] == 0).all()
    assert np.maximum(wanted - share - np.maximum(1, 0.1 * wanted), 0).sum() <= missing
    if symmetric:
        assert not keys(negatives) & keys(pairs)
    else:
        assert not set(map(tuple, negatives.tolist())) & set(map(tuple, pairs.tolist()))


@pytest.mark.filterwarnings("ignore::trueval.InputWarning")
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_no_negative_is_in_two_parts(strategy):
    """Parts by rows: ten objects are in all of them, and a negative of one is none of another."""
    pairs = hubs(10, 15, skew=0.2)
    folds = np.arange(len(pairs)) % 3
    for seed in range(4):
        drawn = drawn_of(
            sample_negatives(pairs, folds=folds, strategy=strategy, random_state=seed), len(pairs)
        )
        assert len(drawn) > 5
        assert len(keys(drawn)) == len(drawn)


def rank_auc(positives, negatives):
    """AUC of the product of degrees among these pairs, by its definition."""
    degree = np.bincount(np.concatenate([positives, negatives]).ravel())
    high, low = (degree[side].prod(axis=1) for side in (positives, negatives))
    above = (high[:, None] > low).mean()
    return above + (high[:, None] == low).mean() / 2


def test_small_dense_parts_are_levelled_or_told():
    """Eight by twelve objects of two kinds, a third of the cells positive."""
    levelled = []
    for seed in range(8):
        generator = np.random.default_rng(seed)
        weight = np.outer(1 / np.arange(1, 9), 1 / np.arange(1, 13)) ** 0.4
        cells = generator.choice(96, 30, replace=False, p=weight.ravel() / weight.sum())
        pairs = np.column_stack([cells // 12, 20 + cells % 12])
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            result = sample_negatives(pairs, symmetric=False, random_state=seed)
        auc = rank_auc(pairs, drawn_of(result, len(pairs)))
        levelled.append(abs(auc - 0.5) <= 0.02)
        assert levelled[-1] != any(f"AUC of {auc:.3f}" in str(entry.message) for entry in told)
    assert sum(levelled) >= 6


def test_degrees_that_cannot_be_levelled_are_told():
    """A hub with all others, and a few pairs of these: by hand, no negative can have the hub."""
    pairs = [(0, i) for i in range(1, 9)] + [(1, 2), (3, 4)]
    with pytest.warns(InputWarning) as told:
        result = sample_negatives(pairs, random_state=0)
    drawn = drawn_of(result, len(pairs))
    drawn = drawn.astype(int)
    assert len(drawn) > 0
    assert 0 not in drawn
    measured = rank_auc(np.array(pairs), drawn)
    assert measured > 0.52
    assert any(f"an AUC of {measured:.3f}" in str(warning.message) for warning in told)


def test_columns_of_two_kinds_stay_apart():
    pairs = [("d1", "t1"), ("d2", "t2"), ("d3", "t3"), ("d1", "t2"), ("d4", "t4")]
    drawn = drawn_of(sample_negatives(pairs, symmetric=False, random_state=0), 5)
    assert len(drawn) == 5
    assert all(a.startswith("d") and b.startswith("t") for a, b in drawn.tolist())


@pytest.mark.filterwarnings("ignore::trueval.InputWarning")  # few objects allow few pairs
def test_columns_without_a_common_object_are_two_kinds():
    # Read as one kind, drugs would be joined with drugs.
    pairs = np.array([("D1", "T1"), ("D2", "T2"), ("D3", "T3"), ("D4", "T1"), ("D5", "T2")])
    drawn = drawn_of(sample_negatives(pairs, random_state=0), 5)
    assert {(a[0], b[0]) for a, b in drawn} == {("D", "T")}
    rewired = rewire_pairs(pairs, random_state=0).pairs
    assert {(a[0], b[0]) for a, b in rewired} == {("D", "T")}
    both = np.concatenate([pairs, [("T1", "D2")]])  # one object in both columns: one kind
    kinds = [
        (a[0], b[0])
        for seed in range(20)
        for a, b in drawn_of(sample_negatives(both, random_state=seed), 6)
    ]
    assert ("D", "D") in kinds


def test_numbers_of_similar_objects_need_the_kinds():
    pairs = np.array([("D1", "T1"), ("D2", "T2"), ("D3", "T3")])
    with pytest.raises(InputError, match=r"no object in common.*symmetric"):
        sample_negatives(pairs, similarity=[(0, 1, 1.0)], random_state=0)


def test_similar_objects_are_no_negatives():
    """b2 is like b, so (a, b2) may well be positive."""
    pairs = [("a", "b"), ("c", "b2"), ("d", "e"), ("c", "d"), ("a", "e")]
    ids = as_pairs(pairs).ids
    edge = [(ids.index("b"), ids.index("b2"), 0.9)]
    for seed in range(20):
        with pytest.warns(InputWarning, match="negatives where 50 were wanted"):
            result = sample_negatives(
                pairs, ratio=10, strategy="uniform", similarity=edge, random_state=seed
            )
        drawn = keys(drawn_of(result, 5))
        assert not drawn & {("a", "b2"), ("b", "c")}
        assert len(drawn) == 15 - 5 - 2  # all pairs of six, but for positives and these two


def test_only_positives_of_labelled_pairs_count():
    pairs = Pairs([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("e", "f")], y=[1, 1, 1, 0, 1])
    result = sample_negatives(pairs, ratio=0.5, strategy="uniform", random_state=0)
    assert (len(result.pairs), result.n_negatives) == (6, 2)
    with pytest.raises(InputError, match="no positive pair"):
        sample_negatives(Pairs([("a", "b")], y=[0]))
    with pytest.raises(InputError, match="pairs only"):
        sample_negatives([("a", "b", "c")])


def scarcest(pairs, symmetric):
    """The least of other pairs for each positive, object by object, by looking at all pairs."""
    pairs = [tuple(pair) for pair in pairs]
    known = {tuple(sorted(pair)) if symmetric else pair for pair in pairs}
    sides = [{pair[side] for pair in pairs} for side in (0, 1)]
    if symmetric:
        sides = [sides[0] | sides[1]] * 2
    shares = []
    for side in (0, 1):
        for one in sides[side]:
            couples = [(one, other) if side == 0 else (other, one) for other in sides[1 - side]]
            if symmetric:
                couples = [tuple(sorted(couple)) for couple in couples if len(set(couple)) == 2]
            n_positives = sum(couple in known for couple in couples)
            shares.append((len(couples) - n_positives) / n_positives)
    return min(shares)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1000), st.booleans())
def test_the_object_that_is_named_is_the_scarcest(seed, symmetric):
    generator = np.random.default_rng(seed)
    n_other = int(generator.integers(3, 7))
    cells = np.argwhere(generator.random((6, n_other)) < 0.6)
    pairs = [(int(a), int(b) + (0 if symmetric else 10)) for a, b in cells if a != b]
    if symmetric:
        pairs = sorted({tuple(sorted(pair)) for pair in pairs})
    if len(pairs) < 2:
        return
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        sample_negatives(pairs, ratio=3, symmetric=symmetric, random_state=0)
    named = [str(entry.message) for entry in told if "it cannot have" in str(entry.message)]
    for message in named:
        assert f"above {scarcest(pairs, symmetric):.2g} it cannot have" in message


@pytest.mark.parametrize("ratio", [1e308, 10**309, 10_001, 0, "1"])
def test_ratios_that_cannot_be_drawn(ratio):
    with pytest.raises(ParameterError, match="'ratio' parameter of sample_negatives"):
        sample_negatives([("a", "b"), ("c", "d")], ratio=ratio)
