"""Ranked pairs against plain lists, dense and sparse, with ties and pairs without a score."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from trueval.core.scores import check_pair
from trueval.rank import _pairs as module
from trueval.rank._insample import repeats_labels
from trueval.rank._pairs import RankedPairs
from trueval.rank._rules import Rule

QUICK = settings(derandomize=True, deadline=None, max_examples=60, database=None)


def problem(seed, n, k, kinds, density):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, kinds, (n, k)) / kinds - 0.3
    y = (rng.random((n, k)) < 0.3).astype(int)
    y[0, 0] = 1
    stored = rng.random((n, k)) < density
    stored[-1, -1] = True
    return values, y, stored


def as_sparse(values, stored):
    rows, columns = np.nonzero(stored)
    return sp.csr_array((values[stored], (rows, columns)), shape=values.shape)


@QUICK
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 30),
    k=st.integers(1, 6),
    kinds=st.sampled_from([2, 7, 10**6]),
    density=st.sampled_from([0.2, 0.7, 1.0]),
    chunk=st.sampled_from([1, 5, 1 << 22]),
)
def test_pairs_are_those_of_plain_lists(seed, n, k, kinds, density, chunk):
    values, y, stored = problem(seed, n, k, kinds, density)
    given_ = values if density == 1.0 else as_sparse(values, stored)
    if density == 1.0:
        stored[:] = True
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "CHUNK", chunk)
        patch.setattr(module, "BLOCK", chunk)
        pairs = RankedPairs.of(*check_pair(given_, y))
    expected = sorted(
        (-values[i, j], i, bool(y[i, j])) for i in range(n) for j in range(k) if stored[i, j]
    )
    found = sorted(zip(-pairs.value, pairs.row.tolist(), pairs.hit.tolist(), strict=True))
    assert found == expected
    assert (np.diff(pairs.value) <= 0).all()
    cuts = sorted({v for v, _, _ in expected})
    assert pairs.ends().tolist() == [sum(v <= cut for v, _, _ in expected) for cut in cuts]
    assert pairs.hits().tolist() == [sum(h for v, _, h in expected if v <= cut) for cut in cuts]
    below = np.where(stored, values, -9.0)  # without a score: a tie below all others
    area = average_precision_score(y.ravel(), below.ravel())
    assert pairs.area(n * k) == pytest.approx(area, abs=1e-12)
    some = np.random.default_rng(seed).random(n) < 0.5
    part = pairs.of_rows(some)
    assert part.n_rows == some.sum()
    assert sorted(part.row.tolist()) == sorted(i for _, i, _ in expected if some[i])


def naive_choice(triples, weight, positives, name, wanted):
    """Calls, whether they reach the target, and the measure, by trying every cut."""
    total, tried = sum(positives), []
    for cut in sorted({v for v, _, _ in triples}, reverse=True):
        calls = sum(weight[i] for v, i, _ in triples if v >= cut)
        hits = sum(weight[i] for v, i, hit in triples if v >= cut and hit)
        measure = {
            "precision": hits / calls,
            "recall": hits / total,
            "beta": (1 + wanted**2) * hits / (calls + wanted**2 * total),
        }[name]
        tried.append((measure, cut))
    good = [pair for pair in tried if name != "beta" and pair[0] >= wanted - 1e-12]
    if good:
        return True, *(good[-1] if name == "precision" else good[0])
    best = max(measure for measure, _ in tried)
    nearest = [pair for pair in tried if pair[0] == best]
    return name == "beta", *(nearest[-1] if name == "precision" else nearest[0])


@QUICK
@given(
    seed=st.integers(0, 10**6),
    kinds=st.sampled_from([2, 7, 10**6]),
    name=st.sampled_from(["precision", "recall", "beta"]),
    wanted=st.sampled_from([0.2, 0.5, 0.8, 1.0]),
    block=st.sampled_from([1, 2, 7, 1 << 18]),
    weighted=st.booleans(),
)
def test_choices_along_blocks_are_those_of_every_cut(seed, kinds, name, wanted, block, weighted):
    values, y, stored = problem(seed, 12, 4, kinds, 0.7)
    rng = np.random.default_rng(seed)
    keep, weight = rng.random(12) < 0.7, rng.integers(1, 4, 12) / 4 if weighted else np.ones(12)
    keep[0] = True
    positives = weight * y.sum(axis=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK", block)
        pairs = RankedPairs.of(*check_pair(as_sparse(values, stored), y))
        if weighted:
            pairs = replace(pairs, weight=weight, positives=positives)
        chosen = Rule(name, wanted).choose(pairs, rng, keep)
        hits, calls = pairs.counts(np.where(keep, chosen.threshold, 0.1))
    places = list(zip(*np.nonzero(stored), strict=True))
    triples = [(values[i, j], i, bool(y[i, j])) for i, j in places if keep[i]]
    if not triples:
        assert chosen.threshold == np.inf
        return
    met, reached, cut = naive_choice(triples, weight, positives[keep], name, wanted)
    assert (chosen.met, chosen.reached) == (met, pytest.approx(reached, abs=1e-12))
    selected = {(v, i) for v, i, _ in triples if v >= chosen.threshold}
    assert selected == {(v, i) for v, i, _ in triples if v >= cut}
    called = [(i, j) for i, j in places if values[i, j] >= (cut if keep[i] else 0.1)]
    assert calls.tolist() == [sum(i == row for i, _ in called) for row in range(12)]
    assert hits.tolist() == [sum(i == row and y[i, j] for i, j in called) for row in range(12)]


@pytest.mark.parametrize("block", [1, 3, 1 << 18])
def test_the_first_pairs_of_some_objects(block, monkeypatch):
    monkeypatch.setattr(module, "BLOCK", block)
    values, y, _ = problem(3, 20, 4, 7, 1.0)
    pairs = RankedPairs.of(*check_pair(values, y))
    keep = np.arange(20) % 3 > 0
    whole = pairs.of_rows(keep)
    for most in (1, 5, 17, 10**6):
        part = pairs.of_rows(keep, most)
        n = len(part.value)
        assert min(most + 1, len(whole.value)) <= n
        assert part.value.tolist() == whole.value[:n].tolist()
        assert part.row.tolist() == whole.row[:n].tolist()
        assert part.ends(most).tolist() == [end for end in whole.ends() if end <= most]


@pytest.mark.parametrize("sparse", [False, True])
def test_values_that_repeat_the_labels_are_found(sparse):
    y = np.array([[1, 0], [0, 1], [0, 0], [1, 1], [1, 0], [0, 0], [1, 1], [0, 0]] * 3)
    values = np.empty(y.shape)
    low = np.arange(len(y)) % 8 < 4
    for k in range(2):
        values[low, k], values[~low, k] = y[low, k].mean(), y[~low, k].mean()
    values += 1e-9 * np.arange(len(y))[:, None]  # broken ties
    stored = np.ones(y.shape, dtype=bool)
    for number, expected in ((values, True), (0.9 * values, False), (2 * values, False)):
        given_ = as_sparse(number, stored) if sparse else number
        assert repeats_labels(*check_pair(given_, y)) is expected
