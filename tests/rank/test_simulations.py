"""The paper's simulations: the stated distributions, and the tables in part."""

import warnings

import numpy as np
import pytest
from scipy import stats

from trueval.data.simulate import simulation_one, simulation_two, true_rates
from trueval.data.simulate._scores import MEMBER, NULL
from trueval.rank import (
    FDRRanker,
    LocalPrecisionRate,
    LocalTrueDiscoveryRate,
    OneClassWarning,
    OptimalThresholds,
    PrecisionRanker,
    PValueRanker,
    average_precision,
    f_measure,
)

# Table 1 of the paper, by class: parameters of X0 and X1.
TABLE_1 = [
    ((0.5, 3), (10, 10)),
    ((1, 1), (4, 0.9)),
    ((0.5, 4), (10, 10)),
    ((0.5, 5), (4, 0.9)),
    ((0.5, 0.5), (16, 0.1)),
]


def test_table_1():
    assert list(zip(NULL, MEMBER, strict=True)) == TABLE_1


def test_simulation_one_has_the_stated_distributions():
    scores, y = simulation_one(20_000, 0.2, random_state=0)
    y = y.toarray() > 0
    for k, (null, member) in enumerate(TABLE_1):
        assert y[:, k].mean() == pytest.approx(0.2, abs=0.01)
        assert stats.kstest(1.25 * scores[~y[:, k], k], stats.beta(*null).cdf).statistic < 0.02
        # Beta(16, 0.1) rounds to exactly 1 in one draw of forty.
        assert stats.kstest(scores[y[:, k], k], stats.beta(*member).cdf).statistic < 0.04


def test_simulation_two_has_its_atoms():
    scores, y = simulation_two(20_000, 0.07, 0.03, random_state=0)
    y = y.toarray() > 0
    for k, atom in enumerate((0.5, 1.0, 0.5, 1.0, 0.5)):
        on_atom = (scores[:, k] == atom) & y[:, k]
        assert on_atom.mean() == pytest.approx(0.03, abs=0.005)
        assert y[:, k].mean() == pytest.approx(0.1, abs=0.01)


def test_true_rates_are_calibrated():
    scores, y = simulation_two(50_000, 0.07, 0.03, random_state=1)
    rates = true_rates(scores, 0.07, 0.03)
    hits = y.toarray()
    for low in np.arange(0, 1, 0.2):
        inside = (rates >= low) & (rates <= low + 0.2)
        assert hits[inside].mean() == pytest.approx(rates[inside].mean(), abs=0.02)


def test_the_same_seed_gives_the_same_data():
    one, two = (simulation_two(50, random_state=4)[0] for _ in range(2))
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize(
    ("pi", "said"), [((1.2, 0), "'prevalence'"), ((0.7, 0.7), "at most 1 - prevalence")]
)
def test_wrong_prevalences(pi, said):
    with pytest.raises(ValueError, match=said):
        simulation_two(10, *pi)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cell", "areas", "f_ot"),
    [
        ((200, 0.1, 0.0), (0.666, 0.889, 0.826, 0.849, 0.827), 0.836),
        ((500, 0.2, 0.0), (0.767, 0.942, 0.922, 0.924, 0.911), 0.890),
        ((200, 0.07, 0.03), (0.635, 0.895, 0.811, 0.804, 0.786), 0.835),
    ],
)
def test_cells_of_the_papers_tables(cell, areas, f_ot):
    rankers = [
        LocalPrecisionRate(mapping="step"),
        LocalTrueDiscoveryRate(),
        PValueRanker(),
        FDRRanker(),
    ]
    rng = np.random.default_rng(0)
    rows = []
    for _ in range(30):
        (scores, y), (new, new_y) = (simulation_two(*cell, random_state=rng) for _ in "ab")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OneClassWarning)
            values = [r.fit(scores, y).transform(new) for r in rankers]
            ours = PrecisionRanker().fit(scores, y).transform(new)
        calls = OptimalThresholds().fit(scores, y).predict(new)
        rows.append(
            [average_precision(v, new_y) for v in (new, *values, ours)] + [f_measure(calls, new_y)]
        )
    measured = np.mean(rows, axis=0)
    np.testing.assert_allclose(measured[:5], areas, atol=0.03)
    assert measured[6] == pytest.approx(f_ot, abs=0.025)
    assert measured[5] > measured[1] > max(measured[2:5]) > measured[0]
